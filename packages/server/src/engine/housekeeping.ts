import { setImmediate as nextTurn } from 'node:timers/promises';
import { formatTimestamp } from '@parley/protocol';
import type { Logger } from 'pino';
import type { Entry } from './ports/log.ts';
import type { Store } from './ports/store.ts';
import type { Wake } from './ports/wake.ts';
import { publishByTask } from './run-log.ts';

export interface HousekeepingOptions {
  store: Store;
  wake: Wake;
  logger: Logger;
  newId(): string;
  /** A task that has waited for its caller this long fails. */
  pausedTtlMs: number;
  /** The log of a task that has ended this long ago is forgotten, and then the task. */
  eventTtlMs: number;
  taskTtlMs: number;
}

export interface Housekeeping {
  /** Waits for the batch that is under way. */
  close(): Promise<void>;
}

/** Nothing is due to the second. */
const SWEEP_EVERY_MS = 60_000;

/** Tasks, requests or items in one transaction: some milliseconds, while which nobody else is served. */
const BATCH = 100;

/** Ends what nobody answers and forgets what nobody asks for any more (docs/engine.md, "What is forgotten when"). */
export function startHousekeeping(options: HousekeepingOptions): Housekeeping {
  const { store, wake, logger } = options;
  let closed = false;
  let sweeping: Promise<void> = Promise.resolve();

  const inBatches = async (batch: () => Promise<number>): Promise<void> => {
    while (!closed && (await batch()) >= BATCH) await nextTurn();
  };
  const sweep = async (): Promise<void> => {
    const now = store.now();
    await inBatches(async () => {
      const events = await store.expire(now - options.pausedTtlMs, BATCH, (task) => expired(options, task));
      publishByTask(wake, events);
      return events.length;
    });
    await inBatches(() => store.forgetEvents(now - options.eventTtlMs, BATCH));
    await inBatches(() => store.forgetTasks(now - options.taskTtlMs, BATCH));
    await inBatches(() => store.forgetRequests(BATCH));
    await inBatches(() => store.forgetItems(BATCH));
  };
  const begin = (): void => {
    sweeping = sweeping.then(sweep).catch((error: unknown) => {
      logger.error({ err: error }, 'housekeeping failed');
    });
  };
  const timer = setInterval(begin, SWEEP_EVERY_MS);
  begin();

  return {
    close: async () => {
      closed = true;
      clearInterval(timer);
      await sweeping;
    },
  };
}

function expired(
  { store, newId, pausedTtlMs }: HousekeepingOptions,
  { taskId, contextId }: { taskId: string; contextId: string },
): Entry {
  const text = `Nobody answered within ${pausedTtlMs / 1_000} s: the task has expired.`;
  const message = { messageId: newId(), taskId, contextId, role: 'ROLE_AGENT' as const, parts: [{ text }] };
  const status = { state: 'TASK_STATE_FAILED' as const, message, timestamp: formatTimestamp(store.now()) };
  return { taskId, event: { statusUpdate: { taskId, contextId, status } } };
}

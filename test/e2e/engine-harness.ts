import { pino } from 'pino';
import type { Caller } from '../../packages/server/src/engine/caller.ts';
import { createLocalWake } from '../../packages/server/src/engine/local-wake.ts';
import { createOperations, type Operations } from '../../packages/server/src/engine/operations.ts';
import type { RunContext, RunEnd } from '../../packages/server/src/engine/ports/executor.ts';
import type { Entry } from '../../packages/server/src/engine/ports/log.ts';
import type { RunPayload } from '../../packages/server/src/engine/ports/run.ts';
import type { Store } from '../../packages/server/src/engine/ports/store.ts';
import type { Wake } from '../../packages/server/src/engine/ports/wake.ts';
import { startWorker, type Worker, type WorkerOptions } from '../../packages/server/src/engine/worker.ts';
import { type Database, openDatabase } from '../../packages/server/src/store/sqlite/database.ts';
import { storeOn } from '../../packages/server/src/store/sqlite/open.ts';

export const CALLER: Caller = {
  owner: 'owner',
  assistantId: 'agent',
  extensions: [],
  signals: [],
};

export const COMPLETED: RunEnd = { state: 'TASK_STATE_COMPLETED' };

/** The engine on a store in memory, without HTTP and LangGraph. */
export interface Engine {
  store: Store;
  wake: Wake;
  operations: Operations;
  /** The lease, text and attempt of each run that the agent was given. */
  runs: { text: string; attempt: number }[];
  clock: { now: number };
  work(options?: Partial<WorkerOptions>): Worker;
  /** Sends a text and waits for its task to stop. */
  say(text: string, contextId?: string): ReturnType<Operations['sendMessage']>;
  close(): Promise<void>;
}

export interface EngineOptions {
  cancelTurn?: boolean;
  /** Faults, on top of a real store. */
  faults?(store: Store): Partial<Store>;
  database?: Database;
  /** Messages begin in the worker at once; else they are queued. */
  fused?: Partial<WorkerOptions>;
}

let ids = 0;

export function openEngine(
  run: (text: string, context: RunContext) => Promise<RunEnd>,
  options: EngineOptions = {},
): Engine {
  const clock = { now: Date.now() };
  const real = storeOn(options.database ?? openDatabase(':memory:'), () => clock.now);
  const store: Store = { ...real, ...options.faults?.(real) };
  const wake = createLocalWake();
  const runs: Engine['runs'] = [];
  const workers: Worker[] = [];
  const work = (more: Partial<WorkerOptions> = {}): Worker => {
    const worker = startWorker({
      store,
      wake,
      logger: pino({ level: 'silent' }),
      newId: () => `id-${++ids}`,
      executor: async () => ({
        run: (context) => {
          const text = textOfTurn(context.lease.payload);
          runs.push({ text, attempt: context.lease.attempt });
          return run(text, context);
        },
      }),
      name: `worker-${workers.length}`,
      concurrency: 4,
      leaseMs: 60,
      runDeadlineMs: 60_000,
      pollMs: 5,
      cancelGraceMs: 5,
      cancelTurnMs: 50,
      ...more,
    });
    workers.push(worker);
    return worker;
  };
  const operations = createOperations({
    store,
    wake,
    maxHistoryLength: 10,
    queuePerContext: 64,
    settingsOf: () => ({ streamTokens: true, messageReplies: true, cancelTurn: options.cancelTurn === true }),
    pollMs: 5,
    ...(options.fused ? { worker: work(options.fused) } : {}),
  });
  return {
    store,
    wake,
    operations,
    runs,
    clock,
    work,
    say: (text, contextId = 'c') =>
      operations.sendMessage(CALLER, {
        message: { messageId: `message-${++ids}`, role: 'ROLE_USER', parts: [{ text }], contextId },
      }),
    close: async () => {
      for (const worker of workers) await worker.close(1_000);
      await real.close();
    },
  };
}

export function piece(
  { lease }: { lease: RunContext['lease'] },
  key: string,
  text: string,
  more: { append?: boolean; lastChunk?: boolean; delta?: true; name?: string } = {},
): Entry {
  const { delta, name, ...chunk } = more;
  const artifact = { artifactId: 'a', ...(name === undefined ? {} : { name }), parts: [{ text }] };
  const { taskId } = lease;
  return {
    taskId,
    key,
    event: { artifactUpdate: { taskId, contextId: lease.lane.contextId, artifact, append: true, ...chunk } },
    ...(delta ? { delta } : {}),
  };
}

/** An event that no store can fold: an artifact has parts. */
export function unfoldable({ lease }: RunContext): Entry {
  const { taskId } = lease;
  const artifact = { artifactId: 'a' } as { artifactId: string; parts: [] };
  const artifactUpdate = { taskId, contextId: lease.lane.contextId, artifact, append: true };
  return { taskId, key: 'bad', event: { artifactUpdate } };
}

function textOfTurn(payload: RunPayload): string {
  const [part] = payload.kind === 'message' ? payload.message.parts : [];
  return part && 'text' in part ? part.text : payload.kind;
}

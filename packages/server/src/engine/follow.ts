import { A2AError } from '@parley/protocol';
import { Forgotten } from './forgotten.ts';
import type { StoredEvent } from './ports/log.ts';
import type { Store } from './ports/store.ts';
import type { Wake } from './ports/wake.ts';
import { RETRY_AFTER_S } from './unavailable.ts';

/** Events that a reader may lag behind before it goes back to the store; bounds its memory. */
const PAGE = 200;

export interface FollowOptions {
  store: Store;
  wake: Wake;
  taskId: string;
  /** Events with a greater sequence number are yielded. */
  after: number;
  /** Nothing was written after the cursor yet: the store need not be asked first. */
  caughtUp?: boolean;
  /** The first that is aborted ends it. */
  signals: readonly AbortSignal[];
  /** The store is asked again after this time if nothing woke the reader. */
  pollMs: number;
}

/**
 * A task's log from a cursor on, in batches, until the task is deleted: each event once and in order. Batches that
 * arrive through the wake-up channel are passed on as they are; after a gap, or when the reader is slow, the store is
 * read by cursor.
 * Throws `unavailable` when the task cannot go on because the store cannot write.
 */
export async function* follow(
  options: FollowOptions,
): AsyncGenerator<readonly StoredEvent[], void, undefined> {
  const { store, wake, taskId, signals, pollMs } = options;
  let cursor = options.after;
  let inbox: StoredEvent[] = [];
  let behind = options.caughtUp !== true;
  let rouse = (): void => {};
  const stop = wake.onEvents(taskId, (events) => {
    const expected = (inbox.at(-1)?.seq ?? cursor) + 1;
    const fresh = events.filter((event) => event.seq >= expected);
    if (fresh.length === 0) return;
    stuck = false;
    if (fresh[0]?.seq !== expected || inbox.length + fresh.length > PAGE) behind = true;
    else inbox.push(...fresh);
    rouse();
  });
  let stuck = false;
  const offStuck = wake.onSignal('stuck', (key) => {
    if (key !== taskId) return;
    stuck = true;
    // It may have ended in another way.
    behind = true;
    rouse();
  });
  const offForgotten = wake.onSignal('forgotten', (key) => {
    if (key !== taskId) return;
    behind = true;
    rouse();
  });
  const onAbort = (): void => rouse();
  for (const signal of signals) signal.addEventListener('abort', onAbort);
  try {
    while (!signals.some((signal) => signal.aborted)) {
      if (inbox.length > 0) {
        const batch = inbox;
        inbox = [];
        cursor = batch.at(-1)?.seq ?? cursor;
        yield batch;
      } else if (behind) {
        behind = false;
        const read = await store.read(taskId, cursor, PAGE).catch(endIfForgotten);
        if (!read) return;
        const page = read.filter((event) => event.seq > cursor);
        if (page.length === PAGE) behind = true;
        if (page.length === 0) continue;
        // What arrived during the read is part of the page or follows it.
        cursor = page.at(-1)?.seq ?? cursor;
        inbox = inbox.filter((event) => event.seq > cursor);
        if (inbox[0] && inbox[0].seq !== cursor + 1) {
          inbox = [];
          behind = true;
        }
        yield page;
      } else if (stuck) {
        throw new A2AError('unavailable', 'The task will go on when its progress can be stored again', {
          metadata: { taskId },
          retryAfter: RETRY_AFTER_S,
        });
      } else {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(() => {
            behind = true;
            resolve();
          }, pollMs);
          rouse = () => {
            clearTimeout(timer);
            resolve();
          };
        });
        rouse = () => {};
      }
    }
  } finally {
    stop();
    offStuck();
    offForgotten();
    for (const signal of signals) signal.removeEventListener('abort', onAbort);
  }
}

/** Nothing will follow, and nothing is wrong. */
function endIfForgotten(error: unknown): undefined {
  if (!(error instanceof Forgotten)) throw error;
}

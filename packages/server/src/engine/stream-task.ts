import { isTerminal, type StreamResponse, type TaskEvent } from '@parley/protocol';
import type { StreamedEvent } from './event-stream.ts';
import { follow } from './follow.ts';
import type { Snapshot } from './ports/log.ts';
import type { Store, TaskRef } from './ports/store.ts';
import type { Wake } from './ports/wake.ts';

/** The Task of a stream's first event, whose number is `seq`. */
export type First = Pick<Snapshot, 'task' | 'seq'>;

export interface StreamTaskOptions {
  store: Store;
  wake: Wake;
  ref: TaskRef;
  signals: readonly AbortSignal[];
  pollMs: number;
  /** The Task that the stream begins with; without it the stream begins after `after`. */
  first?: First;
  after?: number;
  /** `answer`: the stream ends where the agent waits for its caller; `terminal`: it goes on across runs. */
  until: 'answer' | 'terminal';
  /** Nothing will follow: the task had ended already. */
  ended?: boolean;
  /** Asked before the last event; what it throws ends the stream. */
  check?: () => Promise<void>;
}

/** A Task, then what happens to it, until it stops (A2A 1.0, sections 3.1.2 and 3.1.6). */
export async function* streamTask(
  options: StreamTaskOptions,
): AsyncGenerator<StreamedEvent[], void, undefined> {
  const { store, wake, ref, signals, pollMs, first, until } = options;
  if (first) yield [{ id: first.seq, event: { task: first.task }, final: options.ended === true }];
  if (options.ended) return;
  const after = first?.seq ?? options.after ?? 0;
  for await (const batch of follow({ store, wake, taskId: ref.taskId, after, signals, pollMs })) {
    const ready: StreamedEvent[] = [];
    for (const { seq, event } of batch) {
      const response = responseOf(event);
      if (!response) continue;
      const final = ends(event, until);
      ready.push({ id: seq, event: response, final });
      if (final) break;
    }
    const last = ready.at(-1)?.final === true;
    if (last) {
      try {
        await options.check?.();
      } catch (error) {
        if (ready.length > 1) yield ready.slice(0, -1);
        throw error;
      }
    }
    if (ready.length > 0) yield ready;
    if (last) return;
  }
}

/** What a log entry looks like on a stream; a history entry does not. */
function responseOf(event: TaskEvent): StreamResponse | undefined {
  return 'history' in event ? undefined : event;
}

function ends(event: TaskEvent, until: 'answer' | 'terminal'): boolean {
  if (!('statusUpdate' in event)) return false;
  const { state } = event.statusUpdate.status;
  return isTerminal(state) || (until === 'answer' && state === 'TASK_STATE_INPUT_REQUIRED');
}

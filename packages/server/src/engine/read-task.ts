import { A2AError, type HistoryScope, type Message, type Task } from '@parley/protocol';
import type { Caller } from './caller.ts';
import type { Snapshot } from './ports/log.ts';
import type { Store, TaskRef } from './ports/store.ts';

export function refOf({ owner, assistantId }: Caller, taskId: string): TaskRef {
  return { owner, assistantId, taskId };
}

/** A task as it is now. Throws `task-not-found`. */
export async function existingTask(store: Store, ref: TaskRef): Promise<Snapshot> {
  const snapshot = await store.snapshot(ref);
  if (!snapshot) throw unknownTask(ref.taskId);
  return snapshot;
}

/**
 * The task with the last `limit` messages (all if absent) of what `scope` says, as of the instant of its snapshot; without
 * `history` if there are none.
 */
export async function withHistory(
  store: Pick<Store, 'history'>,
  { task, upTo }: Pick<Snapshot, 'task' | 'upTo'>,
  ref: TaskRef,
  scope: HistoryScope,
  limit?: number,
): Promise<Task> {
  if (limit === 0) return task;
  const history: Message[] = await store.history(ref, scope, limit, upTo);
  return history.length === 0 ? task : { ...task, history };
}

export function unknownTask(taskId: string): A2AError {
  return new A2AError('task-not-found', undefined, { metadata: { taskId } });
}

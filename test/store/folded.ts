import { applyEvent, type Task } from '@parley/protocol';
import type { Store } from '../../packages/server/src/engine/ports.ts';

/** The fold of a task's whole log, as a snapshot. */
export async function folded(store: Store, taskId: string): Promise<{ task: Task; seq: number }> {
  const log = await store.read(taskId, 0, 1_000_000);
  let task: Task | undefined;
  for (const { event } of log) task = applyEvent(task, event);
  if (!task) throw new Error('empty log');
  const { history: _, ...rest } = task;
  return { task: rest, seq: log.length };
}

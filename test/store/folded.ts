import { applyEvent, type Task } from '@parley/protocol';
import { expect } from 'vitest';
import type { Snapshot } from '../../packages/server/src/engine/ports/log.ts';
import type { Store } from '../../packages/server/src/engine/ports/store.ts';

/** The fold of a task's whole log, as a snapshot is expected to be. */
export async function folded(store: Store, taskId: string): Promise<Snapshot> {
  const log = await store.read(taskId, 0, 1_000_000);
  let task: Task | undefined;
  for (const { event } of log) task = applyEvent(task, event);
  if (!task) throw new Error('empty log');
  const { history: _, ...rest } = task;
  return { task: rest, seq: log.length, upTo: expect.any(Number) };
}

import { isTerminal } from '@parley/protocol';
import type { CancelResult, TaskRef } from '../../engine/ports.ts';
import { writeCancel } from './entries.ts';
import type { Tables } from './tables.ts';

/** Ends a task without a running run, or leaves word for the run, within the caller's transaction. */
export function requestCancel(tables: Tables, ref: TaskRef, now: number): CancelResult {
  const task = tables.tasks.find(ref);
  if (!task) return { kind: 'unknown' };
  if (isTerminal(task.state)) return { kind: 'terminal', state: task.state };
  const running = tables.runs.runningOf(task.lane, task.id);
  if (running) {
    tables.runs.setCancel(running);
    return { kind: 'signalled' };
  }
  const events = writeCancel(tables, task, now);
  tables.runs.nextHead(task.lane);
  return { kind: 'canceled', events };
}

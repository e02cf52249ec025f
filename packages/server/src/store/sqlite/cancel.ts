import { isTerminal } from '@parley/protocol';
import type { StoredEvent } from '../../engine/ports/log.ts';
import type { OwnTurn } from '../../engine/ports/run.ts';
import type { CancelResult, TaskRef } from '../../engine/ports/store.ts';
import { writeCancel } from './entries.ts';
import { queueTurn } from './own-turn.ts';
import type { RunRow } from './runs.ts';
import type { Tables } from './tables.ts';
import type { TaskRow } from './tasks.ts';

/**
 * Ends a task without a running run, or leaves word for the run, within the caller's transaction. With `turn` the agent of
 * a task that has begun gets it before the end.
 */
export function requestCancel(
  tables: Tables,
  ref: TaskRef,
  turn: OwnTurn | undefined,
  now: number,
): CancelResult {
  const { tasks, runs } = tables;
  const task = tasks.find(ref);
  if (!task) return { kind: 'unknown' };
  if (isTerminal(task.state)) return { kind: 'terminal', state: task.state };
  if (runs.cancelTurnOf(task.lane, task.id)) return { kind: 'signalled' };
  const running = runs.runningOf(task.lane, task.id);
  if (running) {
    runs.setCancel(running, turn);
    return { kind: 'signalled' };
  }
  if (turn && task.state !== 'TASK_STATE_SUBMITTED') {
    runs.dropQueued(task.lane, task.id);
    queueTurn(tables, task, turn, now);
    return { kind: 'signalled' };
  }
  const events = writeCancel(tables, task, now);
  runs.nextHead(task.lane);
  return { kind: 'canceled', events };
}

/** Cancels a task whose run has ended, with a turn for its agent if that was asked for. */
export function cancelAfterRun(tables: Tables, task: TaskRow, run: RunRow, now: number): StoredEvent[] {
  if (run.cancelTurn === null) return writeCancel(tables, task, now);
  tables.runs.dropQueued(task.lane, task.id);
  queueTurn(tables, task, JSON.parse(run.cancelTurn) as OwnTurn, now);
  return [];
}

import { isTerminal } from '@parley/protocol';
import { cancelAfterRun } from './cancel.ts';
import type { Leases } from './leases.ts';
import type { RunRow } from './runs.ts';
import type { Tables } from './tables.ts';

/**
 * Takes a run off its worker, within the caller's transaction. If its task was to be canceled, or has ended, it does
 * not run again.
 */
export function giveBack(
  tables: Tables,
  leases: Leases,
  run: RunRow,
  { runAt, forgetAttempt, now }: { runAt: number | null; forgetAttempt: boolean; now: number },
): void {
  const task = tables.tasks.get(run.task);
  if (!task) throw new Error(`run ${run.runId} has no task`);
  if (run.cancel === 1 || isTerminal(task.state)) {
    tables.runs.drop(run);
    if (!isTerminal(task.state)) cancelAfterRun(tables, task, run, now);
    tables.runs.nextHead(run.lane);
  } else {
    leases.requeue(run, runAt, forgetAttempt);
  }
  tables.snapshots.forget(run.lane);
}

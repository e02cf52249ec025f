import { isInterrupted, isTerminal } from '@parley/protocol';
import type { Entry, Finish, Finished, Lease } from '../../engine/ports.ts';
import { writeCancel, writeEntries } from './entries.ts';
import type { Tables } from './tables.ts';

/** Writes what a run ends with and ends it, within the caller's transaction. */
export function finish(tables: Tables, lease: Lease, end: Finish, now: number): Finished {
  const { tasks, runs, snapshots } = tables;
  const run = runs.held(lease);
  const pauses = end.end.some(isPause);
  // A queued message comes before the pause: its run finds the questions. A cancel that came too late to stop the
  // run still ends a task that would rest.
  const skipped = pauses && (run.cancel === 1 || runs.waitingOf(run.lane, run.task));
  let row = tasks.get(run.task);
  const entries = skipped ? end.entries : [...end.entries, ...end.end];
  const state = end.refusal === undefined ? 'done' : 'refused';
  runs.end(run, state, end.refusal === undefined ? null : JSON.stringify(end.refusal));
  const events = writeEntries(tables, run.lane, entries, now, row && [row]);

  if (row && run.cancel === 1 && !isTerminal(row.state)) {
    events.push(...writeCancel(tables, row, now));
    row = tasks.get(run.task);
  }
  if (!row) throw new Error(`task ${lease.taskId} of run ${lease.runId} is gone`);
  if (!skipped && !isTerminal(row.state)) tasks.setPending(row, end.pending);
  // A pause that was not written has its questions in the thread: only its own task may go on there.
  const asks = skipped && !isTerminal(row.state) && end.pending.length > 0;
  runs.nextHead(run.lane, asks ? run.task : undefined);
  return { events, snapshot: snapshots.read(row) };
}

function isPause({ event }: Entry): boolean {
  return 'statusUpdate' in event && isInterrupted(event.statusUpdate.status.state);
}

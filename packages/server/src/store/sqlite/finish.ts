import { isInterrupted, isTerminal, type Message, type TaskState } from '@parley/protocol';
import type { Entry } from '../../engine/ports/log.ts';
import type { Finish, Finished, Lease } from '../../engine/ports/run.ts';
import { cancelAfterRun } from './cancel.ts';
import { writeEntries } from './entries.ts';
import type { RunRow } from './runs.ts';
import type { Tables } from './tables.ts';
import type { TaskRow } from './tasks.ts';

/** Writes what a run ends with and ends it, within the caller's transaction. */
export function finish(tables: Tables, lease: Lease, end: Finish, now: number): Finished {
  const { tasks, runs, snapshots } = tables;
  const run = runs.held(lease);
  const reached = end.end.map(stateOf).find((state) => state !== undefined);
  const pauses = reached !== undefined && isInterrupted(reached);
  const canceled = reached === 'TASK_STATE_CANCELED';
  // A queued message comes before the pause: its run finds the questions. A cancel that came too late to stop the
  // run still ends a task that would rest. The agent may have a turn of its own before a cancel.
  const skipped =
    (pauses && (run.cancel === 1 || runs.waitingOf(run.lane, run.task))) ||
    (canceled && run.cancelTurn !== null);
  let row = tasks.get(run.task);
  const reply = row && run.cancel === 0 && isBare(row, end) ? end.reply?.message : undefined;
  if (row && reply) answer(tables, run, row, reply);
  const said = reply ? [] : [...end.entries, ...(end.reply?.entries ?? [])];
  const entries = skipped ? said : [...said, ...end.end];
  const state = end.refusal === undefined ? 'done' : 'refused';
  runs.end(run, state, end.refusal === undefined ? null : JSON.stringify(end.refusal));
  const events = writeEntries(tables, run.lane, entries, now, row && [row]);

  if (row && run.cancel === 1 && !isTerminal(row.state)) {
    events.push(...cancelAfterRun(tables, row, run, now));
    row = tasks.get(run.task);
  }
  if (!row) throw new Error(`task ${lease.taskId} of run ${lease.runId} is gone`);
  if (!skipped && !isTerminal(row.state)) tasks.setPending(row, end.pending);
  // A pause that was not written has its questions in the thread: only its own task may go on there.
  const asks = skipped && !isTerminal(row.state) && end.pending.length > 0;
  runs.nextHead(run.lane, asks ? run.task : undefined);
  const snapshot = snapshots.read(row);
  return { events, snapshot: reply ? { ...snapshot, reply } : snapshot };
}

function stateOf({ event }: Entry): TaskState | undefined {
  return 'statusUpdate' in event ? event.statusUpdate.status.state : undefined;
}

/** The log of a task whose agent has said nothing: it was submitted and is WORKING. */
const SILENT = 2;

function isBare(row: TaskRow, { entries }: Finish): boolean {
  return row.shown === 0 && row.lastSeq <= SILENT && entries.length === 0;
}

/** The answer is a bare Message, and no task remains (A2A 1.0, section 3.1.1). Who waits for the task reads its end. */
function answer(tables: Tables, run: RunRow, row: TaskRow, message: Message): void {
  const { tasks, messages, runs } = tables;
  tasks.setShown(row, -1);
  runs.setReply(run, messages.add(row, message));
  messages.detach(row);
  tasks.saveMessages(row);
}

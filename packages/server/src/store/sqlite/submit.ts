import { formatTimestamp, type Task } from '@parley/protocol';
import type { StoredEvent } from '../../engine/ports/log.ts';
import type { Claimant, Lane, Lease, MessagePayload } from '../../engine/ports/run.ts';
import type { Admission, Admit, Inbound, LaneView, Submitted } from '../../engine/ports/submission.ts';
import { writeEntries } from './entries.ts';
import { belonging } from './messages.ts';
import { numberOf } from './numbered.ts';
import type { Tables } from './tables.ts';
import { pendingOf, type TaskRow } from './tasks.ts';

export interface SubmitContext {
  tables: Tables;
  now(): number;
  newId(): string;
  /** Newest checkpoint of a lane. */
  headOf(lane: number): string | null;
  claimant?: Claimant | undefined;
}

interface Arrival {
  owner: string;
  assistantId: string;
  twin: string;
  /** Nothing of the lane is before it, and nothing waits for somebody else's answer. */
  head: boolean;
  now: number;
}

/** Accepts a message, within the caller's transaction; what `admit` throws passes through. */
export function submit(context: SubmitContext, inbound: Inbound, admit: Admit): Submitted {
  const { tables } = context;
  const { owner, assistantId, taskId, contextId } = inbound;
  const now = context.now();
  const task = taskId === undefined ? undefined : tables.tasks.find({ owner, assistantId, taskId });
  const laneId =
    task?.lane ?? (contextId === undefined ? undefined : tables.lanes.find(owner, assistantId, contextId));
  const { view, taken } = viewOf(tables, inbound, task, laneId);
  const request = tables.requests.find(inbound, now);
  const admission = admit(inbound, request ? { ...view, request } : view);
  const head = !taken && (view.parked === undefined || view.parked === taskId);
  const arrival = { owner, assistantId, twin: inbound.digest, head, now };
  const arrive = (): Submitted => {
    switch (admission.kind) {
      case 'join':
        return join(tables, admission);
      case 'new':
        return startTask(context, inbound, laneId, arrival);
      case 'follow-up':
        if (!task) throw new Error('a follow-up was admitted without its task');
        return followUp(context, inbound, task, admission.answers, arrival);
    }
  };
  const submitted = arrive();
  if (!request) tables.requests.add(inbound, submitted.runId, now);
  return submitted;
}

function viewOf(
  tables: Tables,
  inbound: Inbound,
  task: TaskRow | undefined,
  lane: number | undefined,
): { view: LaneView; taken: boolean } {
  const { queued, heads } = lane === undefined ? { queued: 0, heads: 0 } : tables.runs.open(lane);
  const parked = lane === undefined ? undefined : tables.tasks.parked(lane);
  const twin =
    inbound.taskId !== undefined && !task ? undefined : tables.runs.twinOf(inbound.digest, task?.id);
  const view: LaneView = { queued };
  if (parked !== undefined) view.parked = parked;
  if (twin) view.twin = twin;
  if (task) {
    const { taskId, contextId, state } = task;
    view.task = { taskId, contextId, state, pending: pendingOf(task) };
  }
  return { view, taken: heads > 0 };
}

function join(tables: Tables, { taskId, runId }: { taskId: string; runId: string }): Submitted {
  const run = tables.runs.get(runId);
  const task = run && tables.tasks.get(run.task);
  if (!run || !task) throw new Error(`run ${runId} was joined and is unknown`);
  return { taskId, contextId: task.contextId, runId, seq: run.messageSeq, joined: true, events: [] };
}

function startTask(
  context: SubmitContext,
  inbound: Inbound,
  laneId: number | undefined,
  arrival: Arrival,
): Submitted {
  const { tables } = context;
  const { owner, assistantId } = inbound;
  const { now } = arrival;
  const contextId = inbound.contextId ?? context.newId();
  const id = laneId ?? tables.lanes.add(owner, assistantId, contextId, now);
  const lane: Lane = { id, owner, assistantId, contextId };
  const taskId = context.newId();
  const status = { state: 'TASK_STATE_SUBMITTED' as const, timestamp: formatTimestamp(now) };
  const row = tables.tasks.create(lane, {
    taskId,
    state: status.state,
    statusAt: now,
    shown: inbound.takesReply ? 0 : 1,
  });
  return accept(context, inbound.payload, row, arrival, (message) => ({
    task: { id: taskId, contextId, status, history: [message] } satisfies Task,
  }));
}

function followUp(
  context: SubmitContext,
  inbound: Inbound,
  row: TaskRow,
  answers: Extract<Admission, { kind: 'follow-up' }>['answers'],
  arrival: Arrival,
): Submitted {
  const payload = answers ? { ...inbound.payload, answers } : inbound.payload;
  const accepted = accept(context, payload, row, arrival, (history) => ({ history }));
  if (answers) {
    const open = pendingOf(row).filter((question) => !Object.hasOwn(answers, question.id));
    context.tables.tasks.setPending(row, open);
  }
  return accepted;
}

/** Stores the message, its event, its task and its run; hands the run to the claimant if it has the turn. */
function accept(
  context: SubmitContext,
  payload: MessagePayload,
  row: TaskRow,
  arrival: Arrival,
  eventOf: (message: MessagePayload['message']) => StoredEvent['event'],
): Submitted {
  const { tables } = context;
  const { owner, assistantId, head, now } = arrival;
  const { taskId, contextId } = row;
  const runId = context.newId();
  const message = belonging(payload.message, row);
  const messageId = tables.messages.add(row, message);
  const event = tables.events.addMessage(row, eventOf(message), messageId, now);
  const run = {
    ...arrival,
    runId,
    lane: row.lane,
    task: row.id,
    message: messageId,
    messageSeq: event.seq,
    payload,
  };
  const submitted = { taskId, contextId, runId, seq: event.seq, joined: false, events: [event] };
  const claimant = head ? context.claimant : undefined;
  if (!claimant) {
    tables.tasks.saveMessages(row);
    tables.runs.add(run);
    return submitted;
  }
  const base = numberOf(messageId) === 1 ? null : context.headOf(row.lane);
  const lease: Lease = {
    runId,
    taskId,
    lane: { id: row.lane, owner, assistantId, contextId },
    epoch: 1,
    attempt: 1,
    payload: { ...payload, message },
    baseCheckpoint: base,
    queued: 0,
  };
  // The fold of the task begins here; otherwise it would be read from what was just written.
  tables.snapshots.advance(row, [event], false);
  // Its status changes at once, which writes the task's row.
  const events = writeEntries(tables, row.lane, [claimant.begin(lease)], now, [row]);
  const { worker, leaseMs } = claimant;
  tables.runs.add({ ...run, claim: { worker, until: now + leaseMs, base } });
  return { ...submitted, claimed: { lease, events } };
}

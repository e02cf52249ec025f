import { formatTimestamp, type JsonObject, type Message, type Part, type TaskState } from '@parley/protocol';
import { v5 as uuidV5 } from 'uuid';
import { interruptParts, questionText } from './interrupt-parts.ts';
import type { RunEnd } from './ports/executor.ts';
import type { Entry, Written } from './ports/log.ts';
import type { Finish, Lease, PendingInterrupt } from './ports/run.ts';

/** The event with which a run begins. */
export function startOfRun(lease: Lease, now: number): Entry {
  return status(lease, now, 'TASK_STATE_WORKING');
}

/** The events with which a run ends, behind those it left unwritten. */
export function endOfRun(lease: Lease, end: RunEnd, entries: Written[], now: number): Finish {
  const { state } = end;
  if (state === 'TASK_STATE_INPUT_REQUIRED' || state === 'TASK_STATE_AUTH_REQUIRED') {
    const { pending, refusal } = end;
    const message = end.message ?? questionOf(lease, pending);
    const said = [...interruptArtifact(lease, pending), status(lease, now, state, { message })];
    return { entries, end: said, pending, ...(refusal ? { refusal } : {}) };
  }
  if (state === 'TASK_STATE_COMPLETED') {
    const { answerArtifactId, reply } = end;
    const metadata = answerArtifactId === undefined ? undefined : { answerArtifactId };
    const said = [status(lease, now, state, { metadata })];
    return { entries, end: said, pending: [], ...(reply ? { reply } : {}) };
  }
  return { entries, end: [status(lease, now, state, { message: end.message })], pending: [] };
}

export function agentSays(lease: Lease, messageId: string, parts: Part[]): Message {
  const { taskId, lane } = lease;
  return { messageId, taskId, contextId: lane.contextId, role: 'ROLE_AGENT', parts };
}

function questionOf(lease: Lease, pending: readonly PendingInterrupt[]): Message | undefined {
  if (pending.length === 0) return undefined;
  const text = questionText(pending);
  const parts: Part[] = [...(text === '' ? [] : [{ text }]), ...interruptParts(pending)];
  return agentSays(lease, uuidV5('question', lease.runId), parts);
}

/** One artifact a task: the questions of the next pause take the place of those before. */
function interruptArtifact(lease: Lease, pending: readonly PendingInterrupt[]): Entry[] {
  if (pending.length === 0) return [];
  const { taskId, lane } = lease;
  const artifact = {
    artifactId: uuidV5('interrupt', taskId),
    name: 'Interrupt',
    parts: interruptParts(pending),
  };
  const artifactUpdate = { taskId, contextId: lane.contextId, artifact, lastChunk: true };
  return [{ taskId, event: { artifactUpdate } }];
}

function status(
  lease: Lease,
  now: number,
  state: TaskState,
  { message, metadata }: { message?: Message | undefined; metadata?: JsonObject | undefined } = {},
): Entry {
  const { taskId, lane } = lease;
  const told = { state, ...(message ? { message } : {}), timestamp: formatTimestamp(now) };
  const statusUpdate = { taskId, contextId: lane.contextId, status: told, ...(metadata ? { metadata } : {}) };
  return { taskId, event: { statusUpdate } };
}

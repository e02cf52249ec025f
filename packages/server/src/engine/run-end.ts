import { formatTimestamp, type JsonObject, type Message, type TaskState } from '@parley/protocol';
import { interruptParts } from './interrupt-parts.ts';
import type { Entry, Finish, Lease, RunEnd } from './ports.ts';

/** The event with which a run begins. */
export function startOfRun(lease: Lease, now: number): Entry {
  return statusEntry(lease, `${lease.runId}:working`, { state: 'TASK_STATE_WORKING', now });
}

/** The events with which a run ends, behind those it left unwritten. */
export function endOfRun(lease: Lease, end: RunEnd, rest: Entry[], now: number, newId: () => string): Finish {
  const key = `${lease.runId}:end`;
  if (end.state === 'reply') {
    const artifactId = newId();
    const parts = end.message.parts;
    const artifact: Entry = {
      taskId: lease.taskId,
      key: `${key}:reply`,
      event: {
        artifactUpdate: {
          taskId: lease.taskId,
          contextId: lease.lane.contextId,
          artifact: { artifactId, name: 'Assistant Response', parts },
          lastChunk: true,
        },
      },
    };
    const said: Entry = { taskId: lease.taskId, key: `${key}:history`, event: { history: end.message } };
    const state = 'TASK_STATE_COMPLETED';
    return {
      entries: [
        ...rest,
        artifact,
        said,
        statusEntry(lease, key, { state, now, metadata: { answerArtifactId: artifactId } }),
      ],
      pending: [],
    };
  }
  if (end.state === 'TASK_STATE_INPUT_REQUIRED' || end.state === 'TASK_STATE_AUTH_REQUIRED') {
    const artifacts = end.pending.length === 0 ? [] : [interruptArtifact(lease, end.pending, newId())];
    const status = statusEntry(lease, key, {
      state: end.state,
      now,
      ...(end.message ? { message: end.message } : {}),
    });
    return {
      entries: [...rest, ...artifacts, status],
      pending: end.pending,
      ...(end.refusal ? { refusal: end.refusal } : {}),
    };
  }
  const metadata =
    end.state === 'TASK_STATE_COMPLETED' && end.answerArtifactId !== undefined
      ? { metadata: { answerArtifactId: end.answerArtifactId } }
      : {};
  const message = 'message' in end && end.message ? { message: end.message } : {};
  return {
    entries: [...rest, statusEntry(lease, key, { state: end.state, now, ...message, ...metadata })],
    pending: [],
  };
}

function interruptArtifact(
  lease: Lease,
  pending: Parameters<typeof interruptParts>[0],
  artifactId: string,
): Entry {
  return {
    taskId: lease.taskId,
    key: `${lease.runId}:end:interrupt`,
    event: {
      artifactUpdate: {
        taskId: lease.taskId,
        contextId: lease.lane.contextId,
        artifact: { artifactId, name: 'Interrupt', parts: interruptParts(pending) },
        lastChunk: true,
      },
    },
  };
}

function statusEntry(
  lease: Lease,
  key: string,
  status: { state: TaskState; now: number; message?: Message; metadata?: JsonObject },
): Entry {
  const { state, now, message, metadata } = status;
  return {
    taskId: lease.taskId,
    key,
    event: {
      statusUpdate: {
        taskId: lease.taskId,
        contextId: lease.lane.contextId,
        status: { state, ...(message ? { message } : {}), timestamp: formatTimestamp(now) },
        ...(metadata ? { metadata } : {}),
      },
    },
  };
}

export function agentSays(lease: Lease, messageId: string, text: string): Message {
  return {
    messageId,
    taskId: lease.taskId,
    contextId: lease.lane.contextId,
    role: 'ROLE_AGENT',
    parts: [{ text }],
  };
}

import { A2AError, invalidParams, isInterrupted, isTerminal } from '@parley/protocol';
import { readAnswers } from './answers.ts';
import type { Admission, Admit, Inbound, LaneView } from './ports/submission.ts';

/** Decides what becomes of a message; throws the `A2AError` its sender gets (docs/behaviour.md, "Messages"). */
export function admitMessage(limits: { queuePerContext: number }): Admit {
  return (inbound, view) => {
    if (view.request) return admitRepeated(inbound, view.request);
    if (view.twin) return { kind: 'join', ...view.twin };
    const admission =
      inbound.taskId === undefined ? admitNew(view) : admitFollowUp(inbound, inbound.taskId, view);
    if (view.queued >= limits.queuePerContext) {
      throw new A2AError('resource-exhausted', `${view.queued} messages wait in this context already`, {
        retryAfter: 1,
      });
    }
    return admission;
  };
}

function admitRepeated(
  { request }: Inbound,
  { digest, taskId, runId }: NonNullable<LaneView['request']>,
): Admission {
  if (request?.digest === digest) return { kind: 'join', taskId, runId };
  const message = 'this Idempotency-Key came with another request before: repeat that one, or use a new key';
  throw invalidParams('Idempotency-Key', message, message);
}

function admitNew(view: LaneView): Admission {
  if (view.parked !== undefined) {
    const message = `this context waits for an answer: send it with taskId ${view.parked}`;
    throw invalidParams('message.taskId', message, message);
  }
  return { kind: 'new' };
}

function admitFollowUp(inbound: Inbound, taskId: string, view: LaneView): Admission {
  const task = view.task;
  if (!task) throw new A2AError('task-not-found', undefined, { metadata: { taskId } });
  if (inbound.contextId !== undefined && inbound.contextId !== task.contextId) {
    throw invalidParams('message.contextId', 'contextId does not belong to this task');
  }
  if (isTerminal(task.state)) {
    throw new A2AError('unsupported-operation', `task ${taskId} has ended`, { metadata: { taskId } });
  }
  if (!isInterrupted(task.state) && inbound.immediate) {
    throw new A2AError('unsupported-operation', `task ${taskId} is running and takes no message now`, {
      metadata: { taskId },
    });
  }
  if (task.pending.length === 0) return { kind: 'follow-up' };
  return { kind: 'follow-up', answers: readAnswers(inbound.payload, task.pending) };
}

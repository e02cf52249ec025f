import { dataOf, filesOf, type TurnInput, textOf } from '@parley/agent';
import type { Lease, MessagePayload } from '../engine/ports/run.ts';

/** What the turn API shows of the message that a run consumes, or of a turn without one. */
export function turnInputOf({ payload, queued, taskId, lane }: Lease): TurnInput {
  const about = { queued, taskId, contextId: lane.contextId, principal: lane.owner };
  if (payload.kind === 'message') return { ...about, ...messageInput(payload) };
  const { kind, data, metadata } = payload;
  return {
    ...about,
    kind,
    ...(kind === 'wake' ? { wake: data ?? null } : {}),
    text: '',
    data: [],
    files: [],
    metadata: metadata ?? {},
    configuration: {},
    extensions: [],
  };
}

function messageInput(
  payload: MessagePayload,
): Omit<TurnInput, 'queued' | 'taskId' | 'contextId' | 'principal'> {
  const { kind, message, metadata, configuration, context, command, extensions, idempotencyKey } = payload;
  return {
    kind,
    message,
    text: textOf(message.parts),
    data: dataOf(message.parts),
    files: filesOf(message.parts),
    metadata: { ...metadata, ...message.metadata },
    configuration: configuration ?? {},
    ...(context ? { context } : {}),
    ...(command ? { command } : {}),
    extensions: extensions ?? [],
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  };
}

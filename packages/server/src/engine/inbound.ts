import { hash } from 'node:crypto';
import type { JsonObject, SendMessageRequest } from '@parley/protocol';
import type { Caller } from './caller.ts';
import type { Inbound, RunPayload } from './ports.ts';

/** What the store and, later, the agent need of a request. */
export function inboundOf(
  caller: Caller,
  request: SendMessageRequest,
  { streaming, tokens }: { streaming: boolean; tokens: boolean },
): Inbound {
  const { message, configuration, metadata, command, context } = request;
  const payload: RunPayload = {
    kind: 'message',
    message,
    followUp: message.taskId !== undefined,
    stream: streaming || tokens,
    ...(configuration ? { configuration: configuration as JsonObject } : {}),
    ...(metadata ? { metadata } : {}),
    ...(command ? { command } : {}),
    ...(context ? { context } : {}),
    ...(caller.extensions.length > 0 ? { extensions: caller.extensions } : {}),
    ...(caller.idempotencyKey === undefined ? {} : { idempotencyKey: caller.idempotencyKey }),
  };
  const { owner, assistantId } = caller;
  const identity = JSON.stringify([owner, assistantId, message, command ?? null]);
  return {
    owner,
    assistantId,
    ...(message.contextId === undefined ? {} : { contextId: message.contextId }),
    ...(message.taskId === undefined ? {} : { taskId: message.taskId }),
    digest: hash('sha256', identity, 'base64url'),
    immediate: configuration?.returnImmediately === true && !streaming,
    payload,
  };
}

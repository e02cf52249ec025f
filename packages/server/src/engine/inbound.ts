import { hash } from 'node:crypto';
import type { JsonObject, SendMessageRequest } from '@parley/protocol';
import type { Caller } from './caller.ts';
import type { AnswerSettings } from './operations.ts';
import type { RunPayload } from './ports/run.ts';
import type { Inbound } from './ports/submission.ts';

/** A repetition under an `Idempotency-Key` is known this long, whatever became of the first request. */
const REQUEST_KEPT_MS = 86_400_000;

/** What the store and, later, the agent need of a request. */
export function inboundOf(
  caller: Caller,
  request: SendMessageRequest,
  { streaming, streamTokens, messageReplies }: AnswerSettings & { streaming: boolean },
): Inbound {
  const { message, configuration, metadata, command, context } = request;
  const payload: RunPayload = {
    kind: 'message',
    message,
    followUp: message.taskId !== undefined,
    stream: streaming || streamTokens,
    ...(configuration ? { configuration: configuration as JsonObject } : {}),
    ...(metadata ? { metadata } : {}),
    ...(command ? { command } : {}),
    ...(context ? { context } : {}),
    ...(caller.extensions.length > 0 ? { extensions: caller.extensions } : {}),
    ...(caller.idempotencyKey === undefined ? {} : { idempotencyKey: caller.idempotencyKey }),
  };
  const { owner, assistantId, idempotencyKey } = caller;
  const immediate = configuration?.returnImmediately === true && !streaming;
  return {
    owner,
    assistantId,
    ...(message.contextId === undefined ? {} : { contextId: message.contextId }),
    ...(message.taskId === undefined ? {} : { taskId: message.taskId }),
    digest: digestOf([owner, assistantId, message, command ?? null]),
    ...(idempotencyKey === undefined
      ? {}
      : { request: { key: idempotencyKey, digest: digestOf(request), keptMs: REQUEST_KEPT_MS } }),
    immediate,
    takesReply: message.taskId === undefined && !immediate && (!streaming || messageReplies),
    payload,
  };
}

function digestOf(value: unknown): string {
  return hash('sha256', JSON.stringify(value), 'base64url');
}

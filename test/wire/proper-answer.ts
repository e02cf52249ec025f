import {
  errorEnvelopeSchema,
  listTasksResponseSchema,
  sendMessageResponseSchema,
  streamResponseSchema,
  taskSchema,
} from '@parley/protocol';
import fc from 'fast-check';
import { expect } from 'vitest';
import { z } from 'zod';
import { type Fields, frameOf } from './rpc.ts';
import { eventV0_3, expectShape, messageV0_3, taskV0_3 } from './shapes.ts';

/** A hang is a failure: no answer takes as long as this. */
export const PATIENCE_MS = 5_000;
export const STATUSES = [200, 400, 404, 405, 413, 429];

const RESULTS: { [method: string]: z.ZodType } = {
  SendMessage: sendMessageResponseSchema,
  GetTask: taskSchema,
  CancelTask: taskSchema,
  ListTasks: listTasksResponseSchema,
  SendStreamingMessage: streamResponseSchema,
  SubscribeToTask: streamResponseSchema,
  'message/send': z.union([taskV0_3, messageV0_3]),
  'tasks/get': taskV0_3,
  'tasks/cancel': taskV0_3,
  'message/stream': eventV0_3,
  'tasks/resubscribe': eventV0_3,
};
export const METHODS = [
  ...Object.keys(RESULTS),
  'GetExtendedAgentCard',
  ...['Create', 'Get', 'Delete'].map((verb) => `${verb}TaskPushNotificationConfig`),
  'ListTaskPushNotificationConfigs',
  ...['set', 'get', 'list', 'delete'].map((verb) => `tasks/pushNotificationConfig/${verb}`),
  'agent/getAuthenticatedExtendedCard',
];

export interface Answer {
  status: number;
  type: string;
  text: string;
}

/** A subscription to a paused task has no end: its first frames tell enough. */
export async function firstFrames(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    if (/TASK_STATE_INPUT_REQUIRED|"input-required"/.test(text) && text.endsWith('\n\n')) break;
  }
  return text;
}

/** Not a failure of the server, and nothing that a strict client would choke on. */
export function expectProper({ status, type, text }: Answer, sent: unknown): void {
  expect(STATUSES).toContain(status);
  const request = (typeof sent === 'object' && sent !== null ? sent : {}) as Fields;
  const schema = Object.hasOwn(RESULTS, String(request.method)) ? RESULTS[String(request.method)] : undefined;
  if (type.includes('event-stream')) {
    const frames = text.slice(0, -2).split('\n\n').map(frameOf);
    for (const frame of frames) expectEnvelope(frame?.data ?? {}, request, schema);
  } else {
    expect(type).toMatch(/^application\/json/);
    expectEnvelope(JSON.parse(text), request, schema);
  }
}

function expectEnvelope(answer: Fields, request: Fields, schema: z.ZodType | undefined): void {
  if ('error' in answer) {
    expectShape(errorEnvelopeSchema, answer);
    expect(answer.error.code).not.toBe(-32603);
  } else {
    expect(Object.keys(answer)).toEqual(['jsonrpc', 'id', 'result']);
    expect(schema).toBeDefined();
    if (schema) expectShape(schema, answer.result);
  }
  const known = typeof request.id === 'string' || Number.isSafeInteger(request.id);
  // A body of another type is not read, so its id is not known.
  if (answer.error?.code === -32005) expect([request.id, null]).toContain(answer.id);
  else expect(answer.id).toBe(known ? request.id : null);
}

/** A slow machine tries fewer cases; a failure names its seed. */
export const run = (
  property: fc.IAsyncProperty<never> | fc.IAsyncPropertyWithHooks<never>,
  numRuns: number,
): Promise<void> =>
  fc.assert(property as fc.IAsyncProperty<never>, { numRuns, interruptAfterTimeLimit: 3_000 });

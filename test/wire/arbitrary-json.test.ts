import { request as httpRequest } from 'node:http';
import {
  errorEnvelopeSchema,
  listTasksResponseSchema,
  sendMessageResponseSchema,
  streamResponseSchema,
  taskSchema,
} from '@parley/protocol';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { z } from 'zod';
import { type Served, serve } from '../support/serve.ts';
import { exchange, type Fields, frameOf, parseAnswer, sendText } from './rpc.ts';
import { eventV0_3, expectShape, taskV0_3 } from './shapes.ts';

let served: Served;
/** Ids that exist, so that not every request fails at the first look-up. */
let ids: string[];
beforeAll(async () => {
  served = await serve({
    a2a: { v03: 'full', trustProxy: true, queuePerContext: 1_000 },
    http: { cors: { allow_origin_regex: '.*\\.example' } },
  });
  const done = await sendText(served, 'echo', 'x');
  const paused = await sendText(served, 'approval', 'pay');
  ids = [done.id, done.contextId, paused.id, paused.contextId];
});
afterAll(() => served.close());
afterEach(async () => {
  expect((await sendText(served, 'echo', 'still there')).status.state).toBe('TASK_STATE_COMPLETED');
});

/** A hang is a failure: no answer takes as long as this. */
const PATIENCE_MS = 5_000;
const STATUSES = [200, 400, 404, 405, 413, 429];

const RESULTS: { [method: string]: z.ZodType } = {
  SendMessage: sendMessageResponseSchema,
  GetTask: taskSchema,
  CancelTask: taskSchema,
  ListTasks: listTasksResponseSchema,
  SendStreamingMessage: streamResponseSchema,
  SubscribeToTask: streamResponseSchema,
  'message/send': taskV0_3,
  'tasks/get': taskV0_3,
  'tasks/cancel': taskV0_3,
  'message/stream': eventV0_3,
  'tasks/resubscribe': eventV0_3,
};
const METHODS = [
  ...Object.keys(RESULTS),
  'GetExtendedAgentCard',
  ...['Create', 'Get', 'Delete'].map((verb) => `${verb}TaskPushNotificationConfig`),
  'ListTaskPushNotificationConfigs',
  ...['set', 'get', 'list', 'delete'].map((verb) => `tasks/pushNotificationConfig/${verb}`),
  'agent/getAuthenticatedExtendedCard',
];

interface Answer {
  status: number;
  type: string;
  text: string;
}

async function post(
  graphId: string,
  body: string | Uint8Array,
  headers: { [name: string]: string } = {},
): Promise<Answer> {
  const response = await fetch(served.endpoint(graphId), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  const type = response.headers.get('content-type') ?? '';
  return { status: response.status, type, text: await (type.includes('event-stream') ? firstFrames(response) : response.text()) };
}

/** A subscription to a paused task has no end: its first frames tell enough. */
async function firstFrames(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    if (/TASK_STATE_INPUT_REQUIRED|"input-required"/.test(text) && text.endsWith('\n\n')) break;
  }
  return text;
}

/** Not a failure of the server, and nothing that a strict client would choke on. */
function expectProper({ status, type, text }: Answer, sent: unknown): void {
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
  if (known && answer.error?.code !== -32005) expect(answer.id).toBe(request.id);
  else expect(answer.id).toBeNull();
}

const run = (property: fc.IAsyncProperty<never> | fc.IAsyncPropertyWithHooks<never>, numRuns: number): Promise<void> =>
  fc.assert(property as fc.IAsyncProperty<never>, { numRuns, interruptAfterTimeLimit: 3_000 });

const odd = fc.constantFrom<unknown>(
  null, true, false, 0, -1, 1, 3, 0.5, 2 ** 31, 2 ** 53, -0, 1e308, '', ' ', '\u0000', '\ud800', '__proto__', 'constructor',
  'ROLE_USER', 'user', 'text', 'data', 'TASK_STATE_COMPLETED', 'QQ==', 'context', [], {}, [[]], [null], { '': {} }, 'x'.repeat(300),
);
const value: fc.Arbitrary<unknown> = fc.oneof(odd, fc.jsonValue({ maxDepth: 3 }), fc.nat(3).map((index) => ids[index]));
const key = fc.oneof(
  fc.constantFrom('id', 'message', 'parts', 'role', 'kind', 'metadata', 'configuration', 'historyLength', 'contextId', 'taskId'),
  fc.constantFrom('text', 'data', 'raw', 'url', 'file', 'command', 'context', 'resume', '__proto__', 'toJSON', 'pageToken'),
  fc.string(),
);
const params = fc.oneof(
  fc.dictionary(key, value, { noNullPrototype: true }),
  fc.record({ id: value, message: fc.dictionary(key, value, { noNullPrototype: true }) }, { requiredKeys: [], noNullPrototype: true }),
  value,
);
const graphIds = fc.constantFrom('echo', 'approval', 'data', 'no-messages');

it('any JSON as the body is answered', () =>
  run(
    fc.asyncProperty(fc.oneof(fc.json({ maxDepth: 5 }), value.map((one) => JSON.stringify(one) ?? '')), async (body) => {
      expectProper(await post('echo', body), parsed(body));
    }) as never,
    100,
  ));

it('any JSON as the params of any method is answered', () =>
  run(
    fc.asyncProperty(graphIds, fc.constantFrom(...METHODS), params, fc.oneof(fc.string(), fc.integer(), value), async (graphId, method, args, id) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id, method, params: args });
      expectProper(await post(graphId, body), JSON.parse(body));
    }) as never,
    200,
  ));

let contexts = 0;
/** A context of its own, or every run would carry all that came before it. */
const message = (): Fields => ({ messageId: 'm', role: 'ROLE_USER', contextId: `c-${contexts++}`, parts: [{ text: 'x' }, { data: { a: [1] } }, { raw: 'QQ==', filename: 'f' }] });
const messageV0_3 = { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'x' }, { kind: 'data', data: { a: 1 } }, { kind: 'file', file: { bytes: 'QQ==', name: 'f' } }] };
const configuration = { historyLength: 3, historyScope: 'task', acceptedOutputModes: ['text/plain'] };
const valid = (): Fields[] => [
  ...['SendMessage', 'SendStreamingMessage'].map((method) => ({ method, params: { message: message(), configuration, metadata: { a: 1 } } })),
  ...['message/send', 'message/stream'].map((method) => ({ method, params: { message: messageV0_3, configuration } })),
  ...['GetTask', 'tasks/get', 'CancelTask', 'SubscribeToTask'].map((method) => ({ method, params: { id: ids[0], historyLength: 1 } })),
  ...['SendMessage', 'SendStreamingMessage'].map((method) => ({
    method,
    params: { message: { ...message(), taskId: ids[2], contextId: ids[3], parts: [{ data: { resume: { approved: 'no' } } }] } },
  })),
  { method: 'ListTasks', params: { contextId: 'c', status: 'TASK_STATE_COMPLETED', pageSize: 5, pageToken: '', includeArtifacts: true, statusTimestampAfter: '2024-01-01T00:00:00Z' } },
];

interface Mutation {
  at: number;
  kind: 'delete' | 'replace' | 'add';
  key: string;
  value: unknown;
}
const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.nat(),
  kind: fc.constantFrom('delete', 'replace', 'add'),
  key,
  value,
}) as fc.Arbitrary<Mutation>;

/** Every member of every object and list in it. */
function membersOf(holder: Fields): { holder: Fields; key: string }[] {
  return Object.keys(holder).flatMap((name) => {
    const member: unknown = holder[name];
    const inner = typeof member === 'object' && member !== null ? membersOf(member) : [];
    return [{ holder, key: name }, ...inner];
  });
}

function mutate(request: Fields, mutations: readonly Mutation[]): Fields {
  const copy = structuredClone(request);
  for (const { at, kind, key: name, value: replacement } of mutations) {
    const members = membersOf(copy);
    const chosen = members[at % Math.max(1, members.length)];
    if (!chosen) continue;
    if (kind === 'add') Object.defineProperty(chosen.holder, name, { value: replacement, enumerable: true, configurable: true, writable: true });
    else if (kind === 'replace') chosen.holder[chosen.key] = structuredClone(replacement);
    else if (Array.isArray(chosen.holder)) chosen.holder.splice(Number(chosen.key), 1);
    else delete chosen.holder[chosen.key];
  }
  return copy;
}

it('a valid request with members changed, removed or added is answered', () =>
  run(
    fc.asyncProperty(graphIds, fc.nat(), fc.array(mutation, { minLength: 1, maxLength: 3 }), async (graphId, which, mutations) => {
      const requests = valid();
      const request = { jsonrpc: '2.0', id: 'r', ...requests[which % requests.length] };
      const body = JSON.stringify(mutate(request, mutations));
      expectProper(await post(graphId, body), JSON.parse(body));
    }) as never,
    250,
  ));

it('any bytes are answered, as a body and in place of a request', () =>
  run(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), fc.nat(300), async (bytes, cut) => {
      expectProper(await post('echo', bytes), parsed(new TextDecoder().decode(bytes)));
      const whole = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message: message() } });
      const spoiled = Buffer.concat([Buffer.from(whole.slice(0, cut)), bytes, Buffer.from(whole.slice(cut))]);
      expectProper(await post('echo', spoiled), parsed(new TextDecoder().decode(spoiled)));
      const raw = await exchange(served.url, Buffer.concat([Buffer.from(bytes), Buffer.from('\r\n\r\n')]), { hangUp: true });
      if (raw !== '') expect(STATUSES).toContain(parseAnswer(raw).status);
    }) as never,
    60,
  ));

const headerNames = fc.constantFrom(
  'a2a-version', 'a2a-extensions', 'x-a2a-extensions', 'langgraph-a2a-history-scope', 'last-event-id', 'idempotency-key', 'content-type',
  'accept', 'accept-encoding', 'origin', 'if-none-match', 'x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-prefix', 'host', 'cookie', 'range',
);
const headerValue = fc.oneof(
  fc.constantFrom('1.0', '0.3', 'task', 'context', '*', '0', '1', 'application/json', 'https', 'a.example', '"', ',', ';', '/', '//', '\\'),
  fc.string({ unit: fc.integer({ min: 0x20, max: 0xff }).filter((code) => code !== 0x7f).map((code) => String.fromCharCode(code)) }),
);

/** Header values that fetch would refuse to send. */
function ask(method: string, path: string, headers: { [name: string]: string }, body: string): Promise<Answer> {
  const { hostname, port } = new URL(served.url);
  return new Promise((resolve, reject) => {
    const all = { 'content-type': 'application/json', ...headers, 'content-length': Buffer.byteLength(body) };
    const request = httpRequest({ hostname, port, method, path, headers: all, timeout: PATIENCE_MS }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, type: response.headers['content-type'] ?? '', text }));
    });
    request.on('timeout', () => request.destroy(new Error('no answer')));
    request.on('error', reject);
    request.end(body);
  });
}

it('any header values are answered, by methods, streams and cards', () =>
  run(
    fc.asyncProperty(fc.dictionary(headerNames, headerValue, { maxKeys: 4, noNullPrototype: true }), fc.nat(), async (headers, which) => {
      const [send, stream] = valid();
      const requests = [send, stream, { method: 'ListTasks', params: {} }, { method: 'SubscribeToTask', params: { id: ids[0] } }];
      const request = { jsonrpc: '2.0', id: 'h', ...requests[which % requests.length] };
      const answer = await ask('POST', '/a2a/echo', headers, JSON.stringify(request));
      // A request whose host is none reaches no route, and has no body.
      if (!('host' in headers) || answer.text !== '') expectProper(answer, request);
      expect(STATUSES).toContain(answer.status);
      const card = await ask('GET', '/a2a/echo/.well-known/agent-card.json', headers, '');
      expect([...STATUSES, 304]).toContain(card.status);
      if (card.status === 200) expect(JSON.parse(card.text)).toMatchObject({ name: 'echo' });
    }) as never,
    80,
  ));

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

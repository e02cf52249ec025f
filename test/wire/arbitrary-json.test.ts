import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Served, serve } from '../support/serve.ts';
import {
  type Answer,
  expectProper,
  firstFrames,
  METHODS,
  PATIENCE_MS,
  run,
  STATUSES,
} from './proper-answer.ts';
import { exchange, type Fields, parseAnswer, sendText } from './rpc.ts';

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
  return {
    status: response.status,
    type,
    text: await (type.includes('event-stream') ? firstFrames(response) : response.text()),
  };
}

const odd = fc.constantFrom<unknown>(
  null,
  true,
  false,
  0,
  -1,
  1,
  3,
  0.5,
  2 ** 31,
  2 ** 53,
  -0,
  1e308,
  '',
  ' ',
  '\u0000',
  '\ud800',
  '__proto__',
  'constructor',
  'ROLE_USER',
  'user',
  'text',
  'data',
  'TASK_STATE_COMPLETED',
  'QQ==',
  'context',
  [],
  {},
  [[]],
  [null],
  { '': {} },
  'x'.repeat(300),
);
const value: fc.Arbitrary<unknown> = fc.oneof(
  odd,
  fc.jsonValue({ maxDepth: 3 }),
  fc.nat(3).map((index) => ids[index]),
);
const key = fc.oneof(
  fc.constantFrom(
    'id',
    'message',
    'parts',
    'role',
    'kind',
    'metadata',
    'configuration',
    'historyLength',
    'contextId',
    'taskId',
  ),
  fc.constantFrom(
    'text',
    'data',
    'raw',
    'url',
    'file',
    'command',
    'context',
    'resume',
    '__proto__',
    'toJSON',
    'pageToken',
  ),
  fc.string(),
);
const params = fc.oneof(
  fc.dictionary(key, value, { noNullPrototype: true }),
  fc.record(
    { id: value, message: fc.dictionary(key, value, { noNullPrototype: true }) },
    { requiredKeys: [], noNullPrototype: true },
  ),
  value,
);
const graphIds = fc.constantFrom('echo', 'approval', 'data', 'no-messages');

it('any JSON as the body is answered', () =>
  run(
    fc.asyncProperty(
      fc.oneof(
        fc.json({ maxDepth: 5 }),
        value.map((one) => JSON.stringify(one) ?? ''),
      ),
      async (body) => {
        expectProper(await post('echo', body), parsed(body));
      },
    ) as never,
    100,
  ));

it('any JSON as the params of any method is answered', () =>
  run(
    fc.asyncProperty(
      graphIds,
      fc.constantFrom(...METHODS),
      params,
      fc.oneof(fc.string(), fc.integer(), value),
      async (graphId, method, args, id) => {
        const body = JSON.stringify({ jsonrpc: '2.0', id, method, params: args });
        expectProper(await post(graphId, body), JSON.parse(body));
      },
    ) as never,
    200,
  ));

let contexts = 0;
/** A context of its own, or every run would carry all that came before it. */
const message = (): Fields => ({
  messageId: 'm',
  role: 'ROLE_USER',
  contextId: `c-${contexts++}`,
  parts: [{ text: 'x' }, { data: { a: [1] } }, { raw: 'QQ==', filename: 'f' }],
});
const messageV0_3 = {
  kind: 'message',
  messageId: 'm',
  role: 'user',
  parts: [
    { kind: 'text', text: 'x' },
    { kind: 'data', data: { a: 1 } },
    { kind: 'file', file: { bytes: 'QQ==', name: 'f' } },
  ],
};
const configuration = { historyLength: 3, historyScope: 'task', acceptedOutputModes: ['text/plain'] };
const valid = (): Fields[] => [
  ...['SendMessage', 'SendStreamingMessage'].map((method) => ({
    method,
    params: { message: message(), configuration, metadata: { a: 1 } },
  })),
  ...['message/send', 'message/stream'].map((method) => ({
    method,
    params: { message: messageV0_3, configuration },
  })),
  ...['GetTask', 'tasks/get', 'CancelTask', 'SubscribeToTask'].map((method) => ({
    method,
    params: { id: ids[0], historyLength: 1 },
  })),
  ...['SendMessage', 'SendStreamingMessage'].map((method) => ({
    method,
    params: {
      message: {
        ...message(),
        taskId: ids[2],
        contextId: ids[3],
        parts: [{ data: { resume: { approved: 'no' } } }],
      },
    },
  })),
  {
    method: 'ListTasks',
    params: {
      contextId: 'c',
      status: 'TASK_STATE_COMPLETED',
      pageSize: 5,
      pageToken: '',
      includeArtifacts: true,
      statusTimestampAfter: '2024-01-01T00:00:00Z',
    },
  },
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
    if (kind === 'add')
      Object.defineProperty(chosen.holder, name, {
        value: replacement,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    else if (kind === 'replace') chosen.holder[chosen.key] = structuredClone(replacement);
    else if (Array.isArray(chosen.holder)) chosen.holder.splice(Number(chosen.key), 1);
    else delete chosen.holder[chosen.key];
  }
  return copy;
}

it('a valid request with members changed, removed or added is answered', () =>
  run(
    fc.asyncProperty(
      graphIds,
      fc.nat(),
      fc.array(mutation, { minLength: 1, maxLength: 3 }),
      async (graphId, which, mutations) => {
        const requests = valid();
        const request = { jsonrpc: '2.0', id: 'r', ...requests[which % requests.length] };
        const body = JSON.stringify(mutate(request, mutations));
        expectProper(await post(graphId, body), JSON.parse(body));
      },
    ) as never,
    250,
  ));

it('any bytes are answered, as a body and in place of a request', () =>
  run(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), fc.nat(300), async (bytes, cut) => {
      expectProper(await post('echo', bytes), parsed(new TextDecoder().decode(bytes)));
      const whole = JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'SendMessage',
        params: { message: message() },
      });
      const spoiled = Buffer.concat([Buffer.from(whole.slice(0, cut)), bytes, Buffer.from(whole.slice(cut))]);
      expectProper(await post('echo', spoiled), parsed(new TextDecoder().decode(spoiled)));
      const raw = await exchange(served.url, Buffer.concat([Buffer.from(bytes), Buffer.from('\r\n\r\n')]), {
        hangUp: true,
      });
      if (raw !== '') expect(STATUSES).toContain(parseAnswer(raw).status);
    }) as never,
    60,
  ));

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Served, serve } from '../support/serve.ts';
import { exchange, type Fields, parseAnswer, postBytes, sendText } from './rpc.ts';

let served: Served;
let id: string;
beforeAll(async () => {
  served = await serve({ a2a: { bodyLimit: '20 KiB', maxDepth: 20 } });
  const created = await ask('POST', '/assistants', { graph_id: 'echo', name: 'mine' });
  id = created.body.assistant_id;
  await sendText(served, 'echo', 'hello', { contextId: 'thread' });
});
afterAll(async () => {
  // Nothing of what was refused is there.
  const [only] = (await ask('POST', '/assistants/search', { name: 'mine' })).body as unknown as Fields[];
  expect(only).toMatchObject({ assistant_id: id, version: 1, metadata: {}, config: {} });
  const count = await ask('POST', '/assistants/count', {});
  expect(count.body).toBe(Object.keys(served.fixture.graphs).length + 1);
  await served.close();
});

interface Asked {
  status: number;
  body: Fields;
  headers: Headers;
}

async function ask(method: string, path: string, body?: unknown, type = 'application/json'): Promise<Asked> {
  const response = await fetch(`${served.url}${path}`, {
    method,
    ...(body === undefined
      ? {}
      : { body: typeof body === 'string' ? body : JSON.stringify(body), headers: { 'content-type': type } }),
  });
  const text = await response.text();
  return { status: response.status, body: JSON.parse(text), headers: response.headers };
}

const create = (body: Fields): [string, string, unknown] => [
  'POST',
  '/assistants',
  { graph_id: 'echo', ...body },
];
const patch = (body: Fields): [string, string, unknown] => ['PATCH', '/assistants/$id', body];
const a2a = (card: unknown): Fields => ({ metadata: { a2a: card } });
const find = (path: string, body: Fields): [string, string, unknown] => ['POST', path, body];

describe('a field that is wrong is named', () => {
  it.each<[string, [string, string, unknown?]]>([
    ['graph_id', ['POST', '/assistants', {}]],
    ['graph_id', create({ graph_id: 1 })],
    ['assistant_id', create({ assistant_id: 'mine' })],
    ['name', create({ name: ['a'] })],
    ['description', create({ description: 1 })],
    ['if_exists', create({ if_exists: 'replace' })],
    ['context', create({ context: 'text' })],
    ['config', create({ config: [] })],
    ['config.tags', create({ config: { tags: 'a' } })],
    ['config.tags.0', create({ config: { tags: [1] } })],
    ['config.recursion_limit', create({ config: { recursion_limit: 0 } })],
    ['config.recursion_limit', create({ config: { recursion_limit: 1.5 } })],
    ['config.configurable', create({ config: { configurable: 'x' } })],
    ['config.configurable.__a2a', create({ config: { configurable: { __a2a: {} } } })],
    [
      'config.configurable.__pregel_checkpointer',
      patch({ config: { configurable: { __pregel_checkpointer: 1 } } }),
    ],
    ['metadata', patch({ metadata: 'x' })],
    ['metadata.a2a', patch(a2a('x'))],
    ['metadata.a2a.input_modes', patch(a2a({ input_modes: [] }))],
    ['metadata.a2a.output_modes', patch(a2a({ output_modes: [] }))],
    ['metadata.a2a.output_modes', create(a2a({ output_modes: [] }))],
    ['metadata.a2a.output_modes', create(a2a({ output_modes: 'text/plain' }))],
    ['metadata.a2a.name', patch(a2a({ name: '' }))],
    ['metadata.a2a.skills', patch(a2a({ skills: [] }))],
    [
      'metadata.a2a.skills.0.tags',
      patch(a2a({ skills: [{ id: 'a', name: 'a', description: '', tags: [] }] })),
    ],
    ['metadata.a2a.provider.url', patch(a2a({ provider: { organization: 'a' } }))],
    ['metadata.a2a.documentation_url', patch(a2a({ documentation_url: 'docs' }))],
    ['metadata.a2a.icon_url', patch(a2a({ icon_url: 1 }))],
    ['metadata.a2a.extensions.0.uri', patch(a2a({ extensions: [{}] }))],
    ['metadata.a2a.a2ui', patch(a2a({ a2ui: 'yes' }))],
    ['limit', find('/assistants/search', { limit: 0 })],
    ['limit', find('/assistants/search', { limit: 1_001 })],
    ['offset', find('/assistants/search', { offset: -1 })],
    ['sort_by', find('/assistants/search', { sort_by: 'version; DROP TABLE assistants' })],
    ['sort_order', find('/assistants/search', { sort_order: 'up' })],
    ['select.0', find('/assistants/search', { select: ['owner'] })],
    ['metadata', find('/assistants/count', { metadata: 'x' })],
    ['limit', find('/assistants/$id/versions', { limit: 'ten' })],
    ['version', find('/assistants/$id/latest', {})],
    ['version', find('/assistants/$id/latest', { version: '1' })],
    ['xray', ['GET', '/assistants/$id/graph?xray=much']],
    ['recurse', ['GET', '/assistants/$id/subgraphs?recurse=deep']],
    ['delete_threads', ['DELETE', '/assistants/$id?delete_threads=maybe']],
    ['status', find('/threads/search', { status: 'done' })],
    ['values', find('/threads/search', { values: { a: 1 } })],
    ['extract', find('/threads/search', { extract: {} })],
    ['ids', find('/threads/search', { ids: 'thread' })],
    ['sort_by', find('/threads/search', { sort_by: 'values' })],
    ['limit', find('/threads/thread/history', { limit: 5_000 })],
    ['limit', ['GET', '/threads/thread/history?limit=all']],
    ['before', find('/threads/thread/history', { before: 7 })],
    [
      'checkpoint.checkpoint_id',
      find('/threads/thread/state/checkpoint', { checkpoint: { checkpoint_id: 7 } }),
    ],
    ['subgraphs', ['GET', '/threads/thread/state?subgraphs=deep']],
  ])('%s of %j', async (field, [method, path, body]) => {
    const refused = await ask(method, path.replace('$id', id), body);
    expect(refused.status).toBe(422);
    expect(refused.body.detail.slice(0, field.length + 2)).toBe(`${field}: `);
    expect(Object.keys(refused.body)).toEqual(['detail']);
  });
});

describe('a body that is none', () => {
  it.each<[string, string, number]>([
    ['no JSON', '{', 422],
    ['a list', '[]', 422],
    ['a text', '"x"', 422],
    ['null', 'null', 422],
    ['too large', JSON.stringify({ graph_id: 'echo', name: 'x'.repeat(30_000) }), 413],
  ])('%s', async (_, body, status) => {
    const refused = await ask('POST', '/assistants', body);
    expect(refused).toMatchObject({ status, body: { detail: expect.any(String) } });
  });

  it('what a page of another origin may send without asking is not read', async () => {
    const refused = await ask('POST', '/assistants', { graph_id: 'echo' }, 'text/plain');
    expect(refused).toMatchObject({ status: 400, body: { detail: 'The body must be application/json' } });
  });

  it('that is nested too deep is not read', async () => {
    const text = `{"graph_id": "echo", "metadata": {"a": ${'['.repeat(50)}${']'.repeat(50)}}}`;
    const refused = await ask('POST', '/assistants', text);
    expect(refused).toMatchObject({
      status: 422,
      body: { detail: 'The body is nested deeper than 20 levels' },
    });
  });

  it('one that is missing is an empty one', async () => {
    expect((await ask('POST', '/assistants/count')).status).toBe(200);
    expect((await ask('POST', '/threads/thread/history')).status).toBe(200);
  });
});

describe('what is not there', () => {
  it.each<[string, string, unknown?]>([
    ['POST', '/assistants', { graph_id: 'none' }],
    ['PATCH', '/assistants/$id', { graph_id: 'none' }],
    ['GET', '/assistants/none'],
    ['GET', '/assistants/__proto__'],
    ['GET', '/assistants/%00'],
    ['GET', '/assistants/%zz'],
    ['GET', `/assistants/${'x'.repeat(5_000)}`],
    ['PATCH', '/assistants/none', { name: 'a' }],
    ['DELETE', '/assistants/none'],
    ['POST', '/assistants/none/versions', {}],
    ['POST', '/assistants/none/latest', { version: 1 }],
    ['POST', '/assistants/$id/latest', { version: 2 }],
    ['GET', '/assistants/none/schemas'],
    ['GET', '/assistants/none/graph'],
    ['GET', '/assistants/none/subgraphs'],
    ['GET', '/threads/none'],
    ['GET', '/threads/%zz'],
    ['DELETE', '/threads/none'],
    ['GET', '/threads/none/state'],
    ['GET', '/threads/thread/state/none'],
    ['POST', '/threads/thread/state/checkpoint', { checkpoint: { checkpoint_id: 'none' } }],
    ['GET', '/threads/none/history'],
    ['GET', '/threads/thread?assistant_id=none'],
  ])('%s %s', async (method, path, body) => {
    const refused = await ask(method, path.replace('$id', id), body);
    expect(refused).toMatchObject({ status: 404, body: { detail: expect.any(String) } });
    expect(refused.body.detail.length).toBeLessThan(600);
  });

  it('is said of routes that this server does not have', async () => {
    for (const [method, path] of [
      ['POST', '/threads'],
      ['POST', '/threads/thread/runs'],
      ['PUT', '/assistants/echo'],
    ] as const) {
      expect((await ask(method, path)).status).toBe(404);
    }
  });
});

it('keys that JSON objects have by nature are data', async () => {
  const text =
    '{"metadata": {"constructor": 1, "a": {"__proto__": {"b": 2}}}, "graph_id": "echo", "name": "odd"}';
  const { body } = await ask('POST', '/assistants', text);
  expect(JSON.stringify(body.metadata)).toBe('{"constructor":1,"a":{"__proto__":{"b":2}}}');
  expect((await ask('POST', '/assistants/count', { metadata: { constructor: 1 } })).body).toBe(1);
  expect((await ask('POST', '/assistants/count', { metadata: { toString: 1 } })).body).toBe(0);
  expect((await ask('DELETE', `/assistants/${body.assistant_id}`)).body).toEqual([body.assistant_id]);
});

it('half a body is no body', async () => {
  const bytes = postBytes('/assistants', '{"graph_id": "echo"}').subarray(0, -5);
  const answer = await exchange(served.url, bytes, { hangUp: true });
  if (answer !== '') expect(parseAnswer(answer).status).toBe(400);
});

it('pages of other origins that may call may read the pagination', async () => {
  const open = await serve({
    http: { cors: { allow_origins: ['https://app.example'], expose_headers: ['x-own'] } },
  });
  const response = await fetch(`${open.url}/assistants/search`, {
    method: 'POST',
    headers: { origin: 'https://app.example', 'content-type': 'application/json' },
    body: '{"limit": 1}',
  });
  expect(response.headers.get('x-pagination-next')).toBe('1');
  expect(response.headers.get('access-control-expose-headers')).toBe(
    'x-own,x-pagination-next,x-pagination-total',
  );
  await open.close();
});

it('is not there if the configuration says so', async () => {
  const off = await serve({ http: { disable_assistants: true, disable_threads: true } });
  for (const path of ['/assistants/echo', '/threads/thread']) {
    expect((await fetch(`${off.url}${path}`)).status).toBe(404);
  }
  expect((await fetch(`${off.url}/a2a/echo`)).status).toBe(200);
  expect(await (await fetch(`${off.url}/info`)).json()).toMatchObject({ flags: { assistants: false } });
  await off.close();
  expect((await ask('GET', '/info')).body).toMatchObject({
    version: expect.any(String),
    flags: { assistants: true },
  });
  expect((await ask('GET', '/ok')).body).toEqual({ ok: true });
});

it('a graph whose factory fails is an internal error with a correlation id, and without its cause', async () => {
  const failing = await serve({
    graphs: {
      failing: () => {
        throw new Error('password=hunter2');
      },
    },
  });
  const response = await fetch(`${failing.url}/assistants/failing/schemas`);
  const { detail } = (await response.json()) as Fields;
  expect(response.status).toBe(500);
  expect(detail).not.toContain('hunter2');
  const correlationId = /[\da-f-]{36}/.exec(detail)?.[0] ?? 'none';
  expect(failing.log.join('')).toContain(correlationId);
  expect(failing.log.join('')).toContain('hunter2');
  await failing.close();
});

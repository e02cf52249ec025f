import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Served, serve } from '../support/serve.ts';
import {
  call,
  exchange,
  expectRefusal,
  type Fields,
  openStream,
  parseAnswer,
  postBytes,
  rpc,
  storesNothing,
  userMessage,
} from './rpc.ts';

let served: Served;
let odd: Served;
const ODD_IDS = ['two words', 'a/b', 'größe', 'a%20b', 'dots..', "quo'te", 'plus+'];
beforeAll(async () => {
  served = await serve();
  const { echo } = served.fixture.graphs;
  odd = await serve({ graphs: Object.fromEntries(ODD_IDS.map((id) => [id, echo])) });
});
afterAll(() => Promise.all([served.close(), odd.close()]));
storesNothing(() => served);

interface Asked {
  status: number;
  type: string | undefined;
  headers: Fields;
  body: string;
}

/** node:http sends paths and methods that fetch would change. */
function ask(url: string, method: string, path: string, body = ''): Promise<Asked> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        hostname,
        port,
        method,
        path,
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => {
          resolve({
            status: response.statusCode ?? 0,
            type: response.headers['content-type'],
            headers: response.headers,
            body: text,
          });
        });
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

describe('an assistant that is not there', () => {
  it.each([
    'none',
    'ECHO',
    'echo%20',
    '__proto__',
    'constructor',
    '%00',
    '%ff',
    '%E0%A4%A',
    '%zz',
    '..',
    'x'.repeat(5_000),
  ])('%s is 404 with a JSON-RPC body', async (id) => {
    const answer = await ask(served.url, 'POST', `/a2a/${id}`, JSON.stringify(call('ListTasks', {}, 'q')));
    expect(answer.type).toMatch(/^application\/json/);
    if (id === '..') expect(answer.status).toBe(404);
    else
      expectRefusal(
        { status: answer.status, body: JSON.parse(answer.body) },
        { code: -32000, status: 404, id: 'q', reason: 'NOT_FOUND' },
      );
  });

  it('is not looked up for a broken request, a wrong version or an unknown method', async () => {
    expectRefusal(await served.post('none', '{'), { code: -32700 });
    expectRefusal(await served.post('none', call('Nope')), { code: -32601 });
    expectRefusal(await served.post('none', call('ListTasks'), { 'A2A-Version': '7.0' }), { code: -32009 });
  });

  it('is JSON too where a stream was asked for', async () => {
    const response = await openStream(
      served,
      'none',
      call('SendStreamingMessage', { message: userMessage('x') }),
    );
    expect(response.status).toBe(404);
    expectRefusal({ status: 404, body: (await response.json()) as never }, { code: -32000, status: 404 });
  });
});

describe('routes', () => {
  it.each([
    ['GET', '/'],
    ['GET', '/nope'],
    ['POST', '/'],
    ['POST', '/a2a'],
    ['POST', '/a2a/'],
    ['POST', '/a2a/echo/more'],
    ['GET', '/a2a/echo/tasks/nope/more'],
    ['POST', '/.well-known/agent-card.json'],
    ['PUT', '/.well-known/agent-card.json'],
    ['GET', '/.well-known/agent.json'],
    ['GET', '/%zz'],
    ['GET', '/a2a/echo/.well-known/nope'],
    ['DELETE', '/nope'],
    ['PROPFIND', '/nope'],
  ])('%s %s is 404 in JSON', async (method, path) => {
    const answer = await ask(served.url, method, path, method === 'GET' ? '' : '{}');
    expect(answer.status).toBe(404);
    expect(answer.type).toMatch(/^application\/json/);
    expect(JSON.parse(answer.body)).toEqual({ error: { message: expect.any(String) } });
  });

  it.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND'])(
    '%s of an assistant is 405 with Allow',
    async (method) => {
      for (const path of ['/a2a/echo', '/a2a/echo/', '/a2a/none']) {
        const answer = await ask(served.url, method, path, JSON.stringify(call('ListTasks')));
        expect(answer.status).toBe(405);
        expect(answer.headers.allow).toBe('GET, POST');
        expect(JSON.parse(answer.body)).toEqual({ error: { message: 'use GET or POST' } });
      }
    },
  );

  it.each(['/a2a/echo', '/a2a/echo/', '/a2a/%65cho', '/a2a/echo?x=1', '/a2a/echo/?A2A-Version=1.0'])(
    'POST %s reaches the assistant, without redirect',
    async (path) => {
      const answer = await ask(served.url, 'POST', path, JSON.stringify(call('ListTasks')));
      expect(answer.status).toBe(200);
      expect(JSON.parse(answer.body).result).toMatchObject({ pageSize: 50 });
    },
  );

  it.each([
    '/a2a/echo',
    '/a2a/echo/',
    '/a2a/echo/.well-known/agent-card.json',
    '/a2a/echo/.well-known/agent-card.json/',
  ])('GET %s is the card', async (path) => {
    const answer = await ask(served.url, 'GET', path);
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body)).toMatchObject({ name: 'echo' });
  });

  it('an assistant is reached by its UUID as by its graph id', async () => {
    const { id } = served.parley.assistants.find(({ graphId }) => graphId === 'memory') ?? { id: '' };
    const { task } = (await rpc(served, id, 'SendMessage', { message: userMessage('x') })).result;
    expect((await rpc(served, 'memory', 'GetTask', { id: task.id })).result.id).toBe(task.id);
    expect((await rpc(served, id, 'ListTasks', {})).result).toEqual(
      (await rpc(served, 'memory', 'ListTasks', {})).result,
    );
  });

  it.each(ODD_IDS)(
    'an assistant named "%s" is reached percent-encoded, at the address its card gives',
    async (graphId) => {
      const path = `/a2a/${encodeURIComponent(graphId)}`;
      const card = JSON.parse((await ask(odd.url, 'GET', path)).body);
      expect(card.name).toBe(graphId);
      expect(card.url).toBe(`${odd.url}${path}`);
      const response = await fetch(card.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(call('SendMessage', { message: userMessage('x') })),
      });
      expect(((await response.json()) as Fields).result.task.status.state).toBe('TASK_STATE_COMPLETED');
    },
  );

  it('disable_a2a removes every one of them', async () => {
    const off = await serve({ http: { disable_a2a: true } });
    try {
      const id = off.parley.assistants[0]?.id;
      for (const [method, path] of [
        ['POST', '/a2a/echo'],
        ['POST', `/a2a/${id}`],
        ['GET', '/a2a/echo'],
        ['PUT', '/a2a/echo'],
        ['GET', '/a2a/echo/.well-known/agent-card.json'],
        ['GET', '/.well-known/agent-card.json'],
        ['GET', '/.well-known/agent-card.json?assistant_id=echo'],
      ] as const) {
        expect(await ask(off.url, method, path, method === 'GET' ? '' : '{}')).toMatchObject({
          status: 404,
          type: expect.stringContaining('json'),
        });
      }
      expect((await ask(off.url, 'GET', '/ok')).status).toBe(200);
    } finally {
      await off.close();
    }
  });
});

describe('HTTP that is not quite HTTP', () => {
  it.each([
    ['no host', 'POST /a2a/echo HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['a host that is none', 'GET /a2a/echo HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n'],
    ['a host with a path', 'GET /a2a/echo HTTP/1.1\r\nHost: evil/x\r\nConnection: close\r\n\r\n'],
    [
      'a header of a megabyte',
      `GET /a2a/echo HTTP/1.1\r\nHost: h\r\nX: ${'x'.repeat(1_000_000)}\r\nConnection: close\r\n\r\n`,
    ],
    ['no HTTP', 'hello\r\n\r\n'],
    [
      'two lengths',
      'POST /a2a/echo HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nContent-Length: 3\r\nConnection: close\r\n\r\n{}x',
    ],
    [
      'a length and chunks',
      'POST /a2a/echo HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n',
    ],
    [
      'a chunk that is no number',
      'POST /a2a/echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\nzz\r\n\r\n',
    ],
  ])("%s is refused as the client's fault", async (_, bytes) => {
    const text = await exchange(served.url, bytes);
    const { status } = parseAnswer(text);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
  });

  it('a client that hangs up in the middle of its body is forgotten', async () => {
    const bytes = postBytes('/a2a/echo', JSON.stringify(call('SendMessage', { message: userMessage('x') })));
    for (const size of [bytes.length - 1, bytes.length - 20]) {
      const text = await exchange(served.url, bytes.subarray(0, size), { hangUp: true });
      expect(text).not.toContain(' 200 ');
    }
  });
});

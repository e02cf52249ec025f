import { getRequestListener } from '@hono/node-server';
import { createParley } from '@parley/server';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { pino } from 'pino';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Listener, listen } from '../../examples/embedding/run-application.ts';
import { settings } from '../../packages/server/src/config/settings.ts';
import { createServer, type Parley } from '../../packages/server/src/create-server.ts';
import { createLocalWake } from '../../packages/server/src/engine/local-wake.ts';
import { agentOf } from '../../packages/server/src/langgraph/agent.ts';
import { createFixture } from '../support/graphs.ts';
import { call, type Fields, framesOf, userMessage } from './rpc.ts';

/** The server under a path of somebody else's application. */
const fixture = createFixture();
const wake = createLocalWake();
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  fixture.gates.open('slow');
  for (const close of closers.splice(0)) await close();
});

async function mounted(mount: (parley: Parley) => Listener): Promise<string> {
  const agents = new Map();
  for (const graphId of ['echo', 'slow'])
    agents.set(graphId, { agent: await agentOf(fixture.graphs[graphId]) });
  const http = { mount_prefix: '/my/agents' };
  const logger = pino({ level: 'silent' });
  const parley = await createServer({
    agents,
    settings: settings.parse({}),
    http,
    database: ':memory:',
    env: {},
    logger,
    wake,
  });
  const { url, close } = await listen(mount(parley));
  closers.push(() => parley.close(0), close);
  return url;
}

const post = (
  url: string,
  method: string,
  params: Fields,
  signal: AbortSignal | null = null,
): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(call(method, params)),
    signal,
  });

const inHono = ({ fetch: handle }: Parley): Listener => {
  const app = new Hono();
  app.mount('/my/agents', handle);
  return getRequestListener(app.fetch);
};
const inHonoWhole = ({ fetch: handle }: Parley): Listener => {
  const app = new Hono();
  app.all('/my/agents/*', (c) => handle(c.req.raw));
  return getRequestListener(app.fetch);
};
const inExpress = ({ fetch: handle }: Parley): Listener => {
  const app = express();
  app.use('/my/agents', getRequestListener(handle));
  app.use(express.json());
  return app;
};
const inFastify = ({ fetch: handle }: Parley): Listener => {
  const app = fastify();
  const listener = getRequestListener(handle);
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    scope.all('/my/agents/*', (request, reply) => {
      reply.hijack();
      void listener(request.raw, reply.raw);
    });
  });
  const ready = app.ready();
  return (request, response) => void ready.then(() => app.routing(request, response));
};

describe.each<[string, (parley: Parley) => Listener]>([
  ['Hono, which cuts the path off', inHono],
  ['Hono, which does not', inHonoWhole],
  ['Express', inExpress],
  ['Fastify', inFastify],
])('in %s', (_, mount) => {
  it('a card says where it answers, and it answers there', async () => {
    const base = await mounted(mount);
    const card = await fetch(`${base}/my/agents/a2a/echo/.well-known/agent-card.json`);
    const { supportedInterfaces } = (await card.json()) as Fields;
    const [{ url }] = supportedInterfaces;
    expect(url).toBe(`${base}/my/agents/a2a/echo`);
    const answer = (await (
      await post(url, 'SendMessage', { message: userMessage('hello') })
    ).json()) as Fields;
    expect(answer.result.task.status.state).toBe('TASK_STATE_COMPLETED');
    const missing = await fetch(`${base}/my/agents/nowhere`);
    expect(missing.status).toBe(404);
  });

  it('a stream is read while its run goes on, and let go of when its reader hangs up', async () => {
    fixture.gates.hold('slow');
    const url = `${await mounted(mount)}/my/agents/a2a/slow`;
    const abort = new AbortController();
    const live = await post(url, 'SendStreamingMessage', { message: userMessage('go') }, abort.signal);
    let taskId = '';
    for await (const { data } of framesOf(live)) {
      taskId = data.result.task.id;
      break;
    }
    expect(wake.listeners()).toBe(2);
    abort.abort();
    await vi.waitFor(() => expect(wake.listeners()).toBe(0), 5_000);
    fixture.gates.open('slow');
    const watch = await post(url, 'GetTask', { id: taskId });
    expect(((await watch.json()) as Fields).result.status.state).not.toBe('TASK_STATE_CANCELED');
  });
});

it('a body that a parser in front has read is named as the fault', async () => {
  const base = await mounted(({ fetch: handle }) => {
    const app = express();
    app.use(express.json());
    app.use('/my/agents', getRequestListener(handle));
    return app;
  });
  const response = await post(`${base}/my/agents/a2a/echo`, 'SendMessage', { message: userMessage('hello') });
  const { error } = (await response.json()) as Fields;
  expect(error.code).toBe(-32700);
  expect(error.message).toMatch(/body parser/);
});

describe('mount_prefix', () => {
  const graphs = { echo: fixture.graphs.echo };
  const cardUrl = async (options: Fields, request: Request): Promise<string> => {
    const parley = await createParley({ graphs, env: {}, ...options });
    closers.push(() => parley.close(0));
    const card = (await (await parley.fetch(request)).json()) as Fields;
    return card.supportedInterfaces[0].url;
  };
  const path = 'a2a/echo/.well-known/agent-card.json';
  const forwarded = { 'x-forwarded-prefix': '/outside/', 'x-forwarded-host': 'agents.example' };

  it.each<[string, Fields, Request, string]>([
    [
      'is part of a card',
      { http: { mount_prefix: '/in' } },
      new Request(`http://h.test/in/${path}`),
      'http://h.test/in/a2a/echo',
    ],
    [
      'gives way to publicUrl',
      { http: { mount_prefix: '/in' }, a2a: { publicUrl: 'https://p.test/x' } },
      new Request(`http://h.test/in/${path}`),
      'https://p.test/x/a2a/echo',
    ],
    [
      'follows what a proxy has cut off',
      { http: { mount_prefix: '/in' }, a2a: { trustProxy: true } },
      new Request(`http://h.test/in/${path}`, { headers: forwarded }),
      'http://agents.example/outside/in/a2a/echo',
    ],
    [
      'is all there is of a proxy that is not trusted',
      { http: { mount_prefix: '/in' } },
      new Request(`http://h.test/${path}`, { headers: forwarded }),
      'http://h.test/in/a2a/echo',
    ],
  ])('%s', async (_, options, request, url) => {
    expect(await cardUrl(options, request)).toBe(url);
  });

  it('is in the URL of a server that listens', async () => {
    const parley = await createParley({ graphs, http: { mount_prefix: '/in' } });
    closers.push(() => parley.close(0));
    const { url, port } = await parley.listen({ port: 0, host: '127.0.0.1' });
    expect(url).toBe(`http://127.0.0.1:${port}/in`);
    expect((await fetch(`${url}/ok`)).status).toBe(200);
    expect((await fetch(`${url}/${path}/`)).status).toBe(200);
    expect((await fetch(`http://127.0.0.1:${port}/inn/ok`)).status).toBe(404);
  });

  it.each(['agents', '/', '/agents/', '', '/a b', '/a?b', 5, null])('is refused as %j', async (prefix) => {
    const error = createParley({ graphs, http: { mount_prefix: prefix as string } });
    await expect(error).rejects.toThrow(/^http\.mount_prefix: expected a path such as "\/agents"/);
  });

  it.each(['/a2a', '/threads/mine', '/ok'])(
    'is refused where routes of the server begin so: %s',
    async (prefix) => {
      const error = createParley({ graphs, http: { mount_prefix: prefix } });
      await expect(error).rejects.toThrow(
        /^http\.mount_prefix: expected a path that begins with none of \/a2a/,
      );
    },
  );
});

import { setTimeout } from 'node:timers/promises';
import { createParley, type ParleyOptions } from '@parley/server';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { ConfigError } from '../../packages/server/src/config/config-error.ts';
import { loadConfig } from '../../packages/server/src/config/load-config.ts';
import { createServer } from '../../packages/server/src/create-server.ts';
import { agentOf } from '../../packages/server/src/langgraph/agent.ts';
import { createFixture } from '../support/graphs.ts';
import { createProjects } from './project.ts';
import { call, type Fields, userMessage } from './rpc.ts';

const projects = createProjects();
const fixture = createFixture();
const { echo, slow, tools } = fixture.graphs;
const logger = pino({ level: 'silent' });
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  fixture.gates.open('slow');
  for (const close of closers.splice(0)) await close();
});

async function embedded(options: Partial<ParleyOptions> = {}): ReturnType<typeof createParley> {
  const parley = await createParley({ graphs: { echo, slow, tools }, logger, ...options });
  closers.push(() => parley.close(0));
  return parley;
}

function post(graphId: string, body: unknown): Request {
  return new Request(`http://parley.test/a2a/${graphId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

const later = async (ms: number): Promise<string> => {
  await setTimeout(ms);
  return 'open';
};

describe('settings in code are refused in the words of a file', () => {
  it.each<[string, { a2a?: object; http?: object }]>([
    ['a key that is none', { a2a: { colour: 'red' } }],
    ['a key of an assistant that is none', { a2a: { assistants: { echo: { colour: 'red' } } } }],
    ['a value', { a2a: { runDeadline: '25d' } }],
    ['settings of no graph', { a2a: { assistants: { other: {} } } }],
    ['a pattern of origins', { http: { cors: { allow_origin_regex: '(' } } }],
    ['disable_a2a', { http: { disable_a2a: 'true' } }],
  ])('%s', async (_, options) => {
    const file = await projects.write({ graphs: { echo: './a.ts:a' }, ...options });
    let words = '';
    try {
      loadConfig(file);
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError);
      words = (error as Error).message.slice(`${file}: `.length);
    }
    expect(words).toMatch(/^(?:a2a|http)\.\w+/);
    const error = await createParley({ graphs: { echo }, logger, ...options } as ParleyOptions).catch(
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(TypeError);
    expect((error as Error).message).toBe(words);
  });
});

it.each<[string, Fields, RegExp]>([
  ['no graphs', { graphs: {} }, /^graphs: expected at least one graph/],
  ['a graph without an id', { graphs: { '': echo } }, /^graphs: expected an id for every graph/],
  ['an option that is none', { databse: 'x.db' }, /^databse: is no option of createParley; .*database/],
  [
    'a description of no graph',
    { descriptions: { other: 'x' } },
    /^descriptions\.other: there is no such graph/,
  ],
])('is refused with %s', async (_, options, error) => {
  await expect(createParley({ graphs: { echo }, logger, ...options } as ParleyOptions)).rejects.toThrow(
    error,
  );
});

it('the environment of the application counts', async () => {
  const before = process.env.DEFAULT_A2A_ASSISTANT_ID;
  process.env.DEFAULT_A2A_ASSISTANT_ID = 'slow';
  try {
    const card = new Request('http://parley.test/.well-known/agent-card.json');
    const inherited = await (await embedded()).fetch(card);
    expect(((await inherited.json()) as Fields).name).toBe('slow');
    expect((await (await embedded({ env: {} })).fetch(card)).status).toBe(400);
  } finally {
    if (before === undefined) delete process.env.DEFAULT_A2A_ASSISTANT_ID;
    else process.env.DEFAULT_A2A_ASSISTANT_ID = before;
  }
});

describe('a server that closes', () => {
  it('can be closed twice, and answers 503 from the first time on', async () => {
    const parley = await embedded();
    const closing = parley.close(0);
    for (const when of ['while it closes', 'when it is closed']) {
      const response = await parley.fetch(post('echo', call('SendMessage', { message: userMessage('hi') })));
      expect(response.status, when).toBe(503);
      expect(response.headers.get('retry-after')).toBe('1');
      const body = (await response.json()) as Fields;
      expect(body).toMatchObject({ jsonrpc: '2.0', id: null, error: { message: 'The server is stopping' } });
      expect(body.error.data).toContainEqual(expect.objectContaining({ reason: 'UNAVAILABLE' }));
      await closing;
    }
    await parley.close();
  });

  it('lets a run finish and answers who waits for it', async () => {
    fixture.gates.hold('slow');
    const parley = await embedded();
    const answer = parley.fetch(post('slow', call('SendMessage', { message: userMessage('go') })));
    await fixture.gates.reached('slow');
    const closing = parley.close(60_000);
    // Closing again does not cut the drain short.
    const again = parley.close(0);
    expect(await Promise.race([again.then(() => 'closed'), later(20)])).toBe('open');
    fixture.gates.open('slow');
    expect(((await (await answer).json()) as Fields).result.task.status.state).toBe('TASK_STATE_COMPLETED');
    await Promise.all([closing, again]);
  });

  it('answers who waits for a run that it cuts off, and breaks streams', async () => {
    fixture.gates.hold('slow');
    const parley = await embedded();
    const contextId = 'cut-off';
    const send = (method: string): Promise<Response> =>
      Promise.resolve(
        parley.fetch(post('slow', call(method, { message: userMessage('go', { contextId }) }))),
      );
    const answer = send('SendMessage');
    await fixture.gates.reached('slow');
    const stream = await send('SendStreamingMessage');
    const text = stream.text().then(
      () => 'ended',
      (error: Error) => error.message,
    );
    await parley.close(0);
    const { result } = (await (await answer).json()) as Fields;
    expect(result.task.status.state).not.toBe('TASK_STATE_COMPLETED');
    expect(await text).toBe('the server is stopping');
  });
});

it('a server that cannot be made leaves its database to the next', async () => {
  const agent = await agentOf(echo);
  if (!agent) throw new Error('echo is an agent');
  const file = await projects.write({ graphs: { echo: './a.ts:a' } });
  const options = {
    agents: new Map([['echo', { agent }]]),
    settings: loadConfig(file).a2a,
    database: `${file}.db`,
    env: {},
    logger,
  };
  const cors = { allow_origin_regex: '(' };
  await expect(createServer({ ...options, http: { cors } })).rejects.toThrow(/regular expression/i);
  const parley = await createServer({ ...options, http: {} });
  await parley.close(0);
});

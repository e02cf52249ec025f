import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Assistant, Client } from '@langchain/langgraph-sdk';
import { agentCardSchema } from '@parley/protocol';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createGates } from '../support/gates.ts';
import { createFixture } from '../support/graphs.ts';
import { profileGraph } from '../support/profile-graph.ts';
import { type Served, serve } from '../support/serve.ts';
import { call, type Fields, sendText, userMessage } from '../wire/rpc.ts';

const gates = createGates();
const { echo, memory, custom } = createFixture().graphs;
const graphs = { echo, memory, profile: profileGraph(gates), custom };

let served: Served;
let client: Client;
beforeAll(async () => {
  served = await serve({ graphs });
  client = new Client({ apiUrl: served.url, apiKey: null });
});
afterEach(() => gates.open('profile'));
afterAll(() => served.close());

const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
const card = async (id: string): Promise<Fields> =>
  (await (await fetch(`${served.url}/a2a/${id}`, { headers: { 'A2A-Version': '1.0' } })).json()) as Fields;
const answerOf = (task: Fields): string => task.artifacts[0].parts[0].text;
const refused = (promise: Promise<unknown>) =>
  promise.then(
    () => ({ status: 200, text: '' }),
    (error: { status: number; text: string; message: string }) => ({
      status: error.status,
      text: error.message,
    }),
  );

describe('an assistant', () => {
  it('is created, read, patched, searched, counted, set back and deleted', async () => {
    const created = await client.assistants.create({
      graphId: 'profile',
      name: 'Purchasing',
      description: 'Buys things',
      config: { configurable: { model: 'small' }, recursion_limit: 7, tags: ['buy'] },
      context: { region: 'eu' },
      metadata: { team: 'office', level: { of: 1, in: ['a', 'b'] } },
    });
    expect(created).toEqual({
      assistant_id: expect.stringMatching(/^[\da-f-]{36}$/),
      graph_id: 'profile',
      name: 'Purchasing',
      description: 'Buys things',
      config: { configurable: { model: 'small' }, recursion_limit: 7, tags: ['buy'] },
      context: { region: 'eu' },
      metadata: { team: 'office', level: { of: 1, in: ['a', 'b'] } },
      version: 1,
      created_at: ISO,
      updated_at: ISO,
    });
    const id = created.assistant_id;
    expect(await client.assistants.get(id)).toEqual(created);

    const changed = await client.assistants.update(id, { name: 'Buying', metadata: { level: 2, new: true } });
    expect(changed).toMatchObject({
      name: 'Buying',
      description: 'Buys things',
      config: created.config,
      context: { region: 'eu' },
      metadata: { team: 'office', level: 2, new: true },
      version: 2,
    });
    expect(await client.assistants.search({ metadata: { team: 'office' } })).toEqual([changed]);
    expect(await client.assistants.count({ name: 'uyIN' })).toBe(1);

    const versions = await client.assistants.getVersions(id);
    expect(versions.map(({ version, name }) => [version, name])).toEqual([
      [2, 'Buying'],
      [1, 'Purchasing'],
    ]);
    expect(versions[1]).toEqual({ ...created, updated_at: undefined });
    expect(await client.assistants.getVersions(id, { metadata: { new: true } })).toHaveLength(1);
    expect(await client.assistants.getVersions(id, { limit: 1, offset: 1 })).toEqual([versions[1]]);

    const back = await client.assistants.setLatest(id, 1);
    expect(back).toEqual({ ...created, updated_at: ISO });
    expect((await client.assistants.update(id, { description: 'again' })).version).toBe(3);

    await client.assistants.delete(id);
    expect(await refused(client.assistants.get(id))).toMatchObject({ status: 404 });
    expect(await refused(client.assistants.getVersions(id))).toMatchObject({ status: 404 });
    expect(await refused(client.assistants.delete(id))).toMatchObject({ status: 404 });
    expect(await client.assistants.count({ metadata: { team: 'office' } })).toBe(0);
  });

  it('is there for every graph by itself', async () => {
    const [byId, byGraph] = await Promise.all([
      client.assistants.search({ metadata: { created_by: 'system' }, graphId: 'echo' }),
      client.assistants.get('echo'),
    ]);
    expect(byId).toEqual([byGraph]);
    expect(byGraph).toMatchObject({
      graph_id: 'echo',
      name: 'echo',
      config: {},
      context: {},
      metadata: { created_by: 'system' },
      version: 1,
    });
    // UUIDv5 of 'echo', as the LangGraph API makes it.
    expect(byGraph.assistant_id).toBe('046b5dc7-2108-582c-9c6c-31d556d138f0');
    expect(await client.assistants.count({ metadata: { created_by: 'system' } })).toBe(
      Object.keys(graphs).length,
    );
  });

  it('that exists is refused, or given back', async () => {
    const assistantId = randomUUID();
    const first = await client.assistants.create({ graphId: 'echo', assistantId, name: 'first' });
    const again = { graphId: 'echo', assistantId, name: 'second' };
    expect(await refused(client.assistants.create(again))).toMatchObject({
      status: 409,
      text: expect.stringContaining('already exists'),
    });
    expect(await client.assistants.create({ ...again, ifExists: 'do_nothing' })).toEqual(first);
    await client.assistants.delete(assistantId);
    expect((await client.assistants.create(again)).name).toBe('second');
    await client.assistants.delete(assistantId);
  });
});

describe('search', () => {
  const names = ['Gamma', 'alpha', 'Beta'];
  let made: Assistant[] = [];
  beforeAll(async () => {
    made = [];
    for (const name of names) {
      made.push(await client.assistants.create({ graphId: 'echo', name, metadata: { set: 'abc' } }));
    }
  });
  afterAll(async () => {
    for (const { assistant_id } of made) await client.assistants.delete(assistant_id);
  });
  const search = (query: object) => client.assistants.search({ metadata: { set: 'abc' }, ...query });

  it('gives the newest first, page by page', async () => {
    const query = { metadata: { set: 'abc' }, limit: 2, includePagination: true } as const;
    const first = await client.assistants.search(query);
    expect(first.assistants.map(({ name }) => name)).toEqual(['Beta', 'alpha']);
    expect(first.next).toBe('2');
    const last = await client.assistants.search({ ...query, offset: 2 });
    expect(last.assistants.map(({ name }) => name)).toEqual(['Gamma']);
    expect(last.next).toBeNull();
  });

  it('sorts and selects', async () => {
    const sorted = await search({ sortBy: 'name', sortOrder: 'asc' });
    expect(sorted.map(({ name }) => name)).toEqual(['Beta', 'Gamma', 'alpha']);
    const byId = await search({ sortBy: 'assistant_id', sortOrder: 'desc', select: ['assistant_id'] });
    expect(byId).toEqual(
      made
        .map(({ assistant_id }) => ({ assistant_id }))
        .sort((a, b) => (a.assistant_id < b.assistant_id ? 1 : -1)),
    );
  });

  it('finds what contains what was asked for', async () => {
    expect(await search({ name: 'ALP' })).toHaveLength(1);
    expect(await search({ graphId: 'profile' })).toEqual([]);
    expect(await search({ metadata: { set: 'ab' } })).toEqual([]);
    expect(await search({ metadata: { set: { a: 1 } } })).toEqual([]);
  });
});

describe('the agent of an assistant', () => {
  it('is called at its own URL, with its config and context, and the keys of the server win', async () => {
    const { assistant_id } = await client.assistants.create({
      graphId: 'profile',
      config: {
        configurable: { model: 'small', thread_id: 'mine', checkpoint_id: 'mine', assistant_id: 'mine' },
        recursion_limit: 7,
        tags: ['buy'],
      },
      context: { region: 'eu' },
    });
    const task = await sendText(served, assistant_id, 'hello', { contextId: 'a-context' });
    expect(JSON.parse(answerOf(task))).toMatchObject({
      recursionLimit: 7,
      tags: ['buy'],
      context: { region: 'eu' },
      configurable: { model: 'small', thread_id: 'a-context', assistant_id },
      metadata: { assistant_id, thread_id: 'a-context', a2a_task_id: task.id },
    });
    expect(JSON.parse(answerOf(task)).configurable).not.toHaveProperty('checkpoint_id');
    const plain = JSON.parse(answerOf(await sendText(served, 'profile', 'hello')));
    expect(plain.recursionLimit).toBe(25);
    expect(plain.configurable).not.toHaveProperty('model');

    await client.assistants.update(assistant_id, { config: { configurable: { model: 'large' } } });
    const next = await sendText(served, assistant_id, 'hello', { contextId: 'a-context' });
    expect(JSON.parse(answerOf(next))).toMatchObject({
      recursionLimit: 25,
      configurable: { model: 'large' },
    });
    await client.assistants.delete(assistant_id);
  });

  it('goes on where its thread is, whatever its configuration says', async () => {
    const { assistant_id } = await client.assistants.create({ graphId: 'memory' });
    const say = (text: string) => sendText(served, assistant_id, text, { contextId: 'pinned' });
    await say('one');
    const { checkpoint } = await client.threads.getState('pinned');
    await say('two');
    const configurable = { ...checkpoint, thread_id: 'elsewhere', thread_ts: checkpoint.checkpoint_id };
    await client.assistants.update(assistant_id, { config: { configurable } });
    await say('three');
    const { values } = await client.threads.getState<{ messages: unknown[] }>('pinned');
    expect(values.messages).toHaveLength(6);
    expect(await client.threads.getHistory('pinned', { limit: 100 })).toHaveLength(9);
    await client.assistants.delete(assistant_id, { deleteThreads: true });
  });

  it('is as it was when its run began', async () => {
    const { assistant_id } = await client.assistants.create({
      graphId: 'profile',
      context: { at: 'first' },
    });
    gates.hold('profile');
    const send = (text: string) => {
      const message = userMessage(text, { contextId: 'order' });
      return served.post(assistant_id, call('SendMessage', { message }));
    };
    const running = send('one');
    await gates.reached('profile');
    const waiting = send('two');
    await client.assistants.update(assistant_id, { context: { at: 'second' } });
    gates.open('profile');
    const at = async (sent: typeof running) => JSON.parse(answerOf((await sent).body.result.task)).context.at;
    expect(await at(running)).toBe('first');
    expect(await at(waiting)).toBe('second');
    await client.assistants.delete(assistant_id);
  });

  it('finishes what it was at when its assistant is deleted; what waited fails', async () => {
    const { assistant_id } = await client.assistants.create({ graphId: 'profile' });
    gates.hold('profile');
    const send = (text: string) => {
      const message = userMessage(text, { contextId: 'last' });
      return served.post(assistant_id, call('SendMessage', { message }));
    };
    const running = send('one');
    await gates.reached('profile');
    const waiting = await served.post(
      assistant_id,
      call('SendMessage', {
        message: userMessage('two', { contextId: 'last' }),
        configuration: { returnImmediately: true },
      }),
    );
    const watched = await fetch(served.endpoint(assistant_id), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(call('SubscribeToTask', { id: waiting.body.result.task.id })),
    });
    expect(await refused(client.assistants.delete(assistant_id, { deleteThreads: true }))).toMatchObject({
      status: 409,
      text: expect.stringContaining('last'),
    });
    await client.assistants.delete(assistant_id);
    expect((await send('three')).status).toBe(404);
    gates.open('profile');
    expect((await running).body.result.task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(await watched.text()).toContain(`The assistant ${assistant_id} is gone.`);
  });

  it('loses its threads with it, if that is asked for', async () => {
    const { assistant_id } = await client.assistants.create({ graphId: 'echo' });
    await sendText(served, assistant_id, 'hello', { contextId: 'with-it' });
    await sendText(served, 'echo', 'hello', { contextId: 'without-it' });
    await client.assistants.delete(assistant_id, { deleteThreads: true });
    expect(await refused(client.threads.get('with-it'))).toMatchObject({ status: 404 });
    expect((await client.threads.get('without-it')).status).toBe('idle');
  });
});

describe('the card of an assistant', () => {
  it('shows what metadata.a2a says, at once', async () => {
    const { assistant_id } = await client.assistants.create({
      graphId: 'echo',
      name: 'Helper',
      description: 'Helps',
    });
    const before = await fetch(served.endpoint(assistant_id));
    expect(await card(assistant_id)).toMatchObject({
      name: 'Helper',
      description: 'Helps',
      supportedInterfaces: [{ url: served.endpoint(assistant_id) }, {}],
    });
    const a2a = {
      name: 'Clerk',
      input_modes: ['text/plain', 'image/png'],
      output_modes: ['text/markdown'],
      provider: { organization: 'Office', url: 'https://office.example' },
      documentation_url: 'https://office.example/docs',
      icon_url: 'https://office.example/icon.png',
      skills: [{ id: 'file', name: 'File', description: 'Files papers', tags: ['paper'] }],
      extensions: [{ uri: 'https://office.example/ext' }],
      a2ui: true,
      security: [{ key: [] }],
      colour: 'kept',
    };
    const patched = await client.assistants.update(assistant_id, { metadata: { a2a } });
    expect(patched.metadata).toEqual({ a2a });
    const shown = await card(assistant_id);
    expect(agentCardSchema.safeParse(shown).error).toBeUndefined();
    expect(shown).toMatchObject({
      name: 'Clerk',
      description: 'Helps',
      defaultInputModes: ['text/plain', 'image/png'],
      defaultOutputModes: ['text/markdown'],
      provider: a2a.provider,
      documentationUrl: a2a.documentation_url,
      iconUrl: a2a.icon_url,
      skills: a2a.skills,
    });
    expect(shown.capabilities.extensions).toContainEqual(a2a.extensions[0]);
    const after = await fetch(served.endpoint(assistant_id), {
      headers: { 'if-none-match': before.headers.get('etag') ?? '' },
    });
    expect(after.status).toBe(200);
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));

    await client.assistants.setLatest(assistant_id, 1);
    expect((await card(assistant_id)).name).toBe('Helper');
    await client.assistants.delete(assistant_id);
    expect((await fetch(served.endpoint(assistant_id))).status).toBe(404);
  });

  it('takes each field from metadata, then from what the assistant is, then from the configuration', async () => {
    let now = 1_800_000_000_000;
    const other = await serve({
      now: () => now,
      graphs: { echo },
      descriptions: { echo: 'of its entry' },
      a2a: {
        assistants: {
          echo: { name: 'configured', input_modes: ['text/plain'], output_modes: ['text/html'] },
        },
      },
    });
    const own = new Client({ apiUrl: other.url, apiKey: null });
    const cardOf = async (id: string): Promise<Fields> =>
      (await (await fetch(other.endpoint(id), { headers: { 'A2A-Version': '1.0' } })).json()) as Fields;
    expect(await cardOf('echo')).toMatchObject({ name: 'configured', description: 'of its entry' });
    const modified = async () => (await fetch(other.endpoint('echo'))).headers.get('last-modified');
    expect(await modified()).toBe(new Date(now).toUTCString());
    now += 60_000;
    await own.assistants.update('echo', { metadata: { a2a: { output_modes: ['text/css'] } } });
    expect(await modified()).toBe(new Date(now).toUTCString());
    expect(await cardOf('echo')).toMatchObject({
      name: 'configured',
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['text/css'],
    });
    const { assistant_id } = await own.assistants.create({ graphId: 'echo', name: 'named' });
    expect(await cardOf(assistant_id)).toMatchObject({ name: 'named', defaultOutputModes: ['text/html'] });
    await other.close();
  });
});

it('a restart keeps everything but deleted assistants of graphs, which are made again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-assistants-'));
  const database = join(folder, 'parley.db');
  const start = async () => {
    const one = await serve({ graphs, database });
    return { one, own: new Client({ apiUrl: one.url, apiKey: null }) };
  };
  const { one, own } = await start();
  const { assistant_id } = await own.assistants.create({ graphId: 'profile', context: { region: 'eu' } });
  await own.assistants.update(assistant_id, { metadata: { a2a: { name: 'Kept' } } });
  await own.assistants.update('echo', { metadata: { a2a: { name: 'Loud' } } });
  await own.assistants.delete('custom');
  expect((await fetch(one.endpoint('custom'))).status).toBe(404);
  const before = await own.assistants.search({ limit: 100 });
  await one.close();

  const { one: next, own: client } = await start();
  const after = await client.assistants.search({ limit: 100 });
  expect(after.filter(({ graph_id }) => graph_id !== 'custom')).toEqual(before);
  expect((await client.assistants.get('custom')).version).toBe(1);
  expect((await client.assistants.getVersions(assistant_id)).map(({ version }) => version)).toEqual([2, 1]);
  const cardOf = async (id: string): Promise<Fields> =>
    (await (await fetch(next.endpoint(id))).json()) as Fields;
  expect([(await cardOf(assistant_id)).name, (await cardOf('echo')).name]).toEqual(['Kept', 'Loud']);
  const task = await sendText(next, assistant_id, 'hello');
  expect(JSON.parse(answerOf(task)).context).toEqual({ region: 'eu' });
  await next.close();
  await rm(folder, { recursive: true });
});

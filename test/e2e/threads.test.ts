import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AIMessage } from '@langchain/core/messages';
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { Client } from '@langchain/langgraph-sdk';
import Sqlite from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Served, serve } from '../support/serve.ts';
import { call, type Fields, framesOf, openStream, rpc, sendText, userMessage } from '../wire/rpc.ts';

let served: Served;
let client: Client;
let folder: string;
let database: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-threads-'));
  database = join(folder, 'parley.db');
  served = await serve({ database });
  client = new Client({ apiUrl: served.url, apiKey: null });
});
afterEach(() => served.fixture.gates.open('slow'));
afterAll(async () => {
  await served.close();
  await rm(folder, { recursive: true });
});

const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
const assistantOf = async (graphId: string) => (await client.assistants.get(graphId)).assistant_id;
const get = async (path: string): Promise<{ status: number; body: Fields }> => {
  const response = await fetch(`${served.url}${path}`);
  return { status: response.status, body: (await response.json()) as Fields };
};
const refused = (promise: Promise<unknown>) =>
  promise.then(
    () => ({ status: 200, text: '' }),
    (error: { status: number; message: string }) => ({ status: error.status, text: error.message }),
  );
/** A run that waits at a gate, and its answer to come. */
async function startSlow(contextId: string): Promise<{ answer: ReturnType<Served['post']> }> {
  served.fixture.gates.hold('slow');
  const answer = served.post('slow', call('SendMessage', { message: userMessage('go', { contextId }) }));
  await served.fixture.gates.reached('slow');
  return { answer };
}

describe('a thread', () => {
  it('is a context: what its graph keeps, and how it stands', async () => {
    await sendText(served, 'memory', 'one', { contextId: 'a thread/of ours' });
    const thread = await client.threads.get('a thread/of ours');
    expect(thread).toEqual({
      thread_id: 'a thread/of ours',
      created_at: ISO,
      updated_at: ISO,
      state_updated_at: ISO,
      metadata: { assistant_id: await assistantOf('memory'), graph_id: 'memory' },
      status: 'idle',
      config: {},
      values: { messages: [expect.objectContaining({ type: 'human', content: 'one' }), expect.anything()] },
      interrupts: {},
    });
    expect(thread.updated_at >= thread.created_at).toBe(true);
  });

  it('is busy while a run waits or goes on, interrupted while a question is open, in error after a failure', async () => {
    const statusOf = async (id: string) => (await client.threads.get(id)).status;
    const { answer } = await startSlow('busy');
    expect(await statusOf('busy')).toBe('busy');
    served.fixture.gates.open('slow');
    await answer;
    expect(await statusOf('busy')).toBe('idle');

    const task = await sendText(served, 'approval', 'plain', { contextId: 'asks' });
    const asks = await client.threads.get('asks');
    expect(asks.status).toBe('interrupted');
    expect(Object.values(asks.interrupts).flat()).toMatchObject([{ value: 'What is your name?' }]);
    await sendText(served, 'approval', 'Ann', { contextId: 'asks', taskId: task.id });
    expect(await statusOf('asks')).toBe('idle');

    await sendText(served, 'turn', 'input', { contextId: 'asks without interrupt' });
    expect(await statusOf('asks without interrupt')).toBe('interrupted');
    await sendText(served, 'broken', 'hello', { contextId: 'fails' });
    expect(await statusOf('fails')).toBe('error');
  });

  it('that several assistants share is named with one of them', async () => {
    for (const graph of ['echo', 'memory'])
      await sendText(served, graph, `to ${graph}`, { contextId: 'shared' });
    const [echo, memory] = await Promise.all(['echo', 'memory'].map(assistantOf));
    for (const path of ['', '/state', '/history']) {
      expect(await get(`/threads/shared${path}`)).toEqual({
        status: 409,
        body: {
          detail: expect.stringContaining('?assistant_id='),
          assistants: [
            { assistant_id: echo, graph_id: 'echo' },
            { assistant_id: memory, graph_id: 'memory' },
          ],
        },
      });
    }
    expect(await refused(client.threads.delete('shared'))).toMatchObject({ status: 409 });
    for (const chosen of ['memory', memory]) {
      const { body } = await get(`/threads/shared?assistant_id=${chosen}`);
      expect(body.values.messages[0].content).toBe('to memory');
    }
    expect((await get('/threads/shared?assistant_id=slow')).status).toBe(404);
    await fetch(`${served.url}/threads/shared?assistant_id=${echo}`, { method: 'DELETE' });
    expect((await client.threads.get('shared')).metadata).toMatchObject({ graph_id: 'memory' });
  });

  it('of an agent that keeps no state has no values', async () => {
    const forgetful = new StateGraph(MessagesAnnotation)
      .addNode('say', () => ({ messages: [new AIMessage('said')] }))
      .addEdge(START, 'say')
      .compile({ checkpointer: false });
    const other = await serve({ graphs: { forgetful } });
    await sendText(other, 'forgetful', 'hello', { contextId: 'c' });
    const own = new Client({ apiUrl: other.url, apiKey: null });
    expect(await own.threads.get('c')).toMatchObject({ status: 'idle', values: {} });
    expect(await own.threads.getHistory('c')).toEqual([]);
    await other.close();

    await sendText(served, 'custom', 'hello', { contextId: 'custom' });
    expect(await client.threads.get('custom')).toMatchObject({ status: 'idle', values: {} });
    expect(await client.threads.getHistory('custom')).toEqual([]);
  });

  it('of an assistant that is gone is there to be deleted', async () => {
    const { assistant_id } = await client.assistants.create({ graphId: 'echo' });
    await sendText(served, assistant_id, 'hello', { contextId: 'orphan' });
    await client.assistants.delete(assistant_id);
    expect(await client.threads.get('orphan')).toMatchObject({
      metadata: { assistant_id, graph_id: null },
      values: {},
    });
    await client.threads.delete('orphan');
    expect(await refused(client.threads.get('orphan'))).toMatchObject({ status: 404 });
  });
});

describe('the state of a thread', () => {
  it('is what LangGraph has, at every checkpoint', async () => {
    for (const text of ['one', 'two']) await sendText(served, 'memory', text, { contextId: 'stately' });
    const state = await client.threads.getState<{ messages: { content: string; type: string }[] }>('stately');
    expect(state).toMatchObject({
      next: [],
      tasks: [],
      created_at: ISO,
      checkpoint: { thread_id: 'stately', checkpoint_ns: '', checkpoint_id: expect.any(String) },
      parent_checkpoint: { thread_id: 'stately', checkpoint_id: expect.any(String) },
      metadata: { source: 'loop', thread_id: 'stately' },
    });
    expect(state.values.messages.map(({ type }) => type)).toEqual(['human', 'ai', 'human', 'ai']);

    const history = await client.threads.getHistory('stately', { limit: 100 });
    expect(history[0]).toEqual(state);
    expect(history).toHaveLength(6);
    const [, second, third] = history;
    const cut = { limit: 1, before: second?.checkpoint as never };
    expect(await client.threads.getHistory('stately', cut)).toEqual([third]);
    const before = String(second?.checkpoint.checkpoint_id);
    expect((await get(`/threads/stately/history?limit=1&before=${before}`)).body).toEqual([third]);
    const loops = await client.threads.getHistory('stately', { metadata: { source: 'input' } });
    expect(loops).toHaveLength(2);

    expect(await client.threads.getState('stately', before)).toMatchObject({ values: second?.values });
    expect(await client.threads.getState('stately', second?.checkpoint)).toMatchObject({
      values: second?.values,
    });
    expect(
      await refused(client.threads.getState('stately', '1ef00000-0000-6000-8000-000000000000')),
    ).toMatchObject({
      status: 404,
    });
    const some = await client.threads.getState('stately', undefined, { select: ['next', 'values.messages'] });
    expect(Object.keys(some)).toEqual(['next', 'values']);
  });

  it('has open questions, and of a node that threw no more than that', async () => {
    await sendText(served, 'approval', 'plain', { contextId: 'open' });
    expect(await client.threads.getState('open')).toMatchObject({
      next: ['ask'],
      tasks: [{ name: 'ask', error: null, interrupts: [{ value: 'What is your name?' }] }],
    });
    await sendText(served, 'broken', 'hello', { contextId: 'threw' });
    const { body } = await get('/threads/threw/state');
    expect(body.tasks).toMatchObject([{ name: 'fail', error: 'An internal error occurred' }]);
    expect(JSON.stringify([body, (await get('/threads/threw/history')).body])).not.toContain('hunter2');
  });

  it('of a subgraph is there if asked for', async () => {
    await sendText(served, 'subgraph', 'hello', { contextId: 'nested' });
    const history = await client.threads.getHistory('nested', { limit: 100 });
    expect(
      history.some(({ tasks }) => tasks.some(({ checkpoint }) => checkpoint?.checkpoint_ns !== '')),
    ).toBe(true);
    const state = await client.threads.getState('nested', undefined, { subgraphs: true });
    expect(state.next).toEqual([]);
  });
});

describe('search', () => {
  it('finds threads by status, assistant and id, page by page', async () => {
    const { assistant_id } = await client.assistants.create({ graphId: 'memory' });
    for (const id of ['s1', 's2', 's3']) await sendText(served, assistant_id, id, { contextId: id });
    const of = { metadata: { assistant_id } };
    const ids = async (query: object) =>
      (await client.threads.search({ ...of, ...query })).map((one) => one.thread_id);
    expect(await ids({})).toEqual(['s3', 's2', 's1']);
    expect(await ids({ sortBy: 'thread_id', sortOrder: 'asc' })).toEqual(['s1', 's2', 's3']);
    expect(await ids({ limit: 1, offset: 1 })).toEqual(['s2']);
    expect(await ids({ ids: ['s1', 'other'] })).toEqual(['s1']);
    expect(await ids({ status: 'error' })).toEqual([]);
    await sendText(served, assistant_id, 'again', { contextId: 's1' });
    expect(await ids({ sortBy: 'updated_at' })).toEqual(['s1', 's3', 's2']);
    expect(await ids({ metadata: { graph_id: 'memory', assistant_id } })).toHaveLength(3);
    expect(await ids({ metadata: { assistant_id, colour: 'red' } })).toEqual([]);
    expect(await client.threads.count(of)).toBe(3);
    expect(await client.threads.count({ ...of, status: 'busy' })).toBe(0);

    const [whole] = await client.threads.search({ ...of, ids: ['s1'] });
    expect(whole).toEqual(await client.threads.get('s1'));
    const [part] = await client.threads.search({ ...of, ids: ['s1'], select: ['thread_id', 'status'] });
    expect(part).toEqual({ thread_id: 's1', status: 'idle' });
    const response = await fetch(`${served.url}/threads/search`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...of, limit: 2 }),
    });
    expect(response.headers.get('x-pagination-next')).toBe('2');
  });
});

describe('a thread that is deleted', () => {
  it('leaves nothing behind, and its contextId begins anew', async () => {
    const rows = (): { [table: string]: number } => {
      const sqlite = new Sqlite(database, { readonly: true });
      const tables = sqlite
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        .pluck()
        .all() as string[];
      const counts = tables.map((name) => [
        name,
        sqlite.prepare(`SELECT count(*) FROM "${name}"`).pluck().get(),
      ]);
      sqlite.close();
      return Object.fromEntries(counts);
    };
    await served.close();
    const before = rows();
    served = await serve({ database });
    client = new Client({ apiUrl: served.url, apiKey: null });

    const key = { 'Idempotency-Key': 'once' };
    for (const text of ['one', 'two', 'three']) {
      const message = userMessage(text, { contextId: 'forgotten' });
      await served.post('memory', call('SendMessage', { message }), key);
      await sendText(served, 'memory', 'x'.repeat(5_000), { contextId: 'forgotten' });
    }
    const { body } = await served.post('memory', call('ListTasks', { contextId: 'forgotten' }));
    const total = (await rpc(served, 'memory', 'ListTasks', {})).result.totalSize;
    await client.threads.delete('forgotten');
    expect(await refused(client.threads.get('forgotten'))).toMatchObject({ status: 404 });
    expect(await refused(client.threads.delete('forgotten'))).toMatchObject({ status: 404 });
    for (const { id } of body.result.tasks) {
      expect((await rpc(served, 'memory', 'GetTask', { id })).error?.code).toBe(-32001);
    }
    const left = (await rpc(served, 'memory', 'ListTasks', {})).result.totalSize;
    expect(total - left).toBe(body.result.tasks.length);
    await served.close();
    const after = rows();
    expect({ ...after, last_ids: 0, task_counts: 0, scopes: 0 }).toEqual({
      ...before,
      last_ids: 0,
      task_counts: 0,
      scopes: 0,
    });

    served = await serve({ database });
    client = new Client({ apiUrl: served.url, apiKey: null });
    const task = await sendText(served, 'memory', 'anew', { contextId: 'forgotten' });
    expect(task.history).toHaveLength(2);
    expect((await client.threads.get('forgotten')).values).toMatchObject({
      messages: [{ content: 'anew' }, {}],
    });
  });

  it('must not be busy', async () => {
    const { answer } = await startSlow('at work');
    const queued = await sendText(
      served,
      'slow',
      'next',
      { contextId: 'at work' },
      { returnImmediately: true },
    );
    const deleting = await refused(client.threads.delete('at work'));
    expect(deleting).toMatchObject({ status: 409, text: expect.stringContaining(queued.id) });
    served.fixture.gates.open('slow');
    expect((await answer).body.result.task.status.state).toBe('TASK_STATE_COMPLETED');
    await rpc(served, 'slow', 'CancelTask', { id: queued.id });
    await client.threads.delete('at work');
  });

  it('ends what its readers read', async () => {
    const task = await sendText(served, 'approval', 'plain', { contextId: 'watched' });
    const stream = await openStream(served, 'approval', call('SubscribeToTask', { id: task.id }));
    const frames = framesOf(stream);
    expect((await frames.next()).value).toMatchObject({ data: { result: { task: { id: task.id } } } });
    await client.threads.delete('watched');
    expect(await frames.next()).toEqual({ done: true, value: undefined });
    const gone = await served.post('approval', call('SubscribeToTask', { id: task.id }));
    expect(gone.body.error?.code).toBe(-32001);
    const answer = userMessage('Ann', { contextId: 'watched', taskId: task.id });
    expect((await served.post('approval', call('SendMessage', { message: answer }))).body.error?.code).toBe(
      -32001,
    );
    // Its question went with it.
    const next = await sendText(served, 'approval', 'plain', { contextId: 'watched' });
    expect(next.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  });
});

import {
  listTasksResponseSchema,
  sendMessageResponseSchema,
  streamResponseSchema,
  taskSchema,
} from '@parley/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Served, serve } from '../support/serve.ts';
import { call, collectFrames, type Fields, rpc, userMessage, userMessageV0_3 } from './rpc.ts';
import { eventV0_3, expectShape, snakeCaseKeys, taskV0_3 } from './shapes.ts';

let served: Served;
beforeAll(async () => {
  served = await serve({ a2a: { v03: 'full' } });
});
afterAll(() => served.close());

const FINAL = ['COMPLETED', 'FAILED', 'REJECTED', 'INPUT_REQUIRED'].map((state) => `TASK_STATE_${state}`);

const cases: { graphId: string; text: string; state: string }[] = [
  ...[
    'echo',
    'memory',
    'words',
    'steps',
    'files',
    'tools',
    'structured',
    'no-reducer',
    'factory',
    'state-graph',
  ].map((graphId) => ({ graphId, text: 'go', state: 'COMPLETED' })),
  ...['promise', 'custom', 'custom-stream', 'data', 'subgraph', 'intercepted'].map((graphId) => ({
    graphId,
    text: 'go',
    state: 'COMPLETED',
  })),
  { graphId: 'approval', text: 'pay', state: 'INPUT_REQUIRED' },
  { graphId: 'approval', text: 'plain', state: 'INPUT_REQUIRED' },
  { graphId: 'broken', text: 'go', state: 'FAILED' },
  { graphId: 'turn', text: 'go', state: 'COMPLETED' },
  { graphId: 'turn', text: 'input', state: 'INPUT_REQUIRED' },
  { graphId: 'turn', text: 'reject', state: 'REJECTED' },
  { graphId: 'turn', text: 'fail', state: 'FAILED' },
];

/** What every event of one task must hold together. */
function expectOneTask(results: Fields[]): void {
  const [first, ...updates] = results.map((result) => Object.values(result)[0] as Fields);
  expect(Object.keys(results[0] ?? {})).toEqual(['task']);
  expect(first?.status.state).toBe('TASK_STATE_SUBMITTED');
  for (const update of updates)
    expect([update.taskId, update.contextId]).toEqual([first?.id, first?.contextId]);
  for (const result of results.slice(1))
    expect(Object.keys(result)[0]).toMatch(/^(?:status|artifact)Update$/);
  const states = updates.flatMap(({ status }) => (status ? [status.state] : []));
  expect(states[0]).toBe('TASK_STATE_WORKING');
  expect(FINAL).toContain(states.at(-1));
  expect(states.slice(0, -1).every((state) => state === 'TASK_STATE_WORKING')).toBe(true);
  expect(Object.keys(results.at(-1) ?? {})).toEqual(['statusUpdate']);
  const times = [first, ...updates].flatMap((one) => (one?.status ? [one.status.timestamp] : []));
  expect(times).toEqual([...times].sort());
}

describe.each(cases)('$graphId, told "$text",', ({ graphId, text, state }) => {
  it('U03: answers every method of 1.0 in the strict shape', async () => {
    const sent = await rpc(served, graphId, 'SendMessage', { message: userMessage(text) });
    expect(Object.keys(sent).sort()).toEqual(['id', 'jsonrpc', 'result']);
    expectShape(sendMessageResponseSchema, sent.result);
    const { task } = sent.result;
    expect(task.status.state).toBe(`TASK_STATE_${state}`);
    const got = (await rpc(served, graphId, 'GetTask', { id: task.id })).result;
    expectShape(taskSchema, got);
    expect(got).toEqual(task);
    const listed = (
      await rpc(served, graphId, 'ListTasks', { contextId: task.contextId, includeArtifacts: true })
    ).result;
    expectShape(listTasksResponseSchema, listed);
    expect(listed.tasks).toEqual([task]);
    const bare = (await rpc(served, graphId, 'ListTasks', { contextId: task.contextId })).result;
    const { artifacts: _, ...withoutArtifacts } = task;
    expect(bare.tasks).toEqual([withoutArtifacts]);
    const results = (
      await collectFrames(served, graphId, call('SendStreamingMessage', { message: userMessage(text) }, 'f'))
    ).map(({ data }) => {
      expect(Object.keys(data)).toEqual(['jsonrpc', 'id', 'result']);
      expectShape(streamResponseSchema, data.result);
      return data.result as Fields;
    });
    expectOneTask(results);
    const streamedId = results[0]?.task.id;
    const streamed = (await rpc(served, graphId, 'GetTask', { id: streamedId })).result;
    expect(snakeCaseKeys([task, got, listed, results, streamed])).toEqual([]);
    expect(withoutIds(streamed)).toEqual(withoutIds(task));
  });

  it('U03: answers every method of 0.3 with kind and final', async () => {
    const sent = await rpc(served, graphId, 'message/send', { message: userMessageV0_3(text) });
    expectShape(taskV0_3, sent.result);
    expect(sent.result.status.state).toBe(state.toLowerCase().replace('_', '-'));
    const got = (await rpc(served, graphId, 'tasks/get', { id: sent.result.id })).result;
    expectShape(taskV0_3, got);
    expect(got).toEqual(sent.result);
    const frames = await collectFrames(
      served,
      graphId,
      call('message/stream', { message: userMessageV0_3(text) }, 'f'),
    );
    for (const { data } of frames) expectShape(eventV0_3, data.result);
    const kinds = frames.map(({ data }) => data.result.kind);
    expect(kinds[0]).toBe('task');
    expect(kinds.slice(1)).not.toContain('task');
    const finals = frames.flatMap(({ data }) => ('final' in data.result ? [data.result.final] : []));
    expect(finals).toEqual([...finals.slice(1).fill(false), true]);
    expect(kinds.at(-1)).toBe('status-update');
  });
});

/** A task without what differs from one run to the next. */
function withoutIds(task: Fields): unknown {
  const text = JSON.stringify(task, (key, value) =>
    /^(?:id|taskId|contextId|messageId|artifactId|answerArtifactId|timestamp)$/.test(key) ? key : value,
  );
  return JSON.parse(text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'UUID'));
}

describe('the envelope', () => {
  it('follows the method: SendMessage wraps, GetTask, CancelTask and all of 0.3 do not', async () => {
    const sent = await rpc(served, 'approval', 'SendMessage', { message: userMessage('pay') });
    expect(Object.keys(sent.result)).toEqual(['task']);
    const { id } = sent.result.task;
    expect((await rpc(served, 'approval', 'GetTask', { id })).result.id).toBe(id);
    expect((await rpc(served, 'approval', 'tasks/get', { id })).result.id).toBe(id);
    expect((await rpc(served, 'approval', 'CancelTask', { id })).result).toMatchObject({
      id,
      status: { state: 'TASK_STATE_CANCELED' },
    });
    expect((await rpc(served, 'approval', 'tasks/cancel', { id })).result).toMatchObject({
      kind: 'task',
      id,
      status: { state: 'canceled' },
    });
    const bare = await rpc(served, 'echo', 'message/send', { message: userMessageV0_3('x') });
    expect(bare.result.kind).toBe('task');
  });

  it('of a list has its four fields also when there is nothing', async () => {
    const { result } = await rpc(served, 'echo', 'ListTasks', {
      contextId: 'empty',
      pageSize: 7,
      includeArtifacts: true,
    });
    expect(result).toEqual({ tasks: [], nextPageToken: '', pageSize: 7, totalSize: 0 });
  });

  it('leaves empty lists out', async () => {
    const message = userMessage('x', { extensions: [], referenceTaskIds: [], metadata: {} });
    const { task } = (
      await rpc(served, 'slow', 'SendMessage', {
        message,
        configuration: { returnImmediately: true, historyLength: 0 },
      })
    ).result;
    expect(Object.keys(task).sort()).toEqual(['contextId', 'id', 'status']);
    const got = (await rpc(served, 'slow', 'GetTask', { id: task.id })).result;
    expect(got.history[0]).not.toHaveProperty('extensions');
    expect(got.history[0]).not.toHaveProperty('referenceTaskIds');
  });
});

describe('a list', () => {
  it('shows each task once, newest first, over pages, also while tasks are added', async () => {
    const contextId = 'paged';
    const ids: string[] = [];
    const add = async (): Promise<void> => {
      ids.push(
        (await rpc(served, 'echo', 'SendMessage', { message: userMessage('x', { contextId }) })).result.task
          .id,
      );
    };
    for (let n = 0; n < 7; n++) await add();
    const seen: string[] = [];
    const expected = [...ids].reverse();
    let pageToken = '';
    do {
      const { result } = await rpc(served, 'echo', 'ListTasks', { contextId, pageSize: 3, pageToken });
      expectShape(listTasksResponseSchema, result);
      expect(result.pageSize).toBe(3);
      expect(result.totalSize).toBe(ids.length);
      seen.push(...result.tasks.map(({ id }: Fields) => id));
      pageToken = result.nextPageToken;
      await add();
    } while (pageToken !== '');
    expect(seen).toEqual(expected);
  });

  it('is filtered by state and by time, inclusively', async () => {
    const contextId = 'filtered';
    const first = (await rpc(served, 'turn', 'SendMessage', { message: userMessage('fail', { contextId }) }))
      .result.task;
    const second = (await rpc(served, 'turn', 'SendMessage', { message: userMessage('go', { contextId }) }))
      .result.task;
    const list = async (filter: Fields): Promise<string[]> =>
      (await rpc(served, 'turn', 'ListTasks', { contextId, ...filter })).result.tasks.map(
        ({ id }: Fields) => id,
      );
    expect(await list({ status: 'TASK_STATE_FAILED' })).toEqual([first.id]);
    expect(await list({ status: 'TASK_STATE_COMPLETED' })).toEqual([second.id]);
    expect(await list({ status: 'TASK_STATE_UNSPECIFIED' })).toEqual([second.id, first.id]);
    expect(await list({ statusTimestampAfter: second.status.timestamp })).toEqual([second.id]);
    const zoned = second.status.timestamp.replace('Z', '+00:00');
    expect(await list({ statusTimestampAfter: zoned })).toEqual([second.id]);
    expect(await list({ statusTimestampAfter: '2999-01-01T00:00:00Z' })).toEqual([]);
  });
});

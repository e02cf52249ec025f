import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Served, serve } from '../support/serve.ts';
import { type Fields, rpc, sendText } from '../wire/rpc.ts';

/** What a later read of a task shows, whatever has become of its thread since. */
let served: Served;
beforeAll(async () => {
  served = await serve();
});
afterAll(() => served.close());

const get = async (graphId: string, id: string): Promise<Fields> =>
  (await rpc(served, graphId, 'GetTask', { id, historyScope: 'task' })).result;
const listed = async (graphId: string, contextId: string): Promise<Fields[]> =>
  (await rpc(served, graphId, 'ListTasks', { contextId, includeArtifacts: true, historyScope: 'task' }))
    .result.tasks;

describe('a task that has ended', () => {
  it('reads as it ended while its thread is paused by another', async () => {
    const contextId = 'paused-again';
    const asked = await sendText(served, 'approval', 'plain', { contextId });
    const done = await sendText(served, 'approval', 'Ada', { taskId: asked.id }, { historyScope: 'task' });
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    const waiting = await sendText(served, 'approval', 'plain', { contextId }, { historyScope: 'task' });
    expect(waiting.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(await get('approval', done.id)).toEqual(done);
    expect(await listed('approval', contextId)).toEqual([waiting, done]);
  });

  it('by a cancel reads as canceled while its thread still holds the question, and when it is asked again', async () => {
    const contextId = 'canceled-question';
    const { id } = await sendText(served, 'approval', 'plain', { contextId });
    const canceled = (await rpc(served, 'approval', 'CancelTask', { id })).result;
    expect(canceled.status.state).toBe('TASK_STATE_CANCELED');
    expect(await get('approval', id)).toEqual(canceled);
    expect(await listed('approval', contextId)).toEqual([canceled]);
    await sendText(served, 'approval', 'plain', { contextId });
    expect(await get('approval', id)).toEqual(canceled);
    expect((await rpc(served, 'approval', 'tasks/get', { id })).result.status.state).toBe('canceled');
  });

  it('after an answer reads as its last run left it, not its first', async () => {
    const { id } = await sendText(served, 'approval', 'plain');
    const done = await sendText(served, 'approval', 'Ada', { taskId: id });
    const read = await get('approval', id);
    expect(read.status).toEqual(done.status);
    expect(read.status.state).toBe('TASK_STATE_COMPLETED');
    expect(read.artifacts).toEqual(done.artifacts);
    expect(read.artifacts[0].parts).toEqual([{ text: 'hello Ada' }]);
    expect(read.history.map(({ parts }: Fields) => parts[0].text)).toEqual(['plain', 'Ada', 'hello Ada']);
  });

  it('has not paused because its state and its words are those of an interrupt', async () => {
    const done = await sendText(served, 'intercepted', 'go');
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    expect(done.artifacts.map(({ parts }: Fields) => parts)).toEqual([[{ text: '__interrupt__' }]]);
    expect(await get('intercepted', done.id)).toEqual(done);
    expect(await listed('intercepted', done.contextId)).toEqual([done]);
  });

  it('has its artifacts, whoever reads it and however', async () => {
    const done = await sendText(served, 'echo', 'hi', { contextId: 'read' });
    const artifacts = [{ parts: [{ text: 'you said: hi' }] }];
    expect(done).toMatchObject({ artifacts });
    expect(await get('echo', done.id)).toMatchObject({ artifacts });
    expect(await listed('echo', 'read')).toMatchObject([{ artifacts }]);
    expect((await rpc(served, 'echo', 'tasks/get', { id: done.id })).result).toMatchObject({ artifacts });
  });
});

import { randomUUID } from 'node:crypto';
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { a2aTurn, type Turn } from '@parley/agent';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createGates } from '../support/gates.ts';
import { type Served, serve } from '../support/serve.ts';
import { call, type Fields, framesOf, openStream, rpc, sendText, userMessage } from './rpc.ts';

/** `turn.task(id)`: what a run says on another task of its context. */
const gates = createGates();
let served: Served;
beforeAll(async () => {
  const conductor = new StateGraph(MessagesAnnotation)
    .addNode('conduct', async (_, config) => {
      const turn = a2aTurn(config) as Turn;
      const [what, id = ''] = turn.text.split(' ');
      if (what === 'rest') turn.requireInput('waiting');
      if (what === 'hold') await gates.pass('hold', config.signal);
      const other = turn.task(id === 'held' ? held : id);
      if (what === 'tell' || what === 'close') {
        other.artifact({ artifactId: 'told', name: 'Told', parts: [{ text: 'from elsewhere' }] });
        other.status('half done');
      }
      if (what === 'close' || id === 'held') other.cancel();
      return {};
    })
    .addEdge(START, 'conduct')
    .compile();
  served = await serve({ graphs: { conductor, stranger: conductor } });
});
afterAll(() => served.close());
afterEach(() => gates.open('hold'));
let held = '';

const getTask = async (id: string): Promise<Fields> =>
  (await rpc(served, 'conductor', 'GetTask', { id, historyScope: 'task' })).result;
const resting = (contextId: string): Promise<Fields> => sendText(served, 'conductor', 'rest', { contextId });

describe('another task of the context', () => {
  it('is told an artifact and a status, and ended; who watches it sees all of it', async () => {
    const contextId = randomUUID();
    const { id } = await resting(contextId);
    const frames = framesOf(await openStream(served, 'conductor', call('SubscribeToTask', { id })));
    await frames.next();
    const own = await sendText(served, 'conductor', `close ${id}`, { contextId });
    expect(own.status.state).toBe('TASK_STATE_COMPLETED');
    expect(own.artifacts ?? []).toEqual([]);
    const seen: Fields[] = [];
    for await (const { data } of frames) seen.push(data.result);
    expect(seen).toMatchObject([
      { artifactUpdate: { taskId: id, contextId, artifact: { name: 'Told' } } },
      {
        statusUpdate: {
          status: { state: 'TASK_STATE_INPUT_REQUIRED', message: { parts: [{ text: 'half done' }] } },
        },
      },
      { statusUpdate: { status: { state: 'TASK_STATE_CANCELED' } } },
    ]);
    const ended = await getTask(id);
    expect(ended.artifacts[0].parts).toEqual([{ text: 'from elsewhere' }]);
    const again = await sendText(served, 'conductor', `tell ${id}`, { contextId });
    expect(again.status.state).toBe('TASK_STATE_COMPLETED');
    expect(await getTask(id)).toEqual(ended);
  });

  it('goes on waiting, whatever it is told: its next message is taken', async () => {
    const contextId = randomUUID();
    const { id } = await resting(contextId);
    await sendText(served, 'conductor', `tell ${id}`, { contextId });
    expect((await getTask(id)).status).toMatchObject({
      state: 'TASK_STATE_INPUT_REQUIRED',
      message: { parts: [{ text: 'half done' }] },
    });
    const done = await sendText(served, 'conductor', 'go on', { taskId: id });
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('that waits in the queue is canceled before it runs', async () => {
    gates.hold('hold');
    const contextId = randomUUID();
    const configuration = { returnImmediately: true };
    const first = await sendText(served, 'conductor', 'hold held', { contextId }, configuration);
    await gates.reached('hold');
    const queued = served.post(
      'conductor',
      call('SendMessage', { message: userMessage('rest', { contextId }) }),
    );
    const waiting = async (): Promise<Fields | undefined> =>
      (await rpc(served, 'conductor', 'ListTasks', { contextId, status: 'TASK_STATE_SUBMITTED' })).result
        .tasks[0];
    await expect.poll(waiting).toBeDefined();
    held = (await waiting())?.id;
    gates.open('hold');
    expect((await queued).body.result.task).toMatchObject({
      id: held,
      status: { state: 'TASK_STATE_CANCELED' },
    });
    await expect.poll(async () => (await getTask(first.id)).status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('of another context or assistant is out of reach', async () => {
    const here = await resting(randomUUID());
    await sendText(served, 'conductor', `close ${here.id}`);
    await sendText(served, 'stranger', `close ${here.id}`, { contextId: here.contextId });
    expect(await getTask(here.id)).toEqual(here);
  });
});

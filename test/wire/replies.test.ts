import { randomUUID } from 'node:crypto';
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { a2aTurn } from '@parley/agent';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createGates } from '../support/gates.ts';
import { type Served, serve } from '../support/serve.ts';
import {
  call,
  collectFrames,
  expectRefusal,
  type Fields,
  framesOf,
  openStream,
  rpc,
  sendText,
  totalOf,
  userMessage,
  userMessageV0_3,
} from './rpc.ts';

/** `turn.reply`: a bare Message for a caller who has been shown no Task. */
const gates = createGates();
const taskIds: (string | undefined)[] = [];
let served: Served;
beforeAll(async () => {
  const replying = new StateGraph(MessagesAnnotation)
    .addNode('say', async (_, config) => {
      const turn = a2aTurn(config);
      taskIds.push(turn?.taskId);
      if (turn?.text === 'early') turn.artifact({ parts: [{ text: 'an artifact' }] });
      await gates.pass('reply', config.signal);
      if (turn?.text.startsWith('first')) turn.artifact({ parts: [{ text: 'an artifact' }] });
      if (turn?.text !== 'silent') turn?.reply({ parts: [{ text: 'hi' }], metadata: { mood: 'good' } });
      return {};
    })
    .addEdge(START, 'say')
    .compile();
  served = await serve({
    graphs: {
      replying,
      answering: replying,
      custom: {
        invoke: (_: unknown, { turn }: { turn: { reply(text: string): void } }) =>
          turn.reply('from no graph'),
      },
    },
    a2a: { assistants: { answering: { messageReplies: true } } },
  });
});
afterAll(() => served.close());
afterEach(() => gates.open('reply'));

const send = (message: Fields, more: Fields = {}, headers: { [name: string]: string } = {}) =>
  served.post('replying', call('SendMessage', { message, ...more }), headers);
const listed = async (graphId: string, contextId: string): Promise<Fields[]> =>
  (await rpc(served, graphId, 'ListTasks', { contextId })).result.tasks;
const REPLY = { role: 'ROLE_AGENT', parts: [{ text: 'hi' }], metadata: { mood: 'good' } };

describe('a blocking send', () => {
  it('is answered with the Message, and no task remains', async () => {
    const before = await totalOf(served, 'replying');
    const { body } = await send(userMessage('hello', { contextId: 'one' }));
    expect(body.result).toEqual({ message: { ...REPLY, contextId: 'one', messageId: expect.any(String) } });
    expect(await listed('replying', 'one')).toEqual([]);
    expect(await totalOf(served, 'replying')).toBe(before);
  });

  it('is answered so in 0.3, and by an agent that is no graph', async () => {
    const { result } = await rpc(served, 'replying', 'message/send', { message: userMessageV0_3('hello') });
    expect(result).toMatchObject({ kind: 'message', role: 'agent', parts: [{ kind: 'text', text: 'hi' }] });
    const other = await rpc(served, 'custom', 'SendMessage', { message: userMessage('hello') });
    expect(other.result.message.parts).toEqual([{ text: 'from no graph' }]);
  });

  it('leaves both messages in the conversation, which name no task', async () => {
    await send(userMessage('hello', { contextId: 'talk' }));
    const task = await sendText(served, 'replying', 'silent', { contextId: 'talk' });
    expect(task.history.map(({ parts }: Fields) => parts[0].text)).toEqual(['hello', 'hi', 'silent']);
    expect(task.history.map(({ taskId }: Fields) => taskId)).toEqual([undefined, undefined, task.id]);
  });

  it('gets a Task if the agent has said something else, with the reply as the answer', async () => {
    const { body } = await send(userMessage('first an artifact'));
    const { task } = body.result;
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(task.artifacts.map(({ parts }: Fields) => parts[0].text)).toEqual(['hi', 'an artifact']);
    expect(task.artifacts[0].metadata).toEqual({ mood: 'good' });
    expect(task.history.at(-1)).toMatchObject(REPLY);
  });

  it('gets a Task if the agent has said something else long before', async () => {
    gates.hold('reply');
    const sent = send(userMessage('early'));
    await gates.reached('reply');
    const message = userMessage('early');
    const later = framesOf(await openStream(served, 'answering', call('SendStreamingMessage', { message })));
    // What was said before this is stored by now.
    for await (const { data } of later) if (data.result.artifactUpdate) break;
    gates.open('reply');
    expect((await sent).body.result.task.artifacts).toHaveLength(2);
  });

  it('U14: gets a Task if somebody was shown it meanwhile', async () => {
    for (const look of [
      (id: string) => rpc(served, 'replying', 'GetTask', { id }),
      (id: string) => openStream(served, 'replying', call('SubscribeToTask', { id })),
      (_: string, contextId: string) => listed('replying', contextId),
    ]) {
      gates.hold('reply');
      const contextId = randomUUID();
      const sent = send(userMessage('hello', { contextId }));
      await gates.reached('reply');
      const id = taskIds.at(-1) ?? '';
      await look(id, contextId);
      gates.open('reply');
      const { task } = (await sent).body.result;
      expect(task).toMatchObject({ id, status: { state: 'TASK_STATE_COMPLETED' } });
      expect(task.artifacts[0].parts).toEqual([{ text: 'hi' }]);
      expect(await listed('replying', contextId)).toHaveLength(1);
    }
  });

  it('twice at once is two equal Messages of one run; with a key also later', async () => {
    gates.hold('reply');
    const message = userMessage('hello', { contextId: randomUUID() });
    const key = { 'idempotency-key': randomUUID() };
    const sent = [send(message, {}, key), send(message, {}, key)];
    await gates.reached('reply');
    gates.open('reply');
    const [one, other] = (await Promise.all(sent)).map(({ body }) => body.result);
    expect(one.message).toMatchObject(REPLY);
    expect(other).toEqual(one);
    expect((await send(message, {}, key)).body.result).toEqual(one);
    const frames = await collectFrames(served, 'replying', call('SendStreamingMessage', { message }), key);
    expect(frames.map(({ data }) => data.result)).toEqual([one]);
  });
});

describe('U14: a caller who knows the task', () => {
  it('finds the reply as its answer: with returnImmediately, and on a stream', async () => {
    gates.hold('reply');
    const configuration = { returnImmediately: true };
    const { task } = (await send(userMessage('hello'), { configuration })).body.result;
    gates.open('reply');
    const frames = await collectFrames(
      served,
      'replying',
      call('SendStreamingMessage', { message: userMessage('hello') }),
    );
    expect(frames[0]?.data.result.task).toBeDefined();
    expect(
      frames.find(({ data }) => data.result.artifactUpdate)?.data.result.artifactUpdate.artifact.parts,
    ).toEqual([{ text: 'hi' }]);
    expect(frames.at(-1)?.data.result.statusUpdate.status.state).toBe('TASK_STATE_COMPLETED');
    await expect
      .poll(
        async () => (await rpc(served, 'replying', 'GetTask', { id: task.id })).result.artifacts?.[0].parts,
      )
      .toEqual([{ text: 'hi' }]);
  });
});

describe('U14: a stream of an assistant with messageReplies', () => {
  const stream = (text: string, more: Fields = {}) =>
    collectFrames(served, 'answering', call('SendStreamingMessage', { message: userMessage(text, more) }));

  it('is one Message', async () => {
    const frames = await stream('hello', { contextId: 'streamed' });
    expect(frames.map(({ data }) => data.result)).toEqual([
      { message: { ...REPLY, contextId: 'streamed', messageId: expect.any(String) } },
    ]);
    expect(await listed('answering', 'streamed')).toEqual([]);
  });

  it('is a Task and its updates if the agent says anything else, or nothing', async () => {
    const frames = await stream('first an artifact');
    expect(frames.map(({ data }) => Object.keys(data.result)[0])).toEqual([
      'task',
      'statusUpdate',
      'artifactUpdate',
      'artifactUpdate',
      'statusUpdate',
    ]);
    const silent = await stream('silent');
    expect(silent.map(({ data }) => Object.keys(data.result)[0])).toEqual([
      'task',
      'statusUpdate',
      'statusUpdate',
    ]);
    const { id } = silent[0]?.data.result.task ?? {};
    expect((await rpc(served, 'answering', 'GetTask', { id })).result.status.state).toBe(
      'TASK_STATE_COMPLETED',
    );
  });

  it('shows nothing before the agent has spoken', async () => {
    gates.hold('reply');
    const response = await openStream(
      served,
      'answering',
      call('SendStreamingMessage', { message: userMessage('hello', { contextId: 'quiet' }) }),
    );
    await gates.reached('reply');
    const frames = framesOf(response);
    const first = frames.next();
    const state = await Promise.race([
      first.then(() => 'shown'),
      listed('answering', 'other').then(() => 'quiet'),
    ]);
    expect(state).toBe('quiet');
    gates.open('reply');
    expect((await first).value?.data.result.message.parts).toEqual([{ text: 'hi' }]);
    expect((await frames.next()).done).toBe(true);
  });
});

it('a task that was answered with a Message is unknown to everybody', async () => {
  expect((await send(userMessage('hello'))).body.result.message).toBeDefined();
  const id = taskIds.at(-1);
  for (const [method, params] of [
    ['GetTask', { id }],
    ['CancelTask', { id }],
    ['SubscribeToTask', { id }],
    ['SendMessage', { message: userMessage('more', { taskId: id }) }],
  ] as const) {
    expectRefusal(await served.post('replying', call(method, params)), { code: -32001 });
  }
});

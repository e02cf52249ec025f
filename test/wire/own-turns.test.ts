import { randomUUID } from 'node:crypto';
import { interrupt, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { a2aTurn, type Turn } from '@parley/agent';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createGates } from '../support/gates.ts';
import { type Served, serve } from '../support/serve.ts';
import { call, collectFrames, expectRefusal, type Fields, rpc, sendText, userMessage } from './rpc.ts';

/** Turns that no message brings: at a time that the agent asked for, and before a task is canceled. */
const gates = createGates();
const turns: Turn[] = [];
let served: Served;
beforeAll(async () => {
  served = await serve({
    graphs: { waking: waking(), homely: homely(), plain: homely() },
    a2a: { assistants: { homely: { cancelTurn: true } } },
  });
});
afterAll(() => served.close());
afterEach(() => {
  gates.open('held');
  turns.length = 0;
});

/** Waits for its time as `input-required`; then says what it was given. */
function waking() {
  return new StateGraph(MessagesAnnotation)
    .addNode(
      'wait',
      async (_, config) => {
        const turn = a2aTurn(config) as Turn;
        turns.push(turn);
        if (turn.kind === 'wake') turn.artifact({ parts: [{ data: turn.wake ?? null }] });
        if (turn.text === 'held') await gates.pass('held', config.signal);
        const [, ms] = /^in (-?\d+)/.exec(turn.text) ?? [];
        if (ms !== undefined) turn.wakeAt(new Date(Date.now() + Number(ms)), { after: Number(ms) });
        if (turn.text.includes('twice')) turn.wakeAt(new Date(Date.now() + 1), 'second');
        if (turn.text === 'retried') {
          const attempt = config.executionInfo?.nodeAttempt;
          turn.wakeAt(new Date(Date.now() + 1), `attempt ${attempt}`);
          if (attempt === 1) throw new Error('once');
          turn.requireInput('wait');
        }
        if (turn.text.includes('never')) turn.wakeAt(new Date('no date'));
        const next = turn.kind === 'wake' && turn.wake === 'second';
        if (ms !== undefined && !turn.text.includes('ends')) turn.requireInput('wait a little');
        if (turn.kind === 'wake' && !next && turns.some(({ text }) => text.includes('twice')))
          turn.requireInput('more');
        if (turn.text.includes('asks') || turn.text === 'stay') {
          interrupt('well?');
          turn.requireInput('go on');
        }
        return {};
      },
      { retryPolicy: { maxAttempts: 2, initialInterval: 1, retryOn: ({ message }) => message === 'once' } },
    )
    .addEdge(START, 'wait')
    .compile();
}

/** Cleans up before it is canceled. */
function homely() {
  return new StateGraph(MessagesAnnotation)
    .addNode('work', async (_, config) => {
      const turn = a2aTurn(config) as Turn;
      turns.push(turn);
      if (turn.kind === 'cancel') {
        if (turn.metadata.slow) await gates.pass('leave', config.signal);
        turn.artifact({ name: 'Last words', parts: [{ text: 'bye' }, { data: turn.metadata }] });
        if (turn.metadata.throws) throw new Error('while it cleaned up');
        turn.fail('is not how a canceled task ends');
        return {};
      }
      if (turn.text === 'work') await gates.pass('held', config.signal);
      else if (turn.text === 'ask') return { messages: [String(interrupt('well?'))] };
      else turn.requireInput('what now?');
      return {};
    })
    .addEdge(START, 'work')
    .compile();
}

const getTask = async (graphId: string, id: string): Promise<Fields> =>
  (await rpc(served, graphId, 'GetTask', { id })).result;
const stateOf = async (graphId: string, id: string): Promise<string> =>
  (await getTask(graphId, id)).status.state;
const COMPLETED = 'TASK_STATE_COMPLETED';

describe('turn.wakeAt', () => {
  it('is a turn of the task at that time, with its data and without a message', async () => {
    const { id, status } = await sendText(served, 'waking', 'in 30');
    expect(status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    await expect.poll(() => stateOf('waking', id)).toBe(COMPLETED);
    expect(turns).toMatchObject([
      { kind: 'message', text: 'in 30' },
      { kind: 'wake', wake: { after: 30 }, text: '', data: [], files: [], taskId: id, metadata: {} },
    ]);
    expect(turns[1]?.message).toBeUndefined();
    const task = await getTask('waking', id);
    expect(task.artifacts[0].parts[0].data).toEqual({ after: 30 });
    expect(task.history.map(({ role }: Fields) => role)).toEqual(['ROLE_USER']);
  });

  it('comes at once if its time is past, and is seen by those who watch', async () => {
    const { id } = await sendText(served, 'waking', 'in -1000');
    const frames = await collectFrames(served, 'waking', call('SubscribeToTask', { id })).catch(() => []);
    const states = frames.map(({ data }) => (data.result.task ?? data.result.statusUpdate)?.status.state);
    if (frames.length > 0) expect(states.at(-1)).toBe(COMPLETED);
    await expect.poll(() => stateOf('waking', id)).toBe(COMPLETED);
  });

  it('twice is two turns, one after the other', async () => {
    const { id } = await sendText(served, 'waking', 'in 1 twice');
    await expect.poll(() => stateOf('waking', id)).toBe(COMPLETED);
    expect(turns.map(({ kind, wake }) => [kind, wake])).toEqual([
      ['message', undefined],
      ['wake', { after: 1 }],
      ['wake', 'second'],
    ]);
  });

  it('that a second try of the node asks for takes the place of the first', async () => {
    const { id } = await sendText(served, 'waking', 'retried');
    await expect.poll(() => stateOf('waking', id)).toBe(COMPLETED);
    expect(turns.filter(({ kind }) => kind === 'wake').map(({ wake }) => wake)).toEqual(['attempt 2']);
  });

  it('does not hold up other messages of the context', async () => {
    const contextId = randomUUID();
    await sendText(served, 'waking', 'in 60000', { contextId });
    expect((await sendText(served, 'waking', 'hello', { contextId })).status.state).toBe(COMPLETED);
  });

  it('waits for the answer of a task with a question, which is not lost', async () => {
    const { id } = await sendText(served, 'waking', 'in 1 asks');
    // Its time is past when the next one's has come.
    const { id: later } = await sendText(served, 'waking', 'in 20');
    await expect.poll(() => stateOf('waking', later)).toBe(COMPLETED);
    const paused = await getTask('waking', id);
    expect(paused.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(paused.artifacts[0]).toMatchObject({ name: 'Interrupt' });
    const answered = await sendText(served, 'waking', 'stay', { taskId: id });
    expect(answered.status.message.parts).toEqual([{ text: 'go on' }]);
    await expect.poll(() => stateOf('waking', id)).toBe(COMPLETED);
    expect(turns.at(-1)).toMatchObject({ kind: 'wake', taskId: id, wake: { after: 1 } });
  });

  it('of a task that has ended never comes', async () => {
    const { id, status } = await sendText(served, 'waking', 'in 1 ends');
    expect(status.state).toBe(COMPLETED);
    const { id: later } = await sendText(served, 'waking', 'in 20');
    await expect.poll(() => stateOf('waking', later)).toBe(COMPLETED);
    expect(turns.filter(({ kind }) => kind === 'wake').map(({ taskId }) => taskId)).toEqual([later]);
    expect(await stateOf('waking', id)).toBe(COMPLETED);
  });

  it('of an invalid date is an error of the agent', async () => {
    expect((await sendText(served, 'waking', 'never')).status.state).toBe('TASK_STATE_FAILED');
    expect(served.log.join('')).toContain('turn.wakeAt: the date is invalid');
  });
});

describe('an agent with cancelTurn', () => {
  const cancel = (graphId: string, id: string, metadata: Fields = {}) =>
    served.post(graphId, call('CancelTask', { id, metadata }));
  const working = async (graphId: string): Promise<Fields> => {
    gates.hold('held');
    const task = await sendText(served, graphId, 'work', {}, { returnImmediately: true });
    await gates.reached('held');
    return task;
  };
  const begin = {
    running: () => working('homely'),
    'waiting for input': () => sendText(served, 'homely', 'wait'),
    'asking a question': () => sendText(served, 'homely', 'ask'),
  };

  it.each(Object.entries(begin))(
    'gets a turn while its task is %s, then the task is canceled',
    async (_, start) => {
      const { id } = await start();
      const { body } = await cancel('homely', id, { by: 'caller' });
      expect(body.result.status.state).toBe('TASK_STATE_CANCELED');
      expect(turns.at(-1)).toMatchObject({ kind: 'cancel', text: '', metadata: { by: 'caller' } });
      const lastWords = body.result.artifacts.find(({ name }: Fields) => name === 'Last words');
      expect(lastWords.parts).toEqual([{ text: 'bye' }, { data: { by: 'caller' } }]);
      expect((await cancel('homely', id)).body.result.status.state).toBe('TASK_STATE_CANCELED');
      expect(turns.filter(({ kind }) => kind === 'cancel')).toHaveLength(1);
    },
  );

  it('is canceled once by two who ask at the same time', async () => {
    const { id } = await working('homely');
    const both = await Promise.all([cancel('homely', id), cancel('homely', id)]);
    for (const { body } of both) expect(body.result.status.state).toBe('TASK_STATE_CANCELED');
    expect(turns.filter(({ kind }) => kind === 'cancel')).toHaveLength(1);
  });

  it('is not stopped in its turn by a second one', async () => {
    const { id } = await working('homely');
    gates.hold('leave');
    const first = cancel('homely', id, { slow: true });
    await gates.reached('leave');
    const second = cancel('homely', id);
    await getTask('homely', id);
    gates.open('leave');
    for (const { body } of await Promise.all([first, second])) {
      expect(body.result.artifacts).toMatchObject([{ name: 'Last words' }]);
    }
  });

  it('is canceled too if its turn throws', async () => {
    const { id } = await working('homely');
    const { body } = await cancel('homely', id, { throws: true });
    expect(body.result.status).toMatchObject({ state: 'TASK_STATE_CANCELED' });
    expect(JSON.stringify(body.result)).not.toContain('cleaned up');
  });

  it('that has not begun is canceled on the spot', async () => {
    gates.hold('held');
    const contextId = randomUUID();
    const first = await sendText(served, 'homely', 'work', { contextId }, { returnImmediately: true });
    await gates.reached('held');
    const queued = await sendText(served, 'homely', 'wait', { contextId }, { returnImmediately: true });
    expect((await cancel('homely', queued.id)).body.result.status.state).toBe('TASK_STATE_CANCELED');
    expect(turns.map(({ kind }) => kind)).toEqual(['message']);
    expect((await cancel('homely', first.id)).body.result.status.state).toBe('TASK_STATE_CANCELED');
  });

  it('leaves the context free for the next message', async () => {
    const contextId = randomUUID();
    const { id } = await sendText(served, 'homely', 'ask', { contextId });
    await cancel('homely', id);
    const next = await sendText(served, 'homely', 'wait', { contextId });
    expect(next.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  });

  it('takes no message to the task meanwhile', async () => {
    const { id } = await working('homely');
    const waiting = served.post(
      'homely',
      call('SendMessage', { message: userMessage('more', { taskId: id }) }),
    );
    await rpc(served, 'homely', 'GetTask', { id });
    await cancel('homely', id);
    expectRefusal(await waiting, { code: -32004 });
  });
});

it('an agent without cancelTurn is not asked', async () => {
  const { id } = await sendText(served, 'plain', 'wait');
  const { body } = await served.post('plain', call('CancelTask', { id }));
  expect(body.result.status.state).toBe('TASK_STATE_CANCELED');
  expect(turns.map(({ kind }) => kind)).toEqual(['message']);
});

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createFixture } from '../support/graphs.ts';
import { type Served, serve } from '../support/serve.ts';
import { createWireGraphs, type WireGraphs } from './graphs.ts';
import {
  call,
  expectRefusal,
  type Fields,
  type Frame,
  framesOf,
  openStream,
  rpc,
  sendText,
  totalOf,
  userMessage,
  userMessageV0_3,
} from './rpc.ts';

let served: Served;
let wire: WireGraphs;
const fixture = createFixture();
const QUEUE = 5;
beforeAll(async () => {
  wire = createWireGraphs();
  served = await serve({
    graphs: { ...fixture.graphs, ...wire.graphs },
    a2a: { queuePerContext: QUEUE },
  });
});
afterAll(() => served.close());
afterEach(() => {
  fixture.gates.open('slow');
  wire.gates.open('first', 'question');
});

const immediately = { returnImmediately: true };
const stateOf = async (graphId: string, id: string): Promise<string> =>
  (await rpc(served, graphId, 'GetTask', { id })).result.status.state;
const blocking = (graphId: string, message: Fields): ReturnType<Served['post']> =>
  served.post(graphId, call('SendMessage', { message }));
/** Resolves when the server holds so many tasks of a context: their senders wait by then. */
async function accepted(graphId: string, contextId: string, count: number): Promise<Fields[]> {
  for (;;) {
    const { tasks } = (await rpc(served, graphId, 'ListTasks', { contextId })).result;
    if (tasks.length >= count) return tasks;
  }
}

describe('U18: CancelTask', () => {
  it('of a finished task is refused and changes nothing', async () => {
    for (const [graphId, text] of [
      ['echo', 'x'],
      ['broken', 'x'],
      ['turn', 'reject'],
    ] as const) {
      const before = await sendText(served, graphId, text);
      const answer = await served.post(graphId, call('CancelTask', { id: before.id }));
      expectRefusal(answer, { code: -32002, reason: 'TASK_NOT_CANCELABLE' });
      expect((await rpc(served, graphId, 'tasks/cancel', { id: before.id })).error?.code).toBe(-32002);
      expect((await rpc(served, graphId, 'GetTask', { id: before.id })).result).toEqual(before);
    }
  });

  it('of a paused task ends it, and is the same answer when repeated', async () => {
    const { id, contextId } = await sendText(served, 'approval', 'pay');
    const first = await rpc(served, 'approval', 'CancelTask', { id, metadata: { why: 'changed my mind' } });
    expect(first.result).toMatchObject({ id, contextId, status: { state: 'TASK_STATE_CANCELED' } });
    const second = await rpc(served, 'approval', 'CancelTask', { id });
    expect(second.result).toEqual(first.result);
    expect(await stateOf('approval', id)).toBe('TASK_STATE_CANCELED');
    const next = await sendText(served, 'approval', 'plain', { contextId });
    expect(next.status).toMatchObject({
      state: 'TASK_STATE_INPUT_REQUIRED',
      message: { parts: [{ text: 'What is your name?' }, {}] },
    });
    expect(await stateOf('approval', id)).toBe('TASK_STATE_CANCELED');
  });

  it('of a running task ends its run, its streams and its waiting senders', async () => {
    fixture.gates.hold('slow');
    const contextId = 'cancel-running';
    const waiting = blocking('slow', userMessage('wait', { contextId }));
    const [task] = await accepted('slow', contextId, 1);
    await fixture.gates.reached('slow');
    const frames = framesOf(await openStream(served, 'slow', call('SubscribeToTask', { id: task?.id })));
    await frames.next();
    const [one, two] = await Promise.all(
      [1, 2].map(() => rpc(served, 'slow', 'CancelTask', { id: task?.id })),
    );
    expect(one?.result.status.state).toBe('TASK_STATE_CANCELED');
    expect(two?.result).toEqual(one?.result);
    const { value, done } = await frames.next();
    expect(done).toBe(false);
    expect((value as Frame).data.result.statusUpdate.status.state).toBe('TASK_STATE_CANCELED');
    expect((await frames.next()).done).toBe(true);
    expect((await waiting).body.result.task.status.state).toBe('TASK_STATE_CANCELED');
    fixture.gates.open('slow');
    expect(await stateOf('slow', task?.id)).toBe('TASK_STATE_CANCELED');
    expect((await sendText(served, 'slow', 'again', { contextId })).status.state).toBe(
      'TASK_STATE_COMPLETED',
    );
  });

  it('of a queued task ends it before it has run', async () => {
    wire.gates.hold('first');
    const contextId = 'cancel-queued';
    const first = await sendText(served, 'gated', 'first in line', { contextId }, immediately);
    await wire.gates.reached('first');
    const second = await sendText(served, 'gated', 'second in line', { contextId }, immediately);
    expect(second.status.state).toBe('TASK_STATE_SUBMITTED');
    const canceled = await rpc(served, 'gated', 'CancelTask', { id: second.id });
    expect(canceled.result.status.state).toBe('TASK_STATE_CANCELED');
    expect(await stateOf('gated', first.id)).toBe('TASK_STATE_WORKING');
    wire.gates.open('first');
    const third = await sendText(served, 'gated', 'third in line', { contextId });
    expect(third.artifacts[0].parts[0].text).toBe('done third in line');
    expect(wire.order).not.toContain('second in line');
    expect(await stateOf('gated', first.id)).toBe('TASK_STATE_COMPLETED');
  });
});

describe('U31: a graph that throws', () => {
  it('fails its task with a sentence and a correlation id; the cause is in the log alone', async () => {
    const task = await sendText(served, 'broken', 'go');
    expect(task.status.state).toBe('TASK_STATE_FAILED');
    const [{ text }] = task.status.message.parts;
    const [, id] = /^An internal error occurred \(correlation id ([0-9a-f-]{36})\)$/.exec(text) ?? [];
    expect(id).toBeDefined();
    const response = await openStream(
      served,
      'broken',
      call('SendStreamingMessage', { message: userMessage('go') }),
    );
    const streamed = await response.text();
    const v0 = await rpc(served, 'broken', 'message/send', { message: userMessageV0_3('go') });
    const listed = await rpc(served, 'broken', 'ListTasks', { includeArtifacts: true });
    for (const answer of [task, streamed, v0, listed]) {
      expect(JSON.stringify(answer)).not.toMatch(/hunter2|db\.internal|node_modules|\bat file|\.ts:/);
    }
    expect(v0.result.status.message.parts[0].text).toContain('correlation id');
    const logged = served.log
      .map((line) => JSON.parse(line))
      .filter(({ correlationId }) => correlationId === id);
    expect(logged).toHaveLength(1);
    expect(logged[0]).toMatchObject({
      taskId: task.id,
      err: { message: 'password=hunter2 at db.internal:5432' },
    });
  });

  it('leaves its context open', async () => {
    const first = await sendText(served, 'broken', 'go');
    const second = await sendText(served, 'broken', 'go', { contextId: first.contextId });
    expect(second.id).not.toBe(first.id);
    expect(second.status.state).toBe('TASK_STATE_FAILED');
  });
});

describe('U37: the same message again', () => {
  const sendAgain = async (message: Fields): Promise<Fields> =>
    (await rpc(served, 'slow', 'SendMessage', { message, configuration: immediately })).result.task;

  it('joins the running task: twenty at once are one task', async () => {
    fixture.gates.hold('slow');
    const before = await totalOf(served, 'slow');
    const message = userMessage('once', { contextId: 'twenty' });
    const sent = Array.from({ length: 20 }, () => blocking('slow', message));
    await fixture.gates.reached('slow');
    // Client and server share one event loop: after some round trips the server has read what was sent before them.
    const joined: string[] = [];
    for (let n = 0; n < 10; n++) joined.push((await sendAgain(message)).id);
    fixture.gates.open('slow');
    const answers = await Promise.all(sent);
    const ids = answers.map(({ body }) => body.result.task.id);
    expect(new Set([...ids, ...joined]).size).toBe(1);
    for (const { body } of answers) expect(body.result.task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(answers[0]?.body.result.task.history).toHaveLength(2);
    expect(await totalOf(served, 'slow')).toBe(before + 1);
  });

  it('with other content, of another context or after the end is another task', async () => {
    fixture.gates.hold('slow');
    const messageId = 'reused';
    const send = async (text: string, contextId: string): Promise<string> =>
      (await sendText(served, 'slow', text, { messageId, contextId }, immediately)).id;
    const [first, other, elsewhere] = [await send('a', 'r1'), await send('b', 'r1'), await send('a', 'r2')];
    expect(await send('a', 'r1')).toBe(first);
    expect(new Set([first, other, elsewhere]).size).toBe(3);
    fixture.gates.open('slow');
    const done = await sendText(served, 'slow', 'c', { contextId: 'r1' });
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    expect(await send('a', 'r1')).not.toBe(first);
  });

  it('to a task is never run twice, also when it has ended', async () => {
    const asked = await sendText(served, 'approval', 'plain');
    const answer = userMessage('Ada', { taskId: asked.id });
    const first = (await blocking('approval', answer)).body.result.task;
    expect(first.status.state).toBe('TASK_STATE_COMPLETED');
    const again = (await blocking('approval', answer)).body.result.task;
    expect(again).toEqual(first);
    expectRefusal(await blocking('approval', { ...answer, parts: [{ text: 'Eve' }] }), { code: -32004 });
  });

  it('by version 0.3 joins what version 1.0 has begun', async () => {
    fixture.gates.hold('slow');
    const task = await sendText(
      served,
      'slow',
      'both',
      { messageId: 'both', contextId: 'both' },
      immediately,
    );
    const message = userMessageV0_3('both', { messageId: 'both', contextId: 'both' });
    const { result } = await rpc(served, 'slow', 'message/send', {
      message,
      configuration: { blocking: false },
    });
    expect(result.id).toBe(task.id);
  });
});

describe('U19: messages of one context', () => {
  it('run one after the other, in the order of their arrival', async () => {
    wire.gates.hold('first');
    const contextId = 'in-order';
    const sent = [blocking('gated', userMessage('first', { contextId }))];
    await wire.gates.reached('first');
    const ids = [(await accepted('gated', contextId, 1))[0]?.id];
    for (const text of ['second', 'third', 'fourth']) {
      const task = await sendText(served, 'gated', text, { contextId }, immediately);
      expect(task.status.state).toBe('TASK_STATE_SUBMITTED');
      ids.push(task.id);
    }
    const begun = wire.order.length;
    expect(await stateOf('gated', ids[0])).toBe('TASK_STATE_WORKING');
    wire.gates.open('first');
    const last = await sendText(served, 'gated', 'fifth', { contextId });
    await Promise.all(sent);
    expect(wire.order.slice(begun)).toEqual(['second', 'third', 'fourth', 'fifth']);
    expect(new Set(ids).size).toBe(4);
    expect(
      last.history
        .map(({ parts }: Fields) => parts[0].text)
        .filter((text: string) => text.startsWith('done')),
    ).toEqual(['first', 'second', 'third', 'fourth', 'fifth'].map((text) => `done ${text}`));
  });

  it('of other contexts do not wait for them', async () => {
    wire.gates.hold('first');
    await sendText(served, 'gated', 'first', { contextId: 'busy' }, immediately);
    await wire.gates.reached('first');
    expect((await sendText(served, 'gated', 'other', { contextId: 'free' })).status.state).toBe(
      'TASK_STATE_COMPLETED',
    );
  });

  it('beyond the cap of the queue are refused with 429, and nothing of them is kept', async () => {
    wire.gates.hold('first');
    const contextId = 'full';
    await sendText(served, 'gated', 'first', { contextId }, immediately);
    await wire.gates.reached('first');
    for (let n = 0; n < QUEUE; n++) await sendText(served, 'gated', `waits ${n}`, { contextId }, immediately);
    const total = await totalOf(served, 'gated');
    for (const method of ['SendMessage', 'SendStreamingMessage']) {
      const answer = await served.post(
        'gated',
        call(method, { message: userMessage('too much', { contextId }) }, 'q'),
      );
      expectRefusal(answer, { code: -32000, status: 429, reason: 'RESOURCE_EXHAUSTED', id: 'q' });
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    const v0 = await served.post(
      'gated',
      call('message/send', { message: userMessageV0_3('too much', { contextId }) }),
    );
    expect(v0).toMatchObject({ status: 429, body: { error: { code: -32000 } } });
    expect(await totalOf(served, 'gated')).toBe(total);
    wire.gates.open('first');
    for (;;) {
      const { result } = await rpc(served, 'gated', 'ListTasks', {
        contextId,
        status: 'TASK_STATE_COMPLETED',
      });
      if (result.totalSize === QUEUE + 1) break;
    }
    expect(wire.order).not.toContain('too much');
    expect((await sendText(served, 'gated', 'fits', { contextId })).status.state).toBe(
      'TASK_STATE_COMPLETED',
    );
  });
});

describe('a message to a running task', () => {
  it('waits for its turn; one that does not wait is refused', async () => {
    wire.gates.hold('question');
    const task = await sendText(served, 'late-question', 'go', {}, immediately);
    await wire.gates.reached('question');
    const message = userMessage('not now', { taskId: task.id });
    expectRefusal(
      await served.post('late-question', call('SendMessage', { message, configuration: immediately })),
      { code: -32004 },
    );
    const v0 = {
      message: userMessageV0_3('not now', { taskId: task.id }),
      configuration: { blocking: false },
    };
    expect((await rpc(served, 'late-question', 'message/send', v0)).error?.code).toBe(-32004);
    const follow = blocking('late-question', userMessage('early', { taskId: task.id }));
    for (;;) {
      const { history } = (await rpc(served, 'late-question', 'GetTask', { id: task.id })).result;
      if (history.length === 2) break;
    }
    wire.gates.open('question');
    const answered = (await follow).body.result.task;
    expect(answered).toMatchObject({ id: task.id, status: { state: 'TASK_STATE_COMPLETED' } });
    expect(answered.artifacts[0].parts[0].text).toBe('answer: "early"');
  });

  it('that has no turn because the task ended is refused to those who wait, and never runs', async () => {
    wire.gates.hold('first');
    const contextId = 'ended-first';
    const task = await sendText(served, 'gated', 'first', { contextId }, immediately);
    await wire.gates.reached('first');
    const follow = blocking('gated', userMessage('too late', { taskId: task.id }));
    const stream = openStream(
      served,
      'gated',
      call('SendStreamingMessage', { message: userMessage('too late too', { taskId: task.id }) }, 'st'),
    );
    for (;;) {
      const { history } = (await rpc(served, 'gated', 'GetTask', { id: task.id })).result;
      if (history.length === 3) break;
    }
    wire.gates.open('first');
    expectRefusal(await follow, { code: -32004 });
    const frames: Frame[] = [];
    for await (const frame of framesOf(await stream)) frames.push(frame);
    expect(frames[0]?.data.result.task.id).toBe(task.id);
    expect(frames.at(-1)?.data).toMatchObject({ id: 'st', error: { code: -32004 } });
    expect(wire.order).not.toContain('too late');
    expect(await stateOf('gated', task.id)).toBe('TASK_STATE_COMPLETED');
  });
});

import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createFixture } from '../support/graphs.ts';
import { type Served, serve } from '../support/serve.ts';
import { createWireGraphs } from './graphs.ts';
import {
  call,
  collectFrames,
  type Fields,
  type Frame,
  framesOf,
  openStream,
  postBytes,
  rpc,
  sendText,
  userMessage,
  userMessageV0_3,
} from './rpc.ts';

/** Streams of more than one run, or of more than one reader. */
let served: Served;
const fixture = createFixture();
beforeAll(async () => {
  served = await serve({ graphs: { ...fixture.graphs, ...createWireGraphs().graphs } });
});
afterAll(() => served.close());
afterEach(() => fixture.gates.open('slow'));

/** Of the task that it begins with and of what follows, each once in a row. */
const statesOf = (frames: Frame[]): string[] =>
  frames
    .flatMap(({ data: { result } }) => (result.task ?? result.statusUpdate)?.status.state ?? [])
    .filter((state, index, all) => state !== all[index - 1]);
const streamed = (graphId: string, message: Fields): Promise<Frame[]> =>
  collectFrames(served, graphId, call('SendStreamingMessage', { message }));

describe('a stream that answers a question', () => {
  it('begins with the task as it is and ends with it', async () => {
    const [first] = await streamed('approval', userMessage('pay'));
    const { id, contextId } = first?.data.result.task ?? {};
    const message = userMessage('', { taskId: id, parts: [{ data: { resume: { approved: true } } }] });
    const frames = await streamed('approval', message);
    expect(frames[0]?.data.result.task).toMatchObject({
      id,
      contextId,
      history: [{}, { messageId: message.messageId }],
    });
    expect(frames.slice(1).some(({ data }) => 'task' in data.result)).toBe(false);
    expect(statesOf(frames).slice(-2)).toEqual(['TASK_STATE_WORKING', 'TASK_STATE_COMPLETED']);
    expect(Number(frames[1]?.id)).toBeGreaterThan(Number(frames[0]?.id));
    const again = await streamed('approval', message);
    expect(statesOf(again)).toEqual(['TASK_STATE_COMPLETED']);
    expect(again).toHaveLength(1);
  });

  it('ends at the next question, in 0.3 with final', async () => {
    const { id } = await sendText(served, 'one-after-the-other', 'go');
    const frames = await streamed('one-after-the-other', userMessage('A', { taskId: id }));
    expect(statesOf(frames).slice(-2)).toEqual(['TASK_STATE_WORKING', 'TASK_STATE_INPUT_REQUIRED']);
    expect(frames.at(-1)?.data.result.statusUpdate.status.message.parts[0].text).toBe('second?');
    const last = await collectFrames(
      served,
      'one-after-the-other',
      call('message/stream', { message: userMessageV0_3('B', { taskId: id }) }),
    );
    expect(last.at(-1)?.data.result).toMatchObject({ final: true, status: { state: 'completed' } });
  });
});

describe('a task that waits for authorisation', () => {
  it('returns to a blocking sender with what to do, and takes the next message', async () => {
    const task = await sendText(served, 'turn', 'auth');
    expect(task.status).toMatchObject({
      state: 'TASK_STATE_AUTH_REQUIRED',
      message: {
        role: 'ROLE_AGENT',
        taskId: task.id,
        contextId: task.contextId,
        parts: [{ text: 'log in first' }],
      },
    });
    const done = await sendText(served, 'turn', 'logged in', { taskId: task.id });
    expect(done).toMatchObject({ id: task.id, status: { state: 'TASK_STATE_COMPLETED' } });
  });

  it('keeps its stream open over the runs that follow', async () => {
    const frames = framesOf(
      await openStream(served, 'turn', call('SendStreamingMessage', { message: userMessage('auth') })),
    );
    const seen: Frame[] = [];
    for await (const frame of frames) {
      seen.push(frame);
      if (frame.data.result.statusUpdate?.status.state !== 'TASK_STATE_AUTH_REQUIRED') continue;
      await sendText(served, 'turn', 'go', { taskId: seen[0]?.data.result.task.id });
    }
    expect(statesOf(seen)).toEqual([
      'TASK_STATE_SUBMITTED',
      'TASK_STATE_WORKING',
      'TASK_STATE_AUTH_REQUIRED',
      'TASK_STATE_WORKING',
      'TASK_STATE_COMPLETED',
    ]);
  });
});

describe('several readers of a task', () => {
  it('see the same events in the same order; a repeated stream joins', async () => {
    fixture.gates.hold('slow');
    const message = userMessage('go', { contextId: 'readers' });
    const body = call('SendStreamingMessage', { message });
    const first = framesOf(await openStream(served, 'slow', body));
    const { id } = ((await first.next()).value as Frame).data.result.task;
    const joined = framesOf(await openStream(served, 'slow', body));
    expect(((await joined.next()).value as Frame).data.result.task.id).toBe(id);
    const others = await Promise.all(
      [1, 2, 3].map(async () => {
        const frames = framesOf(await openStream(served, 'slow', call('SubscribeToTask', { id })));
        expect(((await frames.next()).value as Frame).data.result.task.id).toBe(id);
        return frames;
      }),
    );
    // One of them leaves; the others see no difference.
    await others.pop()?.return();
    await fixture.gates.reached('slow');
    fixture.gates.open('slow');
    const rest = await Promise.all(
      [first, joined, ...others].map(async (frames) => {
        const list: Frame[] = [];
        for await (const frame of frames) list.push(frame);
        return list;
      }),
    );
    const [longest = []] = rest;
    for (const list of rest) expect(list).toEqual(longest.slice(longest.length - list.length));
    expect(statesOf(longest).at(-1)).toBe('TASK_STATE_COMPLETED');
    expect((await rpc(served, 'slow', 'ListTasks', { contextId: 'readers' })).result.totalSize).toBe(1);
  });

  it.each([
    { method: 'SendMessage', timersEach: 1 },
    { method: 'SendStreamingMessage', timersEach: 2 },
    { method: 'SubscribeToTask', timersEach: 2 },
  ])('of $method leave no timer behind when they hang up', async ({ method, timersEach }) => {
    const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const contextId = `leaving-${method}`;
    fixture.gates.hold('slow');
    const { id } = await sendText(served, 'slow', 'go', { contextId }, { returnImmediately: true });
    await fixture.gates.reached('slow');
    const total = async (): Promise<number> =>
      (await rpc(served, 'slow', 'ListTasks', { contextId, historyLength: 0 })).result.totalSize;
    const { hostname, port } = new URL(served.url);
    const readers = [1, 2, 3, 4, 5].map((n) => {
      const socket = connect(Number(port), hostname);
      const params =
        method === 'SubscribeToTask' ? { id } : { message: userMessage(`next ${n}`, { contextId }) };
      socket.on('error', () => {});
      socket.write(postBytes('/a2a/slow', JSON.stringify(call(method, params))));
      return socket;
    });
    if (timersEach === 2) await Promise.all(readers.map((socket) => once(socket, 'data')));
    else for (let accepted = 0; accepted < 6; ) accepted = await total();
    await total();
    const held = timers();
    for (const socket of readers) socket.destroy();
    while (timers() > held - readers.length * timersEach) await total();
    expect((await rpc(served, 'slow', 'GetTask', { id })).result.status.state).toBe('TASK_STATE_WORKING');
  });
});

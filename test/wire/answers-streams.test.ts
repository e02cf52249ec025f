import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createFixture } from '../support/graphs.ts';
import { type Served, serve } from '../support/serve.ts';
import { createWireGraphs, type WireGraphs } from './graphs.ts';
import {
  call,
  collectFrames,
  exchange,
  expectRefusal,
  type Fields,
  type Frame,
  framesOf,
  openStream,
  parseAnswer,
  postBytes,
  rpc,
  sendText,
  userMessage,
  userMessageV0_3,
} from './rpc.ts';

let served: Served;
let wire: WireGraphs;
const fixture = createFixture();
beforeAll(async () => {
  wire = createWireGraphs();
  served = await serve({ graphs: { ...fixture.graphs, ...wire.graphs }, a2a: { v03: 'full' } });
});
afterAll(() => served.close());
afterEach(() => fixture.gates.open('slow', 'words:two', 'words:three'));

const streaming = (text: string): Fields =>
  call('SendStreamingMessage', { message: userMessage(text) }, 'id-1');
const subscribing = (id: string, rpcId = 's'): Fields => call('SubscribeToTask', { id }, rpcId);

describe('on the socket a stream', () => {
  it('U08: is frames of an id line and one data line, with the headers that proxies need', async () => {
    const bytes = postBytes('/a2a/words', JSON.stringify(streaming('x\u2028y')), [
      'Accept-Encoding: gzip, deflate, br, zstd',
      'Accept: text/event-stream',
    ]);
    const { status, headers, body } = parseAnswer(await exchange(served.url, bytes));
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': expect.stringContaining('no-transform'),
      'x-accel-buffering': 'no',
    });
    expect(headers).not.toHaveProperty('content-encoding');
    expect(headers).not.toHaveProperty('content-length');
    expect(body.endsWith('\n\n')).toBe(true);
    expect(body).not.toContain('\r');
    expect(body).not.toMatch(/[\u2028\u2029]/);
    const blocks = body.slice(0, -2).split('\n\n');
    expect(blocks.length).toBeGreaterThan(3);
    const ids = blocks.map((block) => {
      expect(block).toMatch(/^id: \d+\ndata: \{"jsonrpc":"2\.0","id":"id-1","result":\{.*\}\}$/);
      return Number(block.slice(4, block.indexOf('\n')));
    });
    expect(ids[0]).toBe(1);
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
    expect(JSON.parse(blocks[0]?.split('data: ')[1] ?? '').result.task.history[0].parts).toEqual([
      { text: 'x\u2028y' },
    ]);
  });

  it('is not compressed either when the answer is one piece', async () => {
    const bytes = postBytes('/a2a/echo', JSON.stringify(call('ListTasks', {})), [
      'Accept-Encoding: gzip, br',
    ]);
    const { headers, body } = parseAnswer(await exchange(served.url, bytes));
    expect(headers).not.toHaveProperty('content-encoding');
    expect(headers['content-type']).toBe('application/json');
    expect(JSON.parse(body).result.pageSize).toBe(50);
  });

  it('begins at once: the first event is there while the graph still waits', async () => {
    fixture.gates.hold('slow');
    const response = await openStream(served, 'slow', streaming('wait'));
    const frames = framesOf(response);
    const first = await frames.next();
    expect((first.value as Frame).data.result.task.status.state).toBe('TASK_STATE_SUBMITTED');
    fixture.gates.open('slow');
    let last: Frame | undefined;
    for await (const frame of frames) last = frame;
    expect(last?.data.result.statusUpdate.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('U13: that the client leaves does not end the run, nor another stream of it', async () => {
    fixture.gates.hold('words:two');
    const { hostname, port } = new URL(served.url);
    const taskId = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), hostname);
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk;
        const id = /"task":\{"id":"([^"]+)"/.exec(text)?.[1];
        if (id === undefined || !text.includes('one')) return;
        socket.destroy();
        resolve(id);
      });
      socket.on('error', reject);
      socket.write(postBytes('/a2a/words', JSON.stringify(streaming('go'))));
    });
    const other = framesOf(await openStream(served, 'words', subscribing(taskId)));
    expect(((await other.next()).value as Frame).data.result.task.status.state).toBe('TASK_STATE_WORKING');
    fixture.gates.open('words:two');
    let last: Frame | undefined;
    for await (const frame of other) last = frame;
    expect(last?.data.result.statusUpdate.status.state).toBe('TASK_STATE_COMPLETED');
    const { result } = await rpc(served, 'words', 'GetTask', { id: taskId });
    expect(result.artifacts[0].parts).toEqual([{ text: 'one two three' }]);
  });
});

describe('U05: before the first event an error', () => {
  it.each([
    ['of params', 'SendStreamingMessage', { message: {} }, -32602],
    ['of an unknown task', 'SubscribeToTask', { id: 'x' }, -32001],
    [
      'of an unknown task in a message',
      'SendStreamingMessage',
      { message: userMessage('x', { taskId: 'x' }) },
      -32001,
    ],
  ])('%s is plain JSON', async (_, method, params, code) => {
    const response = await openStream(served, 'echo', call(method, params, 'e'), {
      accept: 'text/event-stream',
    });
    expect(response.headers.get('content-type')).toBe('application/json');
    expectRefusal({ status: response.status, body: (await response.json()) as never }, { code, id: 'e' });
  });

  it('of version 0.3 is plain JSON too', async () => {
    const response = await openStream(served, 'echo', call('tasks/resubscribe', { id: 'x' }, 'e'));
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toMatchObject({ id: 'e', error: { code: -32001 } });
  });
});

describe('a subscription', () => {
  it('U17: to a task that has ended is refused, to an unknown one too', async () => {
    const { id } = await sendText(served, 'echo', 'x');
    expectRefusal(await served.post('echo', subscribing(id)), {
      code: -32004,
      reason: 'UNSUPPORTED_OPERATION',
      id: 's',
    });
    expect((await rpc(served, 'echo', 'tasks/resubscribe', { id })).error?.code).toBe(-32004);
    expectRefusal(await served.post('echo', subscribing('x')), { code: -32001, reason: 'TASK_NOT_FOUND' });
    expectRefusal(await served.post('memory', subscribing(id)), { code: -32001 });
  });

  it('stays over a pause and over the next run, to the end', async () => {
    const { id } = await sendText(served, 'approval', 'pay');
    const frames = framesOf(await openStream(served, 'approval', subscribing(id)));
    const old = framesOf(await openStream(served, 'approval', call('tasks/resubscribe', { id })));
    expect(((await frames.next()).value as Frame).data.result.task.status.state).toBe(
      'TASK_STATE_INPUT_REQUIRED',
    );
    expect(((await old.next()).value as Frame).data.result.status.state).toBe('input-required');
    await sendText(served, 'approval', '{"approved":true}', { taskId: id });
    const states: string[] = [];
    for await (const { data } of frames)
      if (data.result.statusUpdate) states.push(data.result.statusUpdate.status.state);
    expect(states).toEqual(['TASK_STATE_WORKING', 'TASK_STATE_COMPLETED']);
    const finals: boolean[] = [];
    for await (const { data } of old)
      if (data.result.kind === 'status-update') finals.push(data.result.final);
    expect(finals).toEqual([false, true]);
  });
});

describe('U07: Last-Event-ID', () => {
  const replay = async (graphId: string, id: string, after: string): Promise<Frame[]> =>
    collectFrames(served, graphId, subscribing(id, 'id-1'), { 'Last-Event-ID': after });

  it('replays exactly what came after it, of a task that has ended', async () => {
    const all = await collectFrames(served, 'words', streaming('go'));
    const id = all[0]?.data.result.task.id;
    for (const [index, { id: eventId }] of all.entries()) {
      expect(await replay('words', id, eventId ?? '')).toEqual(all.slice(index + 1));
    }
    const [snapshot] = await replay('words', id, '0');
    expect(snapshot?.id).toBe('1');
    expect(snapshot?.data.result.task.id).toBe(id);
  });

  it('goes on with what happens, of a task that runs', async () => {
    fixture.gates.hold('words:two');
    const live = framesOf(await openStream(served, 'words', streaming('go')));
    const seen: Frame[] = [];
    for (let n = 0; n < 3; n++) seen.push((await live.next()).value as Frame);
    const id = seen[0]?.data.result.task.id;
    const again = replay('words', id, seen[0]?.id ?? '');
    fixture.gates.open('words:two');
    for await (const frame of live) seen.push(frame);
    const replayed = await again;
    const text = (frames: Frame[]): string =>
      frames.map(({ data }) => data.result.artifactUpdate?.artifact.parts[0].text ?? '').join('');
    expect(text(replayed)).toBe('one two three');
    expect(replayed.map((frame) => frame.id)).toEqual(seen.slice(1).map((frame) => frame.id));
    expect(replayed.at(-1)).toEqual(seen.at(-1));
  });

  it('is ignored when it is none of ours, for which the task then is ended or a snapshot', async () => {
    const { id } = await sendText(served, 'echo', 'x');
    for (const after of ['abc', '-1', '1.5', '']) {
      expectRefusal(await served.post('echo', subscribing(id), { 'Last-Event-ID': after }), { code: -32004 });
    }
    const [snapshot, ...more] = await replay('echo', id, '999999');
    expect(snapshot?.data.result.task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(more).toEqual([]);
  });

  it('of version 0.3 replays with its own final flags', async () => {
    const all = await collectFrames(
      served,
      'words',
      call('message/stream', { message: userMessageV0_3('go') }, 'id-1'),
    );
    const id = all[0]?.data.result.id;
    const rest = await collectFrames(served, 'words', call('tasks/resubscribe', { id }, 'id-1'), {
      'Last-Event-ID': '1',
    });
    expect(rest).toEqual(all.slice(1));
    expect(rest.at(-1)?.data.result.final).toBe(true);
  });
});

describe('U11: the bytes of a stream', () => {
  const bytesOf = async (words: number): Promise<number> => {
    const response = await openStream(served, 'chatty', streaming(String(words)));
    const text = await response.text();
    const said = text
      .split('\n')
      .filter((line) => line.startsWith('data: '))
      .map((line) => JSON.parse(line.slice(6)).result.artifactUpdate?.artifact.parts[0].text ?? '')
      .join('');
    expect(said).toBe('word '.repeat(words).trimEnd());
    return text.length;
  };

  it('grow with the text, not with its square', async () => {
    const [once, twice, fourfold] = [await bytesOf(400), await bytesOf(800), await bytesOf(1_600)];
    expect(twice / once).toBeLessThan(3);
    expect(fourfold / once).toBeLessThan(7);
    // Were every event the whole text so far, 1,600 words would be more than 6 MB in at least 1,600 events.
    expect(fourfold).toBeLessThan(1_600 * 500);
  });
});

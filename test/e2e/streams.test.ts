import { connect } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { pino } from 'pino';
import { afterEach, expect, it, vi } from 'vitest';
import { settings } from '../../packages/server/src/config/settings.ts';
import { createServer, type Parley } from '../../packages/server/src/create-server.ts';
import { createLocalWake } from '../../packages/server/src/engine/local-wake.ts';
import { agentOf } from '../../packages/server/src/langgraph/agent.ts';
import { createFixture } from '../support/graphs.ts';
import { call, type Fields, type Frame, framesOf, postBytes, userMessage } from '../wire/rpc.ts';

/** Streams that break off, on real sockets. */
const fixture = createFixture();
let parley: Parley | undefined;
afterEach(async () => {
  fixture.gates.open('slow');
  await parley?.close(0);
  parley = undefined;
});

async function serve() {
  const wake = createLocalWake();
  const agents = new Map();
  for (const graphId of ['slow', 'custom-stream', 'approval']) {
    agents.set(graphId, { agent: await agentOf(fixture.graphs[graphId]) });
  }
  const logger = pino({ level: 'silent' });
  const served = { settings: settings.parse({}), http: {}, database: ':memory:', env: {}, logger, wake };
  parley = await createServer({ agents, ...served });
  const { port, url } = await parley.listen({ port: 0, host: '127.0.0.1' });
  const post = (graphId: string, body: unknown, headers = {}, signal: AbortSignal | null = null) =>
    fetch(`${url}/a2a/${graphId}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal,
    });
  return { wake, port, post, parley };
}

it('U07, U12: is whole wherever it was cut: what follows Last-Event-ID is what was missed', async () => {
  const { post } = await serve();
  const text = Array.from({ length: 12 }, (_, n) => `w${n}`).join(' ');
  const cutAfter = async (count: number): Promise<Frame[]> => {
    const abort = new AbortController();
    const message = userMessage(text);
    const seen: Frame[] = [];
    const live = await post('custom-stream', call('SendStreamingMessage', { message }), {}, abort.signal);
    for await (const frame of framesOf(live)) {
      seen.push(frame);
      if (seen.length === count) break;
    }
    abort.abort();
    const { id } = seen[0]?.data.result.task ?? {};
    const last = { 'last-event-id': seen.at(-1)?.id };
    for await (const frame of framesOf(await post('custom-stream', call('SubscribeToTask', { id }), last))) {
      seen.push(frame);
    }
    return seen;
  };
  const lengths = new Set<number>();
  for (let count = 1; count < 6; count++) {
    const frames = await cutAfter(count);
    // History entries have numbers too, and no frame.
    const ids = frames.map(({ id }) => Number(id));
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
    const said = frames.flatMap(({ data }) => data.result.artifactUpdate?.artifact.parts ?? []);
    expect(said.map((part) => part.text).join('')).toBe(`${text} `);
    expect(frames.at(-1)?.data.result.statusUpdate.status.state).toBe('TASK_STATE_COMPLETED');
    lengths.add(frames.length);
  }
  expect(Math.min(...lengths)).toBeGreaterThan(2);
});

it.each(['SendMessage', 'SendStreamingMessage'])(
  'U13: a %s that is left ends neither its task nor another stream of it',
  async (method) => {
    const { wake, post } = await serve();
    fixture.gates.hold('slow');
    const leave = new AbortController();
    const contextId = `left-${method}`;
    const message = userMessage('wait', { contextId });
    const left = post('slow', call(method, { message }), {}, leave.signal).then((response) =>
      response.text(),
    );
    left.catch(() => {});
    await fixture.gates.reached('slow');
    const task = async (): Promise<Fields> => {
      const listed = await post('slow', call('ListTasks', { contextId, includeArtifacts: true }));
      const { tasks } = ((await listed.json()) as { result: { tasks: Fields[] } }).result;
      expect(tasks).toHaveLength(1);
      return tasks[0] as Fields;
    };
    const { id } = await task();
    const other = framesOf(await post('slow', call('SubscribeToTask', { id })));
    expect((await other.next()).value?.data.result.task.status.state).toBe('TASK_STATE_WORKING');
    await expect.poll(() => wake.listeners()).toBeGreaterThan(2);
    leave.abort();
    await expect(left).rejects.toThrow();
    await expect.poll(() => wake.listeners()).toBeLessThanOrEqual(2);
    for (let look = 0; look < 3; look++) expect((await task()).status.state).toBe('TASK_STATE_WORKING');
    expect(wake.listeners()).toBe(2);
    fixture.gates.open('slow');
    const states: string[] = [];
    for await (const { data } of other) {
      if (data.result.statusUpdate) states.push(data.result.statusUpdate.status.state);
    }
    expect(states).toEqual(['TASK_STATE_COMPLETED']);
    expect((await task()).artifacts[0].parts).toEqual([{ text: 'done waiting' }]);
    await expect.poll(() => wake.listeners()).toBe(0);
  },
);

it('U13: three hundred that are opened and killed leave nothing behind', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const { wake, port, post } = await serve();
  const asked = await post('approval', call('SendMessage', { message: userMessage('plain') }));
  const { id } = ((await asked.json()) as { result: { task: { id: string } } }).result.task;
  const request = postBytes('/a2a/approval', JSON.stringify(call('SubscribeToTask', { id })));
  const openAndKill = async (): Promise<void> => {
    const sockets = Array.from({ length: 300 }, () => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => {});
      socket.write(request);
      return socket;
    });
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('data', resolve))));
    expect(wake.listeners()).toBeGreaterThanOrEqual(300);
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => wake.listeners(), { timeout: 10_000 }).toBe(0);
  };
  const heap = (): number => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  await openAndKill();
  await openAndKill();
  const before = heap();
  for (let round = 0; round < 3; round++) await openAndKill();
  // Nine hundred streams that were each kept would be some 10 MB.
  expect(heap() - before).toBeLessThan(2_000_000);
});

it('is told to come back by a server that stops, and then breaks off', async () => {
  const told = vi.spyOn(console, 'error').mockImplementation(() => {});
  const { post, parley: stopping } = await serve();
  fixture.gates.hold('slow');
  const response = await post('slow', call('SendStreamingMessage', { message: userMessage('wait') }));
  await fixture.gates.reached('slow');
  const decoder = new TextDecoder();
  let text = '';
  const read = (async () => {
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>)
      text += decoder.decode(chunk);
  })();
  const broken = expect(read).rejects.toThrow();
  await stopping.close(0);
  await broken;
  expect(text).toMatch(/\n\nretry: 1000\n\n$/);
  expect(told.mock.calls.map(([error]) => (error as Error).stack)).toEqual(['Error: the server is stopping']);
  told.mockRestore();
});

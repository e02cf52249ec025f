import { connect, type Socket } from 'node:net';
import { pino } from 'pino';
import { afterEach, expect, it, vi } from 'vitest';
import { settings } from '../../packages/server/src/config/settings.ts';
import { createServer, type Parley } from '../../packages/server/src/create-server.ts';
import { createLocalWake } from '../../packages/server/src/engine/local-wake.ts';
import { agentOf } from '../../packages/server/src/langgraph/agent.ts';
import { createFixture } from '../support/graphs.ts';
import { call, postBytes, userMessage } from './rpc.ts';

const fixture = createFixture();
let parley: Parley | undefined;
let socket: Socket | undefined;
afterEach(async () => {
  fixture.gates.open('slow', 'flood');
  socket?.destroy();
  await parley?.close(0);
});

/** More than the buffers between two sockets hold. */
const PIECE = 'x'.repeat(1024 * 1024);
const PIECES = 64;

const flood = {
  async *stream() {
    await fixture.gates.pass('flood');
    for (let n = 0; n < PIECES; n += 1) yield PIECE;
    await fixture.gates.pass('slow');
  },
};

async function serve(timings: { pingMs: number; stallMs: number }) {
  const wake = createLocalWake();
  const agents = new Map();
  for (const [id, graph] of Object.entries({ slow: fixture.graphs.slow, flood })) {
    agents.set(id, { agent: await agentOf(graph) });
  }
  parley = await createServer({
    agents,
    settings: settings.parse({}),
    http: {},
    database: ':memory:',
    env: {},
    logger: pino({ level: 'silent' }),
    timings,
    wake,
  });
  const { port } = await parley.listen({ port: 0, host: '127.0.0.1' });
  const open = (graphId: string): Socket => {
    const opened = connect(port, '127.0.0.1');
    socket = opened;
    opened.on('error', () => {});
    opened.write(
      postBytes(
        `/a2a/${graphId}`,
        JSON.stringify(call('SendStreamingMessage', { message: userMessage('go') })),
      ),
    );
    return opened;
  };
  return { wake, open };
}

it('a reader that stops reading is cut off, and nothing listens for it any more', async () => {
  const told = vi.spyOn(console, 'error').mockImplementation(() => {});
  fixture.gates.hold('slow', 'flood');
  const { wake, open } = await serve({ pingMs: 60_000, stallMs: 300 });
  const reader = open('flood');
  await new Promise((resolve) => reader.once('data', resolve));
  reader.pause();
  await vi.waitFor(() => expect(wake.listeners()).toBe(2));
  fixture.gates.open('flood');
  // The run goes on: it still waits at its last gate.
  await vi.waitFor(() => expect(wake.listeners()).toBe(0), { timeout: 10_000 });
  await fixture.gates.reached('slow');
  const ended = new Promise((resolve) => reader.once('close', resolve));
  reader.resume();
  await ended;
  told.mockRestore();
});

it('U08: a reader that waits is pinged, as often as is due, and not cut off', async () => {
  fixture.gates.hold('slow');
  const { wake, open } = await serve({ pingMs: 30, stallMs: 60 });
  const reader = open('slow');
  let text = '';
  let closed = false;
  reader.on('data', (chunk) => {
    text += String(chunk);
  });
  reader.on('close', () => {
    closed = true;
  });
  await vi.waitFor(() => expect(text.match(/^: ping$/gm)?.length ?? 0).toBeGreaterThan(5), {
    timeout: 10_000,
  });
  expect(closed).toBe(false);
  expect(wake.listeners()).toBe(2);
  fixture.gates.open('slow');
  await vi.waitFor(() => expect(text).toContain('TASK_STATE_COMPLETED'));
  await vi.waitFor(() => expect(wake.listeners()).toBe(0));
});

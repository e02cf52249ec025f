import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createParley } from '@parley/server';
import { describe, expect, it } from 'vitest';
import { ANONYMOUS } from '../../packages/server/src/auth/principal.ts';
import { systemAssistantId } from '../../packages/server/src/langgraph/assistant.ts';
import { openSqliteStore } from '../../packages/server/src/store/sqlite/open.ts';
import { admit, claimant, inbound } from '../store/scenario.ts';
import { useKillables } from '../support/killable.ts';
import { serve } from '../support/serve.ts';
import { connectV1_0, type StoryClient, type StoryTask, textOf } from '../support/story-clients.ts';

const { folder, launch, start, stop } = useKillables();

const openGate = (): Promise<void> => writeFile(join(folder(), 'gate'), '');

async function ended(client: StoryClient, taskId: string): Promise<StoryTask> {
  for (;;) {
    const task = await client.get(taskId);
    if (!['submitted', 'working'].includes(task.state)) return task;
  }
}

const say = (text: string): { parts: [{ text: string }]; immediate: true } => ({
  parts: [{ text }],
  immediate: true,
});

describe.each(['SIGTERM', 'SIGKILL'] as const)('a server that gets %s in the middle of a run', (signal) => {
  it('goes on at the last checkpoint and says everything once', async () => {
    const before = await start();
    const client = await connectV1_0(before.endpoint('steps'));
    const { id } = await client.send(say('go'));
    for await (const event of client.subscribe(id)) {
      if (event.kind === 'artifact' || (event.kind === 'task' && event.task.artifacts.length > 0)) break;
    }
    await stop(signal);
    await openGate();

    const task = await ended(await connectV1_0((await start()).endpoint('steps')), id);
    expect(task.state).toBe('completed');
    expect(task.artifacts.map(({ parts }) => textOf(parts))).toEqual([
      'from the second node',
      'from the first node',
    ]);
    expect(task.history.map(({ text }) => text)).toEqual([
      'go',
      'from the first node',
      'from the second node',
    ]);
  });

  it('publishes the call and the result of the tool that was running', async () => {
    const before = await start();
    const client = await connectV1_0(before.endpoint('weather'));
    const { id } = await client.send(say('how is it?'));
    await before.said('tool');
    await stop(signal);
    await openGate();

    const task = await ended(await connectV1_0((await start()).endpoint('weather')), id);
    expect(task.state).toBe('completed');
    expect(task.artifacts.map(({ parts }) => textOf(parts))).toEqual(['It is sunny.', 'Let me look.']);
    expect(task.history.map(({ text }) => text)).toEqual(['how is it?', 'Let me look.', 'It is sunny.']);
    expect(task.artifacts[1]?.parts.filter((part) => 'data' in part)).toMatchObject([
      { data: { toolCalls: [{ name: 'look' }], toolResults: [{ status: 'success', content: 'sunny' }] } },
    ]);
  });
});

it('U22, U34: a run that a dead process has left goes on at the start, not when its lease ends', async () => {
  const database = join(folder(), 'parley.db');
  const now = Date.now();
  const store = openSqliteStore({ file: database, now: () => now });
  const whose = { owner: ANONYMOUS.id, assistantId: systemAssistantId('echo') };
  const { taskId, claimed } = await store.submit(inbound(whose), admit, claimant(3_600_000));
  expect(claimed).toBeDefined();
  await store.close();
  const echo = { invoke: ({ text }: { text: string }) => `you said: ${text}` };
  const parley = await createParley({ graphs: { echo }, database, now: () => now });
  const { url } = await parley.listen({ port: 0, host: '127.0.0.1' });
  const client = await connectV1_0(`${url}/a2a/echo`);
  try {
    await expect.poll(async () => (await client.get(taskId)).state, { timeout: 4_000 }).toBe('completed');
    expect((await client.get(taskId)).artifacts.map(({ parts }) => textOf(parts))).toEqual([
      'you said: hello',
    ]);
  } finally {
    await parley.close(0);
  }
});

it('U34: a restart keeps what has ended as it was, and what waits goes on with its answer', async () => {
  const database = join(folder(), 'parley.db');
  const ask = { parts: [{ text: 'plain' }] as [{ text: string }], contextId: 'c' };
  const before = await serve({ database });
  const asking = await connectV1_0(before.endpoint('approval'));
  const waiting = await asking.send(ask);
  const ended = await (await connectV1_0(before.endpoint('echo'))).send({ parts: [{ text: 'hi' }] });
  await before.close();

  const after = await serve({ database });
  try {
    const client = await connectV1_0(after.endpoint('approval'));
    expect(await client.get(waiting.id)).toEqual(waiting);
    expect(waiting.state).toBe('input-required');
    expect(await (await connectV1_0(after.endpoint('echo'))).get(ended.id)).toEqual(ended);
    const done = await client.send({ parts: [{ text: 'Ada' }], taskId: waiting.id });
    expect(done.state).toBe('completed');
    expect(textOf(done.artifacts[0]?.parts ?? [])).toBe('hello Ada');
  } finally {
    await after.close();
  }
});

it('a run that kills its process every time is given up, and the next message is answered', async () => {
  const first = await start();
  const client = await connectV1_0(first.endpoint('fatal'));
  const died = once(first.child, 'exit');
  const sent = client.send({ ...say('die'), contextId: 'doomed' }).catch(() => undefined);
  await died;
  await sent;
  for (let life = 0; life < 2; life++) {
    // Dies before it can say its port.
    await once(launch().child, 'exit');
  }
  const last = await start();
  const survivor = await connectV1_0(last.endpoint('fatal'));
  const page = await survivor.list?.({ contextId: 'doomed' });
  const task = await ended(survivor, page?.ids[0] ?? '');
  expect(task.state).toBe('failed');
  await openGate();
  const next = await survivor.send({ ...say('again'), contextId: 'doomed' });
  expect((await ended(survivor, next.id)).state).toBe('completed');
});

it.each(['SIGTERM', 'SIGKILL'] as const)(
  'a turn that was asked for comes after %s, late if need be',
  async (signal) => {
    const before = await start();
    const client = await connectV1_0(before.endpoint('alarm'));
    const { id } = await client.send({ parts: [{ text: '200' }] });
    await stop(signal);
    const again = await connectV1_0((await start()).endpoint('alarm'));
    await expect.poll(async () => (await again.get(id)).state, { timeout: 5_000 }).toBe('completed');
    expect((await again.get(id)).artifacts.map(({ parts }) => textOf(parts))).toEqual(['woken: in time']);
  },
);

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, it } from 'vitest';
import { type Served, serve } from '../support/serve.ts';
import { call, collectFrames, expectRefusal, type Fields, rpc, sendText, userMessage } from '../wire/rpc.ts';

/** What a server forgets that starts at a later time. */
const folder = mkdtempSync(join(tmpdir(), 'parley-retention-'));
afterAll(() => rmSync(folder, { recursive: true }));
let served: Served;
afterEach(() => served.close());

const HOUR_MS = 3_600_000;
const at = async (hours: number): Promise<void> => {
  await served?.close();
  const now = Date.parse('2026-01-01T00:00:00Z') + hours * HOUR_MS;
  const a2a = { pausedTtl: '2h', eventTtl: '3h', taskTtl: '4h' };
  served = await serve({ database: join(folder, 'parley.db'), now: () => now, a2a });
};
const get = async (graphId: string, id: string): Promise<Fields> =>
  (await rpc(served, graphId, 'GetTask', { id })).result;

it('U35: a task that waits fails, the log of an ended one goes, and then the task', async () => {
  await at(0);
  const asking = await sendText(served, 'approval', 'plain');
  const ended = await sendText(served, 'memory', 'hello', { contextId: 'c' });
  await at(1);
  expect((await get('approval', asking.id)).status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  await at(2.5);
  await expect.poll(async () => (await get('approval', asking.id)).status.state).toBe('TASK_STATE_FAILED');
  const { status } = await get('approval', asking.id);
  expect(status.message.parts[0].text).toContain('expired');
  expectRefusal(
    await served.post(
      'approval',
      call('SendMessage', { message: userMessage('late', { taskId: asking.id }) }),
    ),
    { code: -32004 },
  );

  await at(3.5);
  const replay = (): Promise<Fields[]> =>
    collectFrames(served, 'memory', call('SubscribeToTask', { id: ended.id }), { 'last-event-id': '1' });
  await expect.poll(async () => (await replay()).length).toBe(1);
  expect((await replay())[0]?.data.result.task).toMatchObject({ id: ended.id, artifacts: ended.artifacts });
  expect(await get('memory', ended.id)).toEqual(ended);

  await at(4.5);
  const gone = (): Promise<unknown> =>
    rpc(served, 'memory', 'GetTask', { id: ended.id }).then(({ error }) => error?.code);
  await expect.poll(gone).toBe(-32001);
  const next = await sendText(served, 'memory', 'again', { contextId: 'c' });
  expect(next.history).toHaveLength(2);
  expect(next.artifacts[0].parts[0].text).toBe('1: again');
});

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixture } from '../support/graphs.ts';
import { type RpcAnswer, type Served, serve } from '../support/serve.ts';
import { call, collectFrames, expectRefusal, type Fields, sendText, totalOf, userMessage } from './rpc.ts';

const HOUR_MS = 3_600_000;

/** The header `Idempotency-Key`: what was sent under it is known for a day. */
let served: Served;
let now = Date.parse('2026-01-01T00:00:00Z');
const fixture = createFixture();
beforeAll(async () => {
  served = await serve({ graphs: fixture.graphs, now: () => now });
});
afterAll(() => served.close());

const keyed = (key: string) => ({ 'idempotency-key': key });
const post = (
  graphId: string,
  params: Fields,
  key: string,
  method = 'SendMessage',
): Promise<{ status: number; body: RpcAnswer }> => served.post(graphId, call(method, params), keyed(key));

describe('U37: a request with an Idempotency-Key', () => {
  it('gets the same task an hour later, and a new one after a day', async () => {
    const key = randomUUID();
    const params = { message: userMessage('once') };
    const before = await totalOf(served, 'echo');
    const first = (await post('echo', params, key)).body.result.task;
    now += HOUR_MS;
    expect((await post('echo', params, key)).body.result.task).toEqual(first);
    expect(await totalOf(served, 'echo')).toBe(before + 1);
    now += 23 * HOUR_MS;
    const next = (await post('echo', params, key)).body.result.task;
    expect(next.id).not.toBe(first.id);
    expect((await post('echo', params, key)).body.result.task).toEqual(next);
  });

  it('of another body under the same key is refused, and nothing runs', async () => {
    const key = randomUUID();
    const message = userMessage('pay 10');
    await post('echo', { message }, key);
    const before = await totalOf(served, 'echo');
    for (const params of [
      { message: { ...message, parts: [{ text: 'pay 20' }] } },
      { message, metadata: { tier: 'gold' } },
      { message, configuration: { historyLength: 1 } },
    ]) {
      expectRefusal(await post('echo', params, key), { code: -32602, field: 'Idempotency-Key' });
    }
    expect(await totalOf(served, 'echo')).toBe(before);
  });

  it('joins the running task: twenty at once are one run', async () => {
    fixture.gates.hold('slow');
    const before = await totalOf(served, 'slow');
    const key = randomUUID();
    const params = { message: userMessage('once') };
    const sent = Array.from({ length: 20 }, () => post('slow', params, key));
    await fixture.gates.reached('slow');
    fixture.gates.open('slow');
    const ids = (await Promise.all(sent)).map(({ body }) => body.result.task.id);
    expect(new Set(ids).size).toBe(1);
    expect(await totalOf(served, 'slow')).toBe(before + 1);
  });

  it('answers a question once, also when the task has ended since', async () => {
    const { id: taskId } = await sendText(served, 'approval', 'plain');
    const key = randomUUID();
    const params = { message: userMessage('Ada', { taskId }) };
    const first = (await post('approval', params, key)).body.result.task;
    expect(first.status.state).toBe('TASK_STATE_COMPLETED');
    now += HOUR_MS;
    expect((await post('approval', params, key)).body.result.task).toEqual(first);
  });

  it('is a stream the second time: of an ended task one frame', async () => {
    const key = randomUUID();
    const params = { message: userMessage('once') };
    const { id } = (await post('echo', params, key)).body.result.task;
    const frames = await collectFrames(served, 'echo', call('SendStreamingMessage', params), keyed(key));
    expect(frames).toHaveLength(1);
    expect(frames[0]?.data.result.task).toMatchObject({ id, status: { state: 'TASK_STATE_COMPLETED' } });
  });

  it('of another assistant has a key of its own', async () => {
    const key = randomUUID();
    const params = { message: userMessage('once') };
    const one = (await post('echo', params, key)).body.result.task;
    const other = (await post('memory', params, key)).body.result.task;
    expect(other.id).not.toBe(one.id);
  });

  it('that was refused leaves its key free', async () => {
    const key = randomUUID();
    const unknown = { message: userMessage('hi', { taskId: randomUUID() }) };
    expectRefusal(await post('echo', unknown, key), { code: -32001 });
    const { body } = await post('echo', { message: userMessage('hi') }, key);
    expect(body.result.task.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('is refused if the key is too long', async () => {
    const answer = await post('echo', { message: userMessage('hi') }, 'k'.repeat(256));
    expectRefusal(answer, { code: -32602, field: 'Idempotency-Key' });
  });
});

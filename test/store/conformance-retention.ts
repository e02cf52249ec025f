import { beforeEach, describe, expect, it } from 'vitest';
import type { Entry } from '../../packages/server/src/engine/ports/log.ts';
import type { Store } from '../../packages/server/src/engine/ports/store.ts';
import {
  admit,
  claimOne,
  complete,
  end,
  inbound,
  listTasks,
  logOf,
  pause,
  refOf,
  says,
  send,
  stateOf,
} from './scenario.ts';

const FAR = Number.MAX_SAFE_INTEGER;

/** What is forgotten in time. */
export function describeRetention(open: () => Store): void {
  let store: Store;
  beforeEach(() => {
    store = open();
  });
  const finished = async (sending = {}) => {
    const sent = await send(store, sending);
    const lease = await claimOne(store);
    await store.append(lease, [says(lease, 'said', 'hi')]);
    await complete(store, lease);
    return sent;
  };
  const failed = ({ taskId, contextId }: { taskId: string; contextId: string }): Entry => ({
    taskId,
    event: { statusUpdate: { taskId, contextId, status: { state: 'TASK_STATE_FAILED' } } },
  });

  describe('expiry of tasks that wait', () => {
    const waits = async (questions: string[]) => {
      const sent = await send(store);
      await pause(store, await claimOne(store), questions);
      return sent;
    };

    it('ends them, with a question or without, and frees their context', async () => {
      const asking = await waits(['0'.repeat(32)]);
      const resting = await waits([]);
      expect(await store.expire(0, 10, failed)).toEqual([]);
      const events = await store.expire(FAR, 10, failed);
      expect(events.map(({ taskId }) => taskId).sort()).toEqual([asking.taskId, resting.taskId].sort());
      expect(await stateOf(store, asking)).toBe('TASK_STATE_FAILED');
      expect((await logOf(store, asking.taskId)).at(-1)).toEqual(
        events.find((e) => e.taskId === asking.taskId)?.event,
      );
      await send(store, { contextId: asking.contextId });
      expect(await store.expire(FAR, 10, failed)).toEqual([]);
    });

    it('leaves those alone that run, have a message or are to be woken', async () => {
      const running = await send(store);
      await claimOne(store);
      const answered = await waits([]);
      await send(store, { taskId: answered.taskId });
      const { taskId } = await send(store);
      await claimOne(store);
      const lease = await claimOne(store);
      const wake = { taskId, key: 'k', wake: { at: FAR, data: null } };
      await store.append(lease, [wake]);
      await store.finish(lease, { entries: [], end: [end(lease, 'TASK_STATE_INPUT_REQUIRED')], pending: [] });
      expect(await store.expire(FAR, 10, failed)).toEqual([]);
      expect(await stateOf(store, running)).toBe('TASK_STATE_WORKING');
    });
  });

  describe('the log of an ended task', () => {
    it('is forgotten; the task, its history and its end stay', async () => {
      const sent = await finished();
      const open = await send(store);
      const before = await store.snapshot(refOf(sent));
      expect(await store.forgetEvents(FAR, 10)).toBe(1);
      expect(await store.snapshot(refOf(sent))).toEqual(before);
      expect(await store.history(refOf(sent), 'task')).toHaveLength(2);
      expect(await store.read(sent.taskId, 0, 10)).toEqual([
        expect.objectContaining({ seq: before?.seq, taskId: sent.taskId }),
      ]);
      expect(await logOf(store, open.taskId)).toHaveLength(1);
      expect((await listTasks(store, {}, { artifacts: true })).tasks).toHaveLength(2);
    });

    it('is forgotten in batches, in the order of time', async () => {
      const sent = [];
      for (let n = 0; n < 7; n++) sent.push(await finished());
      while ((await store.forgetEvents(FAR, 3)) >= 3);
      for (const { taskId } of sent) expect(await logOf(store, taskId)).toHaveLength(1);
    });
  });

  describe('an ended task', () => {
    it('is forgotten with its messages; the others of its conversation stay', async () => {
      const old = await finished({ contextId: 'c' });
      const open = await send(store, { contextId: 'c' });
      expect(await store.forgetTasks(0, 10)).toBe(0);
      expect(await store.forgetTasks(FAR, 10)).toBe(1);
      expect(await store.snapshot(refOf(old))).toBeUndefined();
      expect(await listTasks(store)).toMatchObject({ total: 1, tasks: [{ id: open.taskId }] });
      expect(await store.history(refOf(open), 'context')).toHaveLength(1);
      await expect(send(store, { taskId: old.taskId })).rejects.toMatchObject({ kind: 'task-not-found' });
      await expect(store.read(old.taskId, 0, 10)).rejects.toThrow();
    });

    it('takes the conversation along if it was the last: the next message finds an empty thread', async () => {
      const { contextId } = await send(store);
      const lease = await claimOne(store);
      const config = { configurable: { thread_id: contextId, checkpoint_ns: '' } };
      const checkpoint = {
        v: 4,
        id: '1ef00000-0000-6000-8000-000000000000',
        ts: new Date().toISOString(),
        channel_values: { messages: ['one'] },
        channel_versions: { messages: 1 },
        versions_seen: {},
      };
      const saver = store.checkpointer(lease);
      await saver.put(config, checkpoint, { source: 'loop', step: 0, parents: {} }, { messages: 1 });
      await complete(store, lease);
      await store.forgetTasks(FAR, 10);
      await send(store, { contextId });
      const next = await claimOne(store);
      expect(next.baseCheckpoint).toBeNull();
      expect(await store.checkpointer(next).getTuple(config)).toBeUndefined();
      expect(await store.historyBefore(next)).toEqual([]);
    });
  });

  it('requests are forgotten when their key has expired', async () => {
    const keyed = (keptMs: number) => ({ ...inbound(), request: { key: `${keptMs}`, digest: 'd', keptMs } });
    await store.submit(keyed(-1), admit);
    await store.submit(keyed(60_000), admit);
    expect(await store.forgetRequests(10)).toBe(1);
    expect(await store.forgetRequests(10)).toBe(0);
    expect((await store.submit(keyed(60_000), admit)).joined).toBe(true);
  });
}

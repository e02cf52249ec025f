import { emptyCheckpoint } from '@langchain/langgraph-checkpoint';
import { beforeEach, describe, expect, it } from 'vitest';
import { Fenced } from '../../packages/server/src/engine/fenced.ts';
import type { Store } from '../../packages/server/src/engine/ports/store.ts';
import { folded } from './folded.ts';
import {
  AGENT,
  claim,
  claimant,
  claimOne,
  complete,
  delta,
  end,
  listTasks,
  logOf,
  OWNER,
  refOf,
  says,
  send,
  stateOf,
} from './scenario.ts';

/** How runs are taken, written and ended. */
export function describeRuns(open: () => Store): void {
  let store: Store;
  beforeEach(() => {
    store = open();
  });

  describe('claim', () => {
    it('takes runs in order of arrival, one per lane', async () => {
      const a1 = await send(store, { contextId: 'a' });
      const a2 = await send(store, { contextId: 'a' });
      const b1 = await send(store, { contextId: 'b' });
      const c1 = await send(store, { contextId: 'c' });
      const [first, second, ...none] = await claim(store, 2);
      expect([first?.runId, second?.runId, none.length]).toEqual([a1.runId, b1.runId, 0]);
      expect((await claim(store, 10)).map(({ runId }) => runId)).toEqual([c1.runId]);
      if (first) await complete(store, first);
      expect((await claim(store, 10)).map(({ runId }) => runId)).toEqual([a2.runId]);
    });

    it('hands over what the run needs and stores its beginning', async () => {
      const sent = await send(store, { contextId: 'c', text: 'hi' });
      const [claimed] = await store.claim(claimant(), 1);
      const message = { parts: [{ text: 'hi' }], taskId: sent.taskId, contextId: 'c' };
      expect(claimed?.lease).toMatchObject({
        runId: sent.runId,
        taskId: sent.taskId,
        lane: { owner: OWNER, assistantId: AGENT, contextId: 'c' },
        epoch: 1,
        attempt: 1,
        payload: { kind: 'message', message, stream: false },
        baseCheckpoint: null,
        queued: 0,
      });
      expect(await store.read(sent.taskId, 1, 10)).toEqual(claimed?.events);
      expect(await stateOf(store, sent)).toBe('TASK_STATE_WORKING');
      expect(await store.outcome(sent.runId)).toEqual({ state: 'running' });
    });

    it('raises epoch and attempt; a drained attempt does not count', async () => {
      await send(store);
      const first = await claimOne(store);
      await store.release(first, 0, true);
      const second = await claimOne(store);
      expect(second).toMatchObject({ epoch: 2, attempt: 2 });
      await store.release(second, 0, false);
      expect(await claimOne(store)).toMatchObject({ epoch: 3, attempt: 2 });
    });

    it('lets a lane wait behind its delayed head', async () => {
      const sent = await send(store, { contextId: 'a' });
      await send(store, { contextId: 'a' });
      const other = await send(store, { contextId: 'b' });
      await store.release(await claimOne(store), 60_000, true);
      expect((await claim(store, 10)).map(({ runId }) => runId)).toEqual([other.runId]);
      expect(await store.outcome(sent.runId)).toEqual({ state: 'queued' });
    });

    it('remembers the head of the thread before the first attempt', async () => {
      await send(store, { contextId: 'c' });
      const first = await claimOne(store);
      const config = { configurable: { thread_id: 'c' } };
      const put = (lease: typeof first) =>
        store
          .checkpointer(lease)
          .put(
            config,
            { ...emptyCheckpoint(), id: `0-${lease.epoch}` },
            { source: 'loop', step: 0, parents: {} },
            {},
          );
      await put(first);
      await store.release(first, 0, false);
      const again = await claimOne(store);
      expect(again.baseCheckpoint).toBeNull();
      await put(again);
      await complete(store, again);
      await send(store, { contextId: 'c' });
      expect(await claimOne(store)).toMatchObject({ baseCheckpoint: '0-2' });
    });
  });

  describe('append', () => {
    it('numbers events and drops known keys', async () => {
      const { taskId } = await send(store);
      const lease = await claimOne(store);
      const entries = [delta(lease, 'a', 'Hel', false), delta(lease, 'b', 'lo')];
      expect((await store.append(lease, entries)).map(({ seq }) => seq)).toEqual([3, 4]);
      expect(await store.append(lease, [...entries, delta(lease, 'c', '!')])).toMatchObject([
        { taskId, seq: 5 },
      ]);
      expect((await store.snapshot(refOf(lease)))?.task.artifacts).toMatchObject([
        { parts: [{ text: 'Hello!' }] },
      ]);
      expect((await store.read(taskId, 2, 2)).map(({ seq }) => seq)).toEqual([3, 4]);
    });

    it('goes to any open task of the lane and to no other', async () => {
      const mine = await send(store, { contextId: 'a' });
      const next = await send(store, { contextId: 'a' });
      const foreign = await send(store, { contextId: 'b' });
      const lease = await claimOne(store);
      const entries = [next, foreign, { taskId: 'unknown' }].map(({ taskId }) => ({
        ...delta(lease, 'k', 'x'),
        taskId,
      }));
      expect(await store.append(lease, entries)).toMatchObject([{ taskId: next.taskId, seq: 2 }]);
      await store.append(lease, [{ ...end(lease, 'TASK_STATE_CANCELED'), taskId: next.taskId }]);
      expect(await store.append(lease, [{ ...delta(lease, 'late', 'x'), taskId: next.taskId }])).toEqual([]);
      expect(await store.outcome(next.runId)).toEqual({ state: 'dropped' });
      await complete(store, lease);
      expect(await stateOf(store, mine)).toBe('TASK_STATE_COMPLETED');
      expect(await claim(store, 10)).toMatchObject([{ runId: foreign.runId }]);
    });

    it('keeps what the agent says in the history, once', async () => {
      const { taskId, contextId } = await send(store, { text: 'q' });
      const lease = await claimOne(store);
      await store.append(lease, [says(lease, 'h', 'a')]);
      await store.append(lease, [says(lease, 'h', 'a')]);
      const history = await store.history(refOf(lease), 'task');
      expect(history).toMatchObject([
        { parts: [{ text: 'q' }] },
        { parts: [{ text: 'a' }], taskId, contextId },
      ]);
      expect((await store.snapshot(refOf(lease)))?.task).not.toHaveProperty('history');
      expect((await logOf(store, taskId)).at(-1)).toEqual({ history: history[1] });
    });

    it('folds a long stream, read at any time', async () => {
      const { taskId } = await send(store);
      const lease = await claimOne(store);
      for (let i = 0; i < 60; i++) {
        await store.append(
          lease,
          Array.from({ length: 20 }, (_, j) =>
            delta(lease, `${i}.${j}`, `${i}.${j} `, i + j > 0, `artifact-${j % 3}`),
          ),
        );
        if (i % 13 === 0) expect(await store.snapshot(refOf(lease))).toEqual(await folded(store, taskId));
      }
      await complete(store, lease);
      expect(await store.snapshot(refOf(lease))).toEqual(await folded(store, taskId));
      expect((await store.read(taskId, 0, 5_000)).map(({ seq }) => seq)).toEqual(
        Array.from({ length: 1_203 }, (_, i) => i + 1),
      );
    });
  });

  describe('the fence', () => {
    it('refuses a run that was given back, taken over or ended', async () => {
      await send(store);
      const first = await claimOne(store);
      await store.release(first, 0, true);
      const second = await claimOne(store, -1);
      await refused(first);
      expect(await store.reap(false)).toBe(1);
      await refused(second);
      const third = await claimOne(store);
      await refused(second);
      const before = await logOf(store, third.taskId);
      await complete(store, third);
      await refused(third);
      expect(await logOf(store, third.taskId)).toHaveLength(before.length + 1);
    });

    const refused = async (lease: Awaited<ReturnType<typeof claimOne>>): Promise<void> => {
      const config = { configurable: { thread_id: 'c', checkpoint_id: 'x' } };
      const saver = store.checkpointer(lease);
      await expect(store.append(lease, [delta(lease, 'late', 'x')])).rejects.toThrow(Fenced);
      await expect(complete(store, lease)).rejects.toThrow(Fenced);
      await expect(store.release(lease, 0, true)).rejects.toThrow(Fenced);
      await expect(saver.putWrites(config, [['c', 1]], 'task')).rejects.toThrow(Fenced);
      await expect(
        saver.put(config, emptyCheckpoint(), { source: 'loop', step: 0, parents: {} }, {}),
      ).rejects.toThrow(Fenced);
      expect(await saver.getTuple({ configurable: { thread_id: 'c' } })).toBeUndefined();
      expect(await store.renew([lease], 1_000)).toEqual({ lost: [lease.runId], cancel: [] });
    };
  });

  describe('finish', () => {
    it('ends run and task', async () => {
      const sent = await send(store);
      const lease = await claimOne(store);
      const { events, snapshot } = await store.finish(lease, {
        entries: [delta(lease, 'd', 'done', false)],
        end: [end(lease, 'TASK_STATE_COMPLETED')],
        pending: [],
      });
      expect(events.map(({ seq }) => seq)).toEqual([3, 4]);
      expect(snapshot).toEqual(await folded(store, sent.taskId));
      expect(snapshot).toEqual(await store.snapshot(refOf(sent)));
      expect(await store.outcome(sent.runId)).toEqual({ state: 'done' });
      await expect(send(store, { taskId: sent.taskId })).rejects.toMatchObject({
        kind: 'unsupported-operation',
      });
    });

    it('drops the queued messages of an ended task', async () => {
      const { taskId } = await send(store);
      const lease = await claimOne(store);
      const waiting = await send(store, { taskId });
      await complete(store, lease);
      expect(await store.outcome(waiting.runId)).toEqual({ state: 'dropped' });
      expect(await claim(store)).toEqual([]);
    });

    it('keeps why a message was refused', async () => {
      const sent = await send(store);
      const lease = await claimOne(store);
      const refusal = { field: 'f', description: 'no' };
      const asks = [end(lease, 'TASK_STATE_INPUT_REQUIRED')];
      await store.finish(lease, { entries: [], end: asks, pending: [], refusal });
      expect(await store.outcome(sent.runId)).toEqual({ state: 'refused', refusal });
    });
  });

  describe('reap', () => {
    it('requeues runs whose lease has ended, or all', async () => {
      const first = await send(store, { contextId: 'a' });
      const second = await send(store, { contextId: 'b' });
      await claim(store, 1, -1);
      const held = await claimOne(store);
      expect(await store.reap(false)).toBe(1);
      expect(await claimOne(store)).toMatchObject({ runId: first.runId, epoch: 2, attempt: 2 });
      expect(held.runId).toBe(second.runId);
      expect(await store.reap(true)).toBe(2);
      expect(await claim(store, 10)).toMatchObject([{ runId: first.runId }, { runId: second.runId }]);
    });

    it('leaves a renewed lease alone', async () => {
      await send(store);
      const lease = await claimOne(store, -1);
      expect(await store.renew([lease], 60_000)).toEqual({ lost: [], cancel: [] });
      expect(await store.reap(false)).toBe(0);
    });
  });

  it('gives a run the thread of its lane, whatever the thread is called', async () => {
    await send(store, { contextId: 'c' });
    await send(store, { contextId: 'c', assistantId: 'second' });
    const [first, second] = await claim(store, 2);
    if (!first || !second) throw new Error('not claimed');
    const config = { configurable: { thread_id: 'mine' } };
    const checkpoint = {
      ...emptyCheckpoint(),
      id: '1',
      channel_values: { c: [1] },
      channel_versions: { c: 1 },
    };
    const stored = await store
      .checkpointer(first)
      .put(config, checkpoint, { source: 'loop', step: 0, parents: {} }, { c: 1 });
    expect(stored).toEqual({ configurable: { thread_id: 'mine', checkpoint_ns: '', checkpoint_id: '1' } });
    const other = await store.checkpointer(first).getTuple({ configurable: { thread_id: 'theirs' } });
    expect(other).toMatchObject({
      config: { configurable: { thread_id: 'theirs', checkpoint_id: '1' } },
      checkpoint,
    });
    expect(await store.checkpointer(second).getTuple(config)).toBeUndefined();
  });

  it('takes its own time for a status that has none', async () => {
    await send(store);
    const lease = await claimOne(store);
    const { taskId } = lease;
    const event = {
      statusUpdate: {
        taskId,
        contextId: lease.lane.contextId,
        status: { state: 'TASK_STATE_COMPLETED' as const },
      },
    };
    await store.append(lease, [{ taskId, key: 'k', event }]);
    expect(await listTasks(store, { statusAfter: '2000-01-01T00:00:00.000Z' })).toMatchObject({ total: 1 });
  });
}

import type { Checkpoint } from '@langchain/langgraph-checkpoint';
import { emptyCheckpoint, uuid6 } from '@langchain/langgraph-checkpoint';
import { beforeEach, describe, expect, it } from 'vitest';
import { Forgotten } from '../../packages/server/src/engine/forgotten.ts';
import type { Lease } from '../../packages/server/src/engine/ports/run.ts';
import type { ThreadFilter, ThreadPage } from '../../packages/server/src/threads/ports.ts';
import type { WholeStore } from './conformance.ts';
import {
  AGENT,
  admit,
  claimant,
  claimOne,
  complete,
  delta,
  end,
  inbound,
  OWNER,
  pause,
  refOf,
  says,
  send,
} from './scenario.ts';

/** A checkpoint whose one channel holds a list that is long enough to be stored item by item. */
async function checkpoint(store: WholeStore, lease: Lease): Promise<Checkpoint> {
  const items = Array.from({ length: 20 }, (_, i) => `${i} ${'x'.repeat(300)}`);
  const put = {
    ...emptyCheckpoint(),
    id: uuid6(0),
    channel_values: { items },
    channel_versions: { items: 1 },
  };
  const config = { configurable: { thread_id: 't', checkpoint_ns: '' } };
  await store.checkpointer(lease).put(config, put, { source: 'loop', step: 0, parents: {} }, { items: 1 });
  return put;
}

/** Threads as tools see them. */
export function describeThreads(open: () => WholeStore): void {
  let store: WholeStore;
  beforeEach(() => {
    store = open();
  });
  const statusOf = async (contextId: string) => (await store.threads.find(OWNER, contextId))[0]?.status;
  const ids = async (filter: ThreadFilter = {}, page: Partial<ThreadPage> = {}, owner = OWNER) => {
    const all = { sortBy: 'created_at', descending: true, limit: 100, offset: 0 } as const;
    const found = await store.threads.search(owner, filter, { ...all, ...page });
    return found.map(({ id }) => id);
  };
  const done = async (contextId: string, more: object = {}) => {
    const sent = await send(store, { contextId, ...more });
    await complete(store, await claimOne(store));
    return sent;
  };
  const named = (id: string) => ({ id, assistantId: AGENT });
  const forget = (id: string) => store.threads.forget(OWNER, named(id));

  describe('threads', () => {
    it('stand as their tasks do', async () => {
      const { taskId } = await send(store, { contextId: 'c' });
      expect(await statusOf('c')).toBe('busy');
      await pause(store, await claimOne(store), ['q']);
      expect(await statusOf('c')).toBe('interrupted');
      await store.requestCancel(refOf({ taskId }));
      expect(await statusOf('c')).toBe('idle');
      await send(store, { contextId: 'c' });
      const lease = await claimOne(store);
      expect(await statusOf('c')).toBe('busy');
      await store.finish(lease, { entries: [], end: [end(lease, 'TASK_STATE_FAILED')], pending: [] });
      expect(await statusOf('c')).toBe('error');
      await send(store, { contextId: 'c' });
      await pause(store, await claimOne(store), []);
      expect(await statusOf('c')).toBe('interrupted');
      await done('c');
      expect(await statusOf('c')).toBe('idle');
    });

    it('are found by owner, id, assistant, graph and status, in order, page by page', async () => {
      const content = { name: 'n', description: null, config: {}, context: {}, metadata: {} };
      await store.assistants.create(AGENT, null, { ...content, graphId: 'g' });
      for (const id of ['b', 'a', 'c']) await done(id);
      await done('a', { assistantId: 'other' });
      await done('theirs', { owner: 'somebody' });
      await send(store, { contextId: 'b' });
      expect(await ids()).toEqual(['a', 'c', 'a', 'b']);
      expect(await ids({ assistantId: AGENT })).toEqual(['c', 'a', 'b']);
      expect(await ids({ graphId: 'g' }, { sortBy: 'thread_id', descending: false })).toEqual([
        'a',
        'b',
        'c',
      ]);
      expect(await ids({ status: 'busy' })).toEqual(['b']);
      expect(await ids({ ids: ['a', 'b'] }, { limit: 2, offset: 1 })).toEqual(['a', 'b']);
      expect(await ids({}, {}, 'somebody')).toEqual(['theirs']);
      expect(await ids({}, { sortBy: 'status' })).toEqual(['a', 'c', 'a', 'b']);
      expect(await store.threads.count(OWNER, { assistantId: AGENT, status: 'idle' })).toBe(2);
      expect(await store.threads.find(OWNER, 'a')).toMatchObject([
        { assistantId: AGENT, graphId: 'g' },
        { assistantId: 'other', graphId: null },
      ]);
      expect(await store.threads.find(OWNER, 'theirs')).toEqual([]);
    });

    it('are read with a saver that does not write', async () => {
      await send(store, { contextId: 'c' });
      const put = await checkpoint(store, await claimOne(store));
      const [thread] = await store.threads.find(OWNER, 'c');
      if (!thread) throw new Error('no thread');
      const config = { configurable: { thread_id: 'c' } };
      const read = await store.threads.read(thread, (saver) => saver.getTuple(config));
      expect(read?.checkpoint).toEqual(put);
      await expect(store.threads.read(thread, (saver) => saver.deleteThread('c'))).rejects.toThrow(
        'not written',
      );
    });

    it('are forgotten with all that is in them', async () => {
      const { taskId, runId } = await send(store, { contextId: 'c' });
      const lease = await claimOne(store);
      await checkpoint(store, lease);
      await store.append(lease, [delta(lease, 'd', 'x', false), says(lease, 'h', 'said')]);
      await store.append(lease, [{ taskId, key: 'w', wake: { at: 9e12, data: {} } }]);
      await complete(store, lease);
      const kept = await done('kept');
      expect(await forget('c')).toEqual({ kind: 'forgotten', tasks: [taskId] });
      expect(await forget('c')).toEqual({ kind: 'unknown' });
      expect(await store.threads.find(OWNER, 'c')).toEqual([]);
      expect(await store.snapshot(refOf({ taskId }))).toBeUndefined();
      expect(await store.history(refOf({ taskId }), 'context')).toEqual([]);
      await expect(store.read(taskId, 0, 10)).rejects.toThrow(Forgotten);
      await expect(store.outcome(runId)).rejects.toThrow(Forgotten);
      const page = { size: 10, artifacts: true };
      expect(await store.list({ owner: OWNER, assistantId: AGENT }, page)).toMatchObject({
        total: 1,
        tasks: [{ id: kept.taskId }],
      });
      expect(await store.history(refOf(kept), 'context')).toHaveLength(1);
    });

    it('begin anew under their old name, in a lane of their own', async () => {
      await send(store, { contextId: 'c' });
      const before = await claimOne(store);
      await checkpoint(store, before);
      await complete(store, before);
      await forget('c');
      const again = await store.submit(inbound({ contextId: 'c' }), admit, claimant());
      const lease = again.claimed?.lease;
      if (!lease) throw new Error('not claimed');
      expect(lease.lane.id).toBeGreaterThan(before.lane.id);
      expect(lease.baseCheckpoint).toBeNull();
      const config = { configurable: { thread_id: 'c' } };
      expect(await store.checkpointer(lease).getTuple(config)).toBeUndefined();
      expect(await store.historyBefore(lease)).toEqual([]);
      const put = await checkpoint(store, lease);
      expect((await store.checkpointer(lease).getTuple(config))?.checkpoint).toEqual(put);
      await complete(store, lease);
    });

    it('are not forgotten while a run is queued or running', async () => {
      const { taskId } = await send(store, { contextId: 'c' });
      expect(await forget('c')).toEqual({ kind: 'busy', tasks: [taskId] });
      const lease = await claimOne(store);
      expect(await forget('c')).toEqual({ kind: 'busy', tasks: [taskId] });
      await complete(store, lease);
      expect(await store.threads.forget('somebody', named('c'))).toEqual({ kind: 'unknown' });
      expect(await store.threads.forget(OWNER, { id: 'c', assistantId: 'other' })).toEqual({
        kind: 'unknown',
      });
      expect((await forget('c')).kind).toBe('forgotten');
    });

    it('that are forgotten while they wait take their questions and wakes with them', async () => {
      await send(store, { contextId: 'c' });
      const lease = await claimOne(store);
      await pause(store, lease, ['q']);
      expect((await forget('c')).kind).toBe('forgotten');
      expect((await store.submit(inbound({ contextId: 'c' }), admit)).joined).toBe(false);
      expect(await store.wakeDue()).toBeUndefined();
    });
  });
}

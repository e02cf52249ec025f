import type { BaseCheckpointSaver, Checkpoint, CheckpointMetadata } from '@langchain/langgraph-checkpoint';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Lease } from '../../packages/server/src/engine/ports/run.ts';
import type { Store } from '../../packages/server/src/engine/ports/store.ts';
import { Unavailable } from '../../packages/server/src/engine/unavailable.ts';
import { storeOn } from '../../packages/server/src/store/sqlite/open.ts';
import { folded } from './folded.ts';
import { openRefusable, type Refusable } from './refused-commit.ts';
import {
  admit,
  claimant,
  claimOne,
  complete,
  delta,
  inbound,
  logOf,
  refOf,
  send,
  stateOf,
} from './scenario.ts';

let refusable: Refusable;
let store: Store;
beforeEach(() => {
  refusable = openRefusable();
  store = storeOn(refusable.database);
});
afterEach(() => store.close());

const config = { configurable: { thread_id: 'thread', checkpoint_ns: '' } };
const metadata: CheckpointMetadata = { source: 'loop', step: 1, parents: {} };

function put(saver: BaseCheckpointSaver, id: string, value: string): Promise<unknown> {
  const checkpoint: Checkpoint = {
    v: 4,
    id,
    ts: '2026-01-01T00:00:00Z',
    channel_values: { value },
    channel_versions: { value: 1 },
    versions_seen: {},
  };
  return saver.put(config, checkpoint, metadata, { value: 1 });
}

const headOf = async (saver: BaseCheckpointSaver) => (await saver.getTuple(config))?.checkpoint.id;

describe('a commit that is refused', () => {
  it('refuses the message, and leaves nothing of it', async () => {
    refusable.refuse();
    await expect(send(store, { contextId: 'c' })).rejects.toThrow(Unavailable);
    expect(await store.claim(claimant(), 1)).toEqual([]);
    const { taskId } = await send(store, { contextId: 'c' });
    expect((await logOf(store, taskId)).map((event) => Object.keys(event))).toEqual([['task']]);
  });

  it('leaves no gap in a task that was read in between', async () => {
    const { taskId } = await send(store);
    const lease = await claimOne(store);
    await store.append(lease, [delta(lease, 'd1', 'one ', false)]);
    refusable.refuse();
    const followUp = send(store, { taskId, text: '2' });
    const read = store.snapshot(refOf({ taskId }));
    await expect(followUp).rejects.toThrow(Unavailable);
    expect((await read)?.seq).toBe(3);
    const next = await store.append(lease, [delta(lease, 'd2', 'two')]);
    expect(next.map(({ seq }) => seq)).toEqual([4]);
    const { snapshot } = await complete(store, lease);
    expect(snapshot).toEqual(await folded(store, taskId));
    expect(await store.snapshot(refOf({ taskId }))).toEqual(snapshot);
    expect(snapshot.task.artifacts).toMatchObject([{ parts: [{ text: 'one two' }] }]);
  });

  it('is nothing to the readers of what is stored', async () => {
    const { taskId } = await send(store);
    refusable.refuse();
    const refused = send(store, { contextId: 'other' }).catch((error: Error) => error);
    const reads = Promise.all([
      store.snapshot(refOf({ taskId })),
      store.read(taskId, 0, 10),
      store.list({ owner: 'owner', assistantId: 'agent' }, { size: 10, artifacts: false }),
      store.history(refOf({ taskId }), 'task'),
    ]);
    expect(await refused).toBeInstanceOf(Error);
    const [snapshot, events, page, history] = await reads;
    expect(snapshot?.seq).toBe(1);
    expect(events).toHaveLength(1);
    expect(history).toHaveLength(1);
    expect(page.tasks).toHaveLength(1);
    expect(page.total).toBe(1);
  });

  it('takes back the refusal of a message, too, that rested on it', async () => {
    const { taskId } = await send(store);
    const ended = complete(store, await claimOne(store)).catch((error: Error) => error);
    const refused = send(store, { taskId, text: 'more' });
    refusable.refuse();
    await expect(refused).rejects.toThrow(Unavailable);
    expect(await ended).toBeInstanceOf(Unavailable);
    expect(await stateOf(store, { taskId })).toBe('TASK_STATE_WORKING');
  });

  it('never gives the conversation of a lost message to another one', async () => {
    const lanes: number[] = [];
    const watching = {
      ...claimant(),
      begin: (lease: Lease) => {
        lanes.push(lease.lane.id);
        return claimant().begin(lease);
      },
    };
    const submitting = store.submit(inbound({ owner: 'alice' }), admit, watching);
    refusable.refuse();
    await expect(submitting).rejects.toThrow(Unavailable);
    await store.submit(inbound({ owner: 'bob' }), admit, watching);
    expect(new Set(lanes).size).toBe(2);
  });
});

describe('a run whose writes were lost', () => {
  it.each(['checkpoint', 'event'] as const)('is refused its end, and begins again: %s', async (what) => {
    const sent = await send(store);
    const lease = await claimOne(store);
    const saver = store.checkpointer(lease);
    await put(saver, '1', 'stored');
    await store.append(lease, [delta(lease, 'd1', 'stored', false)]);
    if (what === 'checkpoint') {
      await put(saver, '2', 'lost');
      refusable.refuse();
      await expect(send(store, { contextId: 'other' })).rejects.toThrow(Unavailable);
    } else {
      refusable.refuse();
      await expect(store.append(lease, [delta(lease, 'd2', 'lost')])).rejects.toThrow(Unavailable);
    }
    await expect(put(saver, '3', 'after')).rejects.toThrow(Unavailable);
    await expect(store.append(lease, [delta(lease, 'd3', 'after')])).rejects.toThrow(Unavailable);
    await expect(complete(store, lease)).rejects.toThrow(Unavailable);

    await store.release(lease, 0, true);
    const again = await claimOne(store);
    expect(again).toMatchObject({ runId: sent.runId, epoch: 2, attempt: 2 });
    const next = store.checkpointer(again);
    expect(await headOf(next)).toBe('1');
    await put(next, '4', 'second attempt');
    await complete(store, again);
    expect(await stateOf(store, sent)).toBe('TASK_STATE_COMPLETED');
    expect(await headOf(next)).toBe('4');
  });

  it('may write its end again if only that was lost', async () => {
    const sent = await send(store);
    const lease = await claimOne(store);
    refusable.refuse();
    await expect(complete(store, lease)).rejects.toThrow(Unavailable);
    await complete(store, lease);
    expect(await stateOf(store, sent)).toBe('TASK_STATE_COMPLETED');
  });
});

describe('an older attempt', () => {
  it('writes nothing beside a newer one in the same transaction', async () => {
    await send(store);
    const one = await claimOne(store);
    const old = store.checkpointer(one);
    await store.release(one, 0, true);
    const two = await claimOne(store);
    const current = store.checkpointer(two);
    await put(current, '1', 'current');
    await expect(put(old, '9', 'old')).rejects.toThrow('taken over');
    expect(await headOf(current)).toBe('1');
  });

  it('writes nothing after its end in the same transaction', async () => {
    await send(store);
    const lease = await claimOne(store);
    const saver = store.checkpointer(lease);
    await put(saver, '1', 'in time');
    const ended = complete(store, lease);
    await expect(put(saver, '2', 'late')).rejects.toThrow('taken over');
    await ended;
    expect(await headOf(saver)).toBe('1');
  });
});

describe('what a saver writes', () => {
  it('is stored soon if nobody waits for it, and with the next thing that somebody waits for', async () => {
    await send(store);
    const lease = await claimOne(store);
    const { sqlite } = refusable.database;
    await put(store.checkpointer(lease), '1', 'alone');
    expect(sqlite.inTransaction).toBe(true);
    await expect.poll(() => sqlite.inTransaction).toBe(false);
    await put(store.checkpointer(lease), '2', 'in company');
    await send(store, { contextId: 'other' });
    expect(sqlite.inTransaction).toBe(false);
  });

  it('goes with its store when that is closed', async () => {
    await send(store);
    const lease = await claimOne(store);
    await put(store.checkpointer(lease), '1', 'last');
    await expect(store.close()).resolves.toBeUndefined();
  });
});

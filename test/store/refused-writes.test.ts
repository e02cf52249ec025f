import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import { emptyCheckpoint, uuid6 } from '@langchain/langgraph-checkpoint';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Unavailable } from '../../packages/server/src/engine/unavailable.ts';
import { type SqliteStore, storeOn } from '../../packages/server/src/store/sqlite/open.ts';
import { openRefusable, type Refusable } from './refused-commit.ts';
import { AGENT, claimOne, complete, OWNER, refOf, send } from './scenario.ts';

let refusable: Refusable;
let store: SqliteStore;
beforeEach(() => {
  refusable = openRefusable();
  store = storeOn(refusable.database);
});
afterEach(() => store.close());

const content = { graphId: 'g', name: 'n', description: null, config: {}, context: {}, metadata: {} };
const config = { configurable: { thread_id: 't', checkpoint_ns: '' } };

/** A list that is stored item by item, which a cache holds. */
async function put(saver: BaseCheckpointSaver): Promise<void> {
  const items = Array.from({ length: 20 }, (_, i) => `${i} ${'x'.repeat(300)}`);
  const checkpoint = { ...emptyCheckpoint(), id: uuid6(0), channel_values: { items } };
  await saver.put(
    config,
    { ...checkpoint, channel_versions: { items: 1 } },
    { source: 'loop', step: 0, parents: {} },
    { items: 1 },
  );
}

describe('a disk that refuses', () => {
  it('to forget a thread: all of it is there, and it goes on', async () => {
    const { taskId } = await send(store, { contextId: 'c' });
    const lease = await claimOne(store);
    await put(store.checkpointer(lease));
    await complete(store, lease);
    const before = await store.snapshot(refOf({ taskId }));
    const forget = () => store.threads.forget(OWNER, { id: 'c', assistantId: AGENT });
    refusable.refuse();
    await expect(forget()).rejects.toThrow(Unavailable);

    const [thread] = await store.threads.find(OWNER, 'c');
    if (!thread) throw new Error('no thread');
    expect(await store.snapshot(refOf({ taskId }))).toEqual(before);
    const tuple = await store.threads.read(thread, (saver) => saver.getTuple(config));
    expect(tuple?.checkpoint.channel_values.items).toHaveLength(20);
    await send(store, { contextId: 'c' });
    const next = await claimOne(store);
    expect(next).toMatchObject({ lane: lease.lane, baseCheckpoint: tuple?.checkpoint.id });
    await put(store.checkpointer(next));
    await complete(store, next);
    expect(await forget()).toEqual({ kind: 'forgotten', tasks: [taskId, next.taskId] });
  });

  it('to write an assistant: it is as it was, and nobody is told', async () => {
    const told: string[] = [];
    store.assistants.onChange((id) => told.push(id));
    refusable.refuse();
    await expect(store.assistants.create('a', OWNER, content)).rejects.toThrow(Unavailable);
    expect(await store.assistants.get('a')).toBeUndefined();
    const { assistant } = await store.assistants.create('a', OWNER, content);
    refusable.refuse();
    await expect(store.assistants.change('a', OWNER, (one) => ({ ...one, name: 'b' }))).rejects.toThrow(
      Unavailable,
    );
    refusable.refuse();
    await expect(store.assistants.delete('a', OWNER, true)).rejects.toThrow(Unavailable);
    expect(await store.assistants.get('a')).toEqual(assistant);
    expect(await store.assistants.versions('a', { limit: 10, offset: 0 })).toHaveLength(1);
    expect(told).toEqual(['a']);
  });
});

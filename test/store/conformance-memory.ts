import { beforeEach, describe, expect, it } from 'vitest';
import { Fenced } from '../../packages/server/src/engine/fenced.ts';
import type { Store } from '../../packages/server/src/engine/ports/store.ts';
import { claimOne, complete, send } from './scenario.ts';

/** LangGraph's store, lent to a run; what it finds is in items.test.ts. */
export function describeMemory(open: () => Store): void {
  let store: Store;
  beforeEach(() => {
    store = open();
  });

  describe('the memory of a run', () => {
    it('is that of every other run: of another caller, assistant and context', async () => {
      await send(store);
      await store.memory(await claimOne(store)).put(['facts'], 'sky', { is: 'blue' });
      await send(store, { owner: 'somebody else', assistantId: 'another', contextId: 'elsewhere' });
      const item = await store.memory(await claimOne(store)).get(['facts'], 'sky');
      expect(item).toMatchObject({ namespace: ['facts'], key: 'sky', value: { is: 'blue' } });
    });

    it('is not written by a run that was taken over or has ended, and can still be read by it', async () => {
      await send(store);
      const old = await claimOne(store, -1);
      const memory = store.memory(old);
      await memory.put(['facts'], 'sky', { is: 'blue' });
      await store.reap(false);
      const lease = await claimOne(store);
      await expect(memory.put(['facts'], 'sky', { is: 'green' })).rejects.toThrow(Fenced);
      await expect(memory.delete(['facts'], 'sky')).rejects.toThrow(Fenced);
      const successor = store.memory(lease);
      await complete(store, lease);
      await expect(successor.put(['facts'], 'sky', { is: 'red' })).rejects.toThrow(Fenced);
      expect(await memory.get(['facts'], 'sky')).toMatchObject({ value: { is: 'blue' } });
    });

    it('takes a batch whole or not at all', async () => {
      await send(store);
      const memory = store.memory(await claimOne(store));
      const good = { namespace: ['facts'], key: 'sky', value: { is: 'blue' } };
      const cyclic: { [key: string]: unknown } = {};
      cyclic.self = cyclic;
      await expect(memory.batch([good, { ...good, key: 'knot', value: cyclic }])).rejects.toThrow(
        /'knot' in 'facts' is no JSON/,
      );
      await expect(memory.batch([good, { ...good, namespace: ['a.b'] }])).rejects.toThrow(/'a\.b'/);
      expect(await memory.search([])).toEqual([]);
    });

    it('is kept when its task is forgotten', async () => {
      await send(store);
      const lease = await claimOne(store);
      await store.memory(lease).put(['facts'], 'sky', { is: 'blue' });
      await complete(store, lease);
      expect(await store.forgetTasks(Number.MAX_SAFE_INTEGER, 10)).toBe(1);
      expect(await store.forgetItems(10)).toBe(0);
      await send(store);
      expect(await store.memory(await claimOne(store)).get(['facts'], 'sky')).not.toBeNull();
    });
  });
}

import { beforeEach, describe, expect, it } from 'vitest';
import type {
  AssistantContent,
  AssistantFilter,
  AssistantPage,
} from '../../packages/server/src/assistants/ports.ts';
import type { WholeStore } from './conformance.ts';
import { AGENT, claimOne, complete, OWNER, send } from './scenario.ts';

const content = (more: Partial<AssistantContent> = {}): AssistantContent => ({
  graphId: 'graph',
  name: 'name',
  description: null,
  config: {},
  context: {},
  metadata: {},
  ...more,
});

/** Assistants, their versions, and whose they are. */
export function describeAssistants(open: () => WholeStore): void {
  let store: WholeStore;
  beforeEach(() => {
    store = open();
  });
  const names = async (owner: string, filter: AssistantFilter = {}, page: Partial<AssistantPage> = {}) => {
    const { assistants, total } = await store.assistants.search(owner, filter, {
      sortBy: 'created_at',
      descending: true,
      limit: 100,
      offset: 0,
      ...page,
    });
    expect(await store.assistants.count(owner, filter)).toBe(total);
    return assistants.map(({ name }) => name);
  };

  describe('assistants', () => {
    it('are made once', async () => {
      const first = await store.assistants.create('a', OWNER, content({ name: 'first' }));
      const second = await store.assistants.create('a', 'somebody', content({ name: 'second' }));
      expect(first).toMatchObject({ created: true, assistant: { id: 'a', owner: OWNER, version: 1 } });
      expect(second).toEqual({ created: false, assistant: first.assistant });
      expect(await store.assistants.get('a')).toEqual(first.assistant);
      expect(await store.assistants.versions('a', { limit: 10, offset: 0 })).toHaveLength(1);
    });

    it('have versions, which are numbered on whatever one they are at', async () => {
      await store.assistants.create('a', OWNER, content());
      const change = (name: string) =>
        store.assistants.change('a', OWNER, (before) => ({ ...before, name: `${before.name} ${name}` }));
      expect((await change('two'))?.name).toBe('name two');
      expect(await store.assistants.setVersion('a', OWNER, 1)).toMatchObject({ name: 'name', version: 1 });
      expect(await change('three')).toMatchObject({ name: 'name three', version: 3 });
      expect(await store.assistants.setVersion('a', OWNER, 4)).toBeUndefined();
      const versions = await store.assistants.versions('a', { limit: 2, offset: 0 });
      expect(versions.map(({ version, name }) => [version, name])).toEqual([
        [3, 'name three'],
        [2, 'name two'],
      ]);
    });

    it('stay as they are if a change throws', async () => {
      const { assistant } = await store.assistants.create('a', OWNER, content());
      const change = store.assistants.change('a', OWNER, () => {
        throw new Error('no');
      });
      await expect(change).rejects.toThrow('no');
      expect(await store.assistants.get('a')).toEqual(assistant);
      expect(await store.assistants.versions('a', { limit: 10, offset: 0 })).toHaveLength(1);
    });

    it('are seen by their owner, or by everybody', async () => {
      await store.assistants.create('a', OWNER, content({ name: 'mine' }));
      await store.assistants.create('b', 'somebody', content({ name: 'theirs' }));
      await store.assistants.create('c', null, content({ name: 'ours' }));
      expect(await names(OWNER)).toEqual(['ours', 'mine']);
      expect(await names('somebody')).toEqual(['ours', 'theirs']);
      for (const id of ['b', 'none']) {
        expect(await store.assistants.change(id, OWNER, (before) => before)).toBeUndefined();
        expect(await store.assistants.setVersion(id, OWNER, 1)).toBeUndefined();
        expect(await store.assistants.delete(id, OWNER, false)).toEqual({ kind: 'unknown' });
      }
      expect(await store.assistants.change('c', OWNER, (before) => before)).toMatchObject({ version: 2 });
    });

    it('are found by what they contain, in order, page by page', async () => {
      const made: [name: string, graphId: string, metadata: AssistantContent['metadata']][] = [
        ['Ärger', 'g1', { a: 1, deep: { b: [1, { c: 2 }] } }],
        ['beta', 'g2', { a: '1' }],
        ['Alpha', 'g1', { deep: { b: [] } }],
      ];
      for (const [name, graphId, metadata] of made) {
        await store.assistants.create(name, OWNER, content({ name, graphId, metadata }));
      }
      expect(await names(OWNER, { name: 'äR' })).toEqual(['Ärger']);
      expect(await names(OWNER, { graphId: 'g1' })).toEqual(['Alpha', 'Ärger']);
      expect(await names(OWNER, { metadata: { a: 1 } })).toEqual(['Ärger']);
      expect(await names(OWNER, { metadata: { deep: { b: [{ c: 2 }] } } })).toEqual(['Ärger']);
      expect(await names(OWNER, { metadata: { deep: {} } })).toEqual(['Alpha', 'Ärger']);
      expect(await names(OWNER, { metadata: { deep: { b: { 0: 1 } } } })).toEqual([]);
      expect(await names(OWNER, {}, { sortBy: 'graph_id', descending: false })).toEqual([
        'Ärger',
        'Alpha',
        'beta',
      ]);
      expect(await names(OWNER, {}, { limit: 1, offset: 1 })).toEqual(['beta']);
      const version = { metadata: { a: 1 }, limit: 10, offset: 0 };
      expect(await store.assistants.versions('beta', version)).toEqual([]);
    });

    it('are deleted with their versions and, if asked for, with the threads of their owner, or not at all', async () => {
      await store.assistants.create(AGENT, null, content());
      const { taskId } = await send(store, { contextId: 'one' });
      await complete(store, await claimOne(store));
      await send(store, { owner: 'somebody', contextId: 'theirs' });
      await complete(store, await claimOne(store));
      await send(store, { contextId: 'two' });
      const deleting = () => store.assistants.delete(AGENT, OWNER, true);
      expect(await deleting()).toEqual({ kind: 'busy', threads: ['two'] });
      expect(await store.threads.find(OWNER, 'one')).toHaveLength(1);
      const second = await claimOne(store);
      await complete(store, second);
      expect(await deleting()).toEqual({ kind: 'deleted', tasks: [taskId, second.taskId] });
      expect(await store.assistants.get(AGENT)).toBeUndefined();
      expect(await store.assistants.versions(AGENT, { limit: 10, offset: 0 })).toEqual([]);
      expect(await store.threads.find(OWNER, 'one')).toEqual([]);
      expect(await store.threads.find('somebody', 'theirs')).toMatchObject([{ graphId: null }]);
      expect((await store.assistants.create(AGENT, OWNER, content())).assistant.version).toBe(1);
    });

    it('are told of when they change, and not when they do not', async () => {
      const told: string[] = [];
      store.assistants.onChange((id) => told.push(id));
      await store.assistants.create('a', OWNER, content());
      await store.assistants.create('a', OWNER, content());
      await store.assistants.change('a', 'somebody', (before) => before);
      await store.assistants.change('a', OWNER, (before) => before);
      await store.assistants.setVersion('a', OWNER, 1);
      await store.assistants.setVersion('a', OWNER, 9);
      await store.assistants.delete('a', OWNER, false);
      await store.assistants.delete('a', OWNER, false);
      expect(told).toEqual(['a', 'a', 'a', 'a']);
    });
  });
}

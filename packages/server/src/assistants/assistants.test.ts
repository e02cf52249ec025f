import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_ASSISTANT_SETTINGS } from '../config/settings.ts';
import { openSqliteStore, type SqliteStore } from '../store/sqlite/open.ts';
import { openAssistants } from './assistants.ts';
import { createAssistantManager } from './manage-assistants.ts';
import type { AssistantStore } from './ports.ts';

const agents = new Map([['graph', { agent: { kind: 'custom' as const, agent: { invoke: () => 'said' } } }]]);

const SETTINGS = { ...DEFAULT_ASSISTANT_SETTINGS };

let store: SqliteStore;
beforeEach(() => {
  store = openSqliteStore({ file: ':memory:' });
});
afterEach(() => store.close());

/** Assistants of a store, and how often it was asked for one. `meanwhile` happens once, behind a read. */
async function open() {
  let reads = 0;
  let meanwhile: () => Promise<unknown> = async () => undefined;
  const counted: AssistantStore = {
    ...store.assistants,
    get: async (id) => {
      reads++;
      const record = await store.assistants.get(id);
      const change = meanwhile;
      meanwhile = async () => undefined;
      await change();
      return record;
    },
  };
  const assistants = await openAssistants(agents, { graph: SETTINGS }, counted);
  const manager = createAssistantManager({
    assistants,
    store: store.assistants,
    wake: { signal: () => {} },
    newId: () => 'b5a5a1f0-0000-7000-8000-000000000001',
  });
  reads = 0;
  return {
    assistants,
    manager,
    reads: () => reads,
    meanwhile: (change: typeof meanwhile) => {
      meanwhile = change;
    },
  };
}

describe('an assistant that is looked up', () => {
  it('is read once, and again when it has changed', async () => {
    const { assistants, manager, reads } = await open();
    const first = await assistants.find('graph', 'me');
    expect(await assistants.find('graph', 'you')).toBe(first);
    expect(await assistants.ofRun(first?.id ?? '')).toBe(first);
    expect(reads()).toBe(1);
    await manager.patch('me', 'graph', { name: 'renamed' });
    expect((await assistants.find('graph', 'me'))?.name).toBe('renamed');
    expect(reads()).toBe(2);
  });

  it('is read again if it changes meanwhile, and its settings are known all the same', async () => {
    const { assistants, manager, meanwhile } = await open();
    meanwhile(() => manager.patch('me', 'graph', { name: 'renamed' }));
    const found = await assistants.find('graph', 'me');
    expect(found?.name).toBe('graph');
    expect(assistants.settingsOf(found?.id ?? '')).toBe(SETTINGS);
    expect((await assistants.find('graph', 'me'))?.name).toBe('renamed');
    await manager.patch('me', 'graph', { name: 'again' });
    expect(assistants.settingsOf(found?.id ?? '')).toBe(SETTINGS);
  });

  it('is not there for others, whatever they try', async () => {
    const { assistants, manager } = await open();
    const { id } = await manager.create('me', { graphId: 'graph' }, { existing: 'raise' });
    expect((await assistants.find(id, 'me'))?.id).toBe(id);
    expect(await assistants.find(id, 'you')).toBeUndefined();
    expect((await assistants.ofRun(id))?.id).toBe(id);
    const unknown = { kind: 'unknown', message: `Assistant '${id}' not found` };
    await expect(manager.get('you', id)).rejects.toMatchObject(unknown);
    await expect(manager.patch('you', id, { name: 'mine' })).rejects.toMatchObject(unknown);
    await expect(manager.setLatest('you', id, 1)).rejects.toMatchObject(unknown);
    await expect(manager.versions('you', id, { limit: 1, offset: 0 })).rejects.toMatchObject(unknown);
    await expect(manager.schemas('you', id)).rejects.toMatchObject(unknown);
    await expect(manager.draw('you', id, false)).rejects.toMatchObject(unknown);
    await expect(manager.delete('you', id, true)).rejects.toMatchObject(unknown);
    const again = manager.create('you', { graphId: 'graph' }, { id, existing: 'do_nothing' });
    await expect(again).rejects.toMatchObject({ kind: 'conflict' });
    expect(await manager.get('me', id)).toMatchObject({ version: 1, owner: 'me' });
  });

  it('of a graph is nobody’s to replace while it is deleted', async () => {
    const { manager } = await open();
    const { id } = await manager.get('me', 'graph');
    const make = () => manager.create('me', { graphId: 'graph' }, { id, existing: 'do_nothing' });
    expect((await make()).owner).toBeNull();
    await manager.delete('me', 'graph', false);
    await expect(make()).rejects.toMatchObject({ kind: 'conflict' });
    expect(await (await open()).manager.get('you', 'graph')).toMatchObject({ id, owner: null });
  });

  it('whose graph is not served any more is kept, and not served', async () => {
    const content = { name: 'old', description: null, config: {}, context: {}, metadata: {} };
    await store.assistants.create('old', 'me', { ...content, graphId: 'gone' });
    const { assistants, manager } = await open();
    expect(await assistants.find('old', 'me')).toBeUndefined();
    expect(await manager.get('me', 'old')).toMatchObject({ graphId: 'gone' });
    await expect(manager.schemas('me', 'old')).rejects.toMatchObject({ kind: 'unknown' });
    await manager.patch('me', 'old', { graphId: 'graph' });
    expect(await assistants.find('old', 'me')).toMatchObject({ graphId: 'graph', pathName: 'old' });
  });
});

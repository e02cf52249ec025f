import { type BaseStore, InMemoryStore } from '@langchain/langgraph-checkpoint';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { ItemSettings } from '../../packages/server/src/store/sqlite/items/item-store.ts';
import { openSqliteStore, type SqliteStore } from '../../packages/server/src/store/sqlite/open.ts';
import { claimOne, send } from './scenario.ts';

const opened: SqliteStore[] = [];
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
});

async function ours(items: ItemSettings = {}, now?: () => number): Promise<BaseStore> {
  const store = openSqliteStore({ file: ':memory:', items, ...(now ? { now } : {}) });
  opened.push(store);
  await send(store);
  return store.memory(await claimOne(store));
}

/** Texts about the sea lie one way, all others the other way. */
const embeddings = {
  embedDocuments: async (texts: string[]) => texts.map((text) => (/sea|fish/.test(text) ? [3, 0.1] : [0, 2])),
  embedQuery: async (text: string) => (/sea|fish/.test(text) ? [1, 0] : [0, 1]),
};
const index = { embeddings: embeddings as never, dims: 2 };

const keysOf = (items: { key: string }[]): string[] => items.map(({ key }) => key);

describe.each<[string, (items?: ItemSettings) => Promise<BaseStore>]>([
  [
    "LangGraph's own store",
    async (items) => new InMemoryStore(items as ConstructorParameters<typeof InMemoryStore>[0]),
  ],
  ['ours', ours],
])('%s', (_, open) => {
  it('puts, replaces and deletes an item', async () => {
    const store = await open();
    expect(await store.get(['a'], 'k')).toBeNull();
    await store.put(['a'], 'k', { n: 1, deep: { list: [1, null, 'x'] } });
    const first = await store.get(['a'], 'k');
    expect(first).toMatchObject({
      namespace: ['a'],
      key: 'k',
      value: { n: 1, deep: { list: [1, null, 'x'] } },
    });
    expect(first?.createdAt).toBeInstanceOf(Date);
    const createdAt = first?.createdAt.getTime();
    await store.put(['a'], 'k', { n: 2 });
    const second = await store.get(['a'], 'k');
    expect(second?.value).toEqual({ n: 2 });
    expect(second?.createdAt.getTime()).toBe(createdAt);
    expect(second?.updatedAt.getTime()).toBeGreaterThanOrEqual(createdAt ?? 0);
    await store.delete(['a'], 'k');
    await store.delete(['a'], 'k');
    expect(await store.get(['a'], 'k')).toBeNull();
  });

  it('searches a namespace and those below it, not its neighbours', async () => {
    const store = await open();
    for (const labels of [['a'], ['a', 'b'], ['a', 'b', 'c'], ['ab'], ['a-'], ['a b'], ['b']]) {
      await store.put(labels, labels.join('/'), {});
    }
    expect(keysOf(await store.search(['a'])).sort()).toEqual(['a', 'a/b', 'a/b/c']);
    expect(keysOf(await store.search(['a', 'b'])).sort()).toEqual(['a/b', 'a/b/c']);
    expect(await store.search(['x'])).toEqual([]);
    expect(await store.search([])).toHaveLength(7);
  });

  it.each<[string, { [key: string]: unknown }, string[]]>([
    ['a value', { kind: 'x' }, ['1', '2']],
    ['two values', { kind: 'x', n: 2 }, ['2']],
    ['$eq', { n: { $eq: 1 } }, ['1']],
    ['$ne', { n: { $ne: 1 } }, ['2', '3', '4']],
    ['$gt and $lte', { n: { $gt: 1, $lte: 3 } }, ['2', '3']],
    ['$gte and $lt', { n: { $gte: 1, $lt: 3 } }, ['1', '2']],
    ['$in', { n: { $in: [1, 3] } }, ['1', '3']],
    ['$nin', { n: { $nin: [1, 3] } }, ['2', '4']],
    ['null', { none: null }, ['3']],
    ['a key of every object', { toString: 'x' }, []],
  ])('filters by %s', async (_name, filter, keys) => {
    const store = await open();
    await store.put(['f'], '1', { kind: 'x', n: 1 });
    await store.put(['f'], '2', { kind: 'x', n: 2 });
    await store.put(['f'], '3', { kind: 'y', n: 3, none: null });
    await store.put(['f'], '4', { kind: 'z' });
    expect(keysOf(await store.search(['f'], { filter })).sort()).toEqual(keys);
  });

  it('pages: ten at first, then as asked, each item once', async () => {
    const store = await open();
    for (let i = 0; i < 25; i++) await store.put(['p'], `${i}`, { even: i % 2 === 0 });
    expect(await store.search(['p'])).toHaveLength(10);
    for (const filter of [undefined, { even: true }]) {
      const seen: string[] = [];
      for (let offset = 0; ; offset += 7) {
        const page = await store.search(['p'], { limit: 7, offset, ...(filter ? { filter } : {}) });
        seen.push(...keysOf(page));
        if (page.length < 7) break;
      }
      expect(seen).toHaveLength(filter ? 13 : 25);
      expect(new Set(seen).size).toBe(seen.length);
    }
  });

  it('lists namespaces by prefix, suffix, wildcard and depth', async () => {
    const store = await open();
    for (const labels of [['a', 'x', '1'], ['a', 'x', '2'], ['a', 'y', '1'], ['b', 'x', '1'], ['b']]) {
      await store.put(labels, 'k', {});
      await store.put(labels, 'l', {});
    }
    expect(await store.listNamespaces()).toEqual([
      ['a', 'x', '1'],
      ['a', 'x', '2'],
      ['a', 'y', '1'],
      ['b'],
      ['b', 'x', '1'],
    ]);
    expect(await store.listNamespaces({ prefix: ['a', 'x'] })).toHaveLength(2);
    expect(await store.listNamespaces({ prefix: ['*', 'x'] })).toHaveLength(3);
    expect(await store.listNamespaces({ suffix: ['x', '1'] })).toHaveLength(2);
    expect(await store.listNamespaces({ suffix: ['x', '*'] })).toHaveLength(3);
    expect(await store.listNamespaces({ prefix: ['a'], suffix: ['1'] })).toHaveLength(2);
    expect(await store.listNamespaces({ maxDepth: 1 })).toEqual([['a'], ['b']]);
    expect(await store.listNamespaces({ maxDepth: 2, limit: 2, offset: 1 })).toEqual([['a', 'y'], ['b']]);
  });

  it('answers a batch as it was before it, in order', async () => {
    const store = await open();
    await store.put(['b'], 'old', { n: 0 });
    const results = await store.batch([
      { namespace: ['b'], key: 'new', value: { n: 1 } },
      { namespace: ['b'], key: 'new', value: { n: 2 } },
      { namespace: ['b'], key: 'new' },
      { namespacePrefix: ['b'] },
      { namespace: ['b'], key: 'old', value: null },
    ]);
    expect(results[2]).toBeNull();
    expect(keysOf(results[3] as unknown as { key: string }[])).toEqual(['old']);
    expect((await store.get(['b'], 'new'))?.value).toEqual({ n: 2 });
    expect(await store.get(['b'], 'old')).toBeNull();
  });

  it('searches by meaning: the nearest first, what has no vector last', async () => {
    const store = await open({ index });
    await store.put(['m'], 'hill', { text: 'a hill' });
    await store.put(['m'], 'secret', { text: 'the deep sea' }, false);
    await store.put(['m'], 'fish', { text: 'a fish' });
    await store.put(['m'], 'title', { title: 'sea', text: 'no water' }, ['title']);
    const found = await store.search(['m'], { query: 'the sea' });
    expect(keysOf(found.slice(0, 2)).sort()).toEqual(['fish', 'title']);
    expect(keysOf(found.slice(2))).toEqual(['hill', 'secret']);
    expect(found[0]?.score).toBeCloseTo(3 / Math.hypot(3, 0.1), 5);
    expect(found[3]?.score).toBeUndefined();
    await store.put(['m'], 'fish', { text: 'a stone' });
    expect(keysOf(await store.search(['m'], { query: 'the sea', limit: 1 }))).toEqual(['title']);
  });

  it.each<[string, string[], RegExp]>([
    ['no label', [], /empty/i],
    ['an empty label', ['a', ''], /empty/i],
    ['a dot', ['a.b'], /'a\.b'/],
    ['LangGraph itself', ['langgraph'], /langgraph/],
    ['a number', [1 as unknown as string], /'1'/],
  ])('puts nothing in a namespace of %s', async (_name, namespace, error) => {
    await expect((await open()).put(namespace, 'k', {})).rejects.toThrow(error);
  });
});

it('finds what LangGraph’s own store finds, whatever is put, deleted and asked', async () => {
  const label = fc.constantFrom('a', 'b', 'é', 'a b', '*', '%', '_');
  const namespace = fc.array(label, { minLength: 1, maxLength: 3 });
  const key = fc.constantFrom('k', 'l', '', '__proto__', 'k.l');
  const value = fc.dictionary(
    fc.constantFrom('n', 'm', '__proto__', 'constructor'),
    fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constantFrom('x', null, true)),
  );
  const filter = fc.dictionary(
    fc.constantFrom('n', 'm', 'constructor'),
    fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constantFrom('x', null, true), fc.record({ $gt: fc.nat(3) })),
  );
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ namespace, key, value }) },
    fc.record({ namespace, key, value: fc.constant(null) }),
    fc.record({ namespace, key }),
    fc.record({ namespacePrefix: fc.array(label, { maxLength: 3 }), filter, limit: fc.constant(100) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      const [theirs, own] = [new InMemoryStore(), await ours()];
      for (const one of steps) {
        const [expected, got] = [await theirs.batch([one as never]), await own.batch([one as never])];
        expect(comparable(got[0])).toEqual(comparable(expected[0]));
      }
    }),
    { numRuns: 150 },
  );
});

/** Without times, in an order of its own. */
function comparable(result: unknown): unknown {
  const items = (Array.isArray(result) ? result : [result ?? undefined]) as {
    namespace: string[];
    key: string;
    value: unknown;
  }[];
  return items
    .filter((item) => item !== undefined)
    .map(({ namespace, key, value }) => JSON.stringify([namespace, key, value]))
    .sort();
}

describe('beyond LangGraph’s own store', () => {
  it('finds what was changed last first', async () => {
    let now = 1_000;
    const store = await ours({}, () => now++);
    for (const key of ['one', 'two', 'three', 'one']) await store.put(['o'], key, {});
    expect(keysOf(await store.search(['o'], { limit: 2 }))).toEqual(['one', 'three']);
  });

  it('hands out no object twice: what a node changes later is not stored', async () => {
    const store = await ours();
    const value = { list: [1] };
    await store.put(['o'], 'k', value);
    value.list.push(2);
    const item = await store.get(['o'], 'k');
    item?.value.list.push(3);
    expect((await store.get(['o'], 'k'))?.value).toEqual({ list: [1] });
  });

  it('names what is wrong with a value, a filter, a page', async () => {
    const store = await ours();
    await store.put(['o'], 'k', { n: 1 });
    await expect(store.put(['o'], 'k', [] as never)).rejects.toThrow(
      /'k' in 'o': expected an object, got an array/,
    );
    await expect(store.put(['o'], 'k', 'x' as never)).rejects.toThrow(/expected an object, got string/);
    await expect(store.put(['o'], 7 as never, {})).rejects.toThrow(/key: expected a string, got number/);
    await expect(store.search(['o'], { filter: { n: { $near: 1 } } })).rejects.toThrow(/filter\.n: \$near/);
    await expect(store.search(['o'], { limit: -1 })).rejects.toThrow(/limit/);
    await expect(store.search(['o'], { offset: 0.5 })).rejects.toThrow(/offset/);
    expect((await store.get(['o'], 'k'))?.value).toEqual({ n: 1 });
  });

  it('refuses the vectors of another model than it was set up for, and passes over those it has stored', async () => {
    const three = {
      embeddings: { ...embeddings, embedDocuments: async () => [[1, 2, 3]] } as never,
      dims: 2,
    };
    const store = await ours({ index: three });
    await expect(store.put(['o'], 'k', { text: 'x' })).rejects.toThrow(/dims is 2.*vectors of 3/);
    expect(await store.get(['o'], 'k')).toBeNull();
  });

  it.each<[string, object, string[], string]>([
    ['a path', { a: { b: 'sea' } }, ['a.b'], 'k'],
    ['every element', { list: [{ t: 'hill' }, { t: 'sea' }] }, ['list[*].t'], 'k'],
    ['the last element', { list: ['hill', 'sea'] }, ['list[-1]'], 'k'],
    ['every member', { a: { x: 'sea', y: 1 } }, ['a.*'], 'k'],
    ['all of it', { deep: { in: 'the sea' } }, ['$'], 'k'],
  ])('indexes %s', async (_name, value, fields, key) => {
    const store = await ours({ index: { ...index, fields } });
    await store.put(['i'], 'other', { a: 'hill', list: ['hill'] });
    await store.put(['i'], key, value);
    await store.put(['i'], 'last', { a: { b: 1 }, list: [] });
    const [nearest] = await store.search(['i'], { query: 'sea' });
    expect(nearest?.key).toBe(key);
    expect(nearest?.score).toBeGreaterThan(0.9);
  });

  describe('with a time to live', () => {
    const MINUTE_MS = 60_000;

    it.each([true, false])('forgets what nobody touched (read counts: %s)', async (refreshOnRead) => {
      let now = 0;
      const store = await ours({ ttl: { ms: 10 * MINUTE_MS, refreshOnRead } }, () => now);
      await store.put(['t'], 'read', {});
      await store.put(['t'], 'found', {});
      await store.put(['u'], 'left', {});
      now = 9 * MINUTE_MS;
      await store.get(['t'], 'read');
      await store.search(['t'], { filter: {} });
      now = 11 * MINUTE_MS;
      expect(keysOf(await store.search([])).sort()).toEqual(refreshOnRead ? ['found', 'read'] : []);
      expect(await store.get(['u'], 'left')).toBeNull();
      expect(await store.listNamespaces()).toEqual(refreshOnRead ? [['t']] : []);
    });

    it('begins anew when an expired item is put again', async () => {
      let now = 0;
      const store = await ours({ ttl: { ms: 1_000, refreshOnRead: true } }, () => now);
      await store.put(['t'], 'k', {});
      now = 5_000;
      await store.put(['t'], 'k', {});
      expect((await store.get(['t'], 'k'))?.createdAt.getTime()).toBe(5_000);
    });

    it('deletes what has expired, and its vectors', async () => {
      let now = 0;
      const settings: ItemSettings = { index, ttl: { ms: 1_000, refreshOnRead: true } };
      const memory = await ours(settings, () => now);
      await memory.put(['t'], 'old', { text: 'sea' });
      now = 5_000;
      await memory.put(['t'], 'new', { text: 'sea' });
      const store = opened[0] as SqliteStore;
      expect(await store.forgetItems(10)).toBe(1);
      expect(await store.forgetItems(10)).toBe(0);
      expect(keysOf(await memory.search(['t'], { query: 'sea' }))).toEqual(['new']);
    });
  });
});

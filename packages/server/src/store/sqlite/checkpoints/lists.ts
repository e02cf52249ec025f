import type { Database } from '../database.ts';
import type { Recipe } from './recipe.ts';

/** One item of a long list. `recipe` is absent until asked for, `null` if the text has none. */
export interface Item {
  n: number;
  text: string;
  recipe?: Recipe | null;
}

/** `[start, count, start, count, …]` over item numbers. */
export type Ranges = number[];

/**
 * An append-only log of items. A version of a list is a few ranges of it, so a list that grows by two messages stores
 * two items and one row, and a version is read without those before it. A chain of deltas with a full copy every 64
 * versions was the alternative: 14 MB of copies in a thread of 1,000 turns, against none.
 */
export interface ItemList {
  readonly id: number;
  items(ranges: Ranges): Item[];
  /** The item after `previous`, or another one in memory, if it has this text. */
  find(previous: Item | undefined, text: string): Item | undefined;
  append(text: string): Item;
  /** Ranges of these items; stores them again in one piece when their scatter has cost as much as that would. */
  rangesOf(items: readonly Item[]): Ranges;
}

export interface Lists {
  named(lane: number, name: string): ItemList;
  byId(id: number): ItemList;
  /** Forgets what a failed transaction may have changed. */
  forget(lane: number): void;
  deleteAll(lane: number): void;
}

/** Characters of item text kept for the next run of a thread; with the revived values about five times as much. */
const CACHED_CHARS = 8_000_000;

/** A shorter item costs less stored again than another range in every later version. */
export const RANGE_WORTH_CHARS = 200;

interface CachedList {
  lane: number;
  items: (Item | undefined)[];
  byText: Map<string, Item>;
  next: number;
  chars: number;
  /** Characters of scattered ranges since the items were last in one piece. */
  scatter: number;
}

export function openLists({ sqlite, onEnd }: Database): Lists {
  const find = sqlite
    .prepare<[number, string], number>('SELECT id FROM checkpoint_lists WHERE lane = ? AND name = ?')
    .pluck();
  const add = sqlite.prepare<[number, string]>('INSERT INTO checkpoint_lists (lane, name) VALUES (?, ?)');
  const laneOf = sqlite.prepare<[number], number>('SELECT lane FROM checkpoint_lists WHERE id = ?').pluck();
  const last = sqlite
    .prepare<[number], number | null>('SELECT max(n) FROM checkpoint_items WHERE list = ?')
    .pluck();
  const read = sqlite
    .prepare<[number, number, number], string>(
      'SELECT body FROM checkpoint_items WHERE list = ? AND n >= ? AND n < ? ORDER BY n',
    )
    .pluck();
  const insert = sqlite.prepare<[number, number, string]>(
    'INSERT INTO checkpoint_items (list, n, body) VALUES (?, ?, ?)',
  );
  const deleteItems = sqlite.prepare<[number]>(
    'DELETE FROM checkpoint_items WHERE list IN (SELECT id FROM checkpoint_lists WHERE lane = ?)',
  );
  const deleteLists = sqlite.prepare<[number]>('DELETE FROM checkpoint_lists WHERE lane = ?');

  /** Least recently used first. */
  const cache = new Map<number, CachedList>();
  let cachedChars = 0;

  const drop = (id: number, list: CachedList): void => {
    if (!cache.delete(id)) return;
    cachedChars -= list.chars;
  };
  const keep = (id: number, list: CachedList, item: Item): void => {
    list.items[item.n] = item;
    list.byText.set(item.text, item);
    list.chars += item.text.length;
    if (cache.get(id) === list) cachedChars += item.text.length;
  };
  const use = (id: number): CachedList => {
    const known = cache.get(id);
    const list = known ?? {
      lane: laneOf.get(id) ?? -1,
      items: [],
      byText: new Map(),
      next: (last.get(id) ?? -1) + 1,
      chars: 0,
      scatter: 0,
    };
    if (known) cache.delete(id);
    cache.set(id, list);
    for (const [other, stale] of cache) {
      if (cachedChars <= CACHED_CHARS) break;
      drop(other, stale);
    }
    return list;
  };
  const load = (id: number, list: CachedList, start: number, count: number): void => {
    const texts = read.all(id, start, start + count);
    if (texts.length !== count)
      throw new Error(`items ${start} to ${start + count} of list ${id} are not all there`);
    for (const [i, text] of texts.entries()) {
      if (!list.items[start + i]) keep(id, list, { n: start + i, text });
    }
  };
  const open = (id: number): ItemList => {
    const list = use(id);
    const append = (text: string): Item => {
      const item = { n: list.next, text };
      insert.run(id, item.n, text);
      list.next += 1;
      keep(id, list, item);
      return item;
    };
    return {
      id,
      items: (ranges) => {
        const items: Item[] = [];
        for (const [start, count] of pairs(ranges)) {
          for (let n = start; n < start + count; n++) {
            if (!list.items[n]) load(id, list, n, start + count - n);
            items.push(list.items[n] as Item);
          }
        }
        return items;
      },
      find: (previous, text) => {
        const after = list.items[previous ? previous.n + 1 : 0];
        if (after?.text === text) return after;
        return previous && text.length < RANGE_WORTH_CHARS ? undefined : list.byText.get(text);
      },
      append,
      rangesOf: (items) => {
        const ranges = rangesOf(items);
        if (ranges.length <= 2) return ranges;
        list.scatter += ranges.length * CHARS_PER_NUMBER;
        const chars = items.reduce((sum, item) => sum + item.text.length, 0);
        if (list.scatter <= chars) return ranges;
        list.scatter = 0;
        return rangesOf(items.map((item) => append(item.text)));
      },
    };
  };

  onEnd((end) => {
    if (end === 'lost') for (const [id, list] of cache) drop(id, list);
  });
  return {
    named: (lane, name) => open(find.get(lane, name) ?? Number(add.run(lane, name).lastInsertRowid)),
    byId: open,
    forget: (lane) => {
      for (const [id, list] of cache) if (list.lane === lane) drop(id, list);
    },
    deleteAll: (lane) => {
      deleteItems.run(lane);
      deleteLists.run(lane);
      for (const [id, list] of cache) if (list.lane === lane) drop(id, list);
    },
  };
}

const CHARS_PER_NUMBER = 5;

function rangesOf(items: readonly Item[]): Ranges {
  const ranges: Ranges = [];
  let next = -1;
  for (const { n } of items) {
    if (n === next) ranges[ranges.length - 1] = (ranges.at(-1) as number) + 1;
    else ranges.push(n, 1);
    next = n + 1;
  }
  return ranges;
}

function* pairs(ranges: Ranges): Generator<[number, number]> {
  for (let i = 0; i < ranges.length; i += 2) yield [ranges[i] as number, ranges[i + 1] as number];
}

import { type FoundList, findLists, type Path, withLists, withoutLists } from './list-paths.ts';
import { type Item, type ItemList, type Lists, RANGE_WORTH_CHARS, type Ranges } from './lists.ts';
import { equals, looksLike, make, type Recipe } from './recipe.ts';
import type { StoredValue } from './rows.ts';
import type { Texts } from './texts.ts';

/** Between the values of one run and what the tables hold. */
export interface ValueCodec {
  /** Within a transaction. `write`: a node returned the value and may have changed what it contains. */
  encode(channel: string, value: unknown, as: 'state' | 'write'): StoredValue;
  decode(stored: StoredValue): Promise<unknown>;
  dumpJson(value: unknown): string;
  loadJson(text: string): Promise<unknown>;
  /** What was encoded last did not get stored. */
  forget(): void;
  deleteAll(): void;
}

/** Lists of less text stay in their value. */
const INLINE_CHARS = 1_024;

/** So few items are written as a whole first, so that their size may decide. */
const FEW_ITEMS = 64;

/** `lists` of a stored value, as JSON. */
type Layout = [path: Path, list: number, ranges: Ranges][];

/** The list of a name as this run loaded or stored it last: which object is which item. */
interface Known {
  values: unknown[];
  items: Item[];
  /** When every value was found equal to its item. */
  at: number;
}

export function createValueCodec(lane: number, lists: Lists, texts: Texts): ValueCodec {
  let clock = 0;
  let known = new Map<number, Known>();
  /** When an object was last part of something that a node returned. */
  const returned = new WeakMap<object, number>();

  const recipeOf = (item: Item): Recipe | undefined => {
    if (item.recipe === undefined) item.recipe = texts.recipe(item.text) ?? null;
    return item.recipe ?? undefined;
  };

  /**
   * Whether a value can be taken for its item without writing it out: 8 µs a message, of which a thread has thousands.
   * It can by its looks (0.1 µs) unless a node returned it since: nodes change messages in place and return them, and
   * the messages reducer gives ids to what was returned. Then all of it is compared (0.7 µs).
   */
  const isItem = (value: unknown, item: Item, at: number): boolean => {
    if (typeof value !== 'object' || value === null) return true;
    const recipe = recipeOf(item);
    if (!recipe) return false;
    return at > (returned.get(value) ?? -1) ? looksLike(value, recipe) : equals(value, recipe);
  };
  const store = (list: ItemList, values: readonly unknown[]): Item[] => {
    const last = known.get(list.id);
    const indexOf = last && finder(last.values);
    let misses = 0;
    let previous: Item | undefined;
    const items = values.map((value) => {
      const index = indexOf?.(value) ?? -1;
      const before = last?.items[index];
      if (last && before && isItem(value, before, last.at)) {
        previous = before;
        return before;
      }
      misses += 1;
      const text = typeof value === 'string' ? JSON.stringify(value) : texts.write(value);
      previous = before?.text === text ? before : (list.find(previous, text) ?? list.append(text));
      return previous;
    });
    // A node's few new messages must not replace what is known of thousands.
    if (!last || values.length * 2 >= last.values.length || misses > FEW_ITEMS) {
      known.set(list.id, { values: [...values], items, at: clock });
    }
    return items;
  };
  const isKnown = ([first]: readonly unknown[]): boolean => {
    for (const last of known.values()) if (last.values[0] === first) return true;
    return false;
  };
  const mayBeShort = ({ items }: FoundList): boolean => items.length <= FEW_ITEMS && !isKnown(items);

  const encodeLists = (channel: string, value: unknown, found: readonly FoundList[]): StoredValue => {
    const layout: Layout = [];
    for (const one of found) {
      const { path, items } = one;
      if (mayBeShort(one) && texts.write(items).length <= INLINE_CHARS) continue;
      const list = lists.named(lane, listName(channel, path));
      layout.push([path, list.id, list.rangesOf(store(list, items))]);
    }
    const skeleton = withoutLists(
      value,
      layout.map(([path]) => path),
    );
    return {
      type: 'json',
      body: texts.write(skeleton),
      lists: layout.length === 0 ? null : JSON.stringify(layout),
    };
  };

  const loadList = async (id: number, ranges: Ranges): Promise<unknown[]> => {
    const items = lists.byId(id).items(ranges);
    const values = items.map((item) => {
      const recipe = recipeOf(item);
      return recipe ? make(recipe) : texts.read(item.text);
    });
    const ready = items.some((item) => item.recipe === null) ? await Promise.all(values) : values;
    clock += 1;
    known.set(id, { values: [...ready], items, at: clock });
    return ready;
  };

  return {
    encode: (channel, value, as) => {
      if (value instanceof Uint8Array) return { type: 'bytes', body: value, lists: null };
      clock += 1;
      const found = findLists(value, (object) => {
        if (as === 'write') returned.set(object, clock);
      });
      if (found.every(mayBeShort)) {
        const body = texts.write(value);
        if (found.length === 0 || body.length <= INLINE_CHARS) return { type: 'json', body, lists: null };
      }
      return encodeLists(channel, value, found);
    },
    decode: async ({ type, body, lists: layout }) => {
      if (typeof body !== 'string') return new Uint8Array(body);
      if (type !== 'json') throw new Error(`checkpoint value of unknown type ${type}`);
      if (layout === null) return texts.read(body);
      const parts = (JSON.parse(layout) as Layout).map(async ([path, id, ranges]) => ({
        path,
        items: await loadList(id, ranges),
      }));
      const [skeleton, ...found] = await Promise.all([texts.read(body), ...parts]);
      return withLists(skeleton, found as FoundList[]);
    },
    dumpJson: texts.write,
    loadJson: texts.read,
    forget: () => {
      known = new Map();
      lists.forget(lane);
    },
    deleteAll: () => {
      known = new Map();
      lists.deleteAll(lane);
    },
  };
}

/**
 * Finds where values stand in a list; asked for them in the order of the list, without a search. A Map of the list
 * would cost more than a few searches: objects get a hash when they become keys.
 */
function finder(values: readonly unknown[]): (value: unknown) => number {
  let next = 0;
  let searches = 0;
  let places: Map<unknown, number> | undefined;
  const search = (value: unknown): number => {
    // An equal string elsewhere is another item, which would only scatter the list.
    if (next > 0 && typeof value === 'string' && value.length < RANGE_WORTH_CHARS) return -1;
    if (searches++ < MAX_SEARCHES) return values.indexOf(value);
    places ??= new Map(values.map((one, index) => [one, index]));
    return places.get(value) ?? -1;
  };
  return (value) => {
    const place = next < values.length && values[next] === value ? next : search(value);
    if (place >= 0) next = place + 1;
    return place;
  };
}

const MAX_SEARCHES = 16;

/** One list for all places of a thread where messages of that name are: input, state, writes, subgraphs. */
function listName(channel: string, path: Path): string {
  const names = path.filter((key) => typeof key === 'string' && !WRAPPERS.has(key));
  return String(names.at(-1) ?? channel);
}

/** Keys of Overwrite, DeltaSnapshot and Send. */
const WRAPPERS: ReadonlySet<string | number> = new Set(['__overwrite__', 'value', 'args']);

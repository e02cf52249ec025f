import { BaseMessage } from '@langchain/core/messages';
import { cloneItem, isCopy } from './clone.ts';
import { type FoundList, findLists, type Path, withLists, withoutLists } from './list-paths.ts';
import type { Item, ItemList, Lists, Ranges } from './lists.ts';
import type { Texts } from './revive.ts';
import type { StoredValue } from './rows.ts';

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

/** An object that this run has loaded or stored as an item of some list. */
interface Seen {
  item: Item;
  /** Of the comparison with its text. */
  at: number;
  /** Of a message, as it was then. */
  content?: unknown;
  id?: unknown;
  toolCalls?: unknown;
}

type Known = WeakMap<object, Seen>;

export function createValueCodec(lane: number, lists: Lists, texts: Texts): ValueCodec {
  let clock = 1;
  let known = new Map<number, Known>();
  /** When an object was last part of something that a node returned. */
  let returned = new WeakMap<object, number>();

  const knownOf = (list: number): Known => {
    let of = known.get(list);
    if (!of) {
      of = new WeakMap();
      known.set(list, of);
    }
    return of;
  };
  const forget = (): void => {
    known = new Map();
    returned = new WeakMap();
    lists.forget(lane);
  };
  const remember = (of: Known, value: unknown, item: Item): void => {
    if (typeof value !== 'object' || value === null) return;
    const seen: Seen = { item, at: clock };
    if (value instanceof BaseMessage) {
      seen.content = value.content;
      seen.id = value.id;
      seen.toolCalls = (value as { tool_calls?: unknown }).tool_calls;
    }
    of.set(value, seen);
  };

  /**
   * Whether an item can be taken for unchanged without writing it out: 8 µs a message, of which a thread has
   * thousands. A message is, by a look at its fields, unless a node returned it since: nodes change messages in place
   * and return them, and the messages reducer gives ids to what was returned. Then, and for anything that is no
   * message, everything is compared.
   */
  const unchanged = (value: object, seen: Seen): boolean => {
    if (value instanceof BaseMessage && seen.at > (returned.get(value) ?? 0)) {
      return (
        value.content === seen.content &&
        value.id === seen.id &&
        (value as { tool_calls?: unknown }).tool_calls === seen.toolCalls
      );
    }
    return seen.item.pristine !== undefined && isCopy(value, seen.item.pristine);
  };
  const store = (list: ItemList, values: readonly unknown[]): Item[] => {
    const of = knownOf(list.id);
    let previous: Item | undefined;
    return values.map((value) => {
      const seen = typeof value === 'object' && value !== null ? of.get(value) : undefined;
      if (seen && unchanged(value as object, seen)) {
        seen.at = clock;
        previous = seen.item;
        return previous;
      }
      const text = typeof value === 'string' ? JSON.stringify(value) : texts.write(value);
      previous = seen?.item.text === text ? seen.item : (list.find(previous, text) ?? list.append(text));
      remember(of, value, previous);
      return previous;
    });
  };
  const isKnown = (items: readonly unknown[]): boolean => {
    const first = items[0];
    if (typeof first !== 'object' || first === null) return false;
    for (const of of known.values()) if (of.has(first)) return true;
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

  const revive = (item: Item): unknown => {
    if (item.pristine === undefined) {
      const simple = texts.readSimple(item.text);
      if (!simple || !isCopyable(simple.value)) return texts.read(item.text);
      item.pristine = simple.value;
    }
    return cloneItem(item.pristine);
  };
  const loadList = async (id: number, ranges: Ranges): Promise<unknown[]> => {
    const items = lists.byId(id).items(ranges);
    const values = items.map(revive);
    const complete = values.some((value) => value instanceof Promise) ? await Promise.all(values) : values;
    const of = knownOf(id);
    clock += 1;
    for (const [i, value] of complete.entries()) remember(of, value, items[i] as Item);
    return complete;
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
    forget,
    deleteAll: () => {
      lists.deleteAll(lane);
      forget();
    },
  };
}

/** One list for all places of a thread where messages of that name are: input, state, writes, subgraphs. */
function listName(channel: string, path: Path): string {
  const names = path.filter((key) => typeof key === 'string' && !WRAPPERS.has(key));
  return String(names.at(-1) ?? channel);
}

/** Keys of Overwrite, DeltaSnapshot and Send. */
const WRAPPERS: ReadonlySet<string | number> = new Set(['__overwrite__', 'value', 'args']);

/** What `cloneItem` copies faithfully. */
function isCopyable(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return value instanceof BaseMessage || Object.getPrototypeOf(value) === Object.prototype;
}

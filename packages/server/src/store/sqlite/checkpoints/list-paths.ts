import { DeltaSnapshot } from '@langchain/langgraph-checkpoint';

/** Where in a value a list stands: keys and indexes from the top; empty: the value itself. */
export type Path = (string | number)[];

export interface FoundList {
  path: Path;
  items: unknown[];
}

/** Deep enough for `messages` within the arguments of a Send within a list of Sends. */
const MAX_DEPTH = 4;

/**
 * Finds the lists in a value whose items may be stored apart: those of objects and strings. `visit` sees every object
 * on the way, items included.
 */
export function findLists(value: unknown, visit: (object: object) => void): FoundList[] {
  const found: FoundList[] = [];
  const walk = (node: unknown, path: Path): void => {
    if (typeof node !== 'object' || node === null) return;
    visit(node);
    if (path.length > MAX_DEPTH) return;
    if (Array.isArray(node)) {
      if (isItemList(node)) {
        for (const item of node) if (typeof item === 'object') visit(item as object);
        found.push({ path, items: node });
      } else {
        for (const [index, item] of node.entries()) walk(item, [...path, index]);
      }
      return;
    }
    if (!isTransparent(node)) return;
    for (const key of Object.keys(node)) walk((node as Record<string, unknown>)[key], [...path, key]);
  };
  walk(value, []);
  return found;
}

/** A copy of `value` with `null` in place of these lists; what leads to them is copied, the rest shared. */
export function withoutLists(value: unknown, paths: readonly Path[]): unknown {
  if (paths.length === 0) return value;
  if (paths.some((path) => path.length === 0)) return null;
  const copy = shallowCopy(value as object);
  for (const key of new Set(paths.map(([first]) => first as string | number))) {
    const below = paths.filter(([first]) => first === key).map(([, ...rest]) => rest);
    copy[key] = withoutLists(copy[key], below);
  }
  return copy;
}

/** Puts lists where `withoutLists` took them from; returns the whole. */
export function withLists(value: unknown, lists: readonly { path: Path; items: unknown[] }[]): unknown {
  let whole = value;
  for (const { path, items } of lists) {
    const last = path.at(-1);
    if (last === undefined) {
      whole = items;
      continue;
    }
    let parent = whole as Record<string | number, unknown>;
    for (const key of path.slice(0, -1)) parent = parent[key] as Record<string | number, unknown>;
    parent[last] = items;
  }
  return whole;
}

function isItemList(list: readonly unknown[]): boolean {
  return list.length > 0 && list.every(isItem);
}

function isItem(item: unknown): boolean {
  if (typeof item === 'string') return true;
  return typeof item === 'object' && item !== null && !isSend(item) && !(item instanceof Uint8Array);
}

function isTransparent(node: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(node);
  return (
    prototype === Object.prototype || prototype === null || isSend(node) || node instanceof DeltaSnapshot
  );
}

function isSend(node: object): boolean {
  return (node as { lg_name?: unknown }).lg_name === 'Send';
}

function shallowCopy(value: object): Record<string | number, unknown> {
  if (Array.isArray(value)) return [...value] as unknown as Record<number, unknown>;
  if (value instanceof DeltaSnapshot) {
    return new DeltaSnapshot(value.value) as unknown as Record<string, unknown>;
  }
  if (!isSend(value)) return { ...value };
  // As the serializer writes it.
  const { node, args, timeout } = value as Record<string, unknown>;
  return timeout === undefined ? { node, args } : { node, args, timeout };
}

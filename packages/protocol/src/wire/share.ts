/** Changes to JSON values that copy only what changes. */

import type { JsonValue } from '../model.ts';

/** The model is JSON; its interfaces only lack the index signature. */
export function asJson(value: object): JsonValue {
  return value as JsonValue;
}

/** `value` without the keys that hold an empty list; the same object if there is none. */
export function dropEmpty<T extends object>(value: T, keys: readonly (keyof T)[]): T {
  let result = value;
  for (const key of keys) {
    const item = value[key];
    if (!Array.isArray(item) || item.length > 0) continue;
    if (result === value) result = { ...value };
    delete result[key];
  }
  return result;
}

/** `value` with one key replaced; the same object if nothing changes. */
export function replace<T extends object, K extends keyof T>(value: T, key: K, next: T[K]): T {
  return value[key] === next ? value : { ...value, [key]: next };
}

/** `list.map(change)`; the same list if every item stays the same. */
export function mapShared<T>(list: T[], change: (item: T) => T): T[] {
  let result = list;
  for (const [index, item] of list.entries()) {
    const next = change(item);
    if (next === item) continue;
    if (result === list) result = [...list];
    result[index] = next;
  }
  return result;
}

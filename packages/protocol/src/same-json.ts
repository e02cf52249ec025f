import type { JsonValue } from './model.ts';

/** Equality of JSON values; the order of keys does not count. */
export function sameJson(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const entries = Object.entries(left);
  if (entries.length !== Object.keys(right).length) return false;
  return entries.every(
    ([key, value]) => Object.hasOwn(right, key) && sameJson(value, (right as typeof left)[key as never]),
  );
}

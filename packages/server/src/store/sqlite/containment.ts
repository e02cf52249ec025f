import type { JsonValue } from '@parley/protocol';
import type { Database } from './database.ts';

/**
 * Lets SQL ask `text_contains(text, part)`, in any case, and `json_contains(json, part)`, which is `@>` of PostgreSQL;
 * NULL is contained in everything.
 */
export function defineContainment({ sqlite }: Database): void {
  sqlite.function('text_contains', { deterministic: true }, (text, part) =>
    Number(String(text).toLowerCase().includes(String(part).toLowerCase())),
  );
  sqlite.function('json_contains', { deterministic: true }, (whole, part) =>
    Number(part === null || contains(JSON.parse(String(whole)), JSON.parse(String(part)))),
  );
}

/** Every member of the part is in the whole, down to its leaves; every item of a list is in the list. */
function contains(whole: JsonValue | undefined, part: JsonValue): boolean {
  if (typeof part !== 'object' || part === null) return whole === part;
  if (typeof whole !== 'object' || whole === null) return false;
  if (Array.isArray(part)) {
    return Array.isArray(whole) && part.every((item) => whole.some((one) => contains(one, item)));
  }
  if (Array.isArray(whole)) return false;
  return Object.entries(part).every(([key, item]) => Object.hasOwn(whole, key) && contains(whole[key], item));
}

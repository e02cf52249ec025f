import { validate, version } from 'uuid';
import { expect, it } from 'vitest';
import { newId } from './new-id.ts';

it('makes version 7 ids, each greater than the one before', () => {
  const ids = Array.from({ length: 5_000 }, newId);
  expect(ids.every((id) => validate(id) && version(id) === 7)).toBe(true);
  expect(ids).toEqual(ids.toSorted());
  expect(new Set(ids).size).toBe(ids.length);
  // Their random ends differ too.
  expect(new Set(ids.map((id) => id.slice(-10))).size).toBe(ids.length);
  const at = Number.parseInt((ids[0] ?? '').replaceAll('-', '').slice(0, 12), 16);
  expect(Math.abs(Date.now() - at)).toBeLessThan(10_000);
});

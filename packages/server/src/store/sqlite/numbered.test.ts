import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { floorOf, keyOf, keysOf, lastOf, numberIn, numberOf } from './numbered.ts';

it.each([1, 2_147_483_646])('keys of %i are in order, its own, and exact', (of) => {
  const keys = [keyOf(of - 1, 4_194_303), keyOf(of, 1), keyOf(of, 2), keyOf(of, 4_194_303), keyOf(of + 1, 1)];
  expect(keys.every(Number.isSafeInteger)).toBe(true);
  expect([...keys].sort((a, b) => a - b)).toEqual(keys);
  const own = keys.filter((key) => key > floorOf(of) && key <= lastOf(of));
  expect(own.map(numberOf)).toEqual([1, 2, 4_194_303]);
  const sqlite = new Sqlite(':memory:');
  sqlite.exec('CREATE TABLE t (id INTEGER PRIMARY KEY) STRICT');
  for (const key of keys) sqlite.prepare('INSERT INTO t VALUES (?)').run(key);
  const sql = `SELECT ${numberIn('id')} FROM t WHERE id ${keysOf('?')}`;
  expect(sqlite.prepare(sql).pluck().all(of, of)).toEqual([1, 2, 4_194_303]);
  expect(
    sqlite
      .prepare(`SELECT ${numberIn('max(id)')} FROM t WHERE id < 0`)
      .pluck()
      .get(),
  ).toBe(0);
});

it('there is no room for more than 4,194,303', () => {
  expect(() => keyOf(1, 4_194_304)).toThrow('more than 4194303');
});

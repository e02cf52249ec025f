import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../database.ts';
import { type ItemList, type Lists, openLists } from './lists.ts';

describe('lists', () => {
  let database: Database;
  let lists: Lists;
  beforeEach(() => {
    database = openDatabase(':memory:');
    lists = openLists(database);
  });
  afterEach(() => database.close());

  const textsOf = (list: ItemList, ranges: number[]) => list.items(ranges).map(({ text }) => text);
  const count = () =>
    database.sqlite.prepare('SELECT count(*) FROM checkpoint_items').pluck().get() as number;

  it('keeps a growing list as one range', () => {
    const list = lists.named(1, 'messages');
    const items = Array.from({ length: 50 }, (_, i) => list.append(`item ${i}`));
    expect(list.rangesOf(items)).toEqual([0, 50]);
    expect(list.rangesOf(items.slice(10))).toEqual([10, 40]);
    expect(textsOf(openLists(database).byId(list.id), [3, 2, 40, 1])).toEqual([
      'item 3',
      'item 4',
      'item 40',
    ]);
  });

  it('bounds what two lists of one name cost that grow in turn', () => {
    const list = lists.named(1, 'messages');
    const left = [list.append('a'.repeat(100))];
    const right = [list.append('b'.repeat(100))];
    let chars = 0;
    for (let i = 0; i < 400; i++) {
      for (const side of [left, right]) {
        side.push(list.append(`${i}`.padEnd(100, 'x')));
        const ranges = list.rangesOf(side);
        chars += JSON.stringify(ranges).length;
        expect(textsOf(list, ranges)).toEqual(side.map(({ text }) => text));
        side.splice(0, side.length, ...list.items(ranges));
      }
    }
    // Unbounded: 800 versions of up to 400 ranges, 1.3 million characters.
    expect(chars + 100 * count()).toBeLessThan(1_000_000);
  });

  it('reads again what its memory had no room for', () => {
    const big = 'x'.repeat(3_000_000);
    const ids = [0, 1, 2, 3, 4].map((lane) => {
      const list = lists.named(lane, 'files');
      list.append(`${lane}${big}`);
      list.append(`${lane}`);
      return list.id;
    });
    for (const [lane, id] of ids.entries())
      expect(textsOf(lists.byId(id), [0, 2])).toEqual([`${lane}${big}`, `${lane}`]);
    expect(lists.named(0, 'files').append('next').n).toBe(2);
  });

  it('forgets what was rolled back', () => {
    const { id } = lists.named(1, 'messages');
    expect(() =>
      database.write(() => {
        lists.byId(id).append('lost');
        throw new Error('no');
      }),
    ).toThrow('no');
    lists.forget(1);
    expect(lists.byId(id).append('kept').n).toBe(0);
    lists.deleteAll(1);
    expect(count()).toBe(0);
  });
});

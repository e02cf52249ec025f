import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTransactions, type Transactions } from './transactions.ts';

describe('parts that share a commit', () => {
  let sqlite: Sqlite.Database;
  let transactions: Transactions;
  let ends: boolean[];
  beforeEach(() => {
    sqlite = new Sqlite(':memory:');
    sqlite.exec('CREATE TABLE t (n INTEGER CHECK (n < 100)) STRICT');
    transactions = openTransactions(sqlite);
    ends = [];
    transactions.onEnd((committed) => ends.push(committed));
  });
  afterEach(() => sqlite.close());

  const add = (n: number): number => sqlite.prepare('INSERT INTO t VALUES (?)').run(n).changes;
  const stored = (): unknown[] => sqlite.prepare('SELECT n FROM t ORDER BY n').pluck().all();

  it('are written in order by one commit, at the end of the turn', async () => {
    const parts = [1, 2, 3].map((n) => transactions.share(() => add(n)));
    expect(stored()).toEqual([]);
    expect(await Promise.all(parts)).toEqual([1, 1, 1]);
    expect(stored()).toEqual([1, 2, 3]);
    expect(ends).toEqual([true]);
  });

  it('fail alone: what the failing one had written is gone, the others stay', async () => {
    const failing = () => {
      add(50);
      throw new Error('refused');
    };
    const parts = [
      transactions.share(() => add(1)),
      transactions.share(failing),
      transactions.share(() => add(2)),
    ];
    const results = await Promise.allSettled(parts);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(results[1]).toMatchObject({ reason: { message: 'refused' } });
    expect(stored()).toEqual([1, 2]);
    expect(ends).toEqual([false, true]);
  });

  it('all fail when the transaction as a whole does', async () => {
    const ending = () => {
      sqlite.exec('ROLLBACK');
      throw new Error('disk full');
    };
    const parts = [
      transactions.share(() => add(1)),
      transactions.share(ending),
      transactions.share(() => add(2)),
    ];
    const results = await Promise.allSettled(parts);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(stored()).toEqual([]);
    expect(ends).toEqual([false]);
    await transactions.share(() => add(3));
    expect(stored()).toEqual([3]);
  });
});

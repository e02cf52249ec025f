import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { trackStagedRuns } from './staged-runs.ts';
import { openTransactions, type TransactionEnd, type Transactions } from './transactions.ts';

let sqlite: Sqlite.Database;
let transactions: Transactions;
let ends: TransactionEnd[];
beforeEach(() => {
  sqlite = new Sqlite(':memory:');
  sqlite.exec('CREATE TABLE parent (id INTEGER PRIMARY KEY) STRICT');
  // A row without its parent makes the commit fail.
  sqlite.exec('CREATE TABLE t (n INTEGER, p INTEGER REFERENCES parent DEFERRABLE INITIALLY DEFERRED) STRICT');
  transactions = openTransactions(sqlite);
  ends = [];
  transactions.onEnd((end) => ends.push(end));
});
afterEach(() => sqlite.close());

const add = (n: number): number => sqlite.prepare('INSERT INTO t (n) VALUES (?)').run(n).changes;
const orphan = (): number => sqlite.prepare('INSERT INTO t VALUES (0, 1)').run().changes;
const stored = (): unknown[] => sqlite.prepare('SELECT n FROM t ORDER BY n').pluck().all();
const refuse = (): never => {
  add(50);
  throw new Error('refused');
};
const fillDisk = (): never => {
  sqlite.exec('ROLLBACK');
  throw new Error('disk full');
};

describe('staged parts', () => {
  it('run at once and share one commit, at the end of the turn', async () => {
    expect([1, 2, 3].map((n) => transactions.stage(() => add(n)))).toEqual([1, 1, 1]);
    expect(stored()).toEqual([1, 2, 3]);
    expect(sqlite.inTransaction).toBe(true);
    await Promise.all([transactions.commit(), transactions.commit()]);
    expect(sqlite.inTransaction).toBe(false);
    expect(ends).toEqual(['committed']);
    await transactions.commit();
    expect(ends).toEqual(['committed']);
  });

  it('are committed soon if nobody asks for it, and with what is written at once', async () => {
    transactions.stage(() => add(1));
    await expect.poll(() => ends).toEqual(['committed']);
    transactions.stage(() => add(2));
    transactions.write(() => add(3));
    expect(sqlite.inTransaction).toBe(false);
    expect(ends).toEqual(['committed', 'committed']);
    expect(stored()).toEqual([1, 2, 3]);
  });

  it('fail alone: what the failing one had written is gone, the others stay', async () => {
    expect(() => transactions.stage(refuse)).toThrow('refused');
    expect(sqlite.inTransaction).toBe(false);
    transactions.stage(() => add(1));
    expect(() => transactions.stage(refuse)).toThrow('refused');
    expect(() => transactions.write(refuse)).toThrow('refused');
    transactions.stage(() => add(2));
    await transactions.commit();
    expect(stored()).toEqual([1, 2]);
    expect(ends).toEqual(['undone', 'undone', 'undone', 'committed']);
  });

  it.each([
    ['a part ends the transaction', () => expect(() => transactions.stage(fillDisk)).toThrow('disk full')],
    ['the commit fails', () => void transactions.stage(orphan)],
  ])('are all lost when %s', async (_, fail) => {
    transactions.stage(() => add(1));
    const waiting = transactions.commit().catch((error: Error) => error);
    fail();
    expect(await waiting).toBeInstanceOf(Error);
    expect(stored()).toEqual([]);
    expect(ends).toEqual(['lost']);
    transactions.write(() => add(3));
    expect(stored()).toEqual([3]);
  });

  it('are lost to the one who commits them, too', () => {
    transactions.stage(orphan);
    expect(() => transactions.write(() => add(1))).toThrow('FOREIGN KEY');
    expect(stored()).toEqual([]);
    expect(ends).toEqual(['lost']);
  });
});

describe('appended writes', () => {
  it('are no part of their own: a failure of SQLite takes all with it, any other nothing', async () => {
    transactions.stage(() => add(1));
    expect(() =>
      transactions.append(() => {
        throw new TypeError('cyclic');
      }),
    ).toThrow('cyclic');
    transactions.append(() => add(2));
    await transactions.commit();
    transactions.stage(() => add(3));
    expect(() => transactions.append(() => sqlite.exec('INSERT INTO nowhere VALUES (1)'))).toThrow('nowhere');
    expect(sqlite.inTransaction).toBe(false);
    expect(stored()).toEqual([1, 2]);
    expect(ends).toEqual(['committed', 'lost']);
  });
});

describe('a run whose staged writes are lost', () => {
  it('writes nothing more until it begins again; other runs go on', async () => {
    const runs = trackStagedRuns(transactions);
    const held = (): void => {};
    runs.append('early', held, () => add(1));
    await transactions.commit();
    runs.append('broken', held, orphan);
    await expect(transactions.commit()).rejects.toThrow('FOREIGN KEY');
    expect(() => runs.append('broken', held, () => add(2))).toThrow('broken');
    expect(() => runs.assertWhole('broken')).toThrow('broken');
    runs.assertWhole('early');
    runs.begin('broken');
    runs.append('broken', held, () => add(3));
    await transactions.commit();
    expect(stored()).toEqual([1, 3]);
  });

  it('is asked whether it is held once a transaction, and again after its end', async () => {
    const runs = trackStagedRuns(transactions);
    let asked = 0;
    const held = (): void => {
      asked += 1;
    };
    for (let n = 0; n < 3; n++) runs.append('run', held, () => add(n));
    expect(asked).toBe(1);
    await transactions.commit();
    runs.append('run', held, () => add(3));
    expect(asked).toBe(2);
    runs.end('run');
    const lost = (): never => {
      throw new Error('taken over');
    };
    expect(() => runs.append('run', lost, () => add(4))).toThrow('taken over');
    await transactions.commit();
    expect(stored()).toEqual([0, 1, 2, 3]);
  });
});

import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Lease } from '../../engine/ports.ts';
import { Unavailable } from '../../engine/unavailable.ts';
import { type StagedRuns, trackStagedRuns } from './staged-runs.ts';
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

describe('writes that join', () => {
  it('are no part of their own: a failure of SQLite takes all with it, any other nothing', async () => {
    transactions.stage(() => add(1));
    expect(() =>
      transactions.join(() => {
        throw new TypeError('cyclic');
      }),
    ).toThrow('cyclic');
    transactions.join(() => add(2));
    await transactions.commit();
    transactions.stage(() => add(3));
    expect(() => transactions.join(() => sqlite.exec('INSERT INTO nowhere VALUES (1)'))).toThrow('nowhere');
    expect(sqlite.inTransaction).toBe(false);
    expect(stored()).toEqual([1, 2]);
    expect(ends).toEqual(['committed', 'lost']);
  });
});

describe('a transaction that SQLite ends outside of every part', () => {
  it.each(['waits', 'asks later', 'writes'] as const)('is lost to whoever %s', async (who) => {
    transactions.stage(() => add(1));
    const waiting = who === 'waits' ? transactions.commit().catch((error: Error) => error) : undefined;
    // As a read does that fails with an I/O error.
    sqlite.exec('ROLLBACK');
    if (waiting) expect(await waiting).toBeInstanceOf(Error);
    if (who === 'asks later') await expect(transactions.commit()).rejects.toThrow(Unavailable);
    if (who === 'writes') transactions.write(() => add(2));
    expect(ends).toEqual(who === 'writes' ? ['lost', 'committed'] : ['lost']);
    transactions.write(() => add(3));
    expect(stored()).toEqual(who === 'writes' ? [2, 3] : [3]);
  });
});

describe('a run with staged writes', () => {
  let runs: StagedRuns;
  let asked: number;
  let takenOver: Lease | undefined;
  beforeEach(() => {
    asked = 0;
    takenOver = undefined;
    runs = trackStagedRuns(transactions, (of) => {
      asked += 1;
      if (of === takenOver) throw new Error('taken over');
    });
  });
  const lease = (epoch = 1): Lease => ({ runId: 'run', epoch }) as Lease;
  const join = (of: Lease, body: () => number): number => runs.write(of, transactions.join, body);

  it('writes nothing more once they are lost; other runs and its own next attempt do', async () => {
    const [early, broken, next] = [lease(), lease(), lease(2)];
    join(early, () => add(1));
    await transactions.commit();
    join(broken, orphan);
    await expect(transactions.commit()).rejects.toThrow('FOREIGN KEY');
    expect(() => join(broken, () => add(2))).toThrow('was lost');
    expect(() => runs.assertWhole(broken)).toThrow('was lost');
    runs.assertWhole(early);
    join(next, () => add(3));
    await transactions.commit();
    expect(stored()).toEqual([1, 3]);
  });

  it('is asked whether it is held if nothing is known, after a doubt and after its end', async () => {
    const run = lease();
    for (let n = 0; n < 3; n++) join(run, () => add(n));
    await transactions.commit();
    join(run, () => add(3));
    expect(asked).toBe(1);
    runs.doubt();
    join(run, () => add(4));
    expect(asked).toBe(2);
    runs.end(run);
    takenOver = run;
    expect(() => join(run, () => add(5))).toThrow('taken over');
    await transactions.commit();
    expect(stored()).toEqual([0, 1, 2, 3, 4]);
  });

  it('is not asked when it was given out just now, unless that was lost', async () => {
    const run = lease();
    transactions.stage(() => runs.begin(run));
    join(run, () => add(1));
    expect(asked).toBe(0);
    transactions.stage(orphan);
    await expect(transactions.commit()).rejects.toThrow('FOREIGN KEY');
    runs.assertHeld(run);
    expect(asked).toBe(1);
  });

  it('is asked for each attempt', () => {
    const old = lease(1);
    takenOver = old;
    join(lease(2), () => add(1));
    expect(() => join(old, () => add(2))).toThrow('taken over');
    expect(stored()).toEqual([1]);
  });

  it('is whole after a write that failed alone, whatever is lost later', async () => {
    const run = lease();
    expect(() => join(run, refuse)).toThrow('refused');
    transactions.stage(orphan);
    await expect(transactions.commit()).rejects.toThrow('FOREIGN KEY');
    runs.assertWhole(run);
  });

  it('is not whole when its own first write took the transaction with it', () => {
    transactions.stage(() => add(1));
    const run = lease();
    expect(() => join(run, () => sqlite.prepare('INSERT INTO nowhere VALUES (1)').run().changes)).toThrow();
    expect(() => runs.assertWhole(run)).toThrow('was lost');
    expect(stored()).toEqual([]);
  });
});

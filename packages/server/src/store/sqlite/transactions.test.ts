import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openRows, type Rows } from '../../../test/rows.ts';
import { Unavailable } from '../../engine/unavailable.ts';
import type { TransactionEnd } from './transactions.ts';

let { sqlite, transactions, add, orphan, refuse, stored }: Rows = openRows();
let ends: TransactionEnd[];
beforeEach(() => {
  ({ sqlite, transactions, add, orphan, refuse, stored } = openRows());
  ends = [];
  transactions.onEnd((end) => ends.push(end));
});
afterEach(() => sqlite.close());

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
    expect(await waiting).toBeInstanceOf(Unavailable);
    expect(stored()).toEqual([]);
    expect(ends).toEqual(['lost']);
    transactions.write(() => add(3));
    expect(stored()).toEqual([3]);
  });

  it('are lost to the one who commits them, too', () => {
    transactions.stage(orphan);
    expect(() => transactions.write(() => add(1))).toThrow(Unavailable);
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
    const bystander = transactions.commit().catch((error: Error) => error);
    expect(() => transactions.join(() => sqlite.exec('INSERT INTO nowhere VALUES (1)'))).toThrow('nowhere');
    expect(await bystander).toBeInstanceOf(Unavailable);
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
    if (waiting) expect(await waiting).toBeInstanceOf(Unavailable);
    if (who === 'asks later') await expect(transactions.commit()).rejects.toThrow(Unavailable);
    if (who === 'writes') transactions.write(() => add(2));
    expect(ends).toEqual(who === 'writes' ? ['lost', 'committed'] : ['lost']);
    transactions.write(() => add(3));
    expect(stored()).toEqual(who === 'writes' ? [2, 3] : [3]);
  });
});

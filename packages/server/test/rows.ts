import Sqlite from 'better-sqlite3';
import { openTransactions, type Transactions } from '../src/store/sqlite/transactions.ts';

/** A table in memory with transactions on it, and what tests write there. */
export interface Rows {
  sqlite: Sqlite.Database;
  transactions: Transactions;
  add(n: number): number;
  /** A row without its parent: the commit will fail. */
  orphan(): number;
  /** Throws after it has written. */
  refuse(): never;
  stored(): unknown[];
}

export function openRows(): Rows {
  const sqlite = new Sqlite(':memory:');
  sqlite.exec('CREATE TABLE parent (id INTEGER PRIMARY KEY) STRICT');
  sqlite.exec('CREATE TABLE t (n INTEGER, p INTEGER REFERENCES parent DEFERRABLE INITIALLY DEFERRED) STRICT');
  const add = (n: number): number => sqlite.prepare('INSERT INTO t (n) VALUES (?)').run(n).changes;
  return {
    sqlite,
    transactions: openTransactions(sqlite),
    add,
    orphan: () => sqlite.prepare('INSERT INTO t VALUES (0, 1)').run().changes,
    refuse: () => {
      add(50);
      throw new Error('refused');
    },
    stored: () => sqlite.prepare('SELECT n FROM t ORDER BY n').pluck().all(),
  };
}

import { type Database, openDatabase } from '../../packages/server/src/store/sqlite/database.ts';

/** A database in memory of which SQLite itself refuses a commit: a row has no parent, which only the commit looks at. */
export interface Refusable {
  database: Database;
  /** The transaction that is open, or else the next one, will be refused. */
  refuse(): void;
}

export function openRefusable(): Refusable {
  const database = openDatabase(':memory:');
  const { sqlite } = database;
  sqlite.exec('CREATE TABLE orphans (parent INTEGER REFERENCES tasks DEFERRABLE INITIALLY DEFERRED) STRICT');
  const add = sqlite.prepare('INSERT INTO orphans VALUES (-1)');
  return { database, refuse: () => database.stage(() => void add.run()) };
}

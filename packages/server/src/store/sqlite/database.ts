import { accessSync, constants, existsSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import Sqlite from 'better-sqlite3';
import { StoreError } from '../store-error.ts';
import { heedHolds } from './checkpoint-hold.ts';
import { flushLog } from './flush-log.ts';
import { damageOfLog } from './log-damage.ts';
import { MIGRATIONS } from './migrations/index.ts';
import { openTransactions, type Transactions } from './transactions.ts';

export interface Database extends Transactions {
  readonly sqlite: Sqlite.Database;
  /** What was found to be lost when the file was opened. */
  readonly damage?: string;
  close(): void;
}

/** Marks a file as ours in its header: "PRLY". */
const APPLICATION_ID = 0x50524c59;

/**
 * A commit writes and checksums whole pages, and a turn touches some twenty that hold few bytes of it: 245 µs, with pages
 * of 4,096 bytes 290. Half of it again would save 5 µs more and need half as much disk again.
 */
const PAGE_BYTES = 2_048;

/**
 * 32 MiB of WAL, carried over to the file every 700 turns within 13 ms. The default of 4 MiB does it every 40 turns: a
 * fifth of their time.
 */
const CHECKPOINT_PAGES = 16_000;

/** Up to here every page is looked at when a server starts. */
const CHECKED_BYTES = 128 * 1_048_576;

/** A process that is just ending may hold the file this long. */
const LOCK_WAIT_MS = 1_000;

/** Opens, locks, recovers and migrates a database file; `:memory:` is one that is gone after `close`. */
export function openDatabase(file: string): Database {
  if (file === ':memory:') return connect(new Sqlite(file), file);
  const path = resolve(file);
  try {
    // Node's mkdir says of a file system that is read-only that there is no such folder.
    accessSync(nearestFolder(path), constants.W_OK);
    mkdirSync(dirname(path), { recursive: true });
    // The write-ahead log is a file beside it.
    for (const one of [dirname(path), path]) if (existsSync(one)) accessSync(one, constants.W_OK);
    const damage = damageOfLog(`${path}-wal`);
    const sqlite = new Sqlite(path, { timeout: LOCK_WAIT_MS });
    try {
      sqlite.pragma('locking_mode = EXCLUSIVE');
      refuseForeign(sqlite, path);
      lock(sqlite);
      refuseTorn(sqlite, path);
      refuseUnsound(sqlite, path);
      return { ...connect(sqlite, path), ...(damage === undefined ? {} : { damage }) };
    } catch (error) {
      sqlite.close();
      throw error;
    }
  } catch (error) {
    throw explainSqlite(error, path);
  }
}

/** The folder of a file, or the first above it that is there. */
export function nearestFolder(file: string): string {
  let folder = dirname(file);
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

/**
 * One process per file: the lock is the operating system's, so it ends with the process, and the WAL index stays in
 * memory. synchronous NORMAL survives a killed process without loss; a power cut may lose the commits of the last 250
 * ms (`flush-log.ts`), not the file. A commit of one row takes 9 µs; with FULL, which syncs every one, 0.7 ms, and 8 ms
 * at the 99th percentile.
 */
function lock(sqlite: Sqlite.Database): void {
  sqlite.pragma(`page_size = ${PAGE_BYTES}`);
  sqlite.pragma('journal_mode = WAL');
  sqlite.pragma('synchronous = NORMAL');
  sqlite.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  sqlite.exec('BEGIN EXCLUSIVE; COMMIT');
  sqlite.pragma('wal_checkpoint(TRUNCATE)');
}

function connect(sqlite: Sqlite.Database, file: string): Database {
  sqlite.pragma('foreign_keys = ON');
  sqlite.pragma('temp_store = MEMORY');
  migrate(sqlite, file);
  const transactions = openTransactions(sqlite);
  // A full log may be all that is in the way: what it holds is carried over, and it begins anew.
  transactions.onEnd((end) => {
    if (end === 'lost') checkpoint(sqlite);
  });
  const stops =
    file === ':memory:'
      ? []
      : [flushLog(`${realpathSync(file)}-wal`, transactions), heedHolds(sqlite, file, CHECKPOINT_PAGES)];
  const close = (): void => {
    for (const stop of stops) stop();
    try {
      if (sqlite.inTransaction) transactions.write(() => {});
    } finally {
      sqlite.close();
    }
  };
  return { sqlite, ...transactions, close };
}

function checkpoint(sqlite: Sqlite.Database): void {
  try {
    sqlite.pragma('wal_checkpoint(PASSIVE)');
  } catch {
    // The disk has no room for it either.
  }
}

/** Before anything is written: nobody else's database is changed. */
export function refuseForeign(sqlite: Sqlite.Database, file: string): void {
  const id = pragma(sqlite, 'application_id');
  if (id === APPLICATION_ID) return;
  const { n } = sqlite.prepare('SELECT count(*) AS n FROM sqlite_schema').get() as { n: number };
  if (id === 0 && n === 0) return;
  throw new StoreError('foreign-database', `${file} belongs to another application: name another file`);
}

/** Reading a missing page fails much later; the size tells at once. */
export function refuseTorn(sqlite: Sqlite.Database, file: string, name: string = file): void {
  const bytes = statSync(file).size;
  if (bytes >= pragma(sqlite, 'page_count') * pragma(sqlite, 'page_size')) return;
  throw new StoreError('damaged', `${name} is cut short at ${bytes} bytes: ${RESTORE}`);
}

/**
 * A page that is not what its table expects may hide rows without an error. Looking at all of them takes 0.5 s
 * for 200 MB: a larger file is left to `parley doctor`.
 */
function refuseUnsound(sqlite: Sqlite.Database, file: string): void {
  if (statSync(file).size > CHECKED_BYTES) return;
  const found = sqlite.pragma('quick_check(1)', { simple: true });
  if (found === 'ok') return;
  throw new StoreError('damaged', `${file} is damaged (${found}): ${RESTORE}`);
}

function migrate(sqlite: Sqlite.Database, file: string): void {
  const from = pragma(sqlite, 'user_version');
  if (from > MIGRATIONS.length) {
    const versions = `its schema is ${from}, this version knows ${MIGRATIONS.length}`;
    throw new StoreError(
      'newer-schema',
      `${file} was written by a newer Parley (${versions}): upgrade Parley`,
    );
  }
  for (const [index, sql] of MIGRATIONS.entries()) {
    if (index < from) continue;
    sqlite.transaction(() => {
      sqlite.exec(sql);
      sqlite.pragma(`application_id = ${APPLICATION_ID}`);
      sqlite.pragma(`user_version = ${index + 1}`);
    })();
  }
}

function pragma(sqlite: Sqlite.Database, name: string): number {
  return sqlite.pragma(name, { simple: true }) as number;
}

const RESTORE = 'restore it from a backup, and leave no -wal of another file beside it';

const NO_ACCESS: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS']);

/** A `StoreError` that names `file` in place of what SQLite or the file system says. */
export function explainSqlite(error: unknown, file: string): unknown {
  if (error instanceof StoreError || !(error instanceof Error)) return error;
  const code = 'code' in error ? String(error.code) : '';
  if (code.startsWith('SQLITE_BUSY')) {
    return new StoreError(
      'locked',
      `${file} is in use by another server: stop it or name another file`,
      error,
    );
  }
  if (code.startsWith('SQLITE_NOTADB')) {
    return new StoreError('not-a-database', `${file} is not a SQLite database: name another file`, error);
  }
  if (code.startsWith('SQLITE_CORRUPT')) {
    return new StoreError('damaged', `${file} is damaged: ${RESTORE}`, error);
  }
  if (code.startsWith('SQLITE_FULL') || code === 'ENOSPC') {
    return new StoreError('unavailable', `${file}: no space is left on its disk: make room`, error);
  }
  if (code.startsWith('SQLITE_READONLY') || NO_ACCESS.has(code)) {
    return new StoreError(
      'read-only',
      `${file} or its folder cannot be written to: change its permissions`,
      error,
    );
  }
  return new StoreError('unavailable', `${file} cannot be opened: ${error.message}`, error);
}

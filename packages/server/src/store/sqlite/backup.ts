import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { constants, copyFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { StoreError } from '../store-error.ts';
import { holdCheckpoints, LOOK_MS } from './checkpoint-hold.ts';
import { explainSqlite, refuseForeign, refuseTorn } from './database.ts';

const ATTEMPTS = 5;
const WAL_HEADER_BYTES = 32;

/**
 * Writes what is committed in a database to `copy`, which is new, as a database in one file. A server may go on
 * writing to it. Throws `StoreError` if the database is no good one, and Node's errors for `copy`.
 *
 * A server locks its file for itself, so no second connection can read it, and SQLite's own online backup would have to
 * run in the server: on its event loop, where the server's user may write. Two files can be read in spite of the lock.
 * While the log begins with the same header it only grows, and it holds every page that a checkpoint may be writing to
 * the database meanwhile: the database copied first and the log after it are what a power cut would have left, which
 * SQLite recovers. If the log began anew in between, the copy is made again, and the server is asked to hold.
 */
export async function backupDatabase(database: string, copy: string): Promise<{ bytes: number }> {
  const source = realpathSync(database);
  await copyFiles(source, copy);
  try {
    return settle(copy, source);
  } catch (error) {
    // Only the copy is written to.
    if (error instanceof Sqlite.SqliteError && /^SQLITE_(?:FULL|IOERR)/.test(error.code)) {
      throw new StoreError('unavailable', `the copy cannot be written: ${error.message}`, error);
    }
    throw explainSqlite(error, source);
  }
}

async function copyFiles(source: string, copy: string): Promise<void> {
  let release: (() => void) | undefined;
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (await copiedUnmoved(source, copy)) return;
      if (release) continue;
      release = holdCheckpoints(source);
      await sleep(2 * LOOK_MS);
    }
  } finally {
    release?.();
  }
  throw new StoreError(
    'unavailable',
    `${source} was written over ${ATTEMPTS} times while it was copied: try again when less goes on`,
  );
}

async function copiedUnmoved(source: string, copy: string): Promise<boolean> {
  const wal = `${source}-wal`;
  rmSync(`${copy}-wal`, { force: true });
  const before = generation(source, wal);
  await copyFile(source, copy, constants.COPYFILE_FICLONE);
  if (existsSync(wal)) {
    await copyFile(wal, `${copy}-wal`, constants.COPYFILE_FICLONE).catch((error: NodeJS.ErrnoException) => {
      // The server has just closed it.
      if (error.code !== 'ENOENT' || existsSync(wal)) throw error;
    });
  }
  return generation(source, wal) === before;
}

/** Changes when the log begins anew; without a log, when the database changes. */
function generation(source: string, wal: string): string {
  const header = readHeader(wal);
  if (header.length === WAL_HEADER_BYTES) return header.toString('hex');
  const { ino, size, mtimeNs } = statSync(source, { bigint: true });
  return `${ino} ${size} ${mtimeNs}`;
}

function readHeader(wal: string): Buffer {
  let fd: number;
  try {
    fd = openSync(wal, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
  try {
    const header = Buffer.alloc(WAL_HEADER_BYTES);
    return header.subarray(0, readSync(fd, header, 0, WAL_HEADER_BYTES, 0));
  } finally {
    closeSync(fd);
  }
}

/** Carries the log over, and looks at every page: a backup that cannot be read is none. */
function settle(copy: string, source: string): { bytes: number } {
  const sqlite = new Sqlite(copy, { fileMustExist: true });
  try {
    sqlite.pragma('locking_mode = EXCLUSIVE');
    refuseForeign(sqlite, source);
    if (statSync(copy).size === 0) {
      throw new StoreError('not-a-database', `${source} is empty: name another file`);
    }
    sqlite.pragma('wal_checkpoint(TRUNCATE)');
    refuseTorn(sqlite, copy, source);
    const found = sqlite.pragma('quick_check(1)', { simple: true });
    if (found !== 'ok') {
      throw new StoreError(
        'damaged',
        `${source} is damaged: ${found}; an earlier backup is better than this one`,
      );
    }
  } finally {
    sqlite.close();
  }
  const fd = openSync(copy, 'r+');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  return { bytes: statSync(copy).size };
}

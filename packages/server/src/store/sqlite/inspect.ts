import { closeSync, mkdtempSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { backupDatabase } from './backup.ts';
import { MIGRATIONS } from './migrations/index.ts';

/** Of this version. */
export const SCHEMA_VERSION: number = MIGRATIONS.length;

/** Bytes of a database with its log. */
export function databaseBytes(file: string): number {
  const sizeOf = (one: string): number => statSync(one, { throwIfNoEntry: false })?.size ?? 0;
  return sizeOf(file) + sizeOf(`${file}-wal`);
}

/** As the header of the file has it: what is in the log alone does not count. 0: not said. */
export function schemaVersionOf(file: string): number {
  const fd = openSync(file, 'r');
  try {
    const header = Buffer.alloc(100);
    readSync(fd, header, 0, header.length, 0);
    return header.toString('latin1', 0, 15) === 'SQLite format 3' ? header.readUInt32BE(60) : 0;
  } finally {
    closeSync(fd);
  }
}

/** Whether a server has it open. A connection that may not write leaves no trace, whatever it finds. */
export function isInUse(file: string): boolean {
  const sqlite = new Sqlite(file, { readonly: true, fileMustExist: true, timeout: 0 });
  try {
    sqlite.pragma('locking_mode = EXCLUSIVE');
    sqlite.prepare('SELECT 1 FROM sqlite_schema').get();
    return false;
  } catch (error) {
    return error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY');
  } finally {
    sqlite.close();
  }
}

/**
 * Looks at every page of a copy, which a server that runs does not notice, and says when the last event was written, in
 * milliseconds since 1970. Throws `StoreError` as `backupDatabase` does.
 */
export async function inspectCopy(file: string): Promise<{ lastWriteAt: number | undefined }> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-doctor-'));
  try {
    const copy = join(folder, 'copy.db');
    await backupDatabase(file, copy);
    const sqlite = new Sqlite(copy);
    try {
      const last = sqlite.prepare('SELECT max(at) FROM events').pluck().get() as number | null;
      return { lastWriteAt: last ?? undefined };
    } finally {
      sqlite.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

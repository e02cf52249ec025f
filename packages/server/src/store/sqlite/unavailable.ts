import Sqlite from 'better-sqlite3';
import { Unavailable } from '../../engine/unavailable.ts';

/** A statement fails through no fault of its own. */
const TROUBLE = /^SQLITE_(?:FULL|IOERR|READONLY|NOMEM|CANTOPEN|BUSY)/;

/** `Unavailable` in place of what SQLite throws when the disk or the file is at fault. */
export function asUnavailable(error: unknown): unknown {
  return error instanceof Sqlite.SqliteError && TROUBLE.test(error.code) ? new Unavailable(error) : error;
}

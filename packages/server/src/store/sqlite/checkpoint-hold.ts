import { realpathSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import type Sqlite from 'better-sqlite3';

/** How often a server looks for a hold. */
export const LOOK_MS = 250;
const RENEW_MS = 1_000;
/** Whoever holds has died, or its clock is another one. */
const STALE_MS = 10_000;

/** A file beside the database. While it is fresh, nothing is carried over from the log to the database file. */
function holdOf(database: string): string {
  return `${realpathSync(database)}-hold`;
}

/** Asks whoever has the database open to leave its file as it is; its log grows meanwhile. Returns what ends it. */
export function holdCheckpoints(database: string): () => void {
  const file = holdOf(database);
  writeFileSync(file, `${process.pid}\n`);
  const timer = setInterval(() => {
    try {
      utimesSync(file, new Date(), new Date());
    } catch {
      // Somebody has removed it; the backup finds out whether that mattered.
    }
  }, RENEW_MS);
  return () => {
    clearInterval(timer);
    rmSync(file, { force: true });
  };
}

/** Heeds holds on an open database: `pages` of log are carried over at once otherwise. Returns what stops it. */
export function heedHolds(sqlite: Sqlite.Database, database: string, pages: number): () => void {
  const file = holdOf(database);
  let held = false;
  const timer = setInterval(() => {
    const changed = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
    const now = changed !== undefined && Math.abs(Date.now() - changed) < STALE_MS;
    if (now === held) return;
    held = now;
    sqlite.pragma(`wal_autocheckpoint = ${held ? 0 : pages}`);
  }, LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}

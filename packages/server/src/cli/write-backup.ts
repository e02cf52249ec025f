import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { backupDatabase } from '../store/sqlite/backup.ts';
import { StoreError } from '../store/store-error.ts';
import { CliError, EXIT, type ExitCode } from './exit.ts';
import type { Io } from './io.ts';
import { createOut } from './out.ts';

interface Backup {
  database: string;
  file: string;
  force: boolean;
  json: boolean;
}

/** Writes beside the file and renames: it is there whole, or not at all. */
export async function writeBackup({ database, file, force, json }: Backup, io: Io): Promise<ExitCode> {
  const target = resolve(file);
  assertDatabase(database);
  assertTarget(target, database, force);
  const partial = `${target}.partial-${randomUUID().slice(0, 8)}`;
  const remove = (): void => {
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${partial}${suffix}`, { force: true });
  };
  const onSignal = (): void => {
    remove();
    process.exit(EXIT.failed);
  };
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  try {
    const { bytes } = await backupDatabase(database, partial);
    assertTarget(target, database, force);
    renameSync(partial, target);
    flushFolder(dirname(target));
    const out = createOut(io, { json });
    if (json) out.value({ database, file: target, bytes });
    else out.line(`${target}: ${bytes} bytes, a checked copy of ${database}`);
    return EXIT.ok;
  } catch (error) {
    throw explain(error, target, database);
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
    remove();
  }
}

function assertDatabase(database: string): void {
  if (database === ':memory:') {
    throw refusal('no-database', '--database :memory: is kept in no file: there is nothing to copy');
  }
  const found = statSync(database, { throwIfNoEntry: false });
  if (found?.isFile()) return;
  const what = found ? 'is no file' : 'is not there';
  throw refusal(
    'no-database',
    `the database ${database} ${what}: name it with --database, or its langgraph.json with --config`,
  );
}

function assertTarget(target: string, database: string, force: boolean): void {
  const folder = statSync(dirname(target), { throwIfNoEntry: false });
  if (!folder?.isDirectory()) {
    throw refusal('no-folder', `the folder ${dirname(target)} is not there: make it, or name another file`);
  }
  const there = statSync(target, { throwIfNoEntry: false });
  const source = statSync(database);
  if (there && there.ino === source.ino && there.dev === source.dev) {
    throw refusal('same-file', `${target} is the database itself: name another file`);
  }
  const owner = ownerOf(target);
  if (owner !== undefined) {
    throw refusal('same-file', `${target} belongs to the database ${owner}: name another file`);
  }
  if (there && !there.isFile()) throw refusal('no-file', `${target} is no file: name another one`);
  if (there && !force) throw refusal('file-exists', `${target} exists: name another file, or give --force`);
  // SQLite would take it for the log of the backup.
  if (statSync(`${target}-wal`, { throwIfNoEntry: false })) {
    throw refusal('file-in-use', `${target}-wal exists: ${target} is a database in use; name another file`);
  }
}

/** What SQLite and a server keep beside a database. */
const BESIDE = ['-wal', '-shm', '-journal', '-hold'];

/** The file beside which a file of this name would be taken for a part of it. */
function ownerOf(target: string): string | undefined {
  const suffix = BESIDE.find((one) => target.endsWith(one));
  const owner = suffix && target.slice(0, -suffix.length);
  return owner && statSync(owner, { throwIfNoEntry: false })?.isFile() ? owner : undefined;
}

function refusal(code: string, message: string): CliError {
  return new CliError(EXIT.usage, message, { details: { code, message } });
}

function flushFolder(folder: string): void {
  try {
    const fd = openSync(folder, 'r');
    fsyncSync(fd);
    closeSync(fd);
  } catch {
    // Not every system can.
  }
}

const NOT_A_BACKUP: ReadonlySet<string> = new Set(['not-a-database', 'foreign-database']);

function explain(error: unknown, target: string, database: string): unknown {
  if (error instanceof CliError || !(error instanceof Error)) return error;
  if (error instanceof StoreError) {
    const { code } = error;
    const message = `no backup is made: ${error.message}`;
    const exit = NOT_A_BACKUP.has(code) ? EXIT.usage : EXIT.failed;
    return new CliError(exit, message, { details: { code, message }, cause: error });
  }
  const { code = 'unknown', path } = error as NodeJS.ErrnoException;
  const problems: { [code: string]: string } = {
    ENOSPC: `no space is left for ${target}`,
    EDQUOT: `no space is left for ${target}`,
    EFBIG: `${target} would be larger than a file may be there`,
    EACCES: `${path?.startsWith(database) ? database : dirname(target)} may not be used by this user`,
    EPERM: `${dirname(target)} may not be written to`,
    EROFS: `${dirname(target)} is on a file system that is read-only`,
  };
  const message = `no backup is made: ${problems[code] ?? error.message}`;
  return new CliError(EXIT.failed, message, { details: { code, message }, cause: error });
}

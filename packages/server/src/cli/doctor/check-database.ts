import { accessSync, constants, statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { nearestFolder } from '../../store/sqlite/database.ts';
import {
  databaseBytes,
  inspectCopy,
  isInUse,
  SCHEMA_VERSION,
  schemaVersionOf,
} from '../../store/sqlite/inspect.ts';
import { StoreError } from '../../store/store-error.ts';
import { checkClock } from './check-clock.ts';
import { type Finding, findingsOf, messageOf } from './finding.ts';

const { ok, warning, problem } = findingsOf('database');

/** A log may need this much, and a checkpoint as much again. */
const LEAST_FREE_BYTES = 64 * 1_048_576;

export interface DatabaseFindings {
  findings: Finding[];
  /** A server has it open. */
  inUse: boolean;
}

/** The file, its folder, its pages and its times. Nothing is written there. */
export async function checkDatabase(file: string): Promise<DatabaseFindings> {
  if (file === ':memory:') {
    const remedy = 'leave --database out if tasks are to outlive the server';
    return { findings: [warning('nothing is kept: --database is :memory:', remedy)], inUse: false };
  }
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found) return { findings: [checkPlace(file)], inUse: false };
  if (!found.isFile()) {
    return { findings: [problem(`${file} is no file`, 'name a file with --database')], inUse: false };
  }
  const unwritable = [dirname(file), file].find((one) => !isWritable(one));
  if (unwritable !== undefined) {
    const remedy =
      'give the user of the server the right to write there, or name another file with --database';
    return { findings: [problem(`${unwritable} cannot be written to`, remedy)], inUse: false };
  }
  const inUse = isInUse(file);
  const bytes = databaseBytes(file);
  const what = `${file}: ${bytes} bytes${inUse ? ', in use by a server' : ''}`;
  const free = freeFinding(file);
  const looked = await look(file, bytes, what);
  return { findings: [...looked, ...(free ? [free] : [])], inUse };
}

async function look(file: string, bytes: number, what: string): Promise<Finding[]> {
  const version = schemaVersionOf(file);
  if (version > SCHEMA_VERSION && bytes > 0) {
    const message = `${file} has schema ${version}, this version knows ${SCHEMA_VERSION}`;
    return [problem(message, 'upgrade Parley, or name another file with --database')];
  }
  if (bytes === 0) return [ok(`${what}: it is empty, and will be filled`)];
  if (freeBytes(tmpdir()) < 2 * bytes) {
    const remedy = `let TMPDIR name a folder with ${2 * bytes} bytes free, or take a backup, which is checked too`;
    return [warning(`${what}, not checked: ${tmpdir()} has no room for a copy`, remedy)];
  }
  try {
    const { lastWriteAt } = await inspectCopy(file);
    return [ok(`${what}, every page is sound`), checkClock(file, lastWriteAt, Date.now())];
  } catch (error) {
    const remedies: { [code: string]: string } = {
      damaged: 'stop the server and restore a backup (docs/cli.md)',
      'not-a-database': 'name another file with --database',
      'foreign-database': 'name another file with --database',
      unavailable: 'try again when less goes on',
    };
    const code = error instanceof StoreError ? error.code : '';
    return [
      problem(messageOf(error), remedies[code] ?? 'see that this user may read the file and its folder'),
    ];
  }
}

/** It is not there: it will be made, with its folders. */
function checkPlace(file: string): Finding {
  const folder = nearestFolder(file);
  if (!statSync(folder).isDirectory() || !isWritable(folder)) {
    return problem(
      `${file} cannot be made: ${folder} cannot be written to`,
      'give the user of the server the right to write there, or name another file with --database',
    );
  }
  return ok(`${file} is not there and will be made`);
}

function freeFinding(file: string): Finding | undefined {
  const free = freeBytes(dirname(file));
  if (free >= LEAST_FREE_BYTES) return undefined;
  return warning(
    `${dirname(file)} has ${free} bytes free`,
    `make room: with less than ${LEAST_FREE_BYTES} messages may soon be refused; taskTtl and eventTtl say what is forgotten when`,
  );
}

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

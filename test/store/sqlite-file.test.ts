import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isTerminal } from '@parley/protocol';
import Sqlite from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../packages/server/src/store/sqlite/database.ts';
import { MIGRATIONS } from '../../packages/server/src/store/sqlite/migrations/index.ts';
import { openSqliteStore } from '../../packages/server/src/store/sqlite/open.ts';
import { folded } from './folded.ts';
import { claim, claimOne, complete, delta, inbound, logOf, refOf, send, stateOf } from './scenario.ts';

let folder: string;
let files = 0;
const children = new Set<ChildProcess>();
const newFile = () => join(folder, `${files++}.db`);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-files-'));
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A process of its own on `file`; `lines` are what it says. */
function startWriter(
  file: string,
  { hold = false, uid }: { hold?: boolean; uid?: number | undefined } = {},
): { child: ChildProcess; lines: AsyncIterator<string> } {
  const script = fileURLToPath(new URL('./writer.ts', import.meta.url));
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', '--conditions=@parley/source', script, file, ...(hold ? ['hold'] : [])],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      ...(uid === undefined ? {} : { uid, env: { ...process.env, TMPDIR: join(folder, 'tmp') } }),
    },
  );
  children.add(child);
  if (!child.stdout) throw new Error('no output');
  return { child, lines: createInterface(child.stdout)[Symbol.asyncIterator]() };
}

describe('a database file', () => {
  it('keeps everything across a restart', async () => {
    const file = newFile();
    const before = openSqliteStore({ file });
    const done = await send(before, { contextId: 'a' });
    await complete(before, await claimOne(before));
    const running = await send(before, { contextId: 'a' });
    const lease = await claimOne(before);
    await before.append(lease, [delta(lease, 'd', 'x', false)]);
    await before.close();
    await expect(before.append(lease, [])).rejects.toThrow();

    const after = openSqliteStore({ file });
    expect(await stateOf(after, done)).toBe('TASK_STATE_COMPLETED');
    expect(await after.reap(true)).toBe(1);
    expect(await claimOne(after)).toMatchObject({ runId: running.runId, epoch: 2, attempt: 2 });
    expect(await after.snapshot(refOf(running))).toEqual(await folded(after, running.taskId));
    await after.close();
  });

  it('loses nothing that was committed when its process is killed', async () => {
    const file = newFile();
    for (let round = 0; round < 3; round++) {
      const { child, lines } = startWriter(file);
      const committed = new Map<string, number>();
      for (let line = 0; line < 200 + round * 37; line++) {
        const { value } = await lines.next();
        const [taskId = '', seq] = String(value).split(' ');
        if (seq) committed.set(taskId, Number(seq));
      }
      child.kill('SIGKILL');
      await once(child, 'exit');
      expect(committed.size).toBeGreaterThan(10);

      const store = openSqliteStore({ file });
      for (const [taskId, seq] of committed) {
        const log = await store.read(taskId, 0, 1_000);
        expect(log.length).toBeGreaterThanOrEqual(seq);
        expect(log.map((event) => event.seq)).toEqual(log.map((_, i) => i + 1));
        expect(await store.snapshot(refOf({ taskId }))).toEqual(await folded(store, taskId));
        const ends = (await logOf(store, taskId)).map(
          (event) => 'statusUpdate' in event && isTerminal(event.statusUpdate.status.state),
        );
        expect(ends.filter(Boolean).length).toBeLessThanOrEqual(1);
      }
      await store.reap(true);
      for (const lease of await claim(store, 10)) await complete(store, lease);
      await store.close();
    }
  });

  it.skipIf(process.platform !== 'linux')('is let go of when it is closed (seen through /proc)', async () => {
    const file = newFile();
    const openHere = () =>
      readdirSync('/proc/self/fd').filter((fd) => {
        try {
          return readlinkSync(`/proc/self/fd/${fd}`).startsWith(file);
        } catch {
          return false; // Closed in between.
        }
      });
    const store = openSqliteStore({ file });
    await send(store);
    // The log, and once more to flush it.
    expect(openHere()).toHaveLength(3);
    // A flush may be on its way.
    await sleep(260);
    await store.close();
    await store.close();
    await expect.poll(openHere).toEqual([]);
  });

  it.skipIf(process.platform === 'win32')('may be named by a link, which Windows lets few make', async () => {
    const file = newFile();
    const link = join(mkdtempSync(join(folder, 'link-')), 'p.db');
    symlinkSync(file, link);
    for (const name of [link, file]) {
      const store = openSqliteStore({ file: name });
      await send(store);
      expect(
        (await store.list({ owner: 'owner', assistantId: 'agent' }, { size: 9, artifacts: false })).total,
      ).toBe(name === link ? 1 : 2);
      await store.close();
    }
  });

  it('is made with its folder, in the newest schema', () => {
    const file = join(folder, 'made', 'for', 'me.db');
    openDatabase(file).close();
    const database = openDatabase(file);
    expect(database.sqlite.pragma('user_version', { simple: true })).toBe(MIGRATIONS.length);
    expect(database.sqlite.pragma('integrity_check', { simple: true })).toBe('ok');
    database.close();
  });

  it('has no lane of a message that was refused', async () => {
    const file = newFile();
    const store = openSqliteStore({ file });
    const refuse = () => {
      throw new Error('no');
    };
    await expect(store.submit(inbound({ contextId: 'c' }), refuse)).rejects.toThrow('no');
    await store.close();
    const database = openDatabase(file);
    expect(database.sqlite.prepare('SELECT count(*) FROM lanes').pluck().get()).toBe(0);
    database.close();
  });
});

describe('a file that cannot be used', () => {
  const failure = (file: string) => {
    try {
      openSqliteStore({ file });
    } catch (error) {
      return { code: (error as { code?: string }).code, message: String(error) };
    }
    throw new Error('was opened');
  };
  const expectNamed = (file: string, code: string, advice: string) => {
    const { code: got, message } = failure(file);
    expect(got).toBe(code);
    expect(message).toContain(file);
    expect(message).toContain(advice);
  };

  it('was written by a newer version', () => {
    const file = newFile();
    const database = openDatabase(file);
    database.sqlite.pragma(`user_version = ${MIGRATIONS.length + 1}`);
    database.close();
    expectNamed(file, 'newer-schema', 'upgrade');
  });

  it('is no database', () => {
    const file = newFile();
    writeFileSync(file, 'this is a text file. '.repeat(100));
    expectNamed(file, 'not-a-database', 'name another file');
  });

  it('is the database of another application, which stays as it is', () => {
    const file = newFile();
    const other = new Sqlite(file);
    other.exec('CREATE TABLE theirs (x)');
    other.close();
    const { mtimeMs } = statSync(file);
    expectNamed(file, 'foreign-database', 'name another file');
    expect(statSync(file).mtimeMs).toBe(mtimeMs);
  });

  it('is cut short', async () => {
    const file = newFile();
    const store = openSqliteStore({ file });
    for (let i = 0; i < 50; i++) await send(store);
    await store.close();
    truncateSync(file, statSync(file).size - 10_000);
    expectNamed(file, 'damaged', 'backup');
  });

  it('is a folder', () => {
    const file = newFile();
    mkdirSync(file);
    expectNamed(file, 'unavailable', 'cannot be opened');
  });

  it('must not be written to', async () => {
    const file = newFile();
    openDatabase(file).close();
    chmodSync(folder, 0o755);
    mkdirSync(join(folder, 'tmp'));
    chmodSync(join(folder, 'tmp'), 0o777);
    chmodSync(file, 0o444);
    // Root may write everything: somebody else has to try.
    const { lines } = startWriter(file, { hold: true, uid: process.getuid?.() === 0 ? 65_534 : undefined });
    const { value } = await lines.next();
    const { code, message } = JSON.parse(String(value).replace('failed ', '')) as {
      code: string;
      message: string;
    };
    expect(code).toBe('read-only');
    expect(message).toContain(file);
    expect(message).toContain('permissions');
  });

  it('is open in another process, or in this one', async () => {
    const file = newFile();
    const { child, lines } = startWriter(file, { hold: true });
    expect((await lines.next()).value).toBe('open');
    expectNamed(file, 'locked', 'another server');
    child.kill('SIGKILL');
    await once(child, 'exit');
    const store = openSqliteStore({ file });
    expectNamed(file, 'locked', 'another server');
    await store.close();
  });
});

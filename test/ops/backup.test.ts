import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { resolve } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../packages/server/src/store/sqlite/database.ts';
import { runParley, spawnParley } from '../../packages/server/test/parley-process.ts';
import { AGENTS, AGENTS_CONFIG } from '../../packages/server/test/project.ts';
import { checkLog } from '../chaos/check.ts';
import { readDatabase } from '../chaos/read-database.ts';
import { sendText } from './send-text.ts';
import { withSmallDisk } from './small-disk.ts';
import { useProject } from './use-project.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
const project = useProject({ 'agents.ts': AGENTS, 'langgraph.json': AGENTS_CONFIG });
const { at } = project;

async function start(...args: string[]) {
  const server = spawnParley(['start', '--port', '0', ...args], { cwd: project.folder });
  const [, base = ''] = await server.output(/"url":"(http:\/\/127\.0\.0\.1:\d+)"/);
  const stop = () => {
    server.child.kill('SIGTERM');
    return server.ended;
  };
  return { server, base, stop };
}

const backup = (...args: string[]) => runParley(['backup', ...args], { cwd: project.folder });

/** What a backup that was refused may leave: nothing. */
const leftovers = () => readdirSync(project.folder).filter((name) => name.includes('.partial-'));

describe('parley backup', () => {
  it('taken while messages are sent holds every task that was answered before, whole; a server starts on it', async () => {
    const first = await start();
    const answered = new Map<string, string>();
    let sending = true;
    const client = async (name: number): Promise<void> => {
      for (let n = 0; sending; n++) {
        const text = `${name}.${n} `.padEnd(2_000, 'x');
        const { task } = await sendText(`${first.base}/a2a/echo`, text);
        if (task) answered.set(task.id, text);
      }
    };
    const load = Promise.all([1, 2, 3, 4].map(client));
    await expect.poll(() => answered.size, { timeout: 20_000 }).toBeGreaterThan(20);
    const before: [string, string][][] = [];
    for (let round = 0; round < 3; round++) {
      before.push([...answered]);
      const { code, stdout, stderr } = await backup(
        at('copy.db'),
        '--json',
        ...(round === 0 ? [] : ['--force']),
      );
      expect(stderr).toBe('');
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toEqual({
        database: at('.parley/parley.db'),
        file: at('copy.db'),
        bytes: statSync(at('copy.db')).size,
      });
      expect(answered.size).toBeGreaterThan(before[round]?.length ?? 0);
    }
    sending = false;
    await load;
    expect(await first.stop()).toBe(0);
    expect(existsSync(at('copy.db-wal'))).toBe(false);
    expect(existsSync(at('.parley/parley.db-hold'))).toBe(false);
    expect(leftovers()).toEqual([]);

    // The server finishes what was going on when the backup was taken.
    const second = await start('--database', at('copy.db'));
    const list = await runParley([
      'tasks',
      'list',
      `${second.base}/a2a/echo`,
      '--state',
      'working',
      '--json',
    ]);
    expect(list.code).toBe(0);
    const [id = '', text = ''] = before.at(-1)?.at(-1) ?? [];
    const got = await runParley(['tasks', 'get', `${second.base}/a2a/echo`, id]);
    expect(got.stdout).toContain(text);
    expect((await sendText(`${second.base}/a2a/echo`, 'one more')).task?.status.state).toBe(
      'TASK_STATE_COMPLETED',
    );
    expect(await second.stop()).toBe(0);

    const { tasks, faults } = readDatabase(at('copy.db'));
    expect(faults).toEqual([]);
    for (const [taskId, said] of before.at(-1) ?? []) {
      const stored = tasks.get(taskId);
      expect(stored && checkLog(stored)).toEqual([]);
      expect(JSON.stringify(stored?.events)).toContain(said);
    }
  });

  it('asks a server to hold whose log begins anew all the time, and is a moment of it', async () => {
    const script = resolve(import.meta.dirname, 'restless-writer.ts');
    const writer = spawn(
      process.execPath,
      ['--import', 'tsx', '--conditions=@parley/source', script, at('restless.db')],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    try {
      await once(writer.stdout, 'data');
      let held = false;
      const look = setInterval(() => {
        held ||= existsSync(at('restless.db-hold'));
      }, 5);
      const { code, stderr } = await backup('--database', at('restless.db'), at('copy.db'));
      clearInterval(look);
      expect(stderr).toBe('');
      expect(code).toBe(0);
      expect(held).toBe(true);
      expect(existsSync(at('restless.db-hold'))).toBe(false);
    } finally {
      const gone = once(writer, 'exit');
      writer.kill('SIGKILL');
      await gone;
    }
    const copy = new Sqlite(at('copy.db'), { readonly: true });
    const rows = (table: string) =>
      copy.prepare(`SELECT count(*) AS n, max(n) AS last FROM ${table}`).get() as { n: number; last: number };
    const left = rows('left_of');
    expect(left.n).toBeGreaterThan(4_000);
    expect(left.last).toBe(left.n);
    expect(rows('right_of')).toEqual(left);
    expect(copy.pragma('integrity_check', { simple: true })).toBe('ok');
    copy.close();
  });

  it('needs no server, and takes along what a killed one has left in its log', async () => {
    const { server, base } = await start();
    const { task } = await sendText(`${base}/a2a/echo`, 'kept');
    server.child.kill('SIGKILL');
    await server.ended;
    expect(statSync(at('.parley/parley.db-wal')).size).toBeGreaterThan(0);
    const database = readFileSync(at('.parley/parley.db'));
    const { code, stdout } = await backup('copy.db');
    expect(code).toBe(0);
    expect(stdout).toMatch(/copy\.db: \d+ bytes, a checked copy of .*parley\.db\n$/);
    expect(readDatabase(at('copy.db')).tasks.get(task?.id ?? '')?.state).toBe('TASK_STATE_COMPLETED');
    expect(readFileSync(at('.parley/parley.db'))).toEqual(database);
  });
});

describe('parley backup refuses', () => {
  const refused = async (exit: number, code: string, message: string, ...args: string[]) => {
    const plain = await backup(...args);
    expect(plain).toMatchObject({ code: exit, stdout: '' });
    expect(plain.stderr).toMatch(/^error: /);
    expect(plain.stderr).toContain(message);
    const json = await backup(...args, '--json');
    expect(json.code).toBe(exit);
    expect(JSON.parse(json.stdout).error).toMatchObject({ code });
    expect(leftovers()).toEqual([]);
  };

  it('a database that is not there, or is kept nowhere', async () => {
    await refused(
      2,
      'no-database',
      `${at('.parley/parley.db')} is not there: name it with --database`,
      'b.db',
    );
    await refused(2, 'no-database', `${project.folder} is no file`, 'b.db', '--database', '.');
    await refused(2, 'no-database', 'kept in no file', 'b.db', '--database', ':memory:');
  });

  it('a file that exists, unless it is to be replaced; a folder that does not; the database itself', async () => {
    const database = at('p.db');
    openDatabase(database).close();
    const place = ['--database', database];
    writeFileSync(at('b.db'), 'precious');
    await refused(
      2,
      'file-exists',
      `${at('b.db')} exists: name another file, or give --force`,
      'b.db',
      ...place,
    );
    expect(readFileSync(at('b.db'), 'utf8')).toBe('precious');
    await refused(2, 'no-folder', `the folder ${at('gone')} is not there: make it`, 'gone/b.db', ...place);
    linkSync(database, at('hard.db'));
    symlinkSync(database, at('soft.db'));
    for (const one of ['p.db', 'hard.db', 'soft.db']) {
      await refused(2, 'same-file', 'is the database itself', one, '--force', ...place);
    }
    for (const one of ['p.db-wal', 'p.db-shm', 'p.db-journal', 'p.db-hold']) {
      await refused(2, 'same-file', `belongs to the database ${database}`, one, '--force', ...place);
    }
    mkdirSync(at('folder'));
    await refused(2, 'no-file', `${at('folder')} is no file`, 'folder', '--force', ...place);
    // Somebody else's log would be read into the backup.
    writeFileSync(at('c.db-wal'), 'theirs');
    await refused(2, 'file-in-use', `${at('c.db')} is a database in use`, 'c.db', '--force', ...place);
    expect((await backup('b.db', '--force', ...place)).code).toBe(0);
    openDatabase(at('b.db')).close();
  });

  it('what is no database of Parley, or a damaged one, and leaves the last backup', async () => {
    writeFileSync(at('text.db'), 'this is a text file. '.repeat(100));
    await refused(
      2,
      'not-a-database',
      `${at('text.db')} is not a SQLite database`,
      'b.db',
      '--database',
      'text.db',
    );
    writeFileSync(at('empty.db'), '');
    await refused(2, 'not-a-database', `${at('empty.db')} is empty`, 'b.db', '--database', 'empty.db');
    const other = new Sqlite(at('other.db'));
    other.exec('CREATE TABLE theirs (x)');
    other.close();
    await refused(2, 'foreign-database', 'another application', 'b.db', '--database', 'other.db');
    openDatabase(at('cut.db')).close();
    truncateSync(at('cut.db'), statSync(at('cut.db')).size - 10_000);
    writeFileSync(at('b.db'), 'precious');
    await refused(1, 'damaged', `${at('cut.db')} is damaged`, 'b.db', '--force', '--database', 'cut.db');
    expect(readFileSync(at('b.db'), 'utf8')).toBe('precious');
  });

  it.skipIf(process.platform === 'win32')(
    'a disk without room, and leaves nothing on it',
    async (context) => {
      const database = openDatabase(at('p.db'));
      database.sqlite.exec('CREATE TABLE filler (x)');
      database.write(() => database.sqlite.exec('INSERT INTO filler VALUES (randomblob(4000000))'));
      database.close();
      await withSmallDisk(context, at('disk'), async () => {
        await refused(
          1,
          'ENOSPC',
          `no space is left for ${at('disk/b.db')}`,
          'disk/b.db',
          '--database',
          'p.db',
        );
        expect(readdirSync(at('disk'))).toEqual([]);
      });
    },
  );
});

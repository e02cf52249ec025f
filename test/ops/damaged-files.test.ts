import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Unavailable } from '../../packages/server/src/engine/unavailable.ts';
import { openDatabase } from '../../packages/server/src/store/sqlite/database.ts';
import { openSqliteStore, storeOn } from '../../packages/server/src/store/sqlite/open.ts';
import { seededRandom } from '../chaos/random.ts';
import { folded } from '../store/folded.ts';
import { claim, complete, refOf, send, stateOf } from '../store/scenario.ts';
import { damagePages, flipByte } from './damage.ts';

let folder: string;
let killed: string;
/** What the process that wrote `killed` had said, in the order in which it was committed. */
const committed: { taskId: string; seq: number }[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parley-damaged-'));
  killed = join(folder, 'killed.db');
  const script = resolve(import.meta.dirname, '../store/writer.ts');
  const writer = spawn(process.execPath, ['--import', 'tsx', '--conditions=@parley/source', script, killed], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface(writer.stdout)) {
    const [taskId = '', seq] = line.split(' ');
    if (seq) committed.push({ taskId, seq: Number(seq) });
    if (committed.length === 400) break;
  }
  const gone = once(writer, 'exit');
  writer.kill('SIGKILL');
  await gone;
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let copies = 0;
/** The files of the killed process, to damage. */
function copyOfKilled(): string {
  const file = join(folder, `copy-${copies++}.db`);
  for (const suffix of ['', '-wal']) copyFileSync(`${killed}${suffix}`, `${file}${suffix}`);
  return file;
}

/** Asserts that a file holds a moment of what was committed, and says how many of the 400 events that is. */
async function prefixOf(file: string): Promise<number> {
  const database = openDatabase(file);
  expect(database.sqlite.pragma('integrity_check', { simple: true })).toBe('ok');
  const store = storeOn(database);
  const found: boolean[] = [];
  for (const { taskId, seq } of committed) {
    const log = (await store.snapshot(refOf({ taskId }))) ? await store.read(taskId, 0, 1_000) : [];
    expect(log.map((event) => event.seq)).toEqual(log.map((_, n) => n + 1));
    if (log.length > 0) expect(await store.snapshot(refOf({ taskId }))).toEqual(await folded(store, taskId));
    found.push(log.length >= seq);
  }
  const count = found.filter(Boolean).length;
  expect(found.indexOf(false)).toBe(count === found.length ? -1 : count);
  // It goes on from there.
  await store.reap(true);
  for (const lease of await claim(store, 10)) await complete(store, lease);
  await store.close();
  return count;
}

describe('a log', () => {
  it('that is whole gives back everything', async () => {
    expect(await prefixOf(copyOfKilled())).toBe(400);
  });

  it('that is torn at any byte, or has a wrong one, gives back a moment of what was committed', {
    timeout: 120_000,
  }, async () => {
    const random = seededRandom(20_261_201);
    const { size } = statSync(`${killed}-wal`);
    const counts = new Set<number>();
    for (let round = 0; round < 30; round++) {
      const file = copyOfKilled();
      // Within the header, too.
      const offset = round < 4 ? round * 9 : Math.floor(random() * size);
      if (round % 2 === 0) truncateSync(`${file}-wal`, offset);
      else flipByte(`${file}-wal`, offset);
      counts.add(await prefixOf(file));
    }
    // Nothing if the header is torn, and much or little otherwise.
    expect(Math.min(...counts)).toBe(0);
    expect(counts.size).toBeGreaterThan(10);
  });
});

describe('a database file', () => {
  const carriedOver = (): string => {
    const file = copyOfKilled();
    openDatabase(file).close();
    expect(existsSync(`${file}-wal`)).toBe(false);
    return file;
  };
  const openingFails = (file: string) => {
    try {
      openSqliteStore({ file });
    } catch (error) {
      return error as { code?: string; message: string };
    }
    throw new Error(`${file} was opened`);
  };

  it('that is cut short anywhere is refused by name', () => {
    const random = seededRandom(7);
    const { size } = statSync(carriedOver());
    for (let round = 0; round < 20; round++) {
      const file = carriedOver();
      truncateSync(file, 1 + Math.floor(random() * (size - 1)));
      const { code, message } = openingFails(file);
      expect(['damaged', 'not-a-database']).toContain(code);
      expect(message).toContain(file);
    }
  });

  it('with a page that was overwritten is refused by name, or has everything', {
    timeout: 120_000,
  }, async () => {
    const pages = Math.floor(statSync(carriedOver()).size / 2_048);
    let refused = 0;
    for (let page = 1; page <= pages; page += Math.ceil(pages / 40)) {
      const file = carriedOver();
      damagePages(file, { from: page, every: pages });
      try {
        await openSqliteStore({ file }).close();
      } catch (error) {
        expect((error as Error).message).toContain(file);
        expect(['damaged', 'not-a-database']).toContain((error as { code?: string }).code);
        refused += 1;
        continue;
      }
      // A page that is free holds nothing.
      expect(await prefixOf(file)).toBe(400);
    }
    expect(refused).toBeGreaterThan(20);
  });

  it('that may grow no more refuses what is new, keeps what it has, and goes on when it may', async () => {
    const file = join(folder, 'full.db');
    const database = openDatabase(file);
    const { sqlite } = database;
    const store = storeOn(database);
    const accepted: string[] = [];
    sqlite.pragma(`max_page_count = ${(sqlite.pragma('page_count', { simple: true }) as number) + 40}`);
    let refusals = 0;
    while (refusals < 3) {
      try {
        accepted.push((await send(store, { text: 'x'.repeat(3_000) })).taskId);
      } catch (error) {
        expect(error).toBeInstanceOf(Unavailable);
        refusals += 1;
      }
    }
    expect(accepted.length).toBeGreaterThan(3);
    for (const taskId of accepted) expect(await stateOf(store, { taskId })).toBe('TASK_STATE_SUBMITTED');
    sqlite.pragma('max_page_count = 1000000');
    accepted.push((await send(store)).taskId);
    for (const lease of await claim(store, 1_000)) await complete(store, lease);
    await store.close();

    const after = openSqliteStore({ file });
    for (const taskId of accepted) expect(await stateOf(after, { taskId })).toBe('TASK_STATE_COMPLETED');
    const { total } = await after.list(
      { owner: 'owner', assistantId: 'agent' },
      { size: 9, artifacts: false },
    );
    expect(total).toBe(accepted.length);
    await after.close();
  });
});

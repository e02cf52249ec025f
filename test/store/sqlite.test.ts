import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, expect, it } from 'vitest';
import { openSqliteStore } from '../../packages/server/src/store/sqlite/open.ts';
import { writePageToken } from '../../packages/server/src/store/sqlite/page-token.ts';
import { describeStore } from './conformance.ts';
import { describeInterleavings } from './interleavings.ts';
import { AGENT, admit, claimant, complete, inbound, OWNER, send } from './scenario.ts';

const folder = mkdtempSync(join(tmpdir(), 'parley-store-'));
let files = 0;
afterAll(() => rmSync(folder, { recursive: true }));

describeStore('SQLite in memory', async () => openSqliteStore({ file: ':memory:' }));
describeStore('SQLite on a file', async () => openSqliteStore({ file: join(folder, `${files++}.db`) }));
describeInterleavings('SQLite, two workers', async () => openSqliteStore({ file: ':memory:' }), 60);

it('gives out no id of a lane or task again that was deleted, also after a restart', async () => {
  const file = join(folder, 'ids.db');
  const laneOf = async (): Promise<number> => {
    const store = openSqliteStore({ file });
    const { claimed } = await store.submit(inbound({ contextId: 'c' }), admit, claimant());
    const lease = claimed?.lease;
    if (!lease) throw new Error('not claimed');
    await complete(store, lease);
    await store.threads.forget(OWNER, { id: 'c', assistantId: AGENT });
    await store.close();
    return lease.lane.id;
  };
  expect([await laneOf(), await laneOf(), await laneOf()]).toEqual([1, 2, 3]);
  const sqlite = new Sqlite(file);
  expect(sqlite.prepare('SELECT name, id FROM last_ids').all()).toEqual([
    { name: 'lanes', id: 3 },
    { name: 'tasks', id: 3 },
  ]);
  sqlite.close();
});

it('goes on with a list behind a task that is gone: what shares its millisecond is shown again', async () => {
  const store = openSqliteStore({ file: ':memory:', now: () => 1_000 });
  for (let i = 0; i < 3; i++) await send(store);
  const filter = { owner: 'owner', assistantId: 'agent' };
  const after = writePageToken({ statusAt: 1_000, taskId: 'gone' }, filter);
  expect((await store.list(filter, { size: 10, after, artifacts: false })).tasks).toHaveLength(3);
  await store.close();
});

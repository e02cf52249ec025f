import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openSqliteStore } from '../../packages/server/src/store/sqlite/open.ts';
import { writePageToken } from '../../packages/server/src/store/sqlite/page-token.ts';
import { describeStore } from './conformance.ts';
import { describeInterleavings } from './interleavings.ts';
import { send } from './scenario.ts';

const folder = mkdtempSync(join(tmpdir(), 'parley-store-'));
let files = 0;
afterAll(() => rmSync(folder, { recursive: true }));

describeStore('SQLite in memory', async () => openSqliteStore({ file: ':memory:' }));
describeStore('SQLite on a file', async () => openSqliteStore({ file: join(folder, `${files++}.db`) }));
describeInterleavings('SQLite, two workers', async () => openSqliteStore({ file: ':memory:' }), 60);

it('goes on with a list behind a task that is gone: what shares its millisecond is shown again', async () => {
  const store = openSqliteStore({ file: ':memory:', now: () => 1_000 });
  for (let i = 0; i < 3; i++) await send(store);
  const filter = { owner: 'owner', assistantId: 'agent' };
  const after = writePageToken({ statusAt: 1_000, taskId: 'gone' }, filter);
  expect((await store.list(filter, { size: 10, after, artifacts: false })).tasks).toHaveLength(3);
  await store.close();
});

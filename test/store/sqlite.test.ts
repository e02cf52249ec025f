import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { openSqliteStore } from '../../packages/server/src/store/sqlite/open.ts';
import { describeStore } from './conformance.ts';
import { describeInterleavings } from './interleavings.ts';

const folder = mkdtempSync(join(tmpdir(), 'parley-store-'));
let files = 0;
afterAll(() => rmSync(folder, { recursive: true }));

describeStore('SQLite in memory', async () => openSqliteStore({ file: ':memory:' }));
describeStore('SQLite on a file', async () => openSqliteStore({ file: join(folder, `${files++}.db`) }));
describeInterleavings('SQLite, two workers', async () => openSqliteStore({ file: ':memory:' }), 60);

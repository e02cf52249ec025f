import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, expect, it } from 'vitest';
import { MIGRATIONS } from '../../packages/server/src/store/sqlite/migrations/index.ts';
import { openSqliteStore } from '../../packages/server/src/store/sqlite/open.ts';
import { claimOne, complete, listTasks, refOf, send, stateOf } from './scenario.ts';

const folder = mkdtempSync(join(tmpdir(), 'parley-migrations-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A file as an earlier version of the schema has left it: a task that has ended, and one whose run waits. */
function fileOfSchema(version: number): string {
  const file = join(folder, `schema-${version}.db`);
  const sqlite = new Sqlite(file);
  for (const sql of MIGRATIONS.slice(0, version)) sqlite.exec(sql);
  sqlite.pragma('application_id = 0x50524c59');
  sqlite.pragma(`user_version = ${version}`);
  const message = (n: number) =>
    JSON.stringify({ messageId: `m${n}`, role: 'ROLE_USER', parts: [{ text: `${n}` }] });
  const task = (n: number, state: string) =>
    JSON.stringify({
      id: `task-${n}`,
      contextId: 'c',
      status: { state, timestamp: '2026-01-01T00:00:00.000Z' },
    });
  sqlite.exec(`
    INSERT INTO scopes VALUES (1, 'owner', 'agent');
    INSERT INTO lanes (id, scope, context_id) VALUES (1, 1, 'c');
    INSERT INTO tasks (id, task_id, lane, scope, context_id, state, status_at, pending, first_message, last_message) VALUES
      (1, 'task-1', 1, 1, 'c', 'TASK_STATE_WORKING', 1, NULL, ${2 ** 22 + 1}, ${2 ** 22 + 1}),
      (2, 'task-2', 1, 1, 'c', 'TASK_STATE_SUBMITTED', 2, NULL, ${2 ** 22 + 2}, ${2 ** 22 + 2});
    UPDATE tasks SET state = 'TASK_STATE_COMPLETED' WHERE id = 1;
    INSERT INTO messages VALUES (${2 ** 22 + 1}, 1, '${message(1)}'), (${2 ** 22 + 2}, 2, '${message(2)}');
    INSERT INTO events VALUES
      (${2 ** 22 + 1}, 1, NULL, '${JSON.stringify({ task: JSON.parse(task(1, 'TASK_STATE_COMPLETED')) })}', NULL, 1),
      (${2 * 2 ** 22 + 1}, 2, NULL, '${JSON.stringify({ task: JSON.parse(task(2, 'TASK_STATE_SUBMITTED')) })}', NULL, 2);
    INSERT INTO task_snapshots VALUES (1, 1, '${task(1, 'TASK_STATE_COMPLETED')}', NULL);
    INSERT INTO runs (seq, run_id, kind, lane, task, message, message_seq, twin, state, head, run_at, payload) VALUES
      (1, 'run-1', 'message', 1, 1, ${2 ** 22 + 1}, 1, 't1', 'done', 0, 0, NULL),
      (2, 'run-2', 'message', 1, 2, ${2 ** 22 + 2}, 1, 't2', 'queued', 1, 0, '{"kind":"message","followUp":false,"stream":false}');
  `);
  // A column that version 3 has added.
  if (version >= 3) sqlite.exec('UPDATE lanes SET created_at = 1');
  sqlite.close();
  return file;
}

it.each(MIGRATIONS.slice(0, -1).map((_, index) => index + 1))(
  'a file of schema %i is brought up to date, and nothing of it is lost',
  async (version) => {
    const store = openSqliteStore({ file: fileOfSchema(version) });
    expect(await listTasks(store)).toMatchObject({ total: 2, tasks: [{ id: 'task-2' }, { id: 'task-1' }] });
    expect(await store.history(refOf({ taskId: 'task-1' }), 'context')).toHaveLength(2);
    expect(await store.threads.find('owner', 'c')).toMatchObject([{ createdAt: 1, updatedAt: 2 }]);
    expect(await store.outcome('run-1')).toEqual({ state: 'done' });
    const waiting = await claimOne(store);
    expect(waiting).toMatchObject({ taskId: 'task-2', payload: { message: { messageId: 'm2' } } });
    await complete(store, waiting);
    expect(await stateOf(store, { taskId: 'task-2' })).toBe('TASK_STATE_COMPLETED');
    await send(store, { contextId: 'c' });
    expect((await claimOne(store)).lane.contextId).toBe('c');
    expect(await store.forgetTasks(Number.MAX_SAFE_INTEGER, 10)).toBe(2);
    await store.close();
  },
);

import type { Message, TaskEvent } from '@parley/protocol';
import Sqlite from 'better-sqlite3';

/** A task as its rows have it. */
export interface StoredTask {
  taskId: string;
  state: string;
  seqs: number[];
  events: TaskEvent[];
  messages: Message[];
}

/** The tables themselves, of a file that no server has open. */
export function readDatabase(file: string): { tasks: Map<string, StoredTask>; faults: string[] } {
  const sqlite = new Sqlite(file, { readonly: true });
  const tasks = new Map<string, StoredTask>();
  const rows = sqlite.prepare('SELECT id, task_id AS taskId, state FROM tasks').all() as {
    id: number;
    taskId: string;
    state: string;
  }[];
  const eventsOf = sqlite.prepare<[number], { id: number; body: string }>(
    'SELECT id, body FROM events WHERE task = ? ORDER BY id',
  );
  const messagesOf = sqlite
    .prepare<[number], string>('SELECT body FROM messages WHERE task = ? ORDER BY id')
    .pluck();
  for (const { id, taskId, state } of rows) {
    const log = eventsOf.all(id);
    tasks.set(taskId, {
      taskId,
      state,
      seqs: log.map((row) => row.id % 2 ** 22),
      events: log.map(({ body }) => JSON.parse(body) as TaskEvent),
      messages: messagesOf.all(id).map((body) => JSON.parse(body) as Message),
    });
  }
  const integrity = sqlite.pragma('integrity_check', { simple: true });
  const open = sqlite.prepare(`SELECT count(*) FROM runs WHERE state IN ('queued', 'running')`).pluck().get();
  sqlite.close();
  const faults = [
    ...(integrity === 'ok' ? [] : [`the file is damaged: ${integrity}`]),
    ...(open === 0 ? [] : [`${open} runs are open still`]),
  ];
  return { tasks, faults };
}

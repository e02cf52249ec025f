import type { Message, Task, TaskEvent } from '@parley/protocol';
import type { StoredEvent } from '../../engine/ports/log.ts';
import type { Database } from './database.ts';
import { belonging, type Messages } from './messages.ts';
import { floorOf, keyOf, lastOf, numberOf } from './numbered.ts';
import type { TaskRow } from './tasks.ts';

export interface Events {
  /** Gives the event the next number of its task, in `task` as well; `undefined` if the key is known. */
  add(task: TaskRow, key: string | undefined, event: TaskEvent, now: number): StoredEvent | undefined;
  /** The first event of a task and every message to it, which is stored already. */
  addMessage(task: TaskRow, event: TaskEvent, message: number, now: number): StoredEvent;
  read(task: Pick<TaskRow, 'id' | 'taskId'>, afterSeq: number, limit: number): StoredEvent[];
}

interface EventRow {
  id: number;
  body: string;
  message: string | null;
}

export function openEvents({ sqlite }: Database, messages: Messages): Events {
  const add = sqlite.prepare<[number, number, string | null, string, number | null, number]>(
    `INSERT INTO events (id, task, ekey, body, message, at) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (task, ekey) WHERE ekey IS NOT NULL DO NOTHING`,
  );
  const known = sqlite
    .prepare<[number, string], number>('SELECT 1 FROM events WHERE task = ? AND ekey = ?')
    .pluck();
  const read = sqlite.prepare<[number, number, number], EventRow>(
    `SELECT e.id, e.body, m.body AS message FROM events e LEFT JOIN messages m ON m.id = e.message
      WHERE e.id > ? AND e.id <= ? ORDER BY e.id LIMIT ? + 0`,
  );
  const insert = (task: TaskRow, key: string | undefined, event: TaskEvent, at: number, message?: number) => {
    const body = JSON.stringify(message === undefined ? event : withoutMessage(event));
    const seq = task.lastSeq + 1;
    const added = add.run(keyOf(task.id, seq), task.id, key ?? null, body, message ?? null, at);
    if (added.changes === 0) return undefined;
    task.lastSeq = seq;
    return { taskId: task.taskId, seq, event };
  };

  return {
    add: (task, key, event, now) => {
      if (!('history' in event)) return insert(task, key, event, now);
      if (key !== undefined && known.get(task.id, key) !== undefined) return undefined;
      const message = belonging(event.history, task);
      return insert(task, key, { history: message }, now, messages.add(task, message));
    },
    addMessage: (task, event, message, now) => {
      const stored = insert(task, undefined, event, now, message);
      if (!stored) throw new Error('an event without a key was taken for a repetition');
      return stored;
    },
    read: ({ id, taskId }, afterSeq, limit) =>
      read
        .all(floorOf(id) + afterSeq, lastOf(id), limit)
        .map((row) => ({ taskId, seq: numberOf(row.id), event: eventOf(row) })),
  };
}

function withoutMessage(event: TaskEvent): TaskEvent | { history: null } {
  return 'task' in event ? { task: withoutHistory(event.task) } : { history: null };
}

function eventOf(row: EventRow): TaskEvent {
  const event = JSON.parse(row.body) as TaskEvent;
  if (row.message === null) return event;
  const message = JSON.parse(row.message) as Message;
  return 'task' in event ? { task: { ...event.task, history: [message] } } : { history: message };
}

export function withoutHistory(task: Task): Task {
  if (task.history === undefined) return task;
  const { history: _, ...rest } = task;
  return rest;
}

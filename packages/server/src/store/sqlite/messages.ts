import type { Message } from '@parley/protocol';
import type { Database } from './database.ts';
import type { TaskRow } from './tasks.ts';

/** What was said, in order of arrival. Other tables refer to a message by its position. */
export interface Messages {
  add(task: TaskRow, message: Message): number;
  /** The last `limit` of a task or of its whole lane, oldest first. */
  ofTask(task: TaskRow, limit: number | undefined): Message[];
  ofLane(lane: number, limit: number | undefined): Message[];
}

const ALL = -1;

export function openMessages({ sqlite }: Database): Messages {
  const add = sqlite.prepare<[number, number, string]>(
    'INSERT INTO messages (lane, task, body) VALUES (?, ?, ?)',
  );
  const last = (column: 'task' | 'lane') =>
    sqlite
      .prepare<[number, number], string>(
        `SELECT body FROM messages WHERE ${column} = ? ORDER BY position DESC LIMIT ? + 0`,
      )
      .pluck();
  const ofTask = last('task');
  const ofLane = last('lane');
  const parsed = (newestFirst: string[]): Message[] =>
    newestFirst.reverse().map((body) => JSON.parse(body) as Message);

  return {
    add: (task, message) => Number(add.run(task.lane, task.id, JSON.stringify(message)).lastInsertRowid),
    ofTask: (task, limit = ALL) => parsed(ofTask.all(task.id, limit)),
    ofLane: (lane, limit = ALL) => parsed(ofLane.all(lane, limit)),
  };
}

/** A message as it is kept: it always says which task and context it belongs to. */
export function belonging(message: Message, task: TaskRow): Message {
  return { ...message, taskId: task.taskId, contextId: task.contextId };
}

import type { Message } from '@parley/protocol';
import type { TaskRef } from '../../engine/ports.ts';
import type { Database } from './database.ts';
import { type MessagesOf, OF_CALLER, type TaskRow } from './tasks.ts';

/** What was said in a lane, in order of arrival. Other tables refer to a message by its position. */
export interface Messages {
  /** Adds it to the messages of `task` in its row as well, which the caller has to write. */
  add(task: TaskRow, message: Message): number;
  /** The last `limit` of a task, oldest first. */
  ofTask(task: MessagesOf, limit: number | undefined): Message[];
  /** The last `limit` of the lane that a task is in, oldest first. */
  around(ref: TaskRef, limit: number | undefined): Message[];
  /** What was said before a run was first claimed, without messages whose runs are open, its own among them. */
  before(runId: string): Message[];
}

const ALL = -1;

export function openMessages({ sqlite }: Database): Messages {
  const last = sqlite
    .prepare<[number], number | null>('SELECT max(position) FROM messages WHERE lane = ?')
    .pluck();
  const add = sqlite.prepare<[number, number, number, string]>(
    'INSERT INTO messages (lane, position, task, body) VALUES (?, ?, ?, ?)',
  );
  const ofTask = sqlite
    .prepare<[number, number, number, number, number], string>(
      `SELECT body FROM messages WHERE lane = ? AND position BETWEEN ? AND ? AND task = ?
        ORDER BY position DESC LIMIT ? + 0`,
    )
    .pluck();
  const around = sqlite
    .prepare<[string, string, string, number], string>(
      `SELECT body FROM messages WHERE lane = (SELECT lane FROM tasks WHERE task_id = ? AND ${OF_CALLER})
        ORDER BY position DESC LIMIT ? + 0`,
    )
    .pluck();
  const before = sqlite
    .prepare<[string], string>(
      `SELECT m.body FROM runs r JOIN messages m ON m.lane = r.lane AND m.position <= r.history_end
        WHERE r.run_id = ? AND m.position NOT IN
          (SELECT q.message FROM runs q WHERE q.lane = r.lane AND q.state IN ('queued', 'running'))
        ORDER BY m.position`,
    )
    .pluck();
  const parsed = (newestFirst: string[]): Message[] =>
    newestFirst.reverse().map((body) => JSON.parse(body) as Message);

  return {
    add: (task, message) => {
      const position = (last.get(task.lane) ?? 0) + 1;
      add.run(task.lane, position, task.id, JSON.stringify(message));
      task.firstMessage ||= position;
      task.lastMessage = position;
      return position;
    },
    ofTask: ({ id, lane, firstMessage, lastMessage }, limit = ALL) =>
      parsed(ofTask.all(lane, firstMessage, lastMessage, id, limit)),
    around: ({ taskId, owner, assistantId }, limit = ALL) =>
      parsed(around.all(taskId, owner, assistantId, limit)),
    before: (runId) => before.all(runId).map((body) => JSON.parse(body) as Message),
  };
}

/** A message as it is kept: it always says which task and context it belongs to. */
export function belonging(message: Message, task: TaskRow): Message {
  return { ...message, taskId: task.taskId, contextId: task.contextId };
}

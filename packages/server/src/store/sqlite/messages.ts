import type { Message } from '@parley/protocol';
import type { TaskRef } from '../../engine/ports/store.ts';
import type { Database } from './database.ts';
import { floorOf, keyOf, keysOf, lastOf, numberOf } from './numbered.ts';
import { type MessagesOf, OF_CALLER, type TaskRow } from './tasks.ts';

/** What was said in a lane, in order of arrival. */
export interface Messages {
  /** Returns its id. Adds it to the messages of `task` in its row as well, which the caller has to write. */
  add(task: TaskRow, message: Message): number;
  /** The task that they name is gone: they belong to the conversation alone. */
  detach(task: MessagesOf): void;
  /** The id of the newest in a lane; 0: there is none. */
  newest(lane: number): number;
  /** The last `limit` of a task, oldest first, none with an id above `upTo`. */
  ofTask(task: MessagesOf, limit: number | undefined, upTo: number | undefined): Message[];
  /** The last `limit` of the lane that a task is in, oldest first, none with an id above `upTo`. */
  around(ref: TaskRef, limit: number | undefined, upTo: number | undefined): Message[];
  /** What was said before a run was first claimed, without messages whose runs are open, its own among them. */
  before(runId: string): Message[];
}

const ALL = -1;

export function openMessages({ sqlite }: Database): Messages {
  const last = sqlite
    .prepare<[number, number], number | null>('SELECT max(id) FROM messages WHERE id > ? AND id <= ?')
    .pluck();
  const add = sqlite.prepare<[number, number, string]>(
    'INSERT INTO messages (id, task, body) VALUES (?, ?, ?)',
  );
  const ofTask = sqlite
    .prepare<[number, number, number, number], string>(
      'SELECT body FROM messages WHERE id BETWEEN ? AND ? AND task = ? ORDER BY id DESC LIMIT ? + 0',
    )
    .pluck();
  const around = sqlite
    .prepare<[number, string, string, string, number], string>(
      `SELECT m.body FROM tasks t JOIN messages m ON m.id ${keysOf('t.lane', '?')}
        WHERE t.task_id = ? AND t.${OF_CALLER} ORDER BY m.id DESC LIMIT ? + 0`,
    )
    .pluck();
  const before = sqlite
    .prepare<[string], string>(
      `SELECT m.body FROM runs r JOIN messages m ON m.id ${keysOf('r.lane')} AND m.id <= r.history_end
        WHERE r.run_id = ? AND m.id NOT IN
          (SELECT q.message FROM runs q WHERE q.lane = r.lane AND q.state IN ('queued', 'running'))
        ORDER BY m.id`,
    )
    .pluck();
  const detach = sqlite.prepare<[number, number, number]>(
    `UPDATE messages SET body = json_remove(body, '$.taskId') WHERE id BETWEEN ? AND ? AND task = ?`,
  );
  const newest = (lane: number): number => last.get(floorOf(lane), lastOf(lane)) ?? 0;
  const parsed = (newestFirst: string[]): Message[] =>
    newestFirst.reverse().map((body) => JSON.parse(body) as Message);

  return {
    add: (task, message) => {
      const id = keyOf(task.lane, numberOf(newest(task.lane)) + 1);
      add.run(id, task.id, JSON.stringify(message));
      task.firstMessage ||= id;
      task.lastMessage = id;
      return id;
    },
    detach: ({ id, firstMessage, lastMessage }) => {
      detach.run(firstMessage, lastMessage, id);
    },
    newest,
    ofTask: ({ id, firstMessage, lastMessage }, limit = ALL, upTo = Number.MAX_SAFE_INTEGER) =>
      parsed(ofTask.all(firstMessage, Math.min(lastMessage, upTo), id, limit)),
    around: ({ taskId, owner, assistantId }, limit = ALL, upTo = Number.MAX_SAFE_INTEGER) =>
      parsed(around.all(upTo, taskId, owner, assistantId, limit)),
    before: (runId) => before.all(runId).map((body) => JSON.parse(body) as Message),
  };
}

/** A message as it is kept: it always says which task and context it belongs to. */
export function belonging(message: Message, task: TaskRow): Message {
  return { ...message, taskId: task.taskId, contextId: task.contextId };
}

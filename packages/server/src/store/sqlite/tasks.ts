import type { TaskState } from '@parley/protocol';
import type { Lane, PendingInterrupt } from '../../engine/ports/run.ts';
import type { TaskRef } from '../../engine/ports/store.ts';
import type { Database } from './database.ts';
import { openLastIds } from './last-ids.ts';
import { keysOf, numberIn } from './numbered.ts';

/** A task as its row says. `id` is the row's, `taskId` the one on the wire. */
export interface TaskRow {
  id: number;
  taskId: string;
  lane: number;
  contextId: string;
  state: TaskState;
  /** Milliseconds since 1970. */
  statusAt: number;
  lastSeq: number;
  /** JSON; `null`: no open question. */
  pending: string | null;
  /** Ids: its messages are among those of its lane from the one to the other. 0: there are none yet. */
  firstMessage: number;
  lastMessage: number;
  /** 1: yes; 0: not yet; -1: it never will be, its answer was a bare Message. */
  shown: number;
  /** Made in this transaction and not written yet. */
  fresh?: true;
}

export type MessagesOf = Pick<TaskRow, 'id' | 'firstMessage' | 'lastMessage'>;

export interface Tasks {
  find(ref: TaskRef): TaskRow | undefined;
  /** Where the messages of a task are. */
  findMessages(ref: TaskRef): MessagesOf | undefined;
  inLane(taskId: string, lane: number): TaskRow | undefined;
  get(id: number): TaskRow | undefined;
  /** Where the log of a task is, whoever's it is. */
  logOf(taskId: string): Pick<TaskRow, 'id' | 'taskId' | 'lane'> | undefined;
  /** A task of the lane that waits for the answer to a question. */
  parked(lane: number): string | undefined;
  /** A row that `save` writes. */
  create(lane: Lane, task: Pick<TaskRow, 'taskId' | 'state' | 'statusAt' | 'shown'>): TaskRow;
  /** Writes state, time of status, questions and messages as they stand in `row`. */
  save(row: TaskRow): void;
  /** Writes what `Messages.add` has changed in `row`. */
  saveMessages(row: TaskRow): void;
  setPending(row: TaskRow, pending: readonly PendingInterrupt[]): void;
  setShown(row: TaskRow, shown: 1 | -1): void;
}

/** Of `tasks`: those of an owner's conversations with an assistant. */
export const OF_CALLER = 'scope = (SELECT id FROM scopes WHERE owner = ? AND assistant_id = ?)';

/** Of `tasks`. An event costs no write of its task's row: the log itself says how long it is. */
export const TASK_COLUMNS: string = `id, task_id AS taskId, lane, context_id AS contextId, state, status_at AS statusAt,
  pending, first_message AS firstMessage, last_message AS lastMessage, shown,
  (SELECT ${numberIn('max(id)')} FROM events WHERE id ${keysOf('tasks.id')}) AS lastSeq`;

/** The task of a lane that waits for the answer to a question. */
export const parkedIn = (
  lane: '?' | ':lane' | 'l.id',
): string => `SELECT id FROM tasks WHERE lane = ${lane} AND pending IS NOT NULL
  AND state IN ('TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_AUTH_REQUIRED') ORDER BY id LIMIT 1`;

export function openTasks(database: Database): Tasks {
  const { sqlite } = database;
  const find = sqlite.prepare<[string, string, string], TaskRow>(
    `SELECT ${TASK_COLUMNS} FROM tasks WHERE task_id = ? AND shown >= 0 AND ${OF_CALLER}`,
  );
  const findMessages = sqlite.prepare<[string, string, string], MessagesOf>(
    `SELECT id, first_message AS firstMessage, last_message AS lastMessage FROM tasks
      WHERE task_id = ? AND ${OF_CALLER}`,
  );
  const inLane = sqlite.prepare<[string, number], TaskRow>(
    `SELECT ${TASK_COLUMNS} FROM tasks WHERE task_id = ? AND lane = ?`,
  );
  const get = sqlite.prepare<[number], TaskRow>(`SELECT ${TASK_COLUMNS} FROM tasks WHERE id = ?`);
  const logOf = sqlite.prepare<[string], { id: number; taskId: string; lane: number }>(
    'SELECT id, task_id AS taskId, lane FROM tasks WHERE task_id = ?',
  );
  const parked = sqlite
    .prepare<[number], string>(`SELECT task_id FROM tasks WHERE id = (${parkedIn('?')})`)
    .pluck();
  let lastId = openLastIds(database).of('tasks');
  const add = sqlite.prepare<[number, string, string, number, string | null, number, number, number, number]>(
    `INSERT INTO tasks
        (id, task_id, lane, scope, context_id, state, status_at, pending, first_message, last_message, shown)
      SELECT ?, ?, id, scope, context_id, ?, ?, ?, ?, ?, ? FROM lanes WHERE id = ?`,
  );
  const update = sqlite.prepare<[string, number, string | null, number, number]>(
    'UPDATE tasks SET state = ?, status_at = ?, pending = ?, last_message = ? WHERE id = ?',
  );
  const setLastMessage = sqlite.prepare<[number, number]>('UPDATE tasks SET last_message = ? WHERE id = ?');
  const setPending = sqlite.prepare<[string | null, number]>('UPDATE tasks SET pending = ? WHERE id = ?');
  const setShown = sqlite.prepare<[number, number]>('UPDATE tasks SET shown = ? WHERE id = ?');

  const save = (row: TaskRow): void => {
    const { id, taskId, lane, state, statusAt, pending, firstMessage, lastMessage, shown } = row;
    if (!row.fresh) update.run(state, statusAt, pending, lastMessage, id);
    else add.run(id, taskId, state, statusAt, pending, firstMessage, lastMessage, shown, lane);
    delete row.fresh;
  };

  return {
    find: ({ taskId, owner, assistantId }) => find.get(taskId, owner, assistantId),
    findMessages: ({ taskId, owner, assistantId }) => findMessages.get(taskId, owner, assistantId),
    inLane: (taskId, lane) => inLane.get(taskId, lane),
    get: (id) => get.get(id),
    logOf: (taskId) => logOf.get(taskId),
    parked: (lane) => parked.get(lane),
    create: ({ id: lane, contextId }, { taskId, state, statusAt, shown }) => {
      const id = ++lastId;
      const empty = { lastSeq: 0, pending: null, firstMessage: 0, lastMessage: 0 };
      return { id, taskId, lane, contextId, state, statusAt, shown, ...empty, fresh: true };
    },
    save,
    saveMessages: (row) => {
      if (row.fresh) save(row);
      else setLastMessage.run(row.lastMessage, row.id);
    },
    setPending: (row, pending) => {
      row.pending = pending.length === 0 ? null : JSON.stringify(pending);
      setPending.run(row.pending, row.id);
    },
    setShown: (row, shown) => {
      row.shown = shown;
      setShown.run(shown, row.id);
    },
  };
}

export function pendingOf(row: TaskRow): PendingInterrupt[] {
  return row.pending === null ? [] : (JSON.parse(row.pending) as PendingInterrupt[]);
}

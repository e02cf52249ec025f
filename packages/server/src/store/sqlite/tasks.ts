import type { TaskState } from '@parley/protocol';
import type { Lane, PendingInterrupt, TaskRef } from '../../engine/ports.ts';
import type { Database } from './database.ts';

/** A task as its row says. `id` is the row's, `taskId` the one on the wire. */
export interface TaskRow {
  id: number;
  taskId: string;
  lane: number;
  contextId: string;
  state: TaskState;
  statusAt: string;
  lastSeq: number;
  /** JSON; `null`: no open question. */
  pending: string | null;
}

export interface Tasks {
  find(ref: TaskRef): TaskRow | undefined;
  inLane(taskId: string, lane: number): TaskRow | undefined;
  get(id: number): TaskRow | undefined;
  /** The row id of a task, whoever's it is. */
  idOf(taskId: string): number | undefined;
  /** A task of the lane that waits for the answer to a question. */
  parked(lane: number): string | undefined;
  add(lane: Lane, task: { taskId: string; state: TaskState; statusAt: string; now: number }): TaskRow;
  setSeq(row: TaskRow, now: number): void;
  /** Writes state, time of status, last sequence number and questions as they stand in `row`. */
  setStatus(row: TaskRow, now: number): void;
  setPending(row: TaskRow, pending: readonly PendingInterrupt[]): void;
}

const COLUMNS = `id, task_id AS taskId, lane, context_id AS contextId, state, status_at AS statusAt,
  last_seq AS lastSeq, pending`;

/** The task of a lane that waits for the answer to a question. */
export const parkedIn = (
  lane: '?' | ':lane',
): string => `SELECT id FROM tasks WHERE lane = ${lane} AND pending IS NOT NULL
  AND state IN ('TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_AUTH_REQUIRED') ORDER BY id LIMIT 1`;

export function openTasks({ sqlite }: Database): Tasks {
  const find = sqlite.prepare<[string, string, string], TaskRow>(
    `SELECT ${COLUMNS} FROM tasks WHERE task_id = ? AND owner = ? AND assistant_id = ?`,
  );
  const inLane = sqlite.prepare<[string, number], TaskRow>(
    `SELECT ${COLUMNS} FROM tasks WHERE task_id = ? AND lane = ?`,
  );
  const get = sqlite.prepare<[number], TaskRow>(`SELECT ${COLUMNS} FROM tasks WHERE id = ?`);
  const idOf = sqlite.prepare<[string], number>('SELECT id FROM tasks WHERE task_id = ?').pluck();
  const parked = sqlite
    .prepare<[number], string>(`SELECT task_id FROM tasks WHERE id = (${parkedIn('?')})`)
    .pluck();
  const add = sqlite.prepare<[string, number, string, string, string, string, string, number, number]>(
    `INSERT INTO tasks (task_id, lane, owner, assistant_id, context_id, state, status_at, last_seq, created_at, updated_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?, ?)`,
  );
  const setSeq = sqlite.prepare<[number, number, number]>(
    'UPDATE tasks SET last_seq = ?, updated_at = ? WHERE id = ?',
  );
  const setStatus = sqlite.prepare<[string, string, number, string | null, number, number]>(
    'UPDATE tasks SET state = ?, status_at = ?, last_seq = ?, pending = ?, updated_at = ? WHERE id = ?',
  );
  const setPending = sqlite.prepare<[string | null, number]>('UPDATE tasks SET pending = ? WHERE id = ?');

  return {
    find: ({ taskId, owner, assistantId }) => find.get(taskId, owner, assistantId),
    inLane: (taskId, lane) => inLane.get(taskId, lane),
    get: (id) => get.get(id),
    idOf: (taskId) => idOf.get(taskId),
    parked: (lane) => parked.get(lane),
    add: (lane, { taskId, state, statusAt, now }) => {
      const { owner, assistantId, contextId } = lane;
      const added = add.run(taskId, lane.id, owner, assistantId, contextId, state, statusAt, now, now);
      const id = Number(added.lastInsertRowid);
      return { id, taskId, lane: lane.id, contextId, state, statusAt, lastSeq: 0, pending: null };
    },
    setSeq: (row, now) => {
      setSeq.run(row.lastSeq, now, row.id);
    },
    setStatus: (row, now) => {
      setStatus.run(row.state, row.statusAt, row.lastSeq, row.pending, now, row.id);
    },
    setPending: (row, pending) => {
      row.pending = pending.length === 0 ? null : JSON.stringify(pending);
      setPending.run(row.pending, row.id);
    },
  };
}

export function pendingOf(row: TaskRow): PendingInterrupt[] {
  return row.pending === null ? [] : (JSON.parse(row.pending) as PendingInterrupt[]);
}

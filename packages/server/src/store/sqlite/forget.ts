import type { Checkpoints } from './checkpoints/open.ts';
import type { Database } from './database.ts';
import { keyOf, keysOf } from './numbered.ts';
import type { Tables } from './tables.ts';

/** Removes what is stored, within the caller's transaction. */
export interface Forget {
  /** The log of an ended task but for its last event, which says where it ended. */
  log(task: { id: number; lastSeq: number }): void;
  /** An ended task with all that belongs to it; its conversation too if it was the last one. */
  task(task: { id: number; lane: number }): void;
  /** A conversation without open runs: its tasks and its thread. */
  lane(lane: number): void;
}

export function openForget({ sqlite }: Database, tables: Tables, checkpoints: Checkpoints): Forget {
  const logUpTo = sqlite.prepare<[number, number]>('DELETE FROM events WHERE id >= ? AND id < ?');
  const ofTask = [
    `DELETE FROM events WHERE id ${keysOf(':task')}`,
    'DELETE FROM task_snapshots WHERE task = :task',
    `DELETE FROM messages WHERE task = :task AND id BETWEEN (SELECT first_message FROM tasks WHERE id = :task)
      AND (SELECT last_message FROM tasks WHERE id = :task)`,
    'DELETE FROM requests WHERE run_id IN (SELECT run_id FROM runs WHERE task = :task)',
    'DELETE FROM runs WHERE task = :task',
    'DELETE FROM wakes WHERE task = :task',
    'DELETE FROM tasks WHERE id = :task',
  ].map((sql) => sqlite.prepare<{ task: number }>(sql));
  const tasksOf = sqlite.prepare<[number], number>('SELECT id FROM tasks WHERE lane = ?').pluck();
  const someTask = sqlite.prepare<[number], number>('SELECT 1 FROM tasks WHERE lane = ? LIMIT 1').pluck();
  const removeLane = sqlite.prepare<[number]>('DELETE FROM lanes WHERE id = ?');

  const removeTask = (id: number): void => {
    for (const statement of ofTask) statement.run({ task: id });
  };
  const removeThread = (lane: number): void => {
    checkpoints.forget(lane);
    tables.snapshots.forget(lane);
    removeLane.run(lane);
  };

  return {
    log: ({ id, lastSeq }) => {
      logUpTo.run(keyOf(id, 1), keyOf(id, lastSeq));
    },
    task: ({ id, lane }) => {
      removeTask(id);
      if (someTask.get(lane) === undefined) removeThread(lane);
    },
    lane: (lane) => {
      for (const id of tasksOf.all(lane)) removeTask(id);
      removeThread(lane);
    },
  };
}

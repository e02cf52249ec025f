import type { Checkpoints } from './checkpoints/open.ts';
import type { Database } from './database.ts';
import { openLastIds } from './last-ids.ts';
import { keyOf, keysOf } from './numbered.ts';
import type { Tables } from './tables.ts';

/** Removes what is stored, within the caller's transaction. */
export interface Forget {
  /** The log of an ended task but for its last event, which says where it ended. */
  log(task: { id: number; lastSeq: number }): void;
  /** An ended task with all that belongs to it; its conversation too if it was the last one. */
  task(task: { id: number; lane: number }): void;
  /** Tasks of a conversation whose runs wait or go on: it must not be removed. */
  openTasks(lane: number): string[];
  /** A conversation without open runs: its thread and its tasks, whose ids are returned. */
  lane(lane: number): string[];
}

export function openForget(database: Database, tables: Tables, checkpoints: Checkpoints): Forget {
  const { sqlite } = database;
  const lastIds = openLastIds(database);
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
  const tasksOf = sqlite.prepare<[number], { id: number; taskId: string }>(
    'SELECT id, task_id AS taskId FROM tasks WHERE lane = ?',
  );
  const openTasks = sqlite
    .prepare<[number], string>(
      `SELECT DISTINCT t.task_id FROM runs r JOIN tasks t ON t.id = r.task
        WHERE r.lane = ? AND r.state IN ('queued', 'running')`,
    )
    .pluck();
  const someTask = sqlite.prepare<[number], number>('SELECT 1 FROM tasks WHERE lane = ? LIMIT 1').pluck();
  const removeLane = sqlite.prepare<[number]>('DELETE FROM lanes WHERE id = ?');

  const removeTask = (id: number): void => {
    lastIds.keep('tasks');
    for (const statement of ofTask) statement.run({ task: id });
  };
  const removeThread = (lane: number): void => {
    checkpoints.forget(lane);
    tables.snapshots.forget(lane);
    lastIds.keep('lanes');
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
    openTasks: (lane) => openTasks.all(lane),
    lane: (lane) => {
      const tasks = tasksOf.all(lane);
      for (const { id } of tasks) removeTask(id);
      removeThread(lane);
      return tasks.map(({ taskId }) => taskId);
    },
  };
}

import type { TaskState } from '@parley/protocol';
import type { WakeEntry } from '../../engine/ports/log.ts';
import type { Database } from './database.ts';

export interface DueWake {
  id: number;
  task: number;
  state: TaskState;
  data: string;
}

/** Turns that tasks have asked for. */
export interface Wakes {
  put(task: number, entry: WakeEntry): void;
  /** Whether `due` would find one; changes nothing. */
  isDue(now: number): boolean;
  /** Whose time has come and whose task can take a turn, or has ended; oldest first. */
  due(now: number): DueWake[];
  remove(id: number): void;
  /** When the first time is. */
  first(): number | undefined;
  /** When the next time after `now` is. */
  next(now: number): number | undefined;
}

const BATCH = 100;

export function openWakes({ sqlite }: Database): Wakes {
  const put = sqlite.prepare<[number, string, number, string]>(
    `INSERT INTO wakes (task, wkey, at, data) VALUES (?, ?, ?, ?)
      ON CONFLICT (task, wkey) DO UPDATE SET at = excluded.at, data = excluded.data`,
  );
  const due = `FROM wakes w JOIN tasks t ON t.id = w.task WHERE w.at <= ? AND t.pending IS NULL
    AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.lane = t.lane AND r.state IN ('queued', 'running') AND r.task = t.id)`;
  const isDue = sqlite.prepare<[number], number>(`SELECT 1 ${due} LIMIT 1`).pluck();
  const allDue = sqlite.prepare<[number], DueWake>(
    `SELECT w.id, w.task, t.state, w.data ${due} ORDER BY w.at, w.id LIMIT ${BATCH}`,
  );
  const remove = sqlite.prepare<[number]>('DELETE FROM wakes WHERE id = ?');
  const first = sqlite.prepare<[], number | null>('SELECT min(at) FROM wakes').pluck();
  const next = sqlite.prepare<[number], number | null>('SELECT min(at) FROM wakes WHERE at > ?').pluck();

  return {
    put: (task, { key, wake }) => {
      put.run(task, key, wake.at, JSON.stringify(wake.data));
    },
    isDue: (now) => isDue.get(now) !== undefined,
    due: (now) => allDue.all(now),
    remove: (id) => {
      remove.run(id);
    },
    first: () => first.get() ?? undefined,
    next: (now) => next.get(now) ?? undefined,
  };
}

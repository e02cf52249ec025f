import { isInterrupted, isTerminal, TASK_STATES, type TaskState } from '@parley/protocol';
import type { Entry, StoredEvent } from '../../engine/ports/log.ts';
import type { Database } from './database.ts';
import { writeEntries } from './entries.ts';
import type { Forget } from './forget.ts';
import { keysOf, numberIn } from './numbered.ts';
import type { Tables } from './tables.ts';

/** What is forgotten in time, each within the caller's transaction. */
export interface Retention {
  expire(
    before: number,
    limit: number,
    end: (task: { taskId: string; contextId: string }) => Entry,
    now: number,
  ): StoredEvent[];
  forgetEvents(before: number, limit: number): number;
  forgetTasks(before: number, limit: number): number;
  forgetRequests(now: number, limit: number): number;
}

const quoted = (is: (state: TaskState) => boolean): string =>
  TASK_STATES.filter(is)
    .map((state) => `'${state}'`)
    .join(', ');

/** Of all callers, in the order that the index of one caller's tasks by state and time wants. */
const tasksThat = (is: (state: TaskState) => boolean): string =>
  `FROM scopes s CROSS JOIN tasks t ON t.scope = s.id AND t.state IN (${quoted(is)})`;

export function openRetention({ sqlite }: Database, tables: Tables, forget: Forget): Retention {
  const waiting = sqlite
    .prepare<[number, number], number>(
      `SELECT t.id ${tasksThat(isInterrupted)} AND t.status_at <= ?
        WHERE NOT EXISTS (SELECT 1 FROM wakes w WHERE w.task = t.id)
          AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.task = t.id AND r.state IN ('queued', 'running'))
        LIMIT ? + 0`,
    )
    .pluck();
  const endTimes = sqlite
    .prepare<[number, number, number], number>(
      `SELECT t.status_at ${tasksThat(isTerminal)} AND t.status_at > ? AND t.status_at <= ?
        ORDER BY t.status_at LIMIT ? + 0`,
    )
    .pluck();
  const endedBetween = sqlite.prepare<[number, number], { id: number; lastSeq: number }>(
    `SELECT t.id, (SELECT ${numberIn('max(id)')} FROM events WHERE id ${keysOf('t.id')}) AS lastSeq
      ${tasksThat(isTerminal)} AND t.status_at > ? AND t.status_at <= ?`,
  );
  const ended = sqlite.prepare<[number, number], { id: number; lane: number }>(
    `SELECT t.id, t.lane ${tasksThat(isTerminal)} AND t.status_at <= ? LIMIT ? + 0`,
  );
  const requests = sqlite.prepare<[number, number]>(
    `DELETE FROM requests WHERE (owner, assistant_id, idempotency_key) IN
      (SELECT owner, assistant_id, idempotency_key FROM requests WHERE expires_at <= ? LIMIT ? + 0)`,
  );
  const mark = sqlite.prepare<[], number>(`SELECT at FROM watermarks WHERE name = 'events'`).pluck();
  const setMark = sqlite.prepare<[number]>(
    `INSERT OR REPLACE INTO watermarks (name, at) VALUES ('events', ?)`,
  );

  return {
    expire: (before, limit, end, now) => {
      const events: StoredEvent[] = [];
      for (const id of waiting.all(before, limit)) {
        const row = tables.tasks.get(id);
        if (!row) continue;
        events.push(...writeEntries(tables, row.lane, [end(row)], now));
        tables.runs.nextHead(row.lane);
        tables.snapshots.forget(row.lane);
      }
      return events;
    },
    forgetEvents: (before, limit) => {
      const from = mark.get() ?? 0;
      const times = endTimes.all(from, before, limit);
      const upTo = times.length < limit ? before : (times.at(-1) ?? before);
      if (upTo <= from) return 0;
      const tasks = endedBetween.all(from, upTo);
      for (const task of tasks) forget.log(task);
      setMark.run(upTo);
      return tasks.length;
    },
    forgetTasks: (before, limit) => {
      const tasks = ended.all(before, limit);
      for (const task of tasks) forget.task(task);
      return tasks.length;
    },
    forgetRequests: (now, limit) => requests.run(now, limit).changes,
  };
}

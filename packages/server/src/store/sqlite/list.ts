import { isTerminal, TASK_STATES, type Task } from '@parley/protocol';
import type { Statement } from 'better-sqlite3';
import type { TaskFilter, TaskPage } from '../../engine/ports/store.ts';
import type { Database } from './database.ts';
import { type PageCursor, readPageToken, writePageToken } from './page-token.ts';
import type { Tables } from './tables.ts';
import { TASK_COLUMNS, type TaskRow } from './tasks.ts';

export type ListTasks = (
  filter: TaskFilter,
  page: { size: number; after?: string; artifacts: boolean },
) => TaskPage & { rows: TaskRow[] };

interface Query {
  where: string[];
  values: (string | number)[];
}

/** Behind a task that is gone: of its millisecond, all are shown rather than none. */
const AFTER = `(status_at, id) < (?, coalesce((SELECT id FROM tasks WHERE task_id = ?), ${Number.MAX_SAFE_INTEGER}))`;

/** The states of tasks that go on: all but those that `task_counts` has. */
const OPEN = TASK_STATES.filter((state) => !isTerminal(state))
  .map((state) => `'${state}'`)
  .join(', ');

/**
 * Newest status first. A page costs by its size, the total a few look-ups and the tasks that go on (with `statusAfter`: what
 * is younger).
 */
export function openList({ sqlite }: Database, tables: Tables): ListTasks {
  const statements = new Map<string, Statement<(string | number)[]>>();
  const prepared = (sql: string) => {
    let statement = statements.get(sql);
    if (!statement) {
      statement = sqlite.prepare<(string | number)[]>(sql);
      statements.set(sql, statement);
    }
    return statement;
  };

  const rowsOf = ({ where, values }: Query, after: PageCursor | undefined, size: number): TaskRow[] => {
    const terms = [...where, 'shown >= 0', ...(after ? [AFTER] : [])];
    const bound = after ? [...values, after.statusAt, after.taskId] : values;
    return prepared(
      `SELECT ${TASK_COLUMNS} FROM tasks WHERE ${terms.join(' AND ')} ORDER BY status_at DESC, id DESC LIMIT ? + 0`,
    ).all(...bound, size) as TaskRow[];
  };
  const totalOf = (filter: TaskFilter, { where, values }: Query): number => {
    const numberOf = (sql: string): number => (prepared(sql).get(...values) as { n: number }).n;
    const terms = where.join(' AND ');
    const count = `SELECT count(*) AS n FROM tasks WHERE ${terms} AND shown >= 0`;
    const { contextId, statusAfter, state } = filter;
    if (contextId !== undefined || statusAfter !== undefined) return numberOf(count);
    const ended = `SELECT coalesce(sum(n), 0) AS n FROM task_counts WHERE ${terms}`;
    if (state !== undefined) return numberOf(isTerminal(state) ? ended : count);
    return numberOf(ended) + numberOf(`${count} AND state IN (${OPEN})`);
  };
  const taskOf = (row: TaskRow, artifacts: boolean): Task =>
    artifacts ? tables.snapshots.readTask(row) : tables.snapshots.readHead(row);

  return (filter, { size, after, artifacts }) => {
    const cursor = after === undefined ? undefined : readPageToken(after, filter);
    const query = queryOf(tables, filter);
    if (!query) return { tasks: [], upTo: [], total: 0, rows: [] };
    const rows = rowsOf(query, cursor, size + 1);
    const shown = rows.slice(0, size);
    const last = shown.at(-1);
    return {
      tasks: shown.map((row) => taskOf(row, artifacts)),
      upTo: shown.map(({ lane }) => tables.messages.newest(lane)),
      total: totalOf(filter, query),
      rows: shown,
      ...(last && rows.length > size ? { next: writePageToken(last, filter) } : {}),
    };
  };
}

function queryOf(tables: Tables, filter: TaskFilter): Query | undefined {
  const { owner, assistantId, contextId, state, statusAfter } = filter;
  const { lanes } = tables;
  const whose =
    contextId === undefined ? lanes.scopeOf(owner, assistantId) : lanes.find(owner, assistantId, contextId);
  if (whose === undefined) return undefined;
  const query: Query = { where: [contextId === undefined ? 'scope = ?' : 'lane = ?'], values: [whose] };
  if (state !== undefined) {
    query.where.push('state = ?');
    query.values.push(state);
  }
  if (statusAfter !== undefined) {
    query.where.push('status_at >= ?');
    query.values.push(Date.parse(statusAfter));
  }
  return query;
}

import type { ThreadFilter, ThreadPage, ThreadRecord, ThreadStore } from '../../threads/ports.ts';
import type { Checkpoints } from './checkpoints/open.ts';
import type { Database } from './database.ts';
import type { Forget } from './forget.ts';
import type { Lanes } from './lanes.ts';
import { openSearch, type Search } from './search.ts';
import { parkedIn } from './tasks.ts';

/** Of the task whose status is the newest. */
const NEWEST = 'FROM tasks t WHERE t.lane = l.id ORDER BY t.status_at DESC, t.id DESC LIMIT 1';
const UPDATED = `coalesce((SELECT t.status_at ${NEWEST}), l.created_at)`;
const STATUS = `CASE
  WHEN EXISTS (SELECT 1 FROM runs r WHERE r.lane = l.id AND r.state IN ('queued', 'running')) THEN 'busy'
  WHEN EXISTS (${parkedIn('l.id')}) THEN 'interrupted'
  ELSE coalesce((SELECT CASE t.state
    WHEN 'TASK_STATE_INPUT_REQUIRED' THEN 'interrupted' WHEN 'TASK_STATE_AUTH_REQUIRED' THEN 'interrupted'
    WHEN 'TASK_STATE_FAILED' THEN 'error' ELSE 'idle' END ${NEWEST}), 'idle') END`;
const COLUMNS = `l.id AS lane, l.context_id AS id, s.assistant_id AS assistantId, v.graph_id AS graphId,
  ${STATUS} AS status, l.created_at AS createdAt, ${UPDATED} AS updatedAt`;
const THREADS = `lanes l JOIN scopes s ON s.id = l.scope LEFT JOIN assistants a ON a.id = s.assistant_id
  LEFT JOIN assistant_versions v ON v.assistant = a.id AND v.version = a.version`;

/** In the order of lane ids, which is that of their creation. */
const ORDERS: { [K in ThreadPage['sortBy']]: string } = {
  thread_id: 'l.context_id',
  status: STATUS,
  created_at: 'l.id',
  updated_at: UPDATED,
};

export function openThreadStore(
  database: Database,
  { lanes, forget, checkpoints }: { lanes: Lanes; forget: Forget; checkpoints: Checkpoints },
): ThreadStore {
  const { sqlite, write, commit } = database;
  const found = openSearch<{ lane: number }>(database, { columns: 'l.id AS lane', from: THREADS });
  const get = sqlite.prepare<[number], ThreadRecord>(`SELECT ${COLUMNS} FROM ${THREADS} WHERE l.id = ?`);
  const sharing = sqlite.prepare<[string, string], ThreadRecord>(
    `SELECT ${COLUMNS} FROM ${THREADS} WHERE s.owner = ? AND l.context_id = ? ORDER BY l.id`,
  );
  /** What is read may be staged still. */
  const told = async <T>(result: T): Promise<T> => {
    await commit();
    return result;
  };

  return {
    find: async (owner, id) => told(sharing.all(owner, id)),
    // Two steps: what a thread is now is asked of those that are shown alone.
    search: async (owner, filter, page) => {
      const { sortBy, descending } = page;
      const direction = descending ? 'DESC' : 'ASC';
      const rows = found.rows(
        searchOf(owner, filter),
        `${ORDERS[sortBy]} ${direction}, l.id ${direction}`,
        page,
      );
      return told(rows.flatMap(({ lane }) => get.get(lane) ?? []));
    },
    count: async (owner, filter) => told(found.count(searchOf(owner, filter))),
    read: async ({ lane }, body) => {
      const result = await body(checkpoints.ofLane(lane, refuse));
      await commit();
      return result;
    },
    forget: async (owner, { id, assistantId }) =>
      write(() => {
        const lane = lanes.find(owner, assistantId, id);
        if (lane === undefined) return { kind: 'unknown' };
        const tasks = forget.openTasks(lane);
        return tasks.length > 0 ? { kind: 'busy', tasks } : { kind: 'forgotten', tasks: forget.lane(lane) };
      }),
  };
}

function refuse(): never {
  throw new Error('a thread that is looked at is not written to');
}

function searchOf(owner: string, { ids, status, assistantId, graphId }: ThreadFilter): Search {
  const search: Search = { where: ['s.owner = ?'], values: [owner] };
  const and = (term: string, value: string | undefined): void => {
    if (value === undefined) return;
    search.where.push(term);
    search.values.push(value);
  };
  and('l.context_id IN (SELECT value FROM json_each(?))', ids && JSON.stringify(ids));
  and('s.assistant_id = ?', assistantId);
  and('v.graph_id = ?', graphId);
  and(`${STATUS} = ?`, status);
  return search;
}

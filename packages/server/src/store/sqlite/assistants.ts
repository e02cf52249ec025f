import type { JsonObject } from '@parley/protocol';
import type {
  AssistantContent,
  AssistantFilter,
  AssistantPage,
  AssistantRecord,
  AssistantStore,
  AssistantVersion,
} from '../../assistants/ports.ts';
import { defineContainment } from './containment.ts';
import type { Database } from './database.ts';
import type { Forget } from './forget.ts';
import { openSearch, type Search } from './search.ts';

interface VersionRow {
  id: string;
  graphId: string;
  name: string;
  description: string | null;
  /** JSON, as the next two. */
  config: string;
  context: string;
  metadata: string;
  version: number;
  createdAt: number;
}

interface AssistantRow extends VersionRow {
  owner: string | null;
  updatedAt: number;
}

const CONTENT = 'v.graph_id AS graphId, v.name, v.description, v.config, v.context, v.metadata';
const COLUMNS = `a.id, a.owner, a.version, a.created_at AS createdAt, a.updated_at AS updatedAt, ${CONTENT}`;
const ASSISTANTS = 'assistants a JOIN assistant_versions v ON v.assistant = a.id AND v.version = a.version';
const SEEN = '(a.owner IS NULL OR a.owner = ?)';

/** One process has the file: its own writes are all there are to tell of. */
export function openAssistantStore(database: Database, forget: Forget, now: () => number): AssistantStore {
  const { sqlite, write } = database;
  defineContainment(database);
  const search = openSearch<AssistantRow>(database, { columns: COLUMNS, from: ASSISTANTS });
  const get = sqlite.prepare<[string], AssistantRow>(`SELECT ${COLUMNS} FROM ${ASSISTANTS} WHERE a.id = ?`);
  const getSeen = sqlite.prepare<[string, string], AssistantRow>(
    `SELECT ${COLUMNS} FROM ${ASSISTANTS} WHERE a.id = ? AND ${SEEN}`,
  );
  const add = sqlite.prepare<[string, string | null, number, number]>(
    `INSERT INTO assistants (id, owner, version, created_at, updated_at) VALUES (?, ?, 1, ?, ?)
      ON CONFLICT (id) DO NOTHING`,
  );
  const addVersion = sqlite.prepare<
    [string, number, string, string, string | null, string, string, string, number]
  >(
    `INSERT INTO assistant_versions (assistant, version, graph_id, name, description, config, context, metadata, created_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const lastVersion = sqlite
    .prepare<[string], number>('SELECT max(version) FROM assistant_versions WHERE assistant = ?')
    .pluck();
  const hasVersion = sqlite
    .prepare<[string, number], number>('SELECT 1 FROM assistant_versions WHERE assistant = ? AND version = ?')
    .pluck();
  const setVersion = sqlite.prepare<[number, number, string]>(
    'UPDATE assistants SET version = ?, updated_at = ? WHERE id = ?',
  );
  const versions = sqlite.prepare<[string, string | null, number, number], VersionRow>(
    `SELECT v.assistant AS id, v.version, v.created_at AS createdAt, ${CONTENT} FROM assistant_versions v
      WHERE v.assistant = ? AND json_contains(v.metadata, ?) ORDER BY v.version DESC LIMIT ? + 0 OFFSET ? + 0`,
  );
  const remove = sqlite.prepare<[string]>('DELETE FROM assistants WHERE id = ?');
  const lanesOf = sqlite.prepare<[string, string], { lane: number; contextId: string }>(
    `SELECT l.id AS lane, l.context_id AS contextId FROM scopes s JOIN lanes l ON l.scope = s.id
      WHERE s.owner = ? AND s.assistant_id = ?`,
  );

  const listeners: ((id: string) => void)[] = [];
  const tell = (id: string): void => {
    for (const listener of listeners) listener(id);
  };
  const found = (id: string): AssistantRecord => {
    const row = get.get(id);
    if (!row) throw new Error(`assistant ${id} has no version`);
    return recordOf(row);
  };
  const putVersion = (id: string, version: number, content: AssistantContent, at: number): void => {
    const { graphId, name, description, config, context, metadata } = content;
    addVersion.run(id, version, graphId, name, description, json(config), json(context), json(metadata), at);
  };

  return {
    get: async (id) => {
      const row = get.get(id);
      return row && recordOf(row);
    },
    create: async (id, owner, content) => {
      const created = write(() => {
        const at = now();
        if (add.run(id, owner, at, at).changes === 0) return false;
        putVersion(id, 1, content, at);
        return true;
      });
      if (created) tell(id);
      return { assistant: found(id), created };
    },
    change: async (id, owner, change) => {
      const changed = write(() => {
        const before = getSeen.get(id, owner);
        if (!before) return false;
        const at = now();
        const version = (lastVersion.get(id) ?? 0) + 1;
        putVersion(id, version, change(recordOf(before)), at);
        setVersion.run(version, at, id);
        return true;
      });
      if (!changed) return undefined;
      tell(id);
      return found(id);
    },
    setVersion: async (id, owner, version) => {
      const set = write(() => {
        if (!getSeen.get(id, owner) || hasVersion.get(id, version) === undefined) return false;
        return setVersion.run(version, now(), id).changes > 0;
      });
      if (!set) return undefined;
      tell(id);
      return found(id);
    },
    versions: async (id, { metadata, limit, offset }) =>
      versions.all(id, metadata ? json(metadata) : null, limit, offset).map(versionOf),
    search: async (owner, filter, page) => {
      const asked = searchOf(owner, filter);
      return {
        assistants: search.rows(asked, orderOf(page), page).map(recordOf),
        total: search.count(asked),
      };
    },
    count: async (owner, filter) => search.count(searchOf(owner, filter)),
    delete: async (id, owner, withThreads) => {
      const deleted = write(() => {
        if (!getSeen.get(id, owner)) return { kind: 'unknown' as const };
        const threads = withThreads ? lanesOf.all(owner, id) : [];
        const busy = threads.filter(({ lane }) => forget.openTasks(lane).length > 0);
        if (busy.length > 0)
          return { kind: 'busy' as const, threads: busy.map(({ contextId }) => contextId) };
        const tasks = threads.flatMap(({ lane }) => forget.lane(lane));
        remove.run(id);
        return { kind: 'deleted' as const, tasks };
      });
      if (deleted.kind === 'deleted') tell(id);
      return deleted;
    },
    onChange: (listener) => {
      listeners.push(listener);
    },
  };
}

const json = (value: JsonObject): string => JSON.stringify(value);

function searchOf(owner: string, { graphId, name, metadata }: AssistantFilter): Search {
  const search: Search = { where: [SEEN], values: [owner] };
  const and = (term: string, value: string | undefined): void => {
    if (value === undefined) return;
    search.where.push(term);
    search.values.push(value);
  };
  and('v.graph_id = ?', graphId);
  and('text_contains(v.name, ?)', name);
  and('json_contains(v.metadata, ?)', metadata && json(metadata));
  return search;
}

const ORDERS: { [K in AssistantPage['sortBy']]: string } = {
  assistant_id: 'a.id',
  graph_id: 'v.graph_id',
  name: 'v.name',
  created_at: 'a.created_at',
  updated_at: 'a.updated_at',
};

function orderOf({ sortBy, descending }: AssistantPage): string {
  const direction = descending ? 'DESC' : 'ASC';
  return `${ORDERS[sortBy]} ${direction}, a.rowid ${direction}`;
}

function versionOf({ config, context, metadata, ...row }: VersionRow): AssistantVersion {
  return {
    ...row,
    config: JSON.parse(config),
    context: JSON.parse(context),
    metadata: JSON.parse(metadata),
  };
}

function recordOf({ owner, updatedAt, ...row }: AssistantRow): AssistantRecord {
  return { ...versionOf(row), owner, updatedAt };
}

import type { Database } from './database.ts';

/** The greatest id that a table has had. */
export interface LastIds {
  of(table: 'lanes' | 'tasks'): number;
  /** Before its newest rows are deleted. */
  keep(table: 'lanes' | 'tasks'): void;
}

export function openLastIds({ sqlite }: Database): LastIds {
  const statements = (table: 'lanes' | 'tasks') => {
    const last = `SELECT max(coalesce((SELECT max(id) FROM ${table}), 0),
      coalesce((SELECT id FROM last_ids WHERE name = '${table}'), 0))`;
    return {
      last: sqlite.prepare<[], number>(last).pluck(),
      keep: sqlite.prepare(`INSERT OR REPLACE INTO last_ids (name, id) VALUES ('${table}', (${last}))`),
    };
  };
  const tables = { lanes: statements('lanes'), tasks: statements('tasks') };
  return {
    of: (table) => tables[table].last.get() ?? 0,
    keep: (table) => {
      tables[table].keep.run();
    },
  };
}

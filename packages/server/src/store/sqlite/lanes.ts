import type { Database } from './database.ts';
import { openLastIds } from './last-ids.ts';

/** Conversations of one caller with one assistant, which is their scope. */
export interface Lanes {
  find(owner: string, assistantId: string, contextId: string): number | undefined;
  add(owner: string, assistantId: string, contextId: string, now: number): number;
  scopeOf(owner: string, assistantId: string): number | undefined;
}

export function openLanes(database: Database): Lanes {
  const { sqlite } = database;
  const find = sqlite
    .prepare<[string, string, string], number>(
      `SELECT l.id FROM scopes s JOIN lanes l ON l.scope = s.id
        WHERE s.owner = ? AND s.assistant_id = ? AND l.context_id = ?`,
    )
    .pluck();
  const add = sqlite.prepare<[number, string, number, string, string]>(
    `INSERT INTO lanes (id, scope, context_id, created_at)
      SELECT ?, id, ?, ? FROM scopes WHERE owner = ? AND assistant_id = ?`,
  );
  /** An id that a lost transaction gave out, or that was deleted, is not given out again: something may still hold it. */
  let lastId = openLastIds(database).of('lanes');
  const scopeOf = sqlite
    .prepare<[string, string], number>('SELECT id FROM scopes WHERE owner = ? AND assistant_id = ?')
    .pluck();
  const addScope = sqlite.prepare<[string, string]>('INSERT INTO scopes (owner, assistant_id) VALUES (?, ?)');

  return {
    find: (owner, assistantId, contextId) => find.get(owner, assistantId, contextId),
    add: (owner, assistantId, contextId, now) => {
      const id = ++lastId;
      if (add.run(id, contextId, now, owner, assistantId).changes === 0) {
        addScope.run(owner, assistantId);
        add.run(id, contextId, now, owner, assistantId);
      }
      return id;
    },
    scopeOf: (owner, assistantId) => scopeOf.get(owner, assistantId),
  };
}

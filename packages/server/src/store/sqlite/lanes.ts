import type { Database } from './database.ts';

/** Conversations of one caller with one assistant, which is their scope. */
export interface Lanes {
  find(owner: string, assistantId: string, contextId: string): number | undefined;
  add(owner: string, assistantId: string, contextId: string): number;
  scopeOf(owner: string, assistantId: string): number | undefined;
}

export function openLanes({ sqlite }: Database): Lanes {
  const find = sqlite
    .prepare<[string, string, string], number>(
      `SELECT l.id FROM scopes s JOIN lanes l ON l.scope = s.id
        WHERE s.owner = ? AND s.assistant_id = ? AND l.context_id = ?`,
    )
    .pluck();
  const add = sqlite.prepare<[string, string, string]>(
    'INSERT INTO lanes (scope, context_id) SELECT id, ? FROM scopes WHERE owner = ? AND assistant_id = ?',
  );
  const scopeOf = sqlite
    .prepare<[string, string], number>('SELECT id FROM scopes WHERE owner = ? AND assistant_id = ?')
    .pluck();
  const addScope = sqlite.prepare<[string, string]>('INSERT INTO scopes (owner, assistant_id) VALUES (?, ?)');

  return {
    find: (owner, assistantId, contextId) => find.get(owner, assistantId, contextId),
    add: (owner, assistantId, contextId) => {
      let added = add.run(contextId, owner, assistantId);
      if (added.changes === 0) {
        addScope.run(owner, assistantId);
        added = add.run(contextId, owner, assistantId);
      }
      return Number(added.lastInsertRowid);
    },
    scopeOf: (owner, assistantId) => scopeOf.get(owner, assistantId),
  };
}

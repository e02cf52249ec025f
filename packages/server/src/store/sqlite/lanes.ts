import type { Lane } from '../../engine/ports.ts';
import type { Database } from './database.ts';

export interface Lanes {
  find(owner: string, assistantId: string, contextId: string): number | undefined;
  add(owner: string, assistantId: string, contextId: string): number;
  get(id: number): Lane | undefined;
}

export function openLanes({ sqlite }: Database): Lanes {
  const find = sqlite
    .prepare<[string, string, string], number>(
      'SELECT id FROM lanes WHERE owner = ? AND assistant_id = ? AND context_id = ?',
    )
    .pluck();
  const add = sqlite.prepare<[string, string, string]>(
    'INSERT INTO lanes (owner, assistant_id, context_id) VALUES (?, ?, ?)',
  );
  const get = sqlite.prepare<[number], Lane>(
    'SELECT id, owner, assistant_id AS assistantId, context_id AS contextId FROM lanes WHERE id = ?',
  );
  return {
    find: (owner, assistantId, contextId) => find.get(owner, assistantId, contextId),
    add: (owner, assistantId, contextId) => Number(add.run(owner, assistantId, contextId).lastInsertRowid),
    get: (id) => get.get(id),
  };
}

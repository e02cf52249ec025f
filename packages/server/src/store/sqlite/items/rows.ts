import type { Database } from '../database.ts';

export interface ItemRow {
  id: number;
  namespace: string;
  key: string;
  /** JSON object. */
  value: string;
  createdAt: number;
  updatedAt: number;
}

export interface NewItem {
  namespace: string;
  key: string;
  value: string;
  now: number;
  expiresAt: number | null;
}

/** Items by namespace, its labels joined with dots; `''` is above all of them. What has expired is not there. */
export interface ItemRows {
  get(namespace: string, key: string, now: number): ItemRow | undefined;
  /** Of a namespace and those below it, changed last first. Read to its end or left before the next statement. */
  under(namespace: string, now: number): IterableIterator<ItemRow>;
  /** A page of the same. */
  page(namespace: string, now: number, limit: number, offset: number): ItemRow[];
  /** Those that have items, in order. */
  namespaces(now: number): string[];
  /** Adds or replaces an item; returns its id. */
  put(item: NewItem): number;
  remove(namespace: string, key: string): void;
  setExpiry(id: number, expiresAt: number): void;
  removeExpired(now: number, limit: number): number;

  /** Of a namespace and those below it, by item. */
  vectors(namespace: string): Map<number, Float32Array[]>;
  setVectors(item: number, vectors: readonly Float32Array[]): void;
}

/** Above every character that follows a namespace's last dot. */
const AFTER_DOT = '/';

/** The keys of what is below a namespace, `[from, to)`, and of the namespace itself. */
function range(namespace: string): [own: string, from: string, to: string] {
  // No label is empty: nothing sorts below a character, and nothing is above the last one.
  return namespace === '' ? ['', '', '\u{10ffff}'] : [namespace, `${namespace}.`, `${namespace}${AFTER_DOT}`];
}

export function openItemRows({ sqlite }: Database): ItemRows {
  const columns = 'i.id, i.namespace, i.key, i.value, i.created_at AS createdAt, i.updated_at AS updatedAt';
  const alive = '(i.expires_at IS NULL OR i.expires_at > ?)';
  const within = '(i.namespace = ? OR (i.namespace >= ? AND i.namespace < ?))';
  const newest = `SELECT ${columns} FROM items i WHERE ${within} AND ${alive} ORDER BY i.updated_at DESC, i.id DESC`;
  const get = sqlite.prepare<[string, string, number], ItemRow>(
    `SELECT ${columns} FROM items i WHERE i.namespace = ? AND i.key = ? AND ${alive}`,
  );
  const under = sqlite.prepare<[string, string, string, number], ItemRow>(newest);
  const page = sqlite.prepare<[string, string, string, number, number, number], ItemRow>(
    `${newest} LIMIT ? + 0 OFFSET ? + 0`,
  );
  // From one to the next: their number counts, not that of the items.
  const following = sqlite
    .prepare<[string, number], string>(
      `SELECT i.namespace FROM items i WHERE i.namespace > ? AND ${alive} ORDER BY i.namespace LIMIT 1`,
    )
    .pluck();
  // What has expired is not replaced but begins anew.
  const put = sqlite
    .prepare<[string, string, string, number, number, number | null], number>(
      `INSERT INTO items (namespace, key, value, created_at, updated_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT (namespace, key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at,
          created_at = iif(items.expires_at <= excluded.updated_at, excluded.created_at, items.created_at),
          expires_at = excluded.expires_at
        RETURNING id`,
    )
    .pluck();
  const remove = sqlite.prepare<[string, string]>('DELETE FROM items WHERE namespace = ? AND key = ?');
  const setExpiry = sqlite.prepare<[number, number]>('UPDATE items SET expires_at = ? WHERE id = ?');
  const removeExpired = sqlite.prepare<[number, number]>(
    'DELETE FROM items WHERE id IN (SELECT id FROM items WHERE expires_at <= ? LIMIT ? + 0)',
  );
  const vectors = sqlite.prepare<[string, string, string], { item: number; vector: Buffer }>(
    `SELECT v.item, v.vector FROM items i JOIN item_vectors v ON v.item = i.id WHERE ${within}`,
  );
  const addVector = sqlite.prepare<[number, Buffer]>('INSERT INTO item_vectors (item, vector) VALUES (?, ?)');
  const removeVectors = sqlite.prepare<[number]>('DELETE FROM item_vectors WHERE item = ?');

  return {
    get: (namespace, key, now) => get.get(namespace, key, now),
    under: (namespace, now) => under.iterate(...range(namespace), now),
    page: (namespace, now, limit, offset) => page.all(...range(namespace), now, limit, offset),
    namespaces: (now) => {
      const found: string[] = [];
      for (let one = following.get('', now); one !== undefined; one = following.get(one, now))
        found.push(one);
      return found;
    },
    put: ({ namespace, key, value, now, expiresAt }) =>
      put.get(namespace, key, value, now, now, expiresAt) as number,
    remove: (namespace, key) => {
      remove.run(namespace, key);
    },
    setExpiry: (id, expiresAt) => {
      setExpiry.run(expiresAt, id);
    },
    removeExpired: (now, limit) => removeExpired.run(now, limit).changes,
    vectors: (namespace) => {
      const byItem = new Map<number, Float32Array[]>();
      for (const { item, vector } of vectors.iterate(...range(namespace))) {
        const floats = new Float32Array(new Uint8Array(vector).buffer);
        const known = byItem.get(item);
        if (known) known.push(floats);
        else byItem.set(item, [floats]);
      }
      return byItem;
    },
    setVectors: (item, all) => {
      removeVectors.run(item);
      for (const one of all) addVector.run(item, Buffer.from(one.buffer, one.byteOffset, one.byteLength));
    },
  };
}

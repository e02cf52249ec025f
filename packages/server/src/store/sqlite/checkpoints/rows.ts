import type { Database } from '../database.ts';

export interface CheckpointRow {
  ns: string;
  id: string;
  parentId: string | null;
  /** The checkpoint without `channel_values`, JSON. */
  body: string;
  metadata: string;
  /** Channel -> id of its value, JSON. */
  refs: string;
}

/** A value as stored: serialised, its long lists left out. */
export interface StoredValue {
  type: string;
  body: string | Uint8Array;
  /** Where lists were left out and which items they hold, JSON. */
  lists: string | null;
}

export interface WriteRow extends StoredValue {
  taskId: string;
  channel: string;
}

export interface WriteKey {
  ns: string;
  checkpointId: string;
  taskId: string;
  idx: number;
  path: string;
  channel: string;
}

/** Statements on the checkpoints of one lane. */
export interface CheckpointRows {
  get(lane: number, ns: string, id: string): CheckpointRow | undefined;
  latest(lane: number, ns: string): CheckpointRow | undefined;
  headOf(lane: number): string | null;
  /** Newest first, of one namespace or all, below `before`. */
  page(lane: number, ns: string | undefined, before: string, limit: number): CheckpointRow[];
  put(lane: number, row: CheckpointRow): void;
  value(lane: number, id: number): StoredValue | undefined;
  /** Returns the value's id. */
  addValue(lane: number, of: { ns: string; channel: string; version: string }, value: StoredValue): number;
  /** The newest value that was stored for this version of a channel. */
  findValue(lane: number, ns: string, channel: string, version: string): number | undefined;
  /** In the order in which a run applies them. */
  writes(lane: number, ns: string, checkpointId: string): WriteRow[];
  /** `replace`: in place of the one that is there, which stays otherwise. */
  putWrite(lane: number, key: WriteKey, value: StoredValue, replace: boolean): void;
  deleteAll(lane: number): void;
}

const COLUMNS = 'ns, checkpoint_id AS id, parent_id AS parentId, body, metadata, refs';

export function openCheckpointRows({ sqlite }: Database): CheckpointRows {
  const get = sqlite.prepare<[number, string, string], CheckpointRow>(
    `SELECT ${COLUMNS} FROM checkpoints WHERE lane = ? AND ns = ? AND checkpoint_id = ?`,
  );
  const head = sqlite
    .prepare<[number], string>(
      `SELECT checkpoint_id FROM checkpoints WHERE lane = ? AND ns = '' ORDER BY checkpoint_id DESC LIMIT 1`,
    )
    .pluck();
  const latest = sqlite.prepare<[number, string], CheckpointRow>(
    `SELECT ${COLUMNS} FROM checkpoints WHERE lane = ? AND ns = ? ORDER BY checkpoint_id DESC LIMIT 1`,
  );
  const pageOfNs = sqlite.prepare<[number, string, string, number], CheckpointRow>(
    `SELECT ${COLUMNS} FROM checkpoints WHERE lane = ? AND ns = ? AND checkpoint_id < ?
      ORDER BY checkpoint_id DESC LIMIT ? + 0`,
  );
  const pageOfAll = sqlite.prepare<[number, string, number], CheckpointRow>(
    `SELECT ${COLUMNS} FROM checkpoints WHERE lane = ? AND checkpoint_id < ? ORDER BY checkpoint_id DESC LIMIT ? + 0`,
  );
  const put = sqlite.prepare<[number, string, string, string | null, string, string, string]>(
    `INSERT OR REPLACE INTO checkpoints (lane, ns, checkpoint_id, parent_id, body, metadata, refs)
      VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const value = sqlite.prepare<[number, number], StoredValue>(
    'SELECT type, body, lists FROM checkpoint_values WHERE lane = ? AND id = ?',
  );
  const lastValue = sqlite
    .prepare<[number], number | null>('SELECT max(id) FROM checkpoint_values WHERE lane = ?')
    .pluck();
  const addValue = sqlite.prepare<
    [number, number, string, string, string, string, string | Uint8Array, string | null]
  >(
    `INSERT INTO checkpoint_values (lane, id, ns, channel, version, type, body, lists)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const findValue = sqlite
    .prepare<[number, string, string, string], number>(
      `SELECT id FROM checkpoint_values WHERE lane = ? AND ns = ? AND channel = ? AND version = ?
        ORDER BY id DESC LIMIT 1`,
    )
    .pluck();
  // BINARY collation compares UTF-8 bytes: the order by code point that writesSortKey asks for.
  const writes = sqlite.prepare<[number, string, string], WriteRow>(
    `SELECT task_id AS taskId, channel, type, body, lists FROM checkpoint_writes
      WHERE lane = ? AND ns = ? AND checkpoint_id = ? ORDER BY path, task_id, idx`,
  );
  const writer = (conflict: string) =>
    sqlite.prepare<
      [number, string, string, string, number, string, string, string, string | Uint8Array, string | null]
    >(
      `INSERT INTO checkpoint_writes (lane, ns, checkpoint_id, task_id, idx, path, channel, type, body, lists)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (lane, ns, checkpoint_id, task_id, idx) DO ${conflict}`,
    );
  const replaceWrite = writer(
    'UPDATE SET path = excluded.path, channel = excluded.channel, type = excluded.type, body = excluded.body, lists = excluded.lists',
  );
  const addWrite = writer('NOTHING');
  const deletes = ['checkpoints', 'checkpoint_values', 'checkpoint_writes'].map((table) =>
    sqlite.prepare<[number]>(`DELETE FROM ${table} WHERE lane = ?`),
  );

  return {
    get: (lane, ns, id) => get.get(lane, ns, id),
    headOf: (lane) => head.get(lane) ?? null,
    latest: (lane, ns) => latest.get(lane, ns),
    page: (lane, ns, before, limit) =>
      ns === undefined ? pageOfAll.all(lane, before, limit) : pageOfNs.all(lane, ns, before, limit),
    put: (lane, { ns, id, parentId, body, metadata, refs }) => {
      put.run(lane, ns, id, parentId, body, metadata, refs);
    },
    value: (lane, id) => value.get(lane, id),
    addValue: (lane, { ns, channel, version }, { type, body, lists }) => {
      const id = (lastValue.get(lane) ?? 0) + 1;
      addValue.run(lane, id, ns, channel, version, type, body, lists);
      return id;
    },
    findValue: (lane, ns, channel, version) => findValue.get(lane, ns, channel, version),
    writes: (lane, ns, checkpointId) => writes.all(lane, ns, checkpointId),
    putWrite: (lane, { ns, checkpointId, taskId, idx, path, channel }, { type, body, lists }, replace) => {
      const put = replace ? replaceWrite : addWrite;
      put.run(lane, ns, checkpointId, taskId, idx, path, channel, type, body, lists);
    },
    deleteAll: (lane) => {
      for (const statement of deletes) statement.run(lane);
    },
  };
}

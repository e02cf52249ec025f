import type { RunnableConfig } from '@langchain/core/runnables';
import {
  BaseCheckpointSaver,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointPendingWrite,
  type CheckpointTuple,
  type DeltaChannelHistory,
  deepCopy,
  getCheckpointId,
  maxChannelVersion,
  type PendingWrite,
  TASKS,
  WRITES_IDX_MAP,
} from '@langchain/langgraph-checkpoint';
import type { Transactions } from '../transactions.ts';
import type { CheckpointRow, CheckpointRows, StoredValue, WriteKey } from './rows.ts';
import type { ValueCodec } from './value-codec.ts';

export interface LaneSaverOptions {
  /**
   * `write` or `join` of the database; throws if this saver must not write any more. What cannot be serialised throws
   * before a row is written: items of lists, which nothing refers to then, aside. The same are left by a repeated write.
   */
  write: Transactions['join'];
  rows: CheckpointRows;
  codec: ValueCodec;
  lane: number;
}

type Stored = Omit<Checkpoint, 'channel_values'>;

/** The stored values of a checkpoint by channel. */
type Values = Map<string, { version: string; id: number }>;

/** Greater than every checkpoint id. */
const LAST = '\u{10ffff}';

const LIST_PAGE = 20;

/**
 * LangGraph's saver for one lane and one run. The stored thread is the lane, whatever `thread_id` says; the configs it
 * returns keep the caller's. Serialisation happens in the call itself, so what a node changes later is not saved.
 */
export class LaneSaver extends BaseCheckpointSaver {
  readonly #options: LaneSaverOptions;
  /** The first tuple read, handed out once more if nothing came between: the engine reads before LangGraph does. */
  #again: { ns: string; asked: string; tuple: CheckpointTuple | undefined } | undefined;
  #untouched = true;
  #wrote = false;
  /** The checkpoint put last, the parent of the next one. */
  #parent: { ns: string; id: string; values: Values } | undefined;

  constructor(options: LaneSaverOptions) {
    super();
    this.#options = options;
  }

  async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const thread = threadOf(config);
    if (thread === undefined) return undefined;
    const { rows, lane } = this.#options;
    const ns = nsOf(config);
    const asked = getCheckpointId(config);
    const again = this.#again;
    this.#again = undefined;
    if (again && again.ns === ns && again.asked === asked) return again.tuple && copyOf(again.tuple, thread);
    const row = asked === '' ? rows.latest(lane, ns) : rows.get(lane, ns, asked);
    const untouched = this.#untouched;
    this.#untouched = false;
    const tuple = row && (await this.#tupleOf(row, thread));
    if (!untouched || this.#wrote) return tuple;
    this.#again = { ns, asked, tuple };
    return tuple && copyOf(tuple, thread);
  }

  async *list(config: RunnableConfig, options: CheckpointListOptions = {}): AsyncGenerator<CheckpointTuple> {
    const thread = threadOf(config);
    if (thread === undefined) return;
    const { rows, lane } = this.#options;
    const ns = config.configurable?.checkpoint_ns as string | undefined;
    const only = config.configurable?.checkpoint_id as string | undefined;
    let before = (options.before && getCheckpointId(options.before)) || LAST;
    let left = options.limit ?? Number.POSITIVE_INFINITY;
    while (left > 0) {
      const page = rows.page(lane, ns, before, LIST_PAGE);
      for (const row of page) {
        if (left <= 0) return;
        if (only && row.id !== only) continue;
        const metadata = (await this.#options.codec.loadJson(row.metadata)) as Record<string, unknown>;
        if (!matches(metadata, options.filter)) continue;
        left -= 1;
        yield await this.#tupleOf(row, thread);
      }
      const last = page.at(-1);
      if (!last || page.length < LIST_PAGE) return;
      before = last.id;
    }
  }

  async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    const thread = requireThread(config, 'put a checkpoint');
    const ns = nsOf(config);
    const parentId = getCheckpointId(config) || null;
    const { rows, codec, lane } = this.#options;
    const { v, id, ts, channel_values, channel_versions, versions_seen } = checkpoint;
    const stored: Stored = {
      v,
      id,
      ts,
      channel_versions: channel_versions ?? {},
      versions_seen: versions_seen ?? {},
    };
    const body = JSON.stringify(stored);
    const dumped = codec.dumpJson(metadata);
    this.#write(() => {
      const parent = this.#valuesOf(ns, parentId);
      const refs = new Map<string, number>();
      const values: Values = new Map();
      const fresh: [of: { ns: string; channel: string; version: string }, value: StoredValue][] = [];
      for (const [channel, value] of Object.entries(channel_values ?? {})) {
        // A default that nobody has written: it is made again where it is needed.
        if (stored.channel_versions[channel] === undefined) continue;
        const version = versionOf(stored.channel_versions, channel);
        if (Object.hasOwn(newVersions, channel)) {
          fresh.push([{ ns, channel, version }, codec.encode(channel, value, 'state')]);
          refs.set(channel, 0); // Keeps the order of the channels.
          continue;
        }
        const known = parent.get(channel);
        const ref = known?.version === version ? known.id : rows.findValue(lane, ns, channel, version);
        if (ref === undefined) continue;
        refs.set(channel, ref);
        values.set(channel, { version, id: ref });
      }
      for (const [of, value] of fresh) {
        const ref = rows.addValue(lane, of, value);
        refs.set(of.channel, ref);
        values.set(of.channel, { version: of.version, id: ref });
      }
      rows.put(lane, { ns, id, parentId, body, metadata: dumped, refs: JSON.stringify([...refs]) });
      this.#parent = { ns, id, values };
    });
    return { configurable: { thread_id: thread, checkpoint_ns: ns, checkpoint_id: id } };
  }

  async putWrites(
    config: RunnableConfig,
    writes: PendingWrite[],
    taskId: string,
    taskPath = '',
  ): Promise<void> {
    requireThread(config, 'put writes');
    const ns = nsOf(config);
    const checkpointId = config.configurable?.checkpoint_id as string | undefined;
    if (checkpointId === undefined)
      throw new Error('cannot put writes: configurable.checkpoint_id is missing');
    const { rows, codec, lane } = this.#options;
    this.#write(() => {
      const encoded = writes.map(([channel, value], index): [key: WriteKey, value: StoredValue] => {
        const idx = WRITES_IDX_MAP[channel] ?? index;
        const key = { ns, checkpointId, taskId, idx, path: taskPath, channel };
        return [key, codec.encode(channel, value, 'write')];
      });
      // A repeated attempt finds its ordinary writes; errors, interrupts and resumes are replaced.
      for (const [key, value] of encoded) rows.putWrite(lane, key, value, key.idx < 0);
    });
  }

  /** Whatever thread it is asked for, a lane has one. */
  async deleteThread(_threadId: string): Promise<void> {
    const { rows, codec, lane } = this.#options;
    this.#parent = undefined;
    this.#write(() => {
      rows.deleteAll(lane);
      codec.deleteAll();
    });
  }

  /** As the default, which loads every channel of every ancestor; this loads what was asked for. */
  override async getDeltaChannelHistory({
    config,
    channels,
  }: {
    config: RunnableConfig;
    channels: string[];
  }): Promise<Record<string, DeltaChannelHistory>> {
    const { rows, codec, lane } = this.#options;
    const ns = nsOf(config);
    const asked = getCheckpointId(config);
    const found: Record<string, DeltaChannelHistory> = {};
    for (const channel of channels) found[channel] = { writes: [] };
    const open = new Set(channels);
    let row = asked === '' ? rows.latest(lane, ns) : rows.get(lane, ns, asked);
    while (row?.parentId && open.size > 0) {
      row = rows.get(lane, ns, row.parentId);
      if (!row) break;
      const { id } = row;
      const writes = rows.writes(lane, ns, id).filter(({ channel }) => open.has(channel));
      const refs = new Map(JSON.parse(row.refs) as [string, number][]);
      for (const write of writes.reverse()) {
        const value = await codec.decode(write);
        found[write.channel]?.writes.push([write.taskId, write.channel, value]);
      }
      for (const channel of open) {
        const ref = refs.get(channel);
        const history = found[channel];
        if (ref === undefined || !history) continue;
        history.seed = await codec.decode(this.#value(ref));
        open.delete(channel);
      }
    }
    for (const history of Object.values(found)) history.writes.reverse();
    return found;
  }

  #write(body: () => void): void {
    this.#again = undefined;
    this.#wrote = true;
    try {
      this.#options.write(body);
    } catch (error) {
      this.#parent = undefined;
      this.#options.codec.forget();
      throw error;
    }
  }

  #valuesOf(ns: string, id: string | null): Values {
    if (id === null) return new Map();
    if (this.#parent?.id === id && this.#parent.ns === ns) return this.#parent.values;
    const row = this.#options.rows.get(this.#options.lane, ns, id);
    if (!row) return new Map();
    const { channel_versions } = JSON.parse(row.body) as Stored;
    const refs = JSON.parse(row.refs) as [string, number][];
    return new Map(
      refs.map(([channel, ref]) => [channel, { version: versionOf(channel_versions, channel), id: ref }]),
    );
  }

  #value(id: number): StoredValue {
    const value = this.#options.rows.value(this.#options.lane, id);
    if (!value) throw new Error(`checkpoint value ${id} of lane ${this.#options.lane} is gone`);
    return value;
  }

  async #tupleOf(row: CheckpointRow, thread: string): Promise<CheckpointTuple> {
    const { codec } = this.#options;
    const configOf = (checkpointId: string): RunnableConfig => ({
      configurable: { thread_id: thread, checkpoint_ns: row.ns, checkpoint_id: checkpointId },
    });
    const stored = JSON.parse(row.body) as Stored;
    const refs = JSON.parse(row.refs) as [string, number][];
    const sendsFrom = stored.v < 4 ? row.parentId : null;
    // Every row is read before the first await: a tuple is of one moment.
    const [values, pendingWrites, sends, metadata] = await Promise.all([
      Promise.all(refs.map(async ([channel, id]) => [channel, await codec.decode(this.#value(id))] as const)),
      this.#writesOf(row.ns, row.id),
      sendsFrom === null ? undefined : this.#writesOf(row.ns, sendsFrom),
      codec.loadJson(row.metadata),
    ]);
    const checkpoint: Checkpoint = { ...stored, channel_values: Object.fromEntries(values) };
    if (sends) this.#migrate(checkpoint, sends);
    return {
      config: configOf(row.id),
      checkpoint,
      metadata: metadata as CheckpointMetadata,
      pendingWrites,
      ...(row.parentId === null ? {} : { parentConfig: configOf(row.parentId) }),
    };
  }

  /** Reads in the call itself; what it throws is a rejection like any other of a tuple. */
  async #writesOf(ns: string, checkpointId: string): Promise<CheckpointPendingWrite[]> {
    const { rows, codec, lane } = this.#options;
    return Promise.all(
      rows
        .writes(lane, ns, checkpointId)
        .map(
          async (write) => [write.taskId, write.channel, await codec.decode(write)] as CheckpointPendingWrite,
        ),
    );
  }

  /** Checkpoints before version 4 kept sends as writes of their parent. */
  #migrate(checkpoint: Checkpoint, writesOfParent: CheckpointPendingWrite[]): void {
    const values = writesOfParent.filter(([, channel]) => channel === TASKS).map(([, , value]) => value);
    const versions = Object.values(checkpoint.channel_versions);
    checkpoint.channel_values[TASKS] = values;
    checkpoint.channel_versions[TASKS] = (
      versions.length > 0 ? maxChannelVersion(...versions) : this.getNextVersion(undefined)
    ) as number;
  }
}

function threadOf(config: RunnableConfig): string | undefined {
  return config.configurable?.thread_id as string | undefined;
}

function requireThread(config: RunnableConfig, what: string): string {
  const thread = threadOf(config);
  if (thread === undefined) throw new Error(`cannot ${what}: configurable.thread_id is missing`);
  return thread;
}

function nsOf(config: RunnableConfig): string {
  return (config.configurable?.checkpoint_ns as string | undefined) ?? '';
}

function versionOf(versions: Checkpoint['channel_versions'], channel: string): string {
  return JSON.stringify(versions[channel] ?? null);
}

function matches(metadata: Record<string, unknown>, filter: Record<string, unknown> | undefined): boolean {
  return Object.entries(filter ?? {}).every(([key, value]) => metadata[key] === value);
}

/**
 * LangGraph changes what it reads: `getState` applies pending writes to it, and a reducer may push into its list. All
 * that must not reach the other reader of the same tuple; messages themselves are shared.
 */
function copyOf(tuple: CheckpointTuple, thread: string): CheckpointTuple {
  const { checkpoint, metadata, parentConfig, pendingWrites = [] } = tuple;
  const channel_values: Record<string, unknown> = {};
  for (const [channel, value] of Object.entries(checkpoint.channel_values)) {
    channel_values[channel] = Array.isArray(value) ? [...value] : value;
  }
  return {
    config: { configurable: { ...tuple.config.configurable, thread_id: thread } },
    checkpoint: {
      ...checkpoint,
      channel_values,
      channel_versions: { ...checkpoint.channel_versions },
      versions_seen: deepCopy(checkpoint.versions_seen),
    },
    ...(metadata ? { metadata: { ...metadata } } : {}),
    ...(parentConfig ? { parentConfig: { configurable: { ...parentConfig.configurable } } } : {}),
    pendingWrites: pendingWrites.map(([taskId, channel, value]) => [taskId, channel, value]),
  };
}

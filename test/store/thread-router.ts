import type { RunnableConfig } from '@langchain/core/runnables';
import {
  BaseCheckpointSaver,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointTuple,
  type DeltaChannelHistory,
  type PendingWrite,
} from '@langchain/langgraph-checkpoint';
import {
  type Checkpoints,
  openCheckpoints,
} from '../../packages/server/src/store/sqlite/checkpoints/open.ts';
import { type Database, openDatabase } from '../../packages/server/src/store/sqlite/database.ts';
import { type Lanes, openLanes } from '../../packages/server/src/store/sqlite/lanes.ts';

/**
 * One saver for many threads, as the official suite wants it: a lane per thread. `fresh`: every call goes through a
 * new saver, so that nothing is answered from a run's memory.
 */
export class ThreadRouter extends BaseCheckpointSaver {
  readonly database: Database;
  readonly #lanes: Lanes;
  readonly #checkpoints: Checkpoints;
  readonly #savers = new Map<string, BaseCheckpointSaver>();
  readonly #fresh: boolean;

  constructor(options: { file?: string; fresh?: boolean } = {}) {
    super();
    this.database = openDatabase(options.file ?? ':memory:');
    this.#lanes = openLanes(this.database);
    this.#checkpoints = openCheckpoints(this.database);
    this.#fresh = options.fresh ?? false;
  }

  /** What the next run of a thread gets. */
  newRun(): void {
    this.#savers.clear();
  }

  #of(thread: unknown): BaseCheckpointSaver {
    const name = String(thread);
    const known = this.#fresh ? undefined : this.#savers.get(name);
    if (known) return known;
    const lane = this.#lanes.find('owner', 'agent', name) ?? this.#lanes.add('owner', 'agent', name, 0);
    const saver = this.#checkpoints.ofLane(lane);
    this.#savers.set(name, saver);
    return saver;
  }

  async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    return this.#of(config.configurable?.thread_id).getTuple(config);
  }

  async *list(config: RunnableConfig, options?: CheckpointListOptions): AsyncGenerator<CheckpointTuple> {
    const asked = config.configurable?.thread_id as string | undefined;
    let left = options?.limit ?? Number.POSITIVE_INFINITY;
    for (const thread of asked === undefined ? [...this.#savers.keys()] : [asked]) {
      const one = { ...config, configurable: { ...config.configurable, thread_id: thread } };
      for await (const tuple of this.#of(thread).list(one, options)) {
        if (left-- <= 0) return;
        yield tuple;
      }
    }
  }

  async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    return this.#of(config.configurable?.thread_id).put(config, checkpoint, metadata, newVersions);
  }

  async putWrites(
    config: RunnableConfig,
    writes: PendingWrite[],
    taskId: string,
    path?: string,
  ): Promise<void> {
    await this.#of(config.configurable?.thread_id).putWrites(config, writes, taskId, path);
  }

  async deleteThread(thread: string): Promise<void> {
    await this.#of(thread).deleteThread(thread);
  }

  override async getDeltaChannelHistory(options: {
    config: RunnableConfig;
    channels: string[];
  }): Promise<Record<string, DeltaChannelHistory>> {
    return this.#of(options.config.configurable?.thread_id).getDeltaChannelHistory(options);
  }

  close(): void {
    this.database.close();
  }
}

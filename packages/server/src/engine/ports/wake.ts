/** What the engine asks of the channel between those who write and those who wait. */

import type { Snapshot, StoredEvent } from './log.ts';

export type Topic = 'run' | 'cancel' | 'stuck' | 'forgotten';

/** Lossy by contract: everything stays right, only slower, if no message ever arrives. */
export interface Wake {
  /** A run was queued, a cancel was asked for, a run cannot be stored now, or its task was deleted (key: the task's id). */
  signal(topic: Topic, key: string): void;
  onSignal(topic: Topic, listener: (key: string) => void): () => void;
  /** Events that were just stored, in order; `snapshot` when they stopped the task. */
  publish(taskId: string, events: readonly StoredEvent[], snapshot?: Snapshot): void;
  onEvents(
    taskId: string,
    listener: (events: readonly StoredEvent[], snapshot?: Snapshot) => void,
  ): () => void;
}

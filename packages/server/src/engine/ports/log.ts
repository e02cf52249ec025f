/** The event log of a task. */

import type { JsonValue, Message, Task, TaskEvent } from '@parley/protocol';

export interface StoredEvent {
  taskId: string;
  /** 1, 2, 3, … without a gap, per task. */
  seq: number;
  event: TaskEvent;
}

/** An event on its way into the log. It is dropped if the task's log holds its `key`: what may repeat is written once. */
export interface Entry {
  taskId: string;
  key?: string;
  event: TaskEvent;
  /** Of another task than the run's: whatever state it has, it keeps. */
  keepsState?: true;
  /** A piece of streamed text; neighbours of one artifact may be stored as one event. */
  delta?: true;
}

/** A turn of the task at a time. Asked for again under the same key, it takes the place of the earlier one. */
export interface WakeEntry {
  taskId: string;
  key: string;
  /** Milliseconds since 1970. */
  wake: { at: number; data: JsonValue };
}

/** What a run writes. */
export type Written = Entry | WakeEntry;

/** The task as the fold of its log up to `seq`, without history. */
export interface Snapshot {
  task: Task;
  seq: number;
  /** How far the messages of its context had come at that instant: what `history` takes. */
  upTo: number;
  /** Its caller gets this bare Message in the place of the task, which nobody is shown any more. */
  reply?: Message;
}

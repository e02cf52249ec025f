/** A message on its way in, and what becomes of it. */

import type { JsonValue, TaskState } from '@parley/protocol';
import type { StoredEvent } from './log.ts';
import type { Claimed, MessagePayload, PendingInterrupt } from './run.ts';

/** A message on its way in. `digest` is equal for repetitions: same caller, assistant, target and content. */
export interface Inbound {
  owner: string;
  assistantId: string;
  contextId?: string;
  taskId?: string;
  digest: string;
  /** `Idempotency-Key`: a request that is equal (`digest`) gets the same answer for `keptMs`. */
  request?: { key: string; digest: string; keptMs: number };
  /** The caller does not wait (`returnImmediately`). */
  immediate: boolean;
  /** The caller waits and sees no Task before the agent has said something: the answer may be a bare Message. */
  takesReply: boolean;
  payload: MessagePayload;
}

/** What the store finds in the lane of an inbound message, under the lane's lock. */
export interface LaneView {
  /** The task that the message names, if it is this caller's and this assistant's. */
  task?: TaskView;
  /** A task of the context that waits for the answer to an interrupt. */
  parked?: string;
  /** Runs waiting in the lane. */
  queued: number;
  /**
   * The same message (equal digest), accepted before: for a named task at any time, for a new one while its run is
   * open.
   */
  twin?: { taskId: string; runId: string };
  /** What came in under the same `Idempotency-Key`. */
  request?: { digest: string; taskId: string; runId: string };
}

export interface TaskView {
  taskId: string;
  contextId: string;
  state: TaskState;
  /** Open questions, without those that a queued message answers. */
  pending: PendingInterrupt[];
}

export type Admission =
  | { kind: 'join'; taskId: string; runId: string }
  | { kind: 'new' }
  | { kind: 'follow-up'; answers?: { [interruptId: string]: JsonValue } };

/** What becomes of a message; throws the `A2AError` its sender gets. */
export type Admit = (inbound: Inbound, view: LaneView) => Admission;

/** Where a message went. Events of the task after `seq` are the answer to it; `joined`: it was a retry. */
export interface Submitted {
  taskId: string;
  contextId: string;
  runId: string;
  seq: number;
  joined: boolean;
  events: StoredEvent[];
  /** The run, when its lane was free and the caller can carry it out. */
  claimed?: Claimed;
}

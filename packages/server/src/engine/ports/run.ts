/** Runs: what one is given, who carries it out, and how it ended. */

import type { JsonObject, JsonValue, Message } from '@parley/protocol';
import type { Entry, Snapshot, StoredEvent, Written } from './log.ts';

/** The unit of order: one run at a time for a caller, an assistant and a conversation. `id` is the store's own. */
export interface Lane {
  id: number;
  owner: string;
  assistantId: string;
  contextId: string;
}

/** A question a graph waits on. `schema` is JSON Schema. */
export interface PendingInterrupt {
  id: string;
  value: JsonValue;
  schema?: JsonObject;
}

/** What one run is given, kept as JSON so that a run outlives its process. */
export type RunPayload = MessagePayload | OwnTurn;

/** A turn that no message has brought: a time has come (`turn.wakeAt`), or the task is to be canceled. */
export interface OwnTurn {
  kind: 'wake' | 'cancel';
  followUp: true;
  stream: boolean;
  /** What `wakeAt` was given. */
  data?: JsonValue;
  /** Of the request to cancel. */
  metadata?: JsonObject;
}

export interface MessagePayload {
  kind: 'message';
  message: Message;
  /** It names a task that was there already. */
  followUp: boolean;
  /** Answers by interrupt id, when the message resumes a paused graph. */
  answers?: { [interruptId: string]: JsonValue };
  configuration?: JsonObject;
  metadata?: JsonObject;
  command?: JsonObject;
  context?: JsonObject;
  extensions?: string[];
  /** Token deltas are wanted: somebody watches while the run goes on. */
  stream: boolean;
  idempotencyKey?: string;
}

/** A claimed run. `epoch` is the fence: nothing is written for an older one. */
export interface Lease {
  runId: string;
  taskId: string;
  lane: Lane;
  epoch: number;
  /** 1 for the first attempt. */
  attempt: number;
  payload: RunPayload;
  /** Head of the thread when the run was first claimed; `null`: an empty thread. */
  baseCheckpoint: string | null;
  /** Messages of the task that wait behind this one. */
  queued: number;
}

/** Who takes runs, and the status with which a run begins, not a terminal one: it is stored with the first claim. */
export interface Claimant {
  worker: string;
  leaseMs: number;
  begin(lease: Lease): Entry;
}

export interface Claimed {
  lease: Lease;
  events: StoredEvent[];
}

export type RunState = 'queued' | 'running' | 'done' | 'dropped' | 'refused';

/** How a run ended for the caller whose message it consumed. */
export interface RunOutcome {
  state: RunState;
  /** Why the message was refused, as `A2AError` fields. */
  refusal?: JsonObject;
  /** The bare Message that answered it; its task is gone. */
  reply?: Message;
}

export interface Finish {
  entries: Written[];
  /** What says that the run is over. If it says that the task waits, it is written only if no other message of it does. */
  end: Entry[];
  /** Questions that stay open. */
  pending: PendingInterrupt[];
  refusal?: JsonObject;
  reply?: Reply;
}

/**
 * A bare Message, for a caller who has been shown no Task and an agent that has said nothing else. Otherwise `entries`
 * are written, before `end`.
 */
export interface Reply {
  message: Message;
  entries: Entry[];
}

export interface Finished {
  events: StoredEvent[];
  snapshot: Snapshot;
}

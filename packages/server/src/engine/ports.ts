/** What the engine asks of the outside. Stores, the graph executor and the wake-up channel implement these. */

import type { BaseCheckpointSaver, BaseStore } from '@langchain/langgraph-checkpoint';
import type { JsonObject, JsonValue, Message, Task, TaskEvent, TaskState } from '@parley/protocol';

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

/** The task as the fold of its log up to `seq`, without history. */
export interface Snapshot {
  task: Task;
  seq: number;
  /** How far the messages of its context had come at that instant: what `history` takes. */
  upTo: number;
  /** Its caller gets this bare Message in the place of the task, which nobody is shown any more. */
  reply?: Message;
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

export interface TaskFilter {
  owner: string;
  assistantId: string;
  contextId?: string;
  state?: TaskState;
  /** `YYYY-MM-DDTHH:mm:ss.sssZ`, inclusive. */
  statusAfter?: string;
}

export interface TaskPage {
  tasks: Task[];
  /** Of each task, as in its snapshot. */
  upTo: number[];
  /** `undefined` on the last page. */
  next?: string;
  total: number;
}

/** Whose task: an id of somebody else is an unknown id. */
export interface TaskRef {
  owner: string;
  assistantId: string;
  taskId: string;
}

export type CancelResult =
  | { kind: 'unknown' }
  | { kind: 'terminal'; state: TaskState }
  | { kind: 'signalled' }
  | { kind: 'canceled'; events: StoredEvent[] };

/** What is forgotten in time. Each does up to `limit` at a time and returns how many it did. */
export interface Retention {
  /** Ends tasks that have waited for their caller since `before`, with nothing to come; `end` says how. */
  expire(
    before: number,
    limit: number,
    end: (task: { taskId: string; contextId: string }) => Entry,
  ): Promise<StoredEvent[]>;
  /** The logs of tasks that ended before; how they ended stays. */
  forgetEvents(before: number, limit: number): Promise<number>;
  /** Tasks that ended before, with their messages; a conversation goes with its last one. */
  forgetTasks(before: number, limit: number): Promise<number>;
  /** Requests whose `Idempotency-Key` has expired. */
  forgetRequests(limit: number): Promise<number>;
  /** Items of LangGraph's store that have expired. */
  forgetItems(limit: number): Promise<number>;
}

/**
 * Tasks, their event logs, messages and runs. Every method is atomic, and what it has written or read is durable when
 * it resolves, as is what a refusal rests on. A write through a lease that has been taken over throws `Fenced`. A store
 * that cannot write now throws `Unavailable`, and goes on to for this lease: the run can only be released. What was
 * deleted with its thread is `Forgotten`.
 */
export interface Store extends Retention {
  /** Milliseconds; the one clock of leases, schedules and timestamps. */
  now(): number;

  /**
   * Loads what `admit` decides on, then does as it says. What `admit` throws leaves nothing behind. A run that is
   * first of its lane goes to `claimant` at once.
   */
  submit(inbound: Inbound, admit: Admit, claimant?: Claimant): Promise<Submitted>;
  /** `turn`: the agent of a task that has begun gets a turn first, after which the task is canceled. */
  requestCancel(ref: TaskRef, turn?: OwnTurn): Promise<CancelResult>;

  /** Who reads a task, here or in a list, has been shown it: it is not answered with a bare Message any more. */
  snapshot(ref: TaskRef): Promise<Snapshot | undefined>;
  list(filter: TaskFilter, page: { size: number; after?: string; artifacts: boolean }): Promise<TaskPage>;
  /**
   * The last `limit` messages (all if absent) of the task or its whole context, oldest first; with `upTo` as they stood
   * when a snapshot was taken.
   */
  history(ref: TaskRef, scope: 'task' | 'context', limit?: number, upTo?: number): Promise<Message[]>;
  /**
   * The conversation that a run finds, oldest first: without its own message, those that wait in the queue, and what it
   * has said itself.
   */
  historyBefore(lease: Lease): Promise<Message[]>;
  read(taskId: string, afterSeq: number, limit: number): Promise<StoredEvent[]>;
  outcome(runId: string): Promise<RunOutcome>;

  /**
   * Up to `n` runs that are first in their lane, in order of arrival; each raises its epoch. In a lane whose task has
   * open questions only its runs have a turn: another one would drop the questions.
   */
  claim(claimant: Claimant, n: number): Promise<Claimed[]>;
  /**
   * Queues the turns whose time has come; returns when the next one's is. A task that runs or has open questions keeps
   * its turns until it rests without; those of an ended one are dropped.
   */
  wakeDue(): Promise<number | undefined>;
  /** Extends the leases; names those lost and those whose task was canceled. */
  renew(leases: Lease[], leaseMs: number): Promise<{ lost: string[]; cancel: string[] }>;
  /** Entries go to tasks of the lease's lane that have not ended; the others are dropped. */
  append(lease: Lease, entries: Written[]): Promise<StoredEvent[]>;
  /** Appends and ends the run. A terminal state drops the task's queued runs. */
  finish(lease: Lease, end: Finish): Promise<Finished>;
  /** Gives the run back to the queue. */
  release(lease: Lease, delayMs: number, countsAsAttempt: boolean): Promise<void>;
  /** Requeues runs whose lease has ended (`all`: every running one, at the start of an embedded store). */
  reap(all: boolean): Promise<number>;

  /**
   * LangGraph's saver for this run: its thread is the lane, its writes are fenced. They are durable with the run's next
   * other write, or some milliseconds later.
   */
  checkpointer(lease: Lease): BaseCheckpointSaver;
  /** LangGraph's store for this run, one for all agents and callers: its writes are fenced, and durable when they resolve. */
  memory(lease: Lease): BaseStore;

  close(): Promise<void>;
}

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

/** How an agent is run. Events go out through `emit` as they happen; the return value says how the run ended. */
export interface AgentExecutor {
  run(context: RunContext): Promise<RunEnd>;
}

export interface RunContext {
  lease: Lease;
  checkpointer: BaseCheckpointSaver;
  memory: BaseStore;
  signal: AbortSignal;
  now(): number;
  /** The task as it stood when this run was claimed, without history. */
  task(): Promise<Task>;
  /** Messages of the conversation before the one of this run, oldest first. */
  history(): Promise<Message[]>;
  emit(entry: Written): void;
}

/** `message` is what the agent says to its caller with the new state. */
export type RunEnd =
  | { state: 'TASK_STATE_COMPLETED'; message?: Message; answerArtifactId?: string; reply?: Reply }
  | { state: 'TASK_STATE_FAILED' | 'TASK_STATE_REJECTED' | 'TASK_STATE_CANCELED'; message?: Message }
  | {
      state: 'TASK_STATE_INPUT_REQUIRED' | 'TASK_STATE_AUTH_REQUIRED';
      message?: Message;
      pending: PendingInterrupt[];
      refusal?: JsonObject;
    };

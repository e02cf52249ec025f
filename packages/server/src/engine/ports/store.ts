/** What the engine asks of a database. */

import type { BaseCheckpointSaver, BaseStore } from '@langchain/langgraph-checkpoint';
import type { Message, Task, TaskState } from '@parley/protocol';
import type { Entry, Snapshot, StoredEvent, Written } from './log.ts';
import type { Claimant, Claimed, Finish, Finished, Lease, OwnTurn, RunOutcome } from './run.ts';
import type { Admit, Inbound, Submitted } from './submission.ts';

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

import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';

/** `interrupted`: a task of it waits for its caller; `error`: its last task has failed. */
export type ThreadStatus = 'idle' | 'busy' | 'interrupted' | 'error';

/** A conversation of one caller with one assistant. Times in milliseconds since 1970. */
export interface ThreadRecord {
  /** The store's own. */
  lane: number;
  /** The contextId. */
  id: string;
  assistantId: string;
  /** `null`: the assistant is gone. */
  graphId: string | null;
  status: ThreadStatus;
  createdAt: number;
  updatedAt: number;
}

export interface ThreadFilter {
  ids?: readonly string[] | undefined;
  status?: ThreadStatus | undefined;
  assistantId?: string | undefined;
  graphId?: string | undefined;
}

export type ThreadOrder = 'thread_id' | 'status' | 'created_at' | 'updated_at';

export interface ThreadPage {
  sortBy: ThreadOrder;
  descending: boolean;
  limit: number;
  offset: number;
}

/** `tasks`: those of the thread. */
export type ForgottenThread =
  | { kind: 'unknown' }
  | { kind: 'busy'; tasks: string[] }
  | { kind: 'forgotten'; tasks: string[] };

/** Threads of an owner. Every method is atomic, and what it has written or read is durable when it resolves. */
export interface ThreadStore {
  /** Those with this id: one for each assistant that was called with it. */
  find(owner: string, id: string): Promise<ThreadRecord[]>;
  /**
   * A page costs by its size and by the owner's threads that the filter leaves: of 20,000, 4 ms in order of creation, 25
   * by status.
   */
  search(owner: string, filter: ThreadFilter, page: ThreadPage): Promise<ThreadRecord[]>;
  count(owner: string, filter: ThreadFilter): Promise<number>;
  /** Reads checkpoints with a saver that writes nothing. */
  read<T>(thread: ThreadRecord, body: (saver: BaseCheckpointSaver) => Promise<T>): Promise<T>;
  /** Deletes all there is of a thread, unless one of its runs is queued or running. */
  forget(owner: string, thread: Pick<ThreadRecord, 'id' | 'assistantId'>): Promise<ForgottenThread>;
}

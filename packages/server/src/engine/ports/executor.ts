/** What the engine asks of an agent. */

import type { BaseCheckpointSaver, BaseStore } from '@langchain/langgraph-checkpoint';
import type { JsonObject, Message, Task } from '@parley/protocol';
import type { Written } from './log.ts';
import type { Lease, PendingInterrupt, Reply } from './run.ts';

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

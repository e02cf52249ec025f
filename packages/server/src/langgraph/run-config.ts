import { TURN_KEY } from '@parley/agent';
import type { RunContext } from '../engine/ports/executor.ts';
import type { Assistant } from './assistant.ts';
import { ownConfig } from './assistant-config.ts';
import { turnInputOf } from './turn-input.ts';

/** The second argument of `graph.stream`. The assistant's own settings apply, ours win. */
export function runConfig(
  assistant: Assistant,
  context: RunContext,
): { [key: string]: unknown; configurable: object } {
  const { lease, signal } = context;
  const { configurable, metadata, ...config } = ownConfig(assistant);
  return {
    ...config,
    ...(Object.keys(assistant.context).length > 0 ? { context: assistant.context } : {}),
    // LangSmith groups runs by `thread_id` (LangSmith docs, "Threads").
    metadata: {
      ...metadata,
      thread_id: lease.lane.contextId,
      assistant_id: assistant.id,
      a2a_task_id: lease.taskId,
      a2a_run_id: lease.runId,
    },
    configurable: {
      ...configurable,
      thread_id: lease.lane.contextId,
      assistant_id: assistant.id,
      [TURN_KEY]: turnInputOf(lease),
      // Lent for this run: the graph itself is never changed.
      __pregel_checkpointer: context.checkpointer,
      __pregel_strict_resume: true,
    },
    store: context.memory,
    signal,
  };
}

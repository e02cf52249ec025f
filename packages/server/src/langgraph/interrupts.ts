import type { JsonObject } from '@parley/protocol';
import type { PendingInterrupt } from '../engine/ports/run.ts';
import { isBlock, jsonOf } from './content.ts';
import type { GraphState } from './graph.ts';

/**
 * The questions a graph waits on: interrupts of tasks without a result. `next` says nothing: it is empty while the
 * second interrupt of a node waits.
 */
export function pendingInterrupts(state: GraphState): PendingInterrupt[] {
  return state.tasks
    .filter((task) => task.result === undefined)
    .flatMap((task) => task.interrupts)
    .map(({ id, value, response_schema: schema }) => ({
      id: String(id),
      value: jsonOf(value),
      ...(isBlock(schema) ? { schema: jsonOf(schema) as JsonObject } : {}),
    }));
}

const INVALID_RESUME = Symbol.for('langgraph.invalid_resume');

/** An answer the graph itself refused: LangGraph marks the error, or one it was caused by (langgraph `isInvalidResume`). */
export function isRefusedAnswer(error: unknown): error is Error {
  let current = error;
  for (let depth = 0; depth < 10 && typeof current === 'object' && current !== null; depth++) {
    if ((current as { [INVALID_RESUME]?: boolean })[INVALID_RESUME] === true) return true;
    if ((current as Error).name === 'UnknownInterruptError') return true;
    current = (current as Error).cause;
  }
  return false;
}

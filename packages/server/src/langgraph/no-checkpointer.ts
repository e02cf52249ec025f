import type { Agent } from './agent.ts';

/** What a graph that is compiled with `checkpointer: false` cannot do; nothing for every other agent. */
export function lackOfCheckpointer(agent: Agent): string | undefined {
  if (agent.kind === 'custom' || agent.compiled?.checkpointer !== false) return undefined;
  return `it is compiled with checkpointer: false, so it remembers no turn and cannot wait for an answer; ${REMEDY}`;
}

/** An `interrupt()` where LangGraph has no checkpointer, as an error that names the graph and what to do. */
export function explainNoCheckpointer(error: unknown, graphId: string): unknown {
  const { lc_error_code: code } = Object(error) as { lc_error_code?: unknown };
  if (code !== 'MISSING_CHECKPOINTER') return error;
  const whose = 'it, or a graph that it calls, is compiled with checkpointer: false';
  return new Error(`graph '${graphId}' cannot wait for an answer: ${whose}; ${REMEDY}`, { cause: error });
}

const REMEDY = 'leave that option out, the server lends a checkpointer';

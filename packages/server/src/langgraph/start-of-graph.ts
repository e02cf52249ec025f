import type { CheckpointTuple } from '@langchain/langgraph-checkpoint';
import type { RunContext } from '../engine/ports/executor.ts';
import { hasBreakpoints, pendingBreakpoints } from './breakpoints.ts';
import type { CompiledGraph } from './graph.ts';
import { pendingInterrupts } from './interrupts.ts';
import { inputOfTurn, resumeOfMessage } from './run-input.ts';

/** What the graph is given. `input: undefined`: it has nothing left to do; `null`: it goes on where it was. */
export interface GraphStart {
  input: unknown;
  /** The run may answer an interrupt or meet an old one: the state decides how it ends. */
  resumes: boolean;
}

/**
 * Where a run begins: with its message, with the answer to an interrupt, or, after a crash, at the last checkpoint
 * (docs/engine.md, "Recovery").
 */
export async function startOfGraph(
  graph: CompiledGraph,
  context: RunContext,
  config: object,
  thread: CheckpointTuple | undefined,
): Promise<GraphStart> {
  const { lease } = context;
  const head = (thread?.config.configurable?.checkpoint_id as string | undefined) ?? null;
  // The epoch, not the attempt: a run that was given back before a shutdown has its attempt back too.
  const repeated = lease.epoch > 1;
  const paused = thread?.pendingWrites?.some(([, channel]) => channel === '__interrupt__') === true;

  if (repeated && head !== lease.baseCheckpoint) {
    const state = await graph.getState(config);
    const unfinished = state.tasks.some((task) => task.result === undefined && task.interrupts.length === 0);
    // It may have stopped there, or have begun: it is asked for rather than passed unasked.
    if (pendingBreakpoints(graph, state).length > 0) return { input: undefined, resumes: true };
    return { input: unfinished ? null : undefined, resumes: true };
  }
  if ((paused || hasBreakpoints(graph)) && lease.payload.kind === 'message' && lease.payload.followUp) {
    const state = await graph.getState(config);
    const pending = pendingInterrupts(state);
    if (pending.length === 0 && pendingBreakpoints(graph, state).length > 0)
      return { input: null, resumes: true };
    if (pending.length > 0) {
      const command = resumeOfMessage(lease.payload, pending);
      const answered = Object.keys(command.resume as object).length > 0;
      return { input: answered ? command : repeated ? null : undefined, resumes: true };
    }
  }
  return { input: inputOfTurn(graph, lease, thread), resumes: false };
}

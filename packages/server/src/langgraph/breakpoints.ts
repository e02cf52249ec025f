import type { PendingInterrupt } from '../engine/ports/run.ts';
import type { CompiledGraph, GraphState } from './graph.ts';
import { pendingInterrupts } from './interrupts.ts';

/** The graph may stop before or after a node that has asked nothing (`compile({ interruptBefore, interruptAfter })`). */
export function hasBreakpoints({ interruptBefore, interruptAfter }: CompiledGraph): boolean {
  return names(interruptBefore).length > 0 || names(interruptAfter).length > 0;
}

/** Where it stands at one: nodes that are next. The first answer, whatever it says, lets them go on. */
export function pendingBreakpoints(graph: CompiledGraph, state: GraphState): PendingInterrupt[] {
  const before = names(graph.interruptBefore);
  const anywhere = before.includes(EVERY) || names(graph.interruptAfter).length > 0;
  return state.tasks
    .filter(({ name, result, interrupts }) => {
      return result === undefined && interrupts.length === 0 && (anywhere || before.includes(name));
    })
    .map(({ id, name }) => ({ id, value: `The agent has stopped before '${name}'. Go on?` }));
}

/** What a graph waits for: answers to its interrupts, otherwise to go on from a breakpoint. */
export function pendingQuestions(graph: CompiledGraph, state: GraphState): PendingInterrupt[] {
  const interrupts = pendingInterrupts(state);
  return interrupts.length > 0 ? interrupts : pendingBreakpoints(graph, state);
}

const EVERY = '*';

function names(nodes: unknown): unknown[] {
  return Array.isArray(nodes) ? nodes : nodes === EVERY ? [EVERY] : [];
}

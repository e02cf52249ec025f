import { A2AError } from '@parley/protocol';
import { isBlock } from './content.ts';
import type { CustomAgent } from './custom-agent.ts';
import { type CompiledGraph, inputKeys } from './graph.ts';

/** What an entry of `graphs` turned out to be. A factory makes its graph anew for every run; others are `compiled`. */
export type Agent =
  | { kind: 'graph'; make(config: object): Promise<CompiledGraph>; compiled?: CompiledGraph }
  | { kind: 'custom'; agent: CustomAgent };

/** Reads an export: a StateGraph, a compiled graph, a promise of one, an agent that wraps one, a factory, or a custom agent. */
export async function agentOf(exported: unknown): Promise<Agent | undefined> {
  const value: unknown = await exported;
  const graph = compiled(value);
  if (graph) return { kind: 'graph', make: async () => graph, compiled: graph };
  if (isBlock(value) && (typeof value.invoke === 'function' || typeof value.stream === 'function')) {
    return { kind: 'custom', agent: value as unknown as CustomAgent };
  }
  if (typeof value !== 'function') return undefined;
  return {
    kind: 'graph',
    make: async (config) => {
      const made = compiled(await value(config));
      if (!made) throw new Error('the factory returned no graph');
      return made;
    },
  };
}

function compiled(value: unknown): CompiledGraph | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const candidate = value as { [key: string]: unknown };
  if (candidate.lg_is_pregel === true) return value as CompiledGraph;
  if (typeof candidate.compile === 'function') return compiled(candidate.compile());
  // createAgent of the package langchain.
  return 'graph' in candidate ? compiled(candidate.graph) : undefined;
}

/** An assistant whose graph takes no messages cannot be called over A2A; the error names the keys it has. */
export async function assertTakesMessages(agent: Agent, graphId: string, config: object): Promise<void> {
  if (agent.kind === 'custom') return;
  const keys = inputKeys(await agent.make(config));
  if (keys.includes('messages')) return;
  const has = keys.length === 0 ? 'none' : keys.join(', ');
  const description = `graph '${graphId}' has no 'messages' key in its input and cannot take A2A messages; its keys: ${has}`;
  throw new A2AError('invalid-params', description, { fieldViolations: [{ field: 'message', description }] });
}

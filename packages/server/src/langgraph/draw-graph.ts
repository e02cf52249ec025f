import type { JsonValue } from '@parley/protocol';
import type { Agent } from './agent.ts';
import type { Assistant } from './assistant.ts';
import { ownConfig } from './assistant-config.ts';
import { jsonOf } from './content.ts';

/** Nodes and edges in the form of LangChain's drawable graphs. */
export interface DrawnGraph {
  nodes: JsonValue;
  edges: JsonValue;
}

/** The graph of an assistant; an agent that is no graph has no nodes. */
export async function drawGraph(
  agent: Agent,
  assistant: Pick<Assistant, 'config'>,
  xray: boolean | number,
): Promise<DrawnGraph> {
  if (agent.kind === 'custom') return { nodes: [], edges: [] };
  const config = ownConfig(assistant);
  const graph = await agent.make(config);
  const drawn = (await graph.getGraphAsync({ ...config, xray })).toJSON();
  const { nodes, edges } = jsonOf(drawn) as { nodes: JsonValue; edges: JsonValue };
  return { nodes, edges };
}

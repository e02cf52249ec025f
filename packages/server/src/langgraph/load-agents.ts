import { ConfigError } from '../config/config-error.ts';
import type { Config, GraphEntry } from '../config/load-config.ts';
import { type Agent, agentOf } from './agent.ts';
import { loadExport, messageOf } from './load-export.ts';

/** Loads every graph of a `langgraph.json`; TypeScript needs no build. Throws `ConfigError`. */
export async function loadAgents(
  config: Config,
): Promise<Map<string, { agent: Agent; description?: string }>> {
  const agents = new Map<string, { agent: Agent; description?: string }>();
  for (const [graphId, entry] of Object.entries(config.graphs)) {
    const { description } = entry;
    const agent = await loadAgent(config.file, graphId, entry);
    agents.set(graphId, { agent, ...(description === undefined ? {} : { description }) });
  }
  return agents;
}

async function loadAgent(configFile: string, graphId: string, entry: GraphEntry): Promise<Agent> {
  const key = `graphs.${graphId}`;
  const agent = await agentOf(await loadExport(configFile, key, entry)).catch((cause: unknown) => {
    throw new ConfigError(
      configFile,
      key,
      `'${entry.exportName}' could not be made: ${messageOf(cause)}`,
      cause,
    );
  });
  if (!agent) {
    const expected =
      'a StateGraph, a compiled graph, a createAgent agent, a function that makes one, or a custom agent';
    throw new ConfigError(configFile, key, `'${entry.exportName}' is not an agent; expected ${expected}`);
  }
  return agent;
}

import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { register as registerCommonJs } from 'tsx/cjs/api';
import { register } from 'tsx/esm/api';
import { ConfigError } from '../config/config-error.ts';
import type { Config, GraphEntry } from '../config/load-config.ts';
import { type Agent, agentOf } from './agent.ts';

/** Loads every graph of a `langgraph.json`; TypeScript needs no build. Throws `ConfigError`. */
export async function loadAgents(
  config: Config,
): Promise<Map<string, { agent: Agent; description?: string }>> {
  loadTypeScript();
  const agents = new Map<string, { agent: Agent; description?: string }>();
  for (const [graphId, entry] of Object.entries(config.graphs)) {
    const { description } = entry;
    const agent = await loadAgent(config.file, graphId, entry);
    agents.set(graphId, { agent, ...(description === undefined ? {} : { description }) });
  }
  return agents;
}

let loading = false;

/** For good: a graph may import more when it runs. A folder without `"type": "module"` holds CommonJS. */
function loadTypeScript(): void {
  if (loading) return;
  loading = true;
  register();
  registerCommonJs();
}

async function loadAgent(configFile: string, graphId: string, entry: GraphEntry): Promise<Agent> {
  const key = `graphs.${graphId}`;
  if (!existsSync(entry.file)) throw new ConfigError(configFile, key, `${entry.file} does not exist`);
  const module = await importModule(configFile, key, entry.file);
  if (!Object.hasOwn(module, entry.exportName)) {
    const names = Object.keys(module).join(', ') || 'none';
    throw new ConfigError(
      configFile,
      key,
      `${entry.file} has no export '${entry.exportName}'; its exports: ${names}`,
    );
  }
  const agent = await agentOf(module[entry.exportName]).catch((cause: unknown) => {
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

async function importModule(
  configFile: string,
  key: string,
  file: string,
): Promise<{ [name: string]: unknown }> {
  try {
    const module = (await import(pathToFileURL(file).href)) as { [name: string]: unknown };
    // What a CommonJS project exports arrives under `default`.
    const { default: common } = module;
    return isPlain(common) ? { ...common, ...module } : module;
  } catch (cause) {
    throw new ConfigError(configFile, key, `${file} cannot be loaded: ${messageOf(cause)}`, cause);
  }
}

/** An object of exports, not a graph that is the default export. */
function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

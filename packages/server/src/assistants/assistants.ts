import { type AssistantSettings, DEFAULT_ASSISTANT_SETTINGS } from '../config/settings.ts';
import type { Agent } from '../langgraph/agent.ts';
import { systemAssistantId } from '../langgraph/assistant.ts';
import type { AssistantStore } from './ports.ts';
import { type ServedAssistant, type ServedGraph, serveAssistant } from './serve-assistant.ts';

/** Finds the assistants that are served; what was found stays in memory until it changes. */
export interface Assistants {
  /** By assistant id or graph id. One of another owner, or whose graph is not served, is not there. */
  find(id: string, owner: string): Promise<ServedAssistant | undefined>;
  /** For a run, whose owner was checked when its message came in. */
  ofRun(id: string): Promise<ServedAssistant | undefined>;
  /** How an assistant answers that was found just now. */
  settingsOf(id: string): AssistantSettings;
  graph(graphId: string): ServedGraph | undefined;
  graphIds(): string[];
}

/** More than one server is likely to have; each takes a few kilobytes. */
const KEPT = 10_000;

/** Makes the assistants that every graph has by itself, where they are missing, as a start of the LangGraph API does. */
export async function openAssistants(
  agents: ReadonlyMap<string, { agent: Agent; description?: string }>,
  settings: { [graphId: string]: AssistantSettings },
  store: AssistantStore,
): Promise<Assistants> {
  const graphs = new Map<string, ServedGraph>();
  for (const [graphId, agent] of agents) {
    const own = Object.hasOwn(settings, graphId) ? settings[graphId] : undefined;
    graphs.set(graphId, { ...agent, settings: own ?? DEFAULT_ASSISTANT_SETTINGS });
    await store.create(systemAssistantId(graphId), null, systemAssistant(graphId));
  }
  /** Least recently used first. */
  const kept = new Map<string, ServedAssistant>();
  /** Of look-ups that go on: what changes meanwhile must not be kept. */
  let changes = 0;
  store.onChange((id) => {
    changes++;
    kept.delete(id);
  });

  const load = async (id: string): Promise<ServedAssistant | undefined> => {
    const before = changes;
    const record = await store.get(id);
    const graph = record && graphs.get(record.graphId);
    if (!record || !graph) return undefined;
    const served = serveAssistant(record, graph);
    if (before === changes) keep(id, served);
    return served;
  };
  const keep = (id: string, served: ServedAssistant): void => {
    kept.delete(id);
    kept.set(id, served);
    const [oldest] = kept.keys();
    if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest);
  };
  const ofRun = async (id: string): Promise<ServedAssistant | undefined> => kept.get(id) ?? load(id);

  return {
    find: async (named, owner) => {
      const id = assistantIdOf(named, graphs);
      const served = await ofRun(id);
      if (!served || (served.owner !== null && served.owner !== owner)) return undefined;
      if (kept.size === KEPT) keep(id, served);
      return served;
    },
    ofRun,
    settingsOf: (id) => kept.get(id)?.settings ?? DEFAULT_ASSISTANT_SETTINGS,
    graph: (graphId) => graphs.get(graphId),
    graphIds: () => [...graphs.keys()],
  };
}

/** A graph's id stands for the assistant that it has by itself. */
export function assistantIdOf(named: string, graphs: { has(graphId: string): boolean }): string {
  return graphs.has(named) ? systemAssistantId(named) : named;
}

function systemAssistant(graphId: string): Parameters<AssistantStore['create']>[2] {
  return {
    graphId,
    name: graphId,
    description: null,
    config: {},
    context: {},
    metadata: { created_by: 'system' },
  };
}

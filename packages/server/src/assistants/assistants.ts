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
    const id = systemAssistantId(graphId);
    if (!(await store.get(id))) await store.create(id, null, systemAssistant(graphId));
  }
  /** Least recently used first. */
  const kept = new Map<string, Kept>();
  let changes = 0;
  store.onChange((id) => {
    changes++;
    const one = kept.get(id);
    if (one) one.fresh = false;
  });

  const keep = (id: string, one: Kept): void => {
    kept.delete(id);
    kept.set(id, one);
    const [oldest] = kept.keys();
    if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest);
  };
  const load = async (id: string): Promise<ServedAssistant | undefined> => {
    const before = changes;
    const record = await store.get(id);
    const graph = record && graphs.get(record.graphId);
    if (!record || !graph) {
      kept.delete(id);
      return undefined;
    }
    const served = serveAssistant(record, graph);
    keep(id, { served, fresh: before === changes });
    return served;
  };
  const ofRun = async (id: string): Promise<ServedAssistant | undefined> => {
    const one = kept.get(id);
    if (!one?.fresh) return load(id);
    // Until then nothing has to give way.
    if (kept.size === KEPT) keep(id, one);
    return one.served;
  };

  return {
    find: async (named, owner) => {
      const served = await ofRun(assistantIdOf(named, graphs));
      return served && (served.owner ?? owner) === owner ? served : undefined;
    },
    ofRun,
    settingsOf: (id) => kept.get(id)?.served.settings ?? DEFAULT_ASSISTANT_SETTINGS,
    graph: (graphId) => graphs.get(graphId),
    graphIds: () => [...graphs.keys()],
  };
}

interface Kept {
  served: ServedAssistant;
  /** Nothing has changed since it was read. */
  fresh: boolean;
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

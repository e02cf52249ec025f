import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import type { JsonObject, JsonValue } from '@parley/protocol';
import type { Agent } from './agent.ts';
import type { Assistant } from './assistant.ts';
import { ownConfig } from './assistant-config.ts';
import { isBlock } from './content.ts';
import type { CompiledGraph, GraphState, StateConfig } from './graph.ts';

/** A state of a thread as the LangGraph API gives it. */
export interface ThreadState {
  values: JsonValue;
  next: string[];
  tasks: ThreadTask[];
  metadata: JsonValue;
  created_at: string | null;
  checkpoint: Checkpoint | null;
  parent_checkpoint: Checkpoint | null;
}

export interface ThreadTask {
  id: string;
  name: string;
  path: JsonValue;
  error: string | null;
  interrupts: JsonValue;
  result: JsonValue;
  checkpoint: Checkpoint | null;
  state: ThreadState | null;
}

export interface Checkpoint {
  thread_id: string;
  checkpoint_ns: string;
  checkpoint_id: string | null;
  checkpoint_map: JsonValue;
}

/** Where in a thread: its newest checkpoint, or that of a subgraph, unless one is named. */
export interface StateTarget {
  checkpointId?: string | undefined;
  checkpointNs?: string | undefined;
}

/** Which states come before a target, newest first. */
export interface HistoryPage extends StateTarget {
  limit: number;
  before?: string | undefined;
  /** What the metadata of a state has to be equal to. */
  metadata?: JsonObject | undefined;
}

/** A thread, and the agent that knows how to read it. */
export interface ThreadView {
  threadId: string;
  saver: BaseCheckpointSaver;
  agent: Agent;
  assistant: Pick<Assistant, 'config'>;
}

/** `undefined`: there is no such checkpoint. An agent that keeps none has an empty state. */
export async function readState(
  view: ThreadView,
  target: StateTarget,
  subgraphs: boolean,
): Promise<ThreadState | undefined> {
  const opened = await openGraph(view, target);
  if (!opened) return EMPTY_STATE;
  const state = await opened.graph.getState(opened.config, { subgraphs });
  if (target.checkpointId !== undefined && state.createdAt === undefined) return undefined;
  return threadState(state);
}

export async function readHistory(view: ThreadView, page: HistoryPage): Promise<ThreadState[]> {
  const opened = await openGraph(view, page);
  if (!opened) return [];
  const before =
    page.before === undefined ? {} : { before: { configurable: { checkpoint_id: page.before } } };
  const options = { limit: page.limit, ...before, ...(page.metadata ? { filter: page.metadata } : {}) };
  const states: ThreadState[] = [];
  for await (const state of opened.graph.getStateHistory(opened.config, options))
    states.push(threadState(state));
  return states;
}

export const EMPTY_STATE: ThreadState = {
  values: {},
  next: [],
  tasks: [],
  metadata: null,
  created_at: null,
  checkpoint: null,
  parent_checkpoint: null,
};

async function openGraph(
  { threadId, saver, agent, assistant }: ThreadView,
  { checkpointId, checkpointNs = '' }: StateTarget,
): Promise<{ graph: CompiledGraph; config: object } | undefined> {
  if (agent.kind === 'custom') return undefined;
  const own = ownConfig(assistant);
  const configurable = {
    ...own.configurable,
    thread_id: threadId,
    checkpoint_ns: checkpointNs,
    ...(checkpointId === undefined ? {} : { checkpoint_id: checkpointId }),
    __pregel_checkpointer: saver,
  };
  const config = { ...own, configurable };
  const graph = await agent.make(config);
  return graph.checkpointer === false ? undefined : { graph, config };
}

function threadState(state: GraphState): ThreadState {
  const { values, next, tasks, metadata, createdAt, config, parentConfig } = state;
  return {
    values: stateJson(values ?? {}),
    next: [...next],
    tasks: tasks.map((task) => ({
      id: task.id,
      name: task.name,
      path: stateJson(task.path ?? []),
      // What a node threw is in the log: it may hold what nobody outside is to see.
      error: task.error == null ? null : 'An internal error occurred',
      interrupts: stateJson(task.interrupts),
      result: stateJson(task.result ?? null),
      checkpoint: isState(task.state) ? null : checkpointOf(task.state),
      state: isState(task.state) ? threadState(task.state) : null,
    })),
    metadata: stateJson(metadata ?? null),
    created_at: createdAt ?? null,
    checkpoint: config.configurable?.checkpoint_id === undefined ? null : checkpointOf(config),
    parent_checkpoint: checkpointOf(parentConfig),
  };
}

function isState(state: StateConfig | GraphState | undefined): state is GraphState {
  return state !== undefined && 'values' in state && 'next' in state;
}

function checkpointOf(config: StateConfig | undefined): Checkpoint | null {
  const { thread_id, checkpoint_id, checkpoint_ns, checkpoint_map } = config?.configurable ?? {};
  if (thread_id === undefined) return null;
  return {
    thread_id,
    checkpoint_ns: checkpoint_ns ?? '',
    checkpoint_id: checkpoint_id ?? null,
    checkpoint_map: stateJson(checkpoint_map ?? null),
  };
}

/** Values of a state as JSON, with messages in the form of the LangGraph API: their fields, and their type among them. */
function stateJson(value: unknown): JsonValue {
  const text = JSON.stringify(value, function (this: { [key: string]: unknown }, key, serialised: unknown) {
    const raw = this[key];
    if (isBlock(raw) && typeof raw.toDict === 'function') {
      const { type, data } = raw.toDict() as { type: string; data: object };
      return { ...data, type };
    }
    return typeof serialised === 'bigint' ? String(serialised) : serialised;
  });
  return text === undefined ? null : (JSON.parse(text) as JsonValue);
}

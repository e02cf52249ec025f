import type { BaseCheckpointSaver, BaseStore } from '@langchain/langgraph-checkpoint';

/** As much of a compiled LangGraph.js graph as we use; users' graphs may come from another copy of the library. */
export interface CompiledGraph {
  lg_is_pregel: true;
  name?: string;
  checkpointer?: BaseCheckpointSaver | boolean;
  store?: BaseStore;
  channels: { [name: string]: { lc_graph_name?: string } };
  inputChannels: string | string[];
  outputChannels: string | string[];
  streamChannels?: string | string[];
  /** Static breakpoints, of nodes or all (`*`). */
  interruptBefore?: unknown;
  interruptAfter?: unknown;
  builder?: {
    _inputDefinition?: object;
    _schemaDefinition?: object;
    _schemaRuntimeDefinition?: unknown;
    _inputRuntimeDefinition?: unknown;
    _outputRuntimeDefinition?: unknown;
    _configRuntimeSchema?: unknown;
  };
  _defaults?: unknown;
  stream(input: unknown, config: object): Promise<AsyncIterable<unknown>>;
  getState(config: object, options?: { subgraphs?: boolean }): Promise<GraphState>;
  getStateHistory(config: object, options: object): AsyncIterable<GraphState>;
  getSubgraphsAsync(
    namespace: string | undefined,
    recurse: boolean,
  ): AsyncIterable<[name: string, graph: CompiledGraph]>;
  getGraphAsync(config: object): Promise<{ toJSON(): unknown }>;
}

export interface GraphState {
  values: unknown;
  next: string[];
  config: StateConfig;
  parentConfig?: StateConfig;
  metadata?: object;
  /** ISO 8601. */
  createdAt?: string;
  tasks: {
    id: string;
    name: string;
    path?: unknown;
    result?: unknown;
    error?: unknown;
    interrupts: { id?: string; value?: unknown; response_schema?: unknown }[];
    /** Of a node that is a graph: where its state is or, if that was asked for, its state. */
    state?: StateConfig | GraphState;
  }[];
}

export interface StateConfig {
  configurable?: {
    thread_id?: string;
    checkpoint_id?: string;
    checkpoint_ns?: string;
    checkpoint_map?: unknown;
  };
}

/** The keys of a graph's input: of its input definition if it declares one, else its channels. */
export function inputKeys(graph: CompiledGraph): string[] {
  const definition = graph.builder?._inputDefinition ?? graph.builder?._schemaDefinition;
  if (definition) return Object.keys(definition);
  const channels = Array.isArray(graph.inputChannels) ? graph.inputChannels : [graph.inputChannels];
  return channels.filter((channel) => channel !== '__start__');
}

/** Last-value channels replace: such a graph is given the whole list, not what is new. */
export function appendsMessages(graph: CompiledGraph): boolean {
  const kind = graph.channels.messages?.lc_graph_name;
  return kind !== undefined && kind !== 'LastValue';
}

export function hasChannel(graph: CompiledGraph, name: string): boolean {
  return Object.hasOwn(graph.channels, name);
}

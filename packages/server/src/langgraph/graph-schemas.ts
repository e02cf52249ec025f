import { toJsonSchema } from '@langchain/core/utils/json_schema';
import { isZodSchemaV3, isZodSchemaV4 } from '@langchain/core/utils/types';
import {
  getConfigTypeSchema,
  getInputTypeSchema,
  getOutputTypeSchema,
  getUpdateTypeSchema,
} from '@langchain/langgraph/zod/schema';
import type { JsonObject } from '@parley/protocol';
import type { Agent } from './agent.ts';
import type { Assistant } from './assistant.ts';
import { ownConfig } from './assistant-config.ts';
import { isBlock, jsonOf } from './content.ts';
import { type CompiledGraph, inputKeys } from './graph.ts';

/** JSON Schema of what a graph takes, keeps and gives; `null`: it does not say. */
export interface GraphSchemas {
  input: JsonObject | null;
  output: JsonObject | null;
  state: JsonObject | null;
  config: JsonObject | null;
}

/** The schemas of an assistant's graph; of an agent that is no graph there are none. */
export async function graphSchemas(
  agent: Agent,
  assistant: Pick<Assistant, 'config'>,
): Promise<GraphSchemas> {
  if (agent.kind === 'custom') return { input: null, output: null, state: null, config: null };
  return schemasOf(await agent.make(ownConfig(assistant)));
}

/** The schemas of the graphs that are nodes of it, by name; `recurse`: and of those within, as `outer|inner`. */
export async function subgraphSchemas(
  agent: Agent,
  assistant: Pick<Assistant, 'config'>,
  { namespace, recurse }: { namespace?: string | undefined; recurse: boolean },
): Promise<Map<string, GraphSchemas>> {
  const found = new Map<string, GraphSchemas>();
  if (agent.kind === 'custom') return found;
  const graph = await agent.make(ownConfig(assistant));
  for await (const [name, subgraph] of graph.getSubgraphsAsync(namespace, recurse)) {
    found.set(name, schemasOf(subgraph));
  }
  return found;
}

/**
 * What a graph was declared with, if that can be read while it runs: a StateSchema, or zod. An `Annotation` has types
 * for the compiler alone: of it there are the names of the keys.
 */
function schemasOf(graph: CompiledGraph): GraphSchemas {
  const { builder = {} } = graph;
  const {
    _schemaRuntimeDefinition: state,
    _inputRuntimeDefinition: input,
    _outputRuntimeDefinition: output,
    _configRuntimeSchema: config,
  } = builder;
  const known = registered(graph);
  const partialState = zodSchema(state);
  return {
    input:
      // A symbol: the input is a part of the state.
      stateSchema(typeof input === 'symbol' ? state : input, 'getInputJsonSchema') ??
      known.input ??
      zodSchema(input) ??
      (partialState ? withoutRequired(partialState) : keysOnly(inputKeys(graph))),
    output:
      stateSchema(output, 'getJsonSchema') ??
      known.output ??
      zodSchema(output) ??
      keysOnly(keysOf(graph.outputChannels)),
    state:
      stateSchema(state, 'getJsonSchema') ??
      known.state ??
      zodSchema(state) ??
      keysOnly(keysOf(graph.streamChannels ?? Object.keys(graph.channels))),
    config: known.config ?? zodSchema(config) ?? null,
  };
}

/** Of a StateSchema, which is known by its methods. */
function stateSchema(
  schema: unknown,
  method: 'getJsonSchema' | 'getInputJsonSchema',
): JsonObject | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined;
  const make: unknown = Reflect.get(schema, method);
  return typeof make === 'function' ? asObject(() => make.call(schema)) : undefined;
}

function zodSchema(schema: unknown): JsonObject | undefined {
  if (!isZodSchemaV4(schema) && !isZodSchemaV3(schema)) return undefined;
  // Messages are a type of their own, which JSON Schema cannot say.
  return asObject(() => toJsonSchema(schema, { unrepresentable: 'any' }));
}

/** What LangGraph's registry knows of zod schemas; that of another copy of LangGraph knows them and this one does not. */
function registered(graph: CompiledGraph): { [K in keyof GraphSchemas]: JsonObject | undefined } {
  type Registered = (graph: never) => unknown;
  const of = (read: Registered): JsonObject | undefined => asObject(() => read(graph as never));
  return {
    input: of(getInputTypeSchema as Registered),
    output: of(getOutputTypeSchema as Registered),
    state: of(getUpdateTypeSchema as Registered),
    config: of(getConfigTypeSchema as Registered),
  };
}

/** What has no JSON Schema is as good as not declared. */
function asObject(make: () => unknown): JsonObject | undefined {
  try {
    const schema = jsonOf(make());
    return isBlock(schema) ? (schema as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

function withoutRequired({ required: _, ...schema }: JsonObject): JsonObject {
  return schema;
}

function keysOnly(keys: readonly string[]): JsonObject {
  const shown = keys.filter((key) => !key.startsWith('__') && !key.startsWith('branch:'));
  return { type: 'object', properties: Object.fromEntries(shown.map((key) => [key, {}])) };
}

function keysOf(channels: string | readonly string[]): readonly string[] {
  return typeof channels === 'string' ? [channels] : channels;
}

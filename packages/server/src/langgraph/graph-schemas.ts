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

/**
 * What a graph was declared with, if that can be read while it runs: a StateSchema, or zod. An `Annotation` has types
 * for the compiler alone: of it there are the names of the keys.
 */
export async function graphSchemas(
  agent: Agent,
  assistant: Pick<Assistant, 'config'>,
): Promise<GraphSchemas> {
  if (agent.kind === 'custom') return { input: null, output: null, state: null, config: null };
  const graph = await agent.make(ownConfig(assistant));
  const { builder = {} } = graph;
  const state = declared(builder._schemaRuntimeDefinition, 'getJsonSchema');
  const known = registered(graph);
  return {
    input:
      declared(builder._inputRuntimeDefinition, 'getInputJsonSchema') ??
      declared(builder._schemaRuntimeDefinition, 'getInputJsonSchema') ??
      known.input ??
      (state ? withoutRequired(state) : keysOnly(inputKeys(graph))),
    output:
      declared(builder._outputRuntimeDefinition, 'getJsonSchema') ??
      known.output ??
      state ??
      keysOnly(keysOf(graph.outputChannels)),
    state: state ?? known.state ?? keysOnly(keysOf(graph.streamChannels ?? Object.keys(graph.channels))),
    config: declared(builder._configRuntimeSchema, 'getJsonSchema') ?? known.config ?? null,
  };
}

/** Of a StateSchema, which has such a method, or of zod. */
function declared(schema: unknown, method: 'getJsonSchema' | 'getInputJsonSchema'): JsonObject | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined;
  const make: unknown = Reflect.get(schema, method);
  if (typeof make === 'function') return asObject(() => make.call(schema));
  if (method === 'getInputJsonSchema' || !(isZodSchemaV4(schema) || isZodSchemaV3(schema))) return undefined;
  return asObject(() => toJsonSchema(schema));
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

/** What has no JSON Schema, as a function in zod, is as good as not declared. */
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

import type { JsonObject } from '@parley/protocol';
import { z } from 'zod';
import { assistantA2a } from '../../config/settings.ts';
import { limit, offset, optional } from '../langgraph-api/read-request.ts';

/** Bodies of the Assistants API as the LangGraph API takes them. `null` is the same as nothing. */
export interface AssistantBody {
  graph_id: string | undefined;
  name: string | undefined;
  description: string | undefined;
  config: JsonObject | undefined;
  context: JsonObject | undefined;
  metadata: JsonObject | undefined;
}

export interface CreateBody extends AssistantBody {
  graph_id: string;
  assistant_id: string | undefined;
  if_exists: 'raise' | 'do_nothing' | undefined;
}

export interface CountBody {
  graph_id: string | undefined;
  name: string | undefined;
  metadata: JsonObject | undefined;
}

export interface SearchBody extends CountBody {
  limit: number;
  offset: number;
  sort_by: (typeof ORDERS)[number] | undefined;
  sort_order: 'asc' | 'desc' | undefined;
  select: string[] | undefined;
}

const ORDERS = ['assistant_id', 'graph_id', 'name', 'created_at', 'updated_at'] as const;
const FIELDS = [...ORDERS, 'description', 'config', 'context', 'metadata', 'version'] as const;

const text = z.string();
const jsonObject = z.record(z.string(), z.json()) as z.ZodType<JsonObject>;

/** Nobody outside sets what the server and LangGraph tell each other. */
const configurable = z.record(
  z.string().refine((key) => !key.startsWith('__'), 'keys that begin with __ are the server’s own'),
  z.json(),
);
const config = z.looseObject({
  tags: optional(z.array(text)),
  recursion_limit: optional(z.int('expected a whole number').min(1)),
  max_concurrency: optional(z.int('expected a whole number').min(1)),
  run_name: optional(text),
  metadata: optional(jsonObject),
  configurable: optional(configurable),
}) as unknown as z.ZodType<JsonObject>;
const metadata = z.looseObject({ a2a: assistantA2a.nullish() }) as unknown as z.ZodType<JsonObject>;

const content = {
  name: optional(text),
  description: optional(text),
  config: optional(config),
  context: optional(jsonObject),
  metadata: optional(metadata),
};
const filter = { graph_id: optional(text), name: optional(text), metadata: optional(jsonObject) };

export const createBody: z.ZodType<CreateBody> = z.object({
  ...content,
  graph_id: text,
  assistant_id: optional(z.guid('expected a UUID').transform((id) => id.toLowerCase())),
  if_exists: optional(z.enum(['raise', 'do_nothing'])),
});

export const patchBody: z.ZodType<AssistantBody> = z.object({ ...content, graph_id: optional(text) });

export const countBody: z.ZodType<CountBody> = z.object(filter);

export const searchBody: z.ZodType<SearchBody> = z.object({
  ...filter,
  limit,
  offset,
  sort_by: optional(z.enum(ORDERS)),
  sort_order: optional(z.enum(['asc', 'desc'])),
  select: optional(z.array(z.enum(FIELDS))),
});

export const versionsBody: z.ZodType<{ limit: number; offset: number; metadata: JsonObject | undefined }> =
  z.object({ limit, offset, metadata: optional(jsonObject) });

export const latestBody: z.ZodType<{ version: number }> = z.object({
  version: z.int('expected a whole number'),
});

export const deleteQuery: z.ZodType<{ delete_threads: boolean }> = z.object({
  delete_threads: z
    .enum(['true', 'false'])
    .default('false')
    .transform((value) => value === 'true'),
});

export const subgraphsQuery: z.ZodType<{ recurse: boolean }> = z.object({
  recurse: z
    .enum(['true', 'false'])
    .default('false')
    .transform((value) => value === 'true'),
});

export const graphQuery: z.ZodType<{ xray: boolean | number }> = z.object({
  xray: z
    .string()
    .regex(/^(?:true|false|\d{1,3})$/, 'expected true, false or a number of levels')
    .default('false')
    .transform((value) => (/^\d/.test(value) ? Number(value) : value === 'true')),
});

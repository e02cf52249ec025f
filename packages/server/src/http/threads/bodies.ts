import type { JsonObject } from '@parley/protocol';
import { z } from 'zod';
import type { ThreadStatus } from '../../threads/ports.ts';
import { limit, offset, optional } from '../langgraph-api/read-request.ts';

export interface CountBody {
  status: ThreadStatus | undefined;
  metadata: JsonObject | undefined;
}

export interface SearchBody extends CountBody {
  ids: string[] | undefined;
  limit: number;
  offset: number;
  sort_by: (typeof ORDERS)[number] | undefined;
  sort_order: 'asc' | 'desc' | undefined;
  select: string[] | undefined;
}

/** Where in a thread. */
export interface CheckpointBody {
  checkpoint_id: string | undefined;
  checkpoint_ns: string | undefined;
}

export interface HistoryBody {
  limit: number;
  /** Id of a checkpoint. */
  before: string | undefined;
  metadata: JsonObject | undefined;
  checkpoint: CheckpointBody | undefined;
  select: string[] | undefined;
}

export interface StateQuery {
  subgraphs: boolean;
  select: string[] | undefined;
}

const ORDERS = ['thread_id', 'status', 'created_at', 'updated_at', 'state_updated_at'] as const;
const FIELDS = [...ORDERS, 'metadata', 'config', 'values', 'interrupts'] as const;

const text = z.string();
const jsonObject = z.record(z.string(), z.json()) as z.ZodType<JsonObject>;
/** Clients are told what they would not get. */
const unsupported = z.undefined('is not supported here');
const filter = {
  status: optional(z.enum(['idle', 'busy', 'interrupted', 'error'])),
  metadata: optional(jsonObject),
  values: unsupported.nullish(),
};
const checkpoint = z.object({ checkpoint_id: optional(text), checkpoint_ns: optional(text) });
/** A checkpoint's id as it is, or where LangGraph's configs have it. */
const before = z.union(
  [
    text,
    z
      .object({ checkpoint_id: text })
      .or(z.object({ configurable: z.object({ checkpoint_id: text }) }).transform((one) => one.configurable))
      .transform((one) => one.checkpoint_id),
  ],
  { error: 'expected the id of a checkpoint' },
);
const select = optional(z.array(text));

export const countBody: z.ZodType<CountBody> = z.object(filter);

export const searchBody: z.ZodType<SearchBody> = z.object({
  ...filter,
  extract: unsupported.nullish(),
  ids: optional(z.array(text)),
  limit,
  offset,
  sort_by: optional(z.enum(ORDERS)),
  sort_order: optional(z.enum(['asc', 'desc'])),
  select: optional(z.array(z.enum(FIELDS))),
});

export const historyBody: z.ZodType<HistoryBody> = z.object({
  limit,
  before: optional(before),
  metadata: optional(jsonObject),
  checkpoint: optional(checkpoint),
  select,
});

export const historyQuery: z.ZodType<{ limit: number; before: string | undefined }> = z.object({
  limit: z.preprocess((value) => (value === undefined ? value : Number(value)), limit),
  before: optional(text),
});

export const stateBody: z.ZodType<{ checkpoint: CheckpointBody | undefined } & Partial<StateQuery>> =
  z.object({
    checkpoint: optional(checkpoint),
    subgraphs: optional(z.boolean()).transform((value) => value ?? false),
    select,
  });

/** `?assistant_id=` of every route of one thread, `?subgraphs=` of its state. */
export const threadQuery: z.ZodType<{ assistant_id: string | undefined; subgraphs: boolean }> = z.object({
  assistant_id: optional(text),
  subgraphs: z
    .enum(['true', 'false'])
    .default('false')
    .transform((value) => value === 'true'),
});

import { z } from 'zod';
import { parseAs, type Refuse } from './read-settings.ts';

/** Makes vectors of texts: LangChain's `Embeddings`, or one function. */
export type Embed =
  | { embedQuery(text: string): Promise<number[]>; embedDocuments(texts: string[]): Promise<number[][]> }
  | ((texts: string[]) => number[][] | Promise<number[][]>);

/** `store` of `langgraph.json`: LangGraph's long-term memory (LangGraph docs, "Configuration file"). */
export interface StoreSettings<E = Embed> {
  /** Without it a search by `query` is one without. */
  index?: { embed: E; dims: number; fields?: string[] };
  /** `default_ttl` in minutes: an item that nobody writes (or, by default, reads) for so long is forgotten. */
  ttl?: { default_ttl?: number; refresh_on_read?: boolean };
}

const shape = {
  ttl: z
    .looseObject({
      default_ttl: z.number().positive('expected a number of minutes above 0').optional(),
      refresh_on_read: z.boolean().optional(),
    })
    .optional(),
  path: z
    .undefined('is not supported: compile a store of your own into the graph, compile({ store })')
    .optional(),
};

function schemaWith<E>(embed: z.ZodType<E>): z.ZodType<StoreSettings<E>> {
  const index = z.looseObject({
    embed,
    dims: z.int('expected the length of a vector').positive('expected the length of a vector'),
    fields: z.array(z.string()).optional(),
  });
  return z.looseObject({ ...shape, index: index.optional() }) as unknown as z.ZodType<StoreSettings<E>>;
}

const inFile = schemaWith(
  z.string('expected "./file.ts:export" of LangChain Embeddings or a function from texts to vectors'),
);
const inCode = schemaWith(
  z.custom<Embed>(isEmbed, 'expected LangChain Embeddings or a function from texts to vectors'),
);

/** The value of `store` in a file, `embed` still as it is written. Throws what `refuse` makes. */
export function readStore(store: unknown, refuse: Refuse): StoreSettings<string> {
  return parseAs('store', inFile, store, refuse);
}

/** The same as an argument. */
export function checkStore(store: unknown, refuse: Refuse): StoreSettings {
  return parseAs('store', inCode, store, refuse);
}

export function isEmbed(value: unknown): value is Embed {
  if (typeof value === 'function') return true;
  return typeof value === 'object' && value !== null && 'embedQuery' in value && 'embedDocuments' in value;
}

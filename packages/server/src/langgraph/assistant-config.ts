import type { JsonObject, JsonValue } from '@parley/protocol';
import { isBlock } from './content.ts';

/** Which thread, and where in it, is the server's to say. Keys with two underscores are LangGraph's and ours. */
const RESERVED: ReadonlySet<string> = new Set([
  'thread_id',
  'thread_ts',
  'checkpoint_id',
  'checkpoint_ns',
  'checkpoint_map',
  'assistant_id',
  'run_id',
]);

const isReserved = (key: string): boolean => key.startsWith('__') || RESERVED.has(key);

export interface OwnConfig {
  configurable: JsonObject;
  metadata: JsonObject;
  tags?: JsonValue;
  runName?: JsonValue;
  maxConcurrency?: JsonValue;
  recursionLimit?: JsonValue;
}

/** What an assistant's `config` is for its graph: the keys that the LangGraph API takes, under LangChain.js's names. */
export function ownConfig({ config }: { config: JsonObject }): OwnConfig {
  const { tags, run_name, max_concurrency, recursion_limit, metadata, configurable } = config;
  const own = isBlock(configurable) ? Object.entries(configurable) : [];
  return {
    configurable: Object.fromEntries(own.filter(([key]) => !isReserved(key))),
    metadata: isBlock(metadata) ? metadata : {},
    // A key that is there and undefined would take the place of the graph's own default.
    ...(tags == null ? {} : { tags }),
    ...(run_name == null ? {} : { runName: run_name }),
    ...(max_concurrency == null ? {} : { maxConcurrency: max_concurrency }),
    ...(recursion_limit == null ? {} : { recursionLimit: recursion_limit }),
  };
}

import type { JsonObject } from '@parley/protocol';
import { v5 as uuidV5 } from 'uuid';

/** A graph with settings of its own: what a URL names (LangGraph API, "Assistants"). */
export interface Assistant {
  id: string;
  graphId: string;
  name: string;
  description?: string;
  /** RunnableConfig: `configurable`, `tags`, `recursionLimit`, … */
  config: { [key: string]: unknown };
  context?: JsonObject;
  metadata: JsonObject;
}

/** Namespace of the ids of the assistants that every graph has by itself (LangGraph API). */
const SYSTEM_NAMESPACE = '6ba7b821-9dad-11d1-80b4-00c04fd430c8';

export function systemAssistant(graphId: string, description: string | undefined): Assistant {
  return {
    id: uuidV5(graphId, SYSTEM_NAMESPACE),
    graphId,
    name: graphId,
    ...(description === undefined ? {} : { description }),
    config: {},
    metadata: { created_by: 'system' },
  };
}

import type { JsonObject } from '@parley/protocol';
import { v5 as uuidV5 } from 'uuid';

/** A graph with settings of its own: what a URL names (LangGraph API, "Assistants"). */
export interface Assistant {
  id: string;
  graphId: string;
  name: string;
  description?: string;
  /** As the LangGraph API has it: `configurable`, `recursion_limit`, `tags`, … */
  config: JsonObject;
  context: JsonObject;
  metadata: JsonObject;
}

/** Namespace of the ids of the assistants that every graph has by itself (LangGraph API). */
const SYSTEM_NAMESPACE = '6ba7b821-9dad-11d1-80b4-00c04fd430c8';

export function systemAssistantId(graphId: string): string {
  return uuidV5(graphId, SYSTEM_NAMESPACE);
}

import type { JsonObject } from '@parley/protocol';

/** What an assistant is at one version. */
export interface AssistantContent {
  graphId: string;
  name: string;
  description: string | null;
  /** As the LangGraph API has it: `configurable`, `recursion_limit`, `tags`, … */
  config: JsonObject;
  context: JsonObject;
  metadata: JsonObject;
}

/** An assistant as it is now. Times in milliseconds since 1970. */
export interface AssistantRecord extends AssistantContent {
  id: string;
  /** `null`: everybody's, as the one that every graph has. */
  owner: string | null;
  version: number;
  createdAt: number;
  updatedAt: number;
}

export interface AssistantVersion extends AssistantContent {
  id: string;
  version: number;
  createdAt: number;
}

/** `name`: a part of it, in any case. `metadata`: what it has to contain. */
export interface AssistantFilter {
  graphId?: string | undefined;
  name?: string | undefined;
  metadata?: JsonObject | undefined;
}

export type AssistantOrder = 'assistant_id' | 'graph_id' | 'name' | 'created_at' | 'updated_at';

export interface AssistantPage {
  sortBy: AssistantOrder;
  descending: boolean;
  limit: number;
  offset: number;
}

/** `tasks`: those that were forgotten with its threads. `busy`: threads with open runs; nothing was deleted. */
export type DeletedAssistant =
  | { kind: 'unknown' }
  | { kind: 'busy'; threads: string[] }
  | { kind: 'deleted'; tasks: string[] };

/**
 * Assistants and their versions. Every method is atomic and durable when it resolves. An `owner` sees what is its own
 * and what is everybody's.
 */
export interface AssistantStore {
  /** Whoever's it is. */
  get(id: string): Promise<AssistantRecord | undefined>;
  /** At version 1; or the one that has this id, whoever's it is. */
  create(
    id: string,
    owner: string | null,
    content: AssistantContent,
  ): Promise<{ assistant: AssistantRecord; created: boolean }>;
  /** A new version, made of the one there is. */
  change(
    id: string,
    owner: string,
    change: (before: AssistantContent) => AssistantContent,
  ): Promise<AssistantRecord | undefined>;
  /** Back, or forward, to a version. `undefined`: there is none such. */
  setVersion(id: string, owner: string, version: number): Promise<AssistantRecord | undefined>;
  /** Newest first. */
  versions(
    id: string,
    page: { metadata?: JsonObject | undefined; limit: number; offset: number },
  ): Promise<AssistantVersion[]>;
  search(
    owner: string,
    filter: AssistantFilter,
    page: AssistantPage,
  ): Promise<{ assistants: AssistantRecord[]; total: number }>;
  count(owner: string, filter: AssistantFilter): Promise<number>;
  /** `withThreads`: and the owner's threads with it, all or nothing. */
  delete(id: string, owner: string, withThreads: boolean): Promise<DeletedAssistant>;
  /** Tells of every assistant that was made, changed or deleted, by this process or, if there are others, by them. */
  onChange(listener: (id: string) => void): void;
}

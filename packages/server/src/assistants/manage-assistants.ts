import type { JsonObject } from '@parley/protocol';
import type { Wake } from '../engine/ports/wake.ts';
import { systemAssistantId } from '../langgraph/assistant.ts';
import { type DrawnGraph, drawGraph } from '../langgraph/draw-graph.ts';
import { type GraphSchemas, graphSchemas, subgraphSchemas } from '../langgraph/graph-schemas.ts';
import { ApiError } from './api-error.ts';
import { type Assistants, assistantIdOf } from './assistants.ts';
import type {
  AssistantContent,
  AssistantFilter,
  AssistantPage,
  AssistantRecord,
  AssistantStore,
  AssistantVersion,
} from './ports.ts';
import { UNTITLED } from './serve-assistant.ts';

/** What a request says of an assistant; what it leaves out stays as it is, or is the default of a new one. */
export type AssistantWish = { [K in keyof AssistantContent]?: AssistantContent[K] | undefined };

/** One function per operation of the Assistants API (LangGraph API). Assistants are named by id or graph id. */
export interface AssistantManager {
  create(
    owner: string,
    wish: AssistantWish & { graphId: string },
    how: { id?: string | undefined; existing: 'raise' | 'do_nothing' },
  ): Promise<AssistantRecord>;
  get(owner: string, named: string): Promise<AssistantRecord>;
  patch(owner: string, named: string, wish: AssistantWish): Promise<AssistantRecord>;
  setLatest(owner: string, named: string, version: number): Promise<AssistantRecord>;
  versions(
    owner: string,
    named: string,
    page: { metadata?: JsonObject | undefined; limit: number; offset: number },
  ): Promise<AssistantVersion[]>;
  search(
    owner: string,
    filter: AssistantFilter,
    page: AssistantPage,
  ): Promise<{ assistants: AssistantRecord[]; total: number }>;
  count(owner: string, filter: AssistantFilter): Promise<number>;
  /** Returns its id. */
  delete(owner: string, named: string, withThreads: boolean): Promise<string>;
  schemas(owner: string, named: string): Promise<GraphSchemas & { graphId: string }>;
  /** By the names of the nodes that they are. */
  subgraphs(
    owner: string,
    named: string,
    which: { namespace?: string | undefined; recurse: boolean },
  ): Promise<Map<string, GraphSchemas>>;
  /** `xray`: with its subgraphs, all or so many levels of them. */
  draw(owner: string, named: string, xray: boolean | number): Promise<DrawnGraph>;
}

export function createAssistantManager(options: {
  assistants: Assistants;
  store: AssistantStore;
  wake: Pick<Wake, 'signal'>;
  newId(): string;
}): AssistantManager {
  const { assistants, store, wake } = options;
  const graphs = { has: (graphId: string) => assistants.graph(graphId) !== undefined };
  const assertGraph = (graphId: string | undefined): void => {
    if (graphId === undefined || graphs.has(graphId)) return;
    const ids = assistants.graphIds().join(', ');
    throw new ApiError('unknown', `Graph '${shown(graphId)}' not found. Expected one of: ${ids}`);
  };
  /** The assistant of a graph is everybody's: nobody takes its place while it is deleted. */
  const isReserved = async (id: string): Promise<boolean> =>
    assistants.graphIds().some((graphId) => systemAssistantId(graphId) === id) && !(await store.get(id));
  const get = async (owner: string, named: string): Promise<AssistantRecord> => {
    const record = await store.get(assistantIdOf(named, graphs));
    if (!record || (record.owner !== null && record.owner !== owner)) throw unknown(named);
    return record;
  };
  const graphOf = async (owner: string, named: string) => {
    const record = await get(owner, named);
    const graph = assistants.graph(record.graphId);
    if (!graph) throw new ApiError('unknown', `Graph '${shown(record.graphId)}' not found`);
    return { record, agent: graph.agent };
  };

  return {
    get,
    create: async (owner, wish, { id = options.newId(), existing }) => {
      assertGraph(wish.graphId);
      if (await isReserved(id)) throw new ApiError('conflict', `${id} is the id of a graph's own assistant`);
      const { assistant, created } = await store.create(id, owner, newContent(wish));
      if (created || (existing === 'do_nothing' && (assistant.owner ?? owner) === owner)) return assistant;
      throw new ApiError('conflict', `Assistant ${id} already exists`);
    },
    patch: async (owner, named, wish) => {
      assertGraph(wish.graphId);
      const { id } = await get(owner, named);
      const changed = await store.change(id, owner, (before) => patched(before, wish));
      if (!changed) throw unknown(named);
      return changed;
    },
    setLatest: async (owner, named, version) => {
      const { id } = await get(owner, named);
      const assistant = await store.setVersion(id, owner, version);
      if (!assistant) throw new ApiError('unknown', `Assistant ${id} has no version ${version}`);
      return assistant;
    },
    versions: async (owner, named, page) => store.versions((await get(owner, named)).id, page),
    search: (owner, filter, page) => store.search(owner, filter, page),
    count: (owner, filter) => store.count(owner, filter),
    delete: async (owner, named, withThreads) => {
      const id = assistantIdOf(named, graphs);
      const deleted = await store.delete(id, owner, withThreads);
      if (deleted.kind === 'unknown') throw unknown(named);
      if (deleted.kind === 'busy') {
        const threads = deleted.threads.slice(0, 10);
        const why = `Threads of it have runs that go on: cancel their tasks first. Nothing was deleted`;
        throw new ApiError('conflict', why, { threads });
      }
      for (const taskId of deleted.tasks) wake.signal('forgotten', taskId);
      return id;
    },
    schemas: async (owner, named) => {
      const { record, agent } = await graphOf(owner, named);
      return { graphId: record.graphId, ...(await graphSchemas(agent, record)) };
    },
    subgraphs: async (owner, named, which) => {
      const { record, agent } = await graphOf(owner, named);
      return subgraphSchemas(agent, record, which);
    },
    draw: async (owner, named, xray) => {
      const { record, agent } = await graphOf(owner, named);
      return drawGraph(agent, record, xray);
    },
  };
}

function newContent({
  graphId,
  name,
  description,
  config,
  context,
  metadata,
}: AssistantWish): AssistantContent {
  return {
    graphId: graphId ?? '',
    name: name === undefined ? UNTITLED : name || (graphId ?? ''),
    description: description ?? null,
    config: config ?? {},
    context: context ?? {},
    metadata: metadata ?? {},
  };
}

function patched(before: AssistantContent, wish: AssistantWish): AssistantContent {
  return {
    graphId: wish.graphId ?? before.graphId,
    name: wish.name ?? before.name,
    description: wish.description ?? before.description,
    config: wish.config ?? before.config,
    context: wish.context ?? before.context,
    metadata: { ...before.metadata, ...wish.metadata },
  };
}

function unknown(named: string): ApiError {
  return new ApiError('unknown', `Assistant '${shown(named)}' not found`);
}

const shown = (text: string): string => text.slice(0, 100);

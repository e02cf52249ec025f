import type { JsonObject } from '@parley/protocol';
import { ANONYMOUS } from '../../auth/principal.ts';
import type { ThreadFilter } from '../../threads/ports.ts';
import type { ThreadName, Threads } from '../../threads/threads.ts';
import { type ApiOptions, answerApi } from '../langgraph-api/answer.ts';
import { readJson, readQuery, selected } from '../langgraph-api/read-request.ts';
import {
  type CheckpointBody,
  type CountBody,
  countBody,
  historyBody,
  historyQuery,
  searchBody,
  stateBody,
  threadQuery,
} from './bodies.ts';
import { stateJson, threadJson } from './thread-json.ts';

/** `id` is a thread's, which is a contextId. */
type Handler = (request: Request, id: string, checkpointId: string) => Promise<Response>;

export interface ThreadHandlers {
  search: Handler;
  count: Handler;
  get: Handler;
  delete: Handler;
  state: Handler;
  stateAt: Handler;
  stateAtCheckpoint: Handler;
  history: Handler;
  searchHistory: Handler;
}

/** Threads, as far as tools need them (LangGraph API, "Threads"). */
export function threadHandlers(options: ApiOptions & { threads: Threads }): ThreadHandlers {
  const { threads } = options;
  const owner = ANONYMOUS.id;
  const answering =
    (
      handle: (
        request: Request,
        name: ThreadName,
        checkpointId: string,
      ) => Promise<Response | object | number>,
    ): Handler =>
    (request, id, checkpointId) =>
      answerApi(options, async () => {
        const assistant = readQuery(request, threadQuery).assistant_id;
        const result = await handle(request, { id, assistant }, checkpointId);
        return result instanceof Response ? result : Response.json(result);
      });

  return {
    search: answering(async (request) => {
      const body = await readJson(options, request, searchBody);
      const { limit, offset, select, ids } = body;
      const filter = filterOf(body);
      if (!filter) return [];
      const sortBy = body.sort_by === 'state_updated_at' ? 'updated_at' : (body.sort_by ?? 'created_at');
      const page = { sortBy, descending: body.sort_order !== 'asc', limit: limit + 1, offset } as const;
      const found = await threads.search(owner, { ...filter, ids }, page);
      const more = found.length > limit ? { 'x-pagination-next': String(offset + limit) } : {};
      const reads = select === undefined || select.some((field) => READ_FROM_STATE.has(field));
      const shown: object[] = [];
      for (const thread of found.slice(0, limit)) {
        const state = reads ? await threads.stateOf(owner, thread) : undefined;
        shown.push(selected(threadJson(thread, state), select));
      }
      return Response.json(shown, { headers: more });
    }),
    count: answering(async (request) => {
      const filter = filterOf(await readJson(options, request, countBody));
      return filter ? threads.count(owner, filter) : 0;
    }),
    get: answering(async (_, name) => {
      const thread = await threads.get(owner, name);
      return threadJson(thread, await threads.stateOf(owner, thread));
    }),
    delete: answering(async (_, name) => {
      await threads.delete(owner, name);
      return new Response(null, { status: 204 });
    }),
    state: answering(async (request, name) => {
      const state = await threads.state(owner, name, {}, readQuery(request, threadQuery).subgraphs);
      return stateJson(state, selectOf(request));
    }),
    stateAt: answering(async (request, name, checkpointId) => {
      const { subgraphs } = readQuery(request, threadQuery);
      return stateJson(await threads.state(owner, name, { checkpointId }, subgraphs), selectOf(request));
    }),
    stateAtCheckpoint: answering(async (request, name) => {
      const { checkpoint, subgraphs, select } = await readJson(options, request, stateBody);
      return stateJson(await threads.state(owner, name, targetOf(checkpoint), subgraphs), select);
    }),
    history: answering(async (request, name) => {
      const states = await threads.history(owner, name, readQuery(request, historyQuery));
      return states.map((state) => stateJson(state, selectOf(request)));
    }),
    searchHistory: answering(async (request, name) => {
      const { limit, before, metadata, checkpoint, select } = await readJson(options, request, historyBody);
      const page = { limit, before, metadata, ...targetOf(checkpoint) };
      return (await threads.history(owner, name, page)).map((state) => stateJson(state, select));
    }),
  };
}

const READ_FROM_STATE: ReadonlySet<string> = new Set(['values', 'interrupts', 'state_updated_at']);

/** A client repeats the parameter for every field. */
function selectOf(request: Request): string[] | undefined {
  const select = new URL(request.url).searchParams.getAll('select');
  return select.length === 0 ? undefined : select;
}

function targetOf(checkpoint: CheckpointBody | undefined): {
  checkpointId?: string | undefined;
  checkpointNs?: string | undefined;
} {
  return { checkpointId: checkpoint?.checkpoint_id, checkpointNs: checkpoint?.checkpoint_ns };
}

/** `undefined`: no thread has such metadata. */
function filterOf({ status, metadata = {} }: CountBody): ThreadFilter | undefined {
  const { assistant_id, graph_id, ...others }: JsonObject = metadata;
  if (Object.keys(others).length > 0) return undefined;
  if (![assistant_id, graph_id].every((one) => one === undefined || typeof one === 'string'))
    return undefined;
  return {
    status,
    assistantId: assistant_id as string | undefined,
    graphId: graph_id as string | undefined,
  };
}

import type { AssistantManager, AssistantWish } from '../../assistants/manage-assistants.ts';
import type { AssistantFilter } from '../../assistants/ports.ts';
import { ANONYMOUS } from '../../auth/principal.ts';
import { type ApiOptions, answerApi } from '../langgraph-api/answer.ts';
import { readJson, readQuery, selected } from '../langgraph-api/read-request.ts';
import { assistantJson, schemasJson, versionJson } from './assistant-json.ts';
import {
  type AssistantBody,
  type CountBody,
  countBody,
  createBody,
  deleteQuery,
  graphQuery,
  latestBody,
  patchBody,
  searchBody,
  subgraphsQuery,
  versionsBody,
} from './bodies.ts';

/** `id` names an assistant: its own id, or a graph's for the one that graph has by itself. */
type Handler = (request: Request, id: string, namespace: string) => Promise<Response>;

export interface AssistantHandlers {
  create: Handler;
  search: Handler;
  count: Handler;
  get: Handler;
  patch: Handler;
  delete: Handler;
  versions: Handler;
  latest: Handler;
  schemas: Handler;
  subgraphs: Handler;
  graph: Handler;
}

/** The Assistants API (LangGraph API, "Assistants"). */
export function assistantHandlers(options: ApiOptions & { manager: AssistantManager }): AssistantHandlers {
  const { manager } = options;
  const owner = ANONYMOUS.id;
  const answering =
    (
      handle: (request: Request, id: string, namespace: string) => Promise<Response | object | number>,
    ): Handler =>
    (request, id, namespace) =>
      answerApi(options, async () => {
        const result = await handle(request, id, namespace);
        return result instanceof Response ? result : Response.json(result);
      });

  return {
    create: answering(async (request) => {
      const body = await readJson(options, request, createBody);
      const wish = { ...wishOf(body), graphId: body.graph_id };
      const how = { id: body.assistant_id, existing: body.if_exists ?? ('raise' as const) };
      return assistantJson(await manager.create(owner, wish, how));
    }),
    search: answering(async (request) => {
      const { limit, offset, select, ...body } = await readJson(options, request, searchBody);
      const page = {
        sortBy: body.sort_by ?? 'created_at',
        descending: body.sort_order !== 'asc',
        limit,
        offset,
      } as const;
      const { assistants, total } = await manager.search(owner, filterOf(body), page);
      const next = offset + assistants.length;
      const headers = {
        'x-pagination-total': String(total),
        ...(next < total ? { 'x-pagination-next': String(next) } : {}),
      };
      return Response.json(
        assistants.map((assistant) => selected(assistantJson(assistant), select)),
        { headers },
      );
    }),
    count: answering(async (request) =>
      manager.count(owner, filterOf(await readJson(options, request, countBody))),
    ),
    get: answering(async (_, id) => assistantJson(await manager.get(owner, id))),
    patch: answering(async (request, id) => {
      const wish = wishOf(await readJson(options, request, patchBody));
      return assistantJson(await manager.patch(owner, id, wish));
    }),
    delete: answering(async (request, id) => [
      await manager.delete(owner, id, readQuery(request, deleteQuery).delete_threads),
    ]),
    versions: answering(async (request, id) => {
      const page = await readJson(options, request, versionsBody);
      return (await manager.versions(owner, id, page)).map(versionJson);
    }),
    latest: answering(async (request, id) => {
      const { version } = await readJson(options, request, latestBody);
      return assistantJson(await manager.setLatest(owner, id, version));
    }),
    schemas: answering(async (_, id) => {
      const { graphId, ...schemas } = await manager.schemas(owner, id);
      return schemasJson(graphId, schemas);
    }),
    subgraphs: answering(async (request, id, namespace) => {
      const { recurse } = readQuery(request, subgraphsQuery);
      const which = { namespace: namespace === '' ? undefined : namespace, recurse };
      const subgraphs = await manager.subgraphs(owner, id, which);
      return Object.fromEntries([...subgraphs].map(([name, schemas]) => [name, schemasJson(name, schemas)]));
    }),
    graph: answering(async (request, id) => manager.draw(owner, id, readQuery(request, graphQuery).xray)),
  };
}

function wishOf({ graph_id, name, description, config, context, metadata }: AssistantBody): AssistantWish {
  return { graphId: graph_id, name, description, config, context, metadata };
}

function filterOf({ graph_id, name, metadata }: CountBody): AssistantFilter {
  return { graphId: graph_id, name, metadata };
}

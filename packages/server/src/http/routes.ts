import { type Context, type Env, Hono } from 'hono';
import { cors } from 'hono/cors';
import type { HonoOptions } from 'hono/hono-base';
import { getPathNoStrict } from 'hono/utils/url';
import type { Logger } from 'pino';
import type { CorsSettings } from '../config/settings.ts';
import type { AssistantHandlers } from './assistants/handlers.ts';
import { corsOptions } from './cors.ts';
import type { ThreadHandlers } from './threads/handlers.ts';

/** Routes whose handlers are absent are not there. */
export interface Handlers {
  a2a?: {
    jsonRpc(request: Request, assistantId: string): Promise<Response>;
    card(request: Request, assistantId?: string): Promise<Response>;
  };
  assistants?: AssistantHandlers;
  threads?: ThreadHandlers;
  info(): object;
}

export interface RouteOptions {
  cors?: CorsSettings;
  /** Paths may begin with it: some applications cut off where they mount a handler, others do not. */
  mountPrefix?: string;
  logger: Logger;
}

/** The whole route table. */
export function createRoutes(handlers: Handlers, options: RouteOptions): Hono {
  const { a2a, assistants, threads } = handlers;
  const app = new Hono(pathOptions(options.mountPrefix));
  if (options.cors) app.use(cors(corsOptions(options.cors)));
  app.get('/ok', (c) => c.json({ ok: true }));
  app.get('/info', (c) => c.json(handlers.info()));
  if (a2a) {
    app.get('/.well-known/agent-card.json', (c) => a2a.card(c.req.raw));
    app.get('/a2a/:id/.well-known/agent-card.json', to(a2a.card));
    app.get('/a2a/:id', to(a2a.card));
    app.post('/a2a/:id', to(a2a.jsonRpc));
    app.all('/a2a/:id', (c) =>
      c.json({ error: { message: 'use GET or POST' } }, 405, { Allow: 'GET, POST' }),
    );
  }
  if (assistants) {
    app.post('/assistants', to(assistants.create));
    app.post('/assistants/search', to(assistants.search));
    app.post('/assistants/count', to(assistants.count));
    app.get('/assistants/:id', to(assistants.get));
    app.patch('/assistants/:id', to(assistants.patch));
    app.delete('/assistants/:id', to(assistants.delete));
    app.post('/assistants/:id/versions', to(assistants.versions));
    app.post('/assistants/:id/latest', to(assistants.latest));
    app.get('/assistants/:id/schemas', to(assistants.schemas));
    app.get('/assistants/:id/subgraphs', to(assistants.subgraphs));
    app.get('/assistants/:id/subgraphs/:part', to(assistants.subgraphs));
    app.get('/assistants/:id/graph', to(assistants.graph));
  }
  if (threads) {
    app.post('/threads/search', to(threads.search));
    app.post('/threads/count', to(threads.count));
    app.get('/threads/:id', to(threads.get));
    app.delete('/threads/:id', to(threads.delete));
    app.get('/threads/:id/state', to(threads.state));
    app.get('/threads/:id/state/:part', to(threads.stateAt));
    app.post('/threads/:id/state/checkpoint', to(threads.stateAtCheckpoint));
    app.get('/threads/:id/history', to(threads.history));
    app.post('/threads/:id/history', to(threads.searchHistory));
  }
  app.notFound((c) => c.json({ error: { message: `there is no ${c.req.method} ${c.req.path}` } }, 404));
  app.onError((error, c) => {
    options.logger.error({ err: error }, 'request failed');
    return c.json({ error: { message: 'An internal error occurred' } }, 500);
  });
  return app;
}

/** A slash at the end makes no difference. */
function pathOptions(prefix: string | undefined): HonoOptions<Env> {
  if (prefix === undefined) return { strict: false };
  return {
    getPath: (request) => {
      const path = getPathNoStrict(request);
      if (path === prefix) return '/';
      return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path;
    },
  };
}

function to(handler: (request: Request, id: string, part: string) => Promise<Response>) {
  return (c: Context): Promise<Response> =>
    handler(c.req.raw, c.req.param('id') ?? '', c.req.param('part') ?? '');
}

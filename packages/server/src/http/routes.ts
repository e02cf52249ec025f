import { Hono } from 'hono';
import { cors } from 'hono/cors';
import type { Logger } from 'pino';
import type { CorsSettings } from '../config/settings.ts';
import { corsOptions } from './cors.ts';

export interface Handlers {
  jsonRpc(request: Request, assistantId: string): Promise<Response>;
  card(request: Request, assistantId?: string): Response;
}

export interface RouteOptions {
  a2a: boolean;
  cors?: CorsSettings;
  logger: Logger;
}

/** The whole route table. */
export function createRoutes(handlers: Handlers, options: RouteOptions): Hono {
  const app = new Hono({ strict: false });
  if (options.cors) app.use(cors(corsOptions(options.cors)));
  app.get('/ok', (c) => c.json({ ok: true }));
  if (options.a2a) {
    app.get('/.well-known/agent-card.json', (c) => handlers.card(c.req.raw));
    app.get('/a2a/:assistant/.well-known/agent-card.json', (c) =>
      handlers.card(c.req.raw, c.req.param('assistant')),
    );
    app.get('/a2a/:assistant', (c) => handlers.card(c.req.raw, c.req.param('assistant')));
    app.post('/a2a/:assistant', (c) => handlers.jsonRpc(c.req.raw, c.req.param('assistant')));
    app.all('/a2a/:assistant', (c) =>
      c.json({ error: { message: 'use GET or POST' } }, 405, { Allow: 'GET, POST' }),
    );
  }
  app.notFound((c) => c.json({ error: { message: `there is no ${c.req.method} ${c.req.path}` } }, 404));
  app.onError((error, c) => {
    options.logger.error({ err: error }, 'request failed');
    return c.json({ error: { message: 'An internal error occurred' } }, 500);
  });
  return app;
}

/**
 * The route handlers of `next/app`, without Next itself, which is 341 MB: they are given what it gives them, the whole
 * request.
 */
import { getRequestListener } from '@hono/node-server';
import * as route from './next/app/agents/[[...path]]/route.ts';
import { parley } from './next/parley.ts';
import { runApplication } from './run-application.ts';

export { parley };

const handlers: { [method: string]: unknown } = { ...route };

export const app = getRequestListener((request) => {
  const { pathname } = new URL(request.url);
  const handler = handlers[request.method];
  if (pathname === '/') return new Response('An application of my own');
  if (typeof handler !== 'function' || !/^\/agents(?:\/|$)/.test(pathname))
    return new Response(null, { status: 404 });
  return handler(request) as Promise<Response>;
});

await runApplication(import.meta.url, app, parley);

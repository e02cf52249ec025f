/** Agents under a path of a Hono application. */
import { getRequestListener } from '@hono/node-server';
import { createParley } from '@parley/server';
import { Hono } from 'hono';
import { graph } from '../chat/graph.ts';
import { runApplication } from './run-application.ts';

export const parley = await createParley({
  graphs: { chat: graph },
  http: { mount_prefix: '/agents' },
});

export const app = new Hono();
app.get('/', (c) => c.text('An application of my own'));
app.mount('/agents', parley.fetch);

await runApplication(import.meta.url, getRequestListener(app.fetch), parley);

/** `http.app` of a LangGraph.js server: its graphs answer over A2A on its own port. */
import { createParley } from '@parley/server';
import { Hono } from 'hono';
import { graph } from '../../chat/graph.ts';

export const parley = await createParley({
  graphs: { chat: graph },
  // The server has an Assistants API and threads of its own.
  http: { disable_assistants: true, disable_threads: true },
});

export const app = new Hono();
app.all('/a2a/*', (c) => parley.fetch(c.req.raw));
app.get('/.well-known/agent-card.json', (c) => parley.fetch(c.req.raw));

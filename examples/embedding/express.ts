/** Agents under a path of an Express application. */
import { getRequestListener } from '@hono/node-server';
import { createParley } from '@parley/server';
import express from 'express';
import { graph } from '../chat/graph.ts';
import { runApplication } from './run-application.ts';

export const parley = await createParley({
  graphs: { chat: graph },
  http: { mount_prefix: '/agents' },
});

export const app = express();
// Before any body parser: Parley reads the request itself.
app.use('/agents', getRequestListener(parley.fetch));
app.use(express.json());
app.get('/', (_, response) => {
  response.send('An application of my own');
});

await runApplication(import.meta.url, app, parley);

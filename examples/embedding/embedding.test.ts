import { getRequestListener } from '@hono/node-server';
import { afterAll, describe, expect, test } from 'vitest';
import { connectV0_3, connectV1_0, textOf } from '../../test/support/story-clients.ts';
import * as express from './express.ts';
import * as hono from './hono.ts';
import * as langgraph from './langgraph-server/app.ts';
import * as next from './next.ts';
import { embeddingStory, type Listener, listen } from './run-application.ts';

const honoListener = getRequestListener(hono.app.fetch);

const applications: [string, Listener][] = [
  ['Hono', honoListener],
  ['Express', express.app],
  ['Next', next.app],
];
afterAll(async () => {
  for (const { parley } of [hono, express, next, langgraph]) await parley.close();
});

describe.each(applications)('agents in an application of %s', (_, app) => {
  test('answer where their cards say, and the application still does', async () => {
    const { url, close } = await listen(app);
    await embeddingStory(url, () => {});
    await close();
  });
});

describe.each<[string, Listener, string]>([
  ...applications.map(([name, app]): [string, Listener, string] => [name, app, '/agents/a2a/chat']),
  ['a LangGraph.js server (http.app)', getRequestListener(langgraph.app.fetch), '/a2a/chat'],
])('the official clients and %s', (_, app, path) => {
  test.each([
    ['1.0', connectV1_0],
    ['0.3', connectV0_3],
  ])('%s finds the card, sends and streams', async (_version, connect) => {
    const { url, close } = await listen(app);
    const client = await connect(`${url}${path}`);
    const task = await client.send({ parts: [{ text: 'Hello' }] });
    expect(task.state).toBe('completed');
    expect(textOf(task.artifacts[0]?.parts ?? [])).toMatch(/^You said "Hello"/);
    const pieces: string[] = [];
    for await (const event of client.stream({ parts: [{ text: 'Hello' }] })) {
      if (event.kind === 'artifact') pieces.push(event.text);
    }
    expect(pieces.length).toBeGreaterThan(2);
    expect(pieces.join('')).toMatch(/^You said "Hello"/);
    await close();
  });
});

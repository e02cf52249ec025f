import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pathToFileURL } from 'node:url';
import { chatStory } from '../chat/story.ts';
import type { Say } from '../shared/a2a.ts';

/** What answers requests of `node:http`: an Express application is one. */
export type Listener = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Runs the story with an application on a free port if its module is the one that was started. */
export async function runApplication(
  moduleUrl: string,
  app: Listener,
  parley: { close(): Promise<void> },
): Promise<void> {
  if (moduleUrl !== pathToFileURL(process.argv[1] ?? '').href) return;
  const { url, close } = await listen(app);
  try {
    await embeddingStory(url, console.log);
  } finally {
    await parley.close();
    await close();
  }
}

/** The application answers for itself, its agents under `/agents`, and their cards say so. */
export async function embeddingStory(baseUrl: string, say: Say): Promise<void> {
  const home = await fetch(baseUrl);
  assert.equal(await home.text(), 'An application of my own');

  const card = await fetch(`${baseUrl}/agents/a2a/chat/.well-known/agent-card.json`);
  const { supportedInterfaces } = (await card.json()) as { supportedInterfaces: { url: string }[] };
  const url = supportedInterfaces[0]?.url ?? '';
  say(`the card says: ${url}`);
  assert.equal(url, `${baseUrl}/agents/a2a/chat`);

  await chatStory(`${baseUrl}/agents`, say);
}

export async function listen(app: Listener): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => void app(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

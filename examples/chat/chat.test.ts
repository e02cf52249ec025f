import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveExamples } from '../shared/serve.ts';
import { chatStory } from './story.ts';

let server: Awaited<ReturnType<typeof serveExamples>>;
beforeAll(async () => {
  server = await serveExamples();
});
afterAll(() => server.close());

test('the answer is streamed token by token, and the next turn remembers the conversation', async () => {
  const { tokens, answer } = await chatStory(server.url, () => {});
  expect(tokens.join('')).toMatch(/^You said "Hello from Hamburg"\./);
  expect(answer).toBe('The first thing you said was "Hello from Hamburg".');
});

import assert from 'node:assert/strict';
import { type Say, send, sendStreaming } from '../shared/a2a.ts';
import { runStory } from '../shared/run-story.ts';

/** A streamed answer, and a second turn that remembers the first. Returns what was said. */
export async function chatStory(baseUrl: string, say: Say = console.log) {
  const url = `${baseUrl}/a2a/chat`;
  const tokens: string[] = [];
  const first = await sendStreaming(url, [{ text: 'Hello from Hamburg' }], {}, (token) => tokens.push(token));
  say(`you: Hello from Hamburg\nchat: ${tokens.join('')}`);
  assert.equal(first.status.state, 'TASK_STATE_COMPLETED');
  assert.ok(tokens.length > 1, 'the answer came in one piece');

  const second = await send(url, [{ text: 'What did I say first?' }], { contextId: first.contextId });
  const answer = second.answer();
  say(`you: What did I say first?\nchat: ${answer}`);
  assert.equal(second.contextId, first.contextId);
  assert.match(answer, /Hello from Hamburg/);
  return { tokens, answer };
}

await runStory(import.meta.url, chatStory);

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Say } from '../shared/a2a.ts';
import { runStory } from '../shared/run-story.ts';
import { sendMessage } from './send-message.ts';

/** An agent that calls another one of the same server in its own context does not wait for itself. */
export async function delegationStory(baseUrl: string, say: Say = console.log): Promise<string> {
  const contextId = `delegation-${randomUUID()}`;
  const [answer, returned] = await sendMessage(`${baseUrl}/a2a/delegate`, 'Hello over there!', contextId);
  say(answer);
  assert.equal(returned, contextId);
  assert.match(answer, /^agent-a says: ./);
  return answer;
}

await runStory(import.meta.url, delegationStory);

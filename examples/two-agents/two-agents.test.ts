import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveExamples } from '../shared/serve.ts';
import { simulateConversation } from './conversation.ts';
import { delegationStory } from './delegation.ts';
import { runConversation } from './shared-context.ts';

let server: Awaited<ReturnType<typeof serveExamples>>;
beforeAll(async () => {
  server = await serveExamples();
});
afterAll(() => server.close());

const AGENT_B = 'I am agent B, and it is 17 degrees and cloudy in Hamburg.';

test('the conversation script prints the final answers of both agents, in one context', async () => {
  const printed: string[] = [];
  const rounds = await simulateConversation(server.url, (line) => printed.push(line));
  expect(rounds.map(({ agentB }) => agentB)).toEqual([AGENT_B, AGENT_B, AGENT_B]);
  expect(rounds[0]?.agentA).toContain("I am agent A, and I heard: Hello! Let's have a conversation.");
  expect(rounds[1]?.agentA).toContain(`I heard: ${AGENT_B}`);
  expect(printed).toContain(`🔴 Agent B: ${AGENT_B}\n`);
});

test('the shared-context script keeps one contextId across both agents', async () => {
  const answers = await runConversation(`${server.url}/a2a/agent-a`, `${server.url}/a2a/agent-b`, () => {});
  expect(answers).toHaveLength(6);
  expect(answers.at(-1)?.text).toBe(AGENT_B);
});

test('delegate asks agent-a in its own context and does not deadlock', async () => {
  const answer = await delegationStory(server.url, () => {});
  expect(answer).toBe(
    'agent-a says: I am agent A, and I heard: Hello over there! What is the weather in Hamburg?',
  );
});

/** Agent-to-agent conversation over the A2A endpoint: each answer is the other agent's next message. */
import assert from 'node:assert/strict';
import type { Say } from '../shared/a2a.ts';
import { runStory } from '../shared/run-story.ts';
import { sendMessage } from './send-message.ts';

export interface Round {
  agentA: string;
  agentB: string;
  contextId: string | undefined;
}

/** Simulate a conversation between two agents. */
export async function simulateConversation(baseUrl: string, say: Say = console.log): Promise<Round[]> {
  const agentAId = process.env.AGENT_A_ID ?? 'agent-a';
  const agentBId = process.env.AGENT_B_ID ?? 'agent-b';
  const rounds: Round[] = [];
  let message = "Hello! Let's have a conversation.";
  let contextId: string | undefined;

  for (let i = 0; i < 3; i++) {
    say(`--- Round ${i + 1} ---`);

    [message, contextId] = await sendMessage(`${baseUrl}/a2a/${agentAId}`, message, contextId);
    const agentA = message;
    say(`🔵 Agent A: ${message}`);

    [message, contextId] = await sendMessage(`${baseUrl}/a2a/${agentBId}`, message, contextId);
    say(`🔴 Agent B: ${message}\n`);
    rounds.push({ agentA, agentB: message, contextId });
  }
  check(rounds);
  return rounds;
}

function check(rounds: Round[]): void {
  assert.ok(rounds[0]?.contextId, 'the first answer names no contextId');
  for (const { agentA, agentB, contextId } of rounds) {
    assert.equal(contextId, rounds[0].contextId, 'an agent left the context');
    assert.notEqual(agentA, '(no text found)');
    assert.notEqual(agentB, '(no text found)');
    // What agent B says before its tool has run is not its answer.
    assert.match(agentB, /17/, 'agent B did not give its final answer');
  }
}

await runStory(import.meta.url, simulateConversation);

/** Sharing one contextId across agents, so that the traces of all of them are one thread. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Say } from '../shared/a2a.ts';
import { runStory } from '../shared/run-story.ts';

interface Part {
  kind: string;
  text?: string;
}

interface A2AResult {
  error?: { message?: string };
  result?: { contextId?: string; artifacts?: { parts?: Part[] }[] };
}

/** Send an A2A message and return its text and contextId. */
async function sendMessage(
  url: string,
  text: string,
  contextId?: string,
): Promise<[text: string, contextId: string | undefined]> {
  // --- 1. Build the message ---
  // On follow-up turns, include contextId inside the message object so the server
  // associates them with the ongoing conversation. Do not resend taskId: each turn
  // opens a new task within that conversation.
  const message = {
    role: 'user',
    parts: [{ kind: 'text', text }],
    messageId: randomUUID(),
    ...(contextId ? { contextId } : {}),
  };

  // --- 2. Send it ---
  // contextId travels inside the message. The server turns it into the
  // LangGraph thread_id, so no separate tracing field is needed.
  const payload = { jsonrpc: '2.0', id: randomUUID(), method: 'message/send', params: { message } };
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
    body: JSON.stringify(payload),
  });
  if (response.status !== 200) throw new Error(`HTTP ${response.status}: ${await response.text()}`);
  const result = (await response.json()) as A2AResult;
  if (result.error) throw new Error(result.error.message ?? 'Unknown error');

  const returned = result.result ?? {};
  const returnedContextId = returned.contextId ?? contextId;
  const textPart = (returned.artifacts ?? [])
    .flatMap((artifact) => artifact.parts ?? [])
    .find((part) => part.kind === 'text');
  return [textPart ? (textPart.text ?? '') : '(no text)', returnedContextId];
}

export async function runConversation(agentAUrl: string, agentBUrl: string, say: Say = console.log) {
  // --- 3. Share the context across agents ---
  // The first response carries a contextId. Pass it to every agent from then
  // on, and all their traces land in one LangSmith thread.
  let contextId: string | undefined;
  let message = "Hello! Let's collaborate.";
  const answers: { text: string; contextId: string | undefined }[] = [];
  for (let i = 0; i < 3; i++) {
    for (const url of [agentAUrl, agentBUrl]) {
      [message, contextId] = await sendMessage(url, message, contextId);
      say(message);
      answers.push({ text: message, contextId });
    }
  }
  assert.equal(new Set(answers.map((answer) => answer.contextId)).size, 1, 'an agent left the context');
  assert.ok(answers[0]?.contextId, 'the first answer names no contextId');
  for (const { text } of answers) assert.ok(text && text !== '(no text)', 'an answer has no text');
  assert.match(message, /17/, 'agent B did not give its final answer');
  return answers;
}

await runStory(import.meta.url, (baseUrl) =>
  runConversation(`${baseUrl}/a2a/agent-a`, `${baseUrl}/a2a/agent-b`),
);

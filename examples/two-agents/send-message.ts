import { randomUUID } from 'node:crypto';

interface Part {
  kind: string;
  text?: string;
}

/** As much of a v0.3 answer as the scripts read. */
interface A2AResult {
  error?: { code: number; message: string };
  result?: {
    contextId?: string;
    artifacts?: { parts?: Part[] }[];
    status?: { message?: { parts?: Part[] } };
  };
}

/** Best-effort extraction of response text from an A2A result. */
function extractText(result: A2AResult): string {
  if (result.error) {
    throw new Error(`A2A error ${result.error.code}: ${result.error.message}`);
  }

  for (const artifact of result.result?.artifacts ?? []) {
    for (const part of artifact.parts ?? []) {
      if (part.kind === 'text' && part.text) return part.text;
    }
  }

  const message = result.result?.status?.message ?? {};
  for (const part of message.parts ?? []) {
    if (part.kind === 'text' && part.text) return part.text;
  }

  return '(no text found)';
}

/** Send an A2A message (v0.3). Returns the response's text and its contextId. */
export async function sendMessage(
  url: string,
  text: string,
  contextId?: string,
): Promise<[text: string, contextId: string | undefined]> {
  const message = {
    role: 'user',
    parts: [{ kind: 'text', text }],
    messageId: randomUUID(),
    // A2A multi-turn continuity: reuse contextId across turns and agents.
    // Do not reuse taskId: each turn starts a new task within the same context.
    ...(contextId ? { contextId } : {}),
  };
  const payload = {
    jsonrpc: '2.0',
    id: randomUUID(),
    method: 'message/send',
    params: { message },
  };
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
    body: JSON.stringify(payload),
  });
  const result = (await response.json()) as A2AResult;
  return [extractText(result), result.result?.contextId ?? contextId];
}

export interface Sent {
  status: number;
  task?: { id: string; status: { state: string } };
  error?: { code: number; message: string };
}

let sent = 0;

/** Sends one message to an endpoint with A2A 1.0 and waits for its task. Rejects if nobody answers. */
export async function sendText(endpoint: string, text: string): Promise<Sent> {
  const message = { messageId: `sent-${++sent}`, role: 'ROLE_USER', parts: [{ text }] };
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } }),
    signal: AbortSignal.timeout(15_000),
  });
  const { result, error } = (await response.json()) as {
    result?: { task: NonNullable<Sent['task']> };
    error?: { code: number; message: string };
  };
  return { status: response.status, ...(result ? { task: result.task } : {}), ...(error ? { error } : {}) };
}

import { holdStream, post, postStream, type StreamTimes } from './http.ts';

let requests = 0;

/** A JSON-RPC request of A2A 1.0; returns its result. */
export async function call<T>(url: string, method: string, params: object): Promise<T> {
  const text = await post(url, rpc(method, params));
  const { result, error } = JSON.parse(text) as { result?: T; error?: object };
  if (result === undefined) throw new Error(`${method} failed: ${JSON.stringify(error)}`);
  return result;
}

/** A blocking send whose answer is not parsed, only looked at. Without a `contextId` it begins a context. */
export async function send(
  url: string,
  text: string,
  contextId?: string,
  configuration?: object,
): Promise<void> {
  const params = { ...messageOf(text, contextId), ...(configuration ? { configuration } : {}) };
  const answer = await post(url, rpc('SendMessage', params));
  if (!answer.includes('TASK_STATE_COMPLETED')) throw new Error(`the send did not complete: ${answer}`);
}

export async function sendStreaming(url: string, text: string, marker: string): Promise<StreamTimes> {
  const times = await postStream(url, rpc('SendStreamingMessage', messageOf(text)), marker);
  if (!times.body.includes('TASK_STATE_COMPLETED'))
    throw new Error(`the stream did not complete: ${times.body}`);
  return times;
}

export async function subscribe(url: string, taskId: string): Promise<() => void> {
  return holdStream(url, rpc('SubscribeToTask', { id: taskId }));
}

export function messageOf(text: string, contextId?: string): object {
  const context = contextId === undefined ? {} : { contextId };
  const message = { messageId: `m-${++requests}`, role: 'ROLE_USER', parts: [{ text }], ...context };
  return { message };
}

function rpc(method: string, params: object): object {
  return { jsonrpc: '2.0', id: ++requests, method, params };
}

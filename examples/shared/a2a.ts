import { randomUUID } from 'node:crypto';
import { type Message, type Part, parseSse, type StreamResponse, type Task } from '@parley/protocol';

/** Where a story tells what happens. */
export type Say = (line: string) => void;

type Target = Pick<Message, 'contextId' | 'taskId'>;

/** A task with its answer's text: the first artifact holds it. */
export type Answered = Task & { answer(): string };

/** `SendMessage` of A2A 1.0 in plain JSON-RPC: what any client does on the wire. */
export async function send(url: string, parts: Part[], target: Target = {}): Promise<Answered> {
  const response = await post(url, 'SendMessage', parts, target);
  const { result, error } = (await response.json()) as Envelope<{ task: Task }>;
  if (error || !result) throw new Error(`A2A error ${error?.code}: ${error?.message}`);
  return answered(result.task);
}

/** `SendStreamingMessage`; `token` gets the text of the artifacts as it comes. */
export async function sendStreaming(
  url: string,
  parts: Part[],
  target: Target,
  token: (text: string) => void,
): Promise<Task> {
  const response = await post(url, 'SendStreamingMessage', parts, target);
  let task: Task | undefined;
  for await (const { data } of parseSse(textOf(response))) {
    const { result, error } = JSON.parse(data) as Envelope<StreamResponse>;
    if (error || !result) throw new Error(`A2A error ${error?.code}: ${error?.message}`);
    if ('task' in result) task = result.task;
    else if ('statusUpdate' in result && task) task = { ...task, status: result.statusUpdate.status };
    else if ('artifactUpdate' in result) {
      for (const part of result.artifactUpdate.artifact.parts)
        if ('text' in part && part.text) token(part.text);
    }
  }
  if (!task) throw new Error('the stream named no task');
  return task;
}

interface Envelope<Result> {
  result?: Result;
  error?: { code: number; message: string };
}

function post(url: string, method: string, parts: Part[], target: Target): Promise<Response> {
  const message: Message = { messageId: randomUUID(), role: 'ROLE_USER', parts, ...target };
  return fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0' },
    body: JSON.stringify({ jsonrpc: '2.0', id: randomUUID(), method, params: { message } }),
  });
}

async function* textOf({ body }: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const bytes of body ?? []) yield decoder.decode(bytes, { stream: true });
}

function answered(task: Task): Answered {
  const text = (parts: Part[] = []): string =>
    parts.map((part) => ('text' in part ? part.text : '')).join('');
  return { ...task, answer: () => text(task.artifacts?.[0]?.parts) || text(task.status.message?.parts) };
}

import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { errorEnvelopeSchema } from '@parley/protocol';
import { afterEach, beforeEach, expect } from 'vitest';
import type { RpcAnswer, Served } from '../support/serve.ts';

export interface Fields {
  // biome-ignore lint/suspicious/noExplicitAny: JSON as a client writes or reads it
  [key: string]: any;
}

export const call = (method: string, params?: unknown, id: unknown = 1): Fields => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params === undefined ? {} : { params }),
});

export const userMessage = (text: string, more: Fields = {}): Fields => ({
  messageId: randomUUID(),
  role: 'ROLE_USER',
  parts: [{ text }],
  ...more,
});

export const userMessageV0_3 = (text: string, more: Fields = {}): Fields => ({
  kind: 'message',
  messageId: randomUUID(),
  role: 'user',
  parts: [{ kind: 'text', text }],
  ...more,
});

/** `SendMessage` with a text, to the Task of its answer. */
export async function sendText(
  served: Served,
  graphId: string,
  text: string,
  more: Fields = {},
  configuration?: Fields,
): Promise<Fields> {
  return sendParts(served, graphId, [{ text }], more, configuration);
}

export async function sendParts(
  served: Served,
  graphId: string,
  parts: unknown[],
  more: Fields = {},
  configuration?: Fields,
): Promise<Fields> {
  const message = userMessage('', { parts, ...more });
  const { body } = await served.post(
    graphId,
    call('SendMessage', { message, ...(configuration ? { configuration } : {}) }),
  );
  expect(body.error).toBeUndefined();
  return body.result.task;
}

export async function rpc(
  served: Served,
  graphId: string,
  method: string,
  params: unknown,
  headers?: { [name: string]: string },
): Promise<RpcAnswer> {
  return (await served.post(graphId, call(method, params), headers)).body;
}

export interface Refusal {
  code: number;
  status?: number;
  id?: unknown;
  message?: string | RegExp;
  /** Named in `google.rpc.BadRequest`. */
  field?: string;
  /** Of `google.rpc.ErrorInfo`. */
  reason?: string;
}

/** An error envelope of the 1.0 wire with nothing else in it. */
export function expectRefusal(answer: { status: number; body: RpcAnswer }, refusal: Refusal): void {
  expect(answer.body).toMatchObject({ error: { code: refusal.code } });
  expect(answer.status).toBe(refusal.status ?? 200);
  expect(errorEnvelopeSchema.safeParse(answer.body).error).toBeUndefined();
  if ('id' in refusal) expect(answer.body.id).toBe(refusal.id);
  const { message, data = [] } = answer.body.error ?? { message: '' };
  if (typeof refusal.message === 'string') expect(message).toBe(refusal.message);
  else if (refusal.message) expect(message).toMatch(refusal.message);
  if (refusal.field !== undefined) {
    const violations = data.flatMap((one) => (one.fieldViolations as { field: string }[] | undefined) ?? []);
    expect(violations.map(({ field }) => field)).toContain(refusal.field);
  }
  if (refusal.reason !== undefined) {
    expect(data).toContainEqual(
      expect.objectContaining({ reason: refusal.reason, domain: 'a2a-protocol.org' }),
    );
  }
}

export async function totalOf(served: Served, graphId: string): Promise<number> {
  return (await rpc(served, graphId, 'ListTasks', {})).result.totalSize;
}

/** Fails a test that left a task behind, or after which an ordinary message is no longer answered. */
export function storesNothing(served: () => Served, graphId = 'echo'): void {
  let before = 0;
  beforeEach(async () => {
    before = await totalOf(served(), graphId);
  });
  afterEach(async () => {
    expect(await totalOf(served(), graphId)).toBe(before);
    const task = await sendText(served(), graphId, 'still there');
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  });
}

export interface Frame {
  id: string | undefined;
  data: Fields;
}

/** Reads the frames of a stream as they come; refuses a line that is not `id`, `data` or a comment. */
export async function* framesOf(response: Response): AsyncGenerator<Frame, void, undefined> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const frame = frameOf(block);
      if (frame) yield frame;
    }
  }
  expect(text).toBe('');
}

export function frameOf(block: string): Frame | undefined {
  const lines = block.split('\n').filter((line) => !line.startsWith(':'));
  if (lines.length === 0) return undefined;
  const values = (name: string): string[] =>
    lines.filter((line) => line.startsWith(`${name}: `)).map((line) => line.slice(name.length + 2));
  const [id, ...ids] = values('id');
  const [data, ...more] = values('data');
  if (data === undefined || more.length > 0 || ids.length > 0 || lines.length > 2) {
    throw new Error(`not a frame of ours: ${block}`);
  }
  return { id, data: JSON.parse(data) };
}

export function openStream(
  served: Served,
  graphId: string,
  body: unknown,
  headers: { [name: string]: string } = {},
  signal?: AbortSignal,
): Promise<Response> {
  return fetch(served.endpoint(graphId), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  });
}

export async function collectFrames(
  served: Served,
  graphId: string,
  body: unknown,
  headers: { [name: string]: string } = {},
): Promise<Frame[]> {
  const response = await openStream(served, graphId, body, headers);
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  const frames: Frame[] = [];
  for await (const frame of framesOf(response)) frames.push(frame);
  return frames;
}

export interface RawAnswer {
  status: number;
  headers: { [name: string]: string };
  body: string;
}

/** Bytes on a socket, to its end. For requests that fetch refuses to make. `hangUp` closes our half behind them. */
export function exchange(url: string, bytes: string | Buffer, { hangUp = false } = {}): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // The server may close before it has read everything.
      if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') reject(error);
    });
    if (hangUp) socket.end(bytes);
    else socket.write(bytes);
  });
}

export function postBytes(path: string, body: string | Buffer, headers: string[] = []): Buffer {
  const bytes = Buffer.from(body as string);
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Content-Type: application/json',
    `Content-Length: ${bytes.length}`,
    'Connection: close',
    ...headers,
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), bytes]);
}

export function parseAnswer(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n');
  const [status = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const rest = text.slice(end + 4);
  const length = Number(headers['content-length'] ?? Buffer.byteLength(rest));
  const body =
    headers['transfer-encoding'] === 'chunked'
      ? withoutChunks(rest)
      : Buffer.from(rest).subarray(0, length).toString();
  return { status: Number(status.split(' ')[1]), headers, body };
}

/** ASCII only: sizes are counted in characters. */
function withoutChunks(text: string): string {
  let body = '';
  for (let at = 0; at < text.length; ) {
    const line = text.indexOf('\r\n', at);
    const size = Number.parseInt(text.slice(at, line), 16);
    if (size === 0) break;
    body += text.slice(line + 2, line + 2 + size);
    at = line + 2 + size + 2;
  }
  return body;
}

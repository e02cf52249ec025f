import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';

/**
 * One pool for all subjects: connections are kept alive and there are as many as there are clients. Idle ones end here
 * before node:http ends them after 5 s, which may cross a request.
 */
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, timeout: 4_000 });

const HEADERS = { 'content-type': 'application/json', 'a2a-version': '1.0' };

export interface StreamTimes {
  /** Milliseconds from the request's last byte to the first event. */
  firstEventMs: number;
  /** The same to the first event that holds `marker`. */
  markerMs: number;
  /** All that came over the socket: head, chunk framing and events. */
  wireBytes: number;
  body: string;
}

/** The body of a 2xx answer; throws anything else. */
export async function post(url: string, body: object): Promise<string> {
  const { response } = await open(url, body);
  let text = '';
  for await (const chunk of response) text += chunk;
  return text;
}

/** Reads a stream to its end. */
export async function postStream(url: string, body: object, marker: string): Promise<StreamTimes> {
  const { response, sent, bytesRead } = await open(url, body);
  let text = '';
  let firstEventMs = Number.NaN;
  let markerMs = Number.NaN;
  for await (const chunk of response) {
    text += chunk;
    if (Number.isNaN(firstEventMs)) firstEventMs = performance.now() - sent;
    if (Number.isNaN(markerMs) && text.includes(marker)) markerMs = performance.now() - sent;
  }
  return { firstEventMs, markerMs, wireBytes: bytesRead(), body: text };
}

/** Opens a stream, waits for its first event and leaves it open; returns what closes it. */
export async function holdStream(url: string, body: object): Promise<() => void> {
  const { response, req } = await open(url, body);
  await new Promise<void>((resolve, reject) => {
    response.once('data', () => resolve());
    response.once('error', reject);
  });
  response.on('error', () => {});
  response.resume();
  return () => req.destroy();
}

interface Opened {
  response: IncomingMessage;
  req: ClientRequest;
  sent: number;
  /** Bytes that its connection has read for it so far. */
  bytesRead(): number;
}

function open(url: string, body: object): Promise<Opened> {
  const text = JSON.stringify(body);
  return new Promise((resolve, reject) => {
    let bytesRead = (): number => 0;
    let sent = 0;
    const headers = { ...HEADERS, 'content-length': Buffer.byteLength(text) };
    const req = request(url, { method: 'POST', agent, headers }, (response) => {
      response.setEncoding('utf8');
      const { statusCode = 0 } = response;
      if (statusCode >= 200 && statusCode < 300) resolve({ response, req, sent, bytesRead });
      else {
        response.resume();
        reject(new Error(`${url} answered ${statusCode}`));
      }
    });
    req.once('socket', (socket) => {
      const before = socket.bytesRead;
      bytesRead = () => socket.bytesRead - before;
    });
    req.once('finish', () => {
      sent = performance.now();
    });
    req.once('error', reject);
    req.end(text);
  });
}

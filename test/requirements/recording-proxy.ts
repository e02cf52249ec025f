import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Stands before an agent and keeps what its clients send. */
export interface RecordingProxy {
  /** The agent, as clients behind the proxy name it. */
  url: string;
  seen: IncomingHttpHeaders[];
  close(): Promise<void>;
}

/** Plain answers only; the agent's address in them becomes the proxy's. */
export async function recordingProxy(endpoint: string): Promise<RecordingProxy> {
  const { origin, pathname } = new URL(endpoint);
  const seen: IncomingHttpHeaders[] = [];
  let own = '';
  const forward = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', headers, url = '/' } = request;
    seen.push(headers);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const kept = ['content-type', 'a2a-version'].flatMap((name) =>
      typeof headers[name] === 'string' ? [[name, headers[name]] as [string, string]] : [],
    );
    const body = method === 'POST' ? { body: Buffer.concat(chunks) } : {};
    const answer = await fetch(new URL(url, origin), { method, headers: kept, ...body });
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end((await answer.text()).replaceAll(origin, own));
  };
  const server = createServer((request, response) => {
    forward(request, response).catch((error: Error) => response.destroy(error));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  own = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `${own}${pathname}`,
    seen,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

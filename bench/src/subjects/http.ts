import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RunningSubject } from './subject.ts';

/** Serves a handler; what it throws ends the connection, which the client reports. */
export function serve(
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<RunningSubject> {
  return listen(
    createServer((request, response) => {
      handle(request, response).catch((error: Error) => response.destroy(error));
    }),
  );
}

export async function listen(server: Server): Promise<RunningSubject> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export async function readJson<T>(request: AsyncIterable<Buffer>): Promise<T> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString()) as T;
}

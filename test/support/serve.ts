import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { createParley, type Parley, type ParleyOptions } from '@parley/server';
import { pino } from 'pino';
import { createFixture, type Fixture } from './graphs.ts';

export interface Served {
  url: string;
  fixture: Fixture;
  parley: Parley;
  /** What the server logged, one JSON object a line. */
  log: string[];
  endpoint(graphId: string): string;
  /** Sends a body as it is and reads the answer. */
  post(
    graphId: string,
    body: unknown,
    headers?: { [name: string]: string },
  ): Promise<{ status: number; body: RpcAnswer; headers: Headers }>;
  close(): Promise<void>;
}

export interface RpcAnswer {
  jsonrpc: string;
  id: unknown;
  // biome-ignore lint/suspicious/noExplicitAny: an answer of any method, read by tests member by member
  result?: any;
  error?: { code: number; message: string; data?: { [key: string]: unknown }[] };
}

/** A real server on a real port with a database file of its own. */
export async function serve(options: Partial<ParleyOptions> = {}): Promise<Served> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-test-'));
  const fixture = createFixture();
  const log: string[] = [];
  const sink = new Writable({
    write: (chunk, _, done) => {
      log.push(String(chunk));
      done();
    },
  });
  const parley = await createParley({
    graphs: fixture.graphs,
    database: join(folder, 'parley.db'),
    logger: pino({ level: 'info' }, sink),
    ...options,
  });
  const { url } = await parley.listen({ port: 0, host: '127.0.0.1' });
  const endpoint = (graphId: string): string => `${url}/a2a/${graphId}`;
  return {
    url,
    fixture,
    parley,
    log,
    endpoint,
    post: async (graphId, body, headers = {}) => {
      const response = await fetch(endpoint(graphId), {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
      return {
        status: response.status,
        body: (await response.json()) as RpcAnswer,
        headers: response.headers,
      };
    },
    close: async () => {
      await parley.close(0);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

import { expect } from 'vitest';
import type { Gates } from '../support/gates.ts';
import { expectProper, PATIENCE_MS } from '../wire/proper-answer.ts';
import { call, type Fields, framesOf } from '../wire/rpc.ts';
import type { Agents, Configuration } from './agents.ts';
import type { Version } from './requirement.ts';
import type { Operation, Wire } from './wires/wire.ts';

export interface RequestHeaders {
  [name: string]: string;
}

export interface HttpAnswer {
  status: number;
  headers: Headers;
  text: string;
}

export interface Answer extends HttpAnswer {
  /** The whole envelope, as it came. */
  envelope: Fields;
  /** In the words of 1.0. */
  result: Fields;
  error?: Fields;
}

/** An event in the words of 1.0; `final` is 0.3's. */
export type Event = Fields;

/** The conformance agent as a check sees it: over one version of the wire, in the words of 1.0. */
export interface Peer {
  version: Version;
  gates: Gates;
  endpoint: string;
  /** The same agent under another configuration; `min` at first. */
  under(configuration: Configuration): Peer;
  method(operation: Operation): string;
  /** The request as this version writes it. */
  request(operation: Operation, params: Fields, id?: unknown): Fields;
  /** Refuses an answer that this version does not have the shape for. */
  call(operation: Operation, params: Fields, headers?: RequestHeaders): Promise<Answer>;
  /** Fails unless a stream comes; refuses an event that this version does not have the shape for. */
  stream(
    operation: Operation,
    params: Fields,
    headers?: RequestHeaders,
  ): AsyncGenerator<Event, void, undefined>;
  /** A body as it is, without the version. */
  post(body: unknown, headers?: RequestHeaders): Promise<HttpAnswer>;
}

export function createPeer(agents: Agents, wire: Wire, configuration: Configuration = 'min'): Peer {
  const endpoint = agents.served(configuration).endpoint('conformance');
  const open = (body: unknown, headers: RequestHeaders, signal?: AbortSignal): Promise<Response> =>
    fetch(endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      signal: signal ?? AbortSignal.timeout(PATIENCE_MS),
    });
  const post = async (body: unknown, headers: RequestHeaders = {}): Promise<HttpAnswer> => {
    const response = await open(body, headers);
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const method = (operation: Operation): string => {
    const name = wire.methods[operation];
    if (name === undefined) throw new Error(`A2A ${wire.version} has no ${operation}`);
    return name;
  };
  const versioned = { 'A2A-Version': wire.version };
  const request = (operation: Operation, params: Fields, id: unknown = 1): Fields =>
    call(method(operation), wire.writeParams(operation, params), id);

  return {
    version: wire.version,
    gates: agents.gates,
    endpoint,
    under: (other) => createPeer(agents, wire, other),
    method,
    request,
    post,
    call: async (operation, params, headers = {}) => {
      const body = request(operation, params);
      const answer = await post(body, { ...versioned, ...headers });
      expectProper(
        { status: answer.status, type: answer.headers.get('content-type') ?? '', text: answer.text },
        body,
      );
      const envelope = JSON.parse(answer.text) as Fields;
      const { result, error } = envelope;
      return {
        ...answer,
        envelope,
        result: result ? wire.readResult(operation, result) : {},
        ...(error ? { error } : {}),
      };
    },
    stream: async function* (operation, params, headers = {}) {
      const body = request(operation, params, 'stream');
      const hangUp = new AbortController();
      const response = await open(body, { ...versioned, ...headers }, hangUp.signal);
      const type = response.headers.get('content-type') ?? '';
      try {
        if (!type.startsWith('text/event-stream')) expect(await response.text()).toBe('a stream');
        for await (const { data } of framesOf(response)) {
          expectProper({ status: response.status, type, text: `data: ${JSON.stringify(data)}\n\n` }, body);
          yield wire.readResult(operation, data.result);
        }
      } finally {
        hangUp.abort();
      }
    },
  };
}

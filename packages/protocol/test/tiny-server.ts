/** A server without an engine: decodes what a client sends, answers what the test wants. For the official clients. */

import { A2AError } from '../src/errors.ts';
import { errorEnvelope, parseRequest, resultEnvelope } from '../src/json-rpc.ts';
import type { StreamResponse } from '../src/model.ts';
import { sseEvent, ssePing } from '../src/sse.ts';
import type { Codec, Method } from '../src/wire/codec.ts';

export interface TinyServer {
  fetch: typeof fetch;
  /** Operation and decoded request of every call. */
  calls: { operation: string; request: unknown }[];
}

/** `answers` by operation: the response, or the events of a stream, or an error to throw. */
export function tinyServer(codec: Codec, answers: { [operation: string]: unknown }): TinyServer {
  const calls: TinyServer['calls'] = [];

  function reply(method: Method, params: unknown, id: string | number | null): Response {
    const request = method.decode(params);
    calls.push({ operation: method.operation, request });
    const answer = answers[method.operation];
    if (answer instanceof A2AError) throw answer;
    if (!method.streams) {
      const encode = method.encode as (response: unknown) => unknown;
      return Response.json(JSON.parse(resultEnvelope(id, JSON.stringify(encode(answer)))));
    }
    const events = answer as StreamResponse[];
    const frames = events.map((event, index) => {
      const value = codec.encodeEvent(event, { final: index === events.length - 1 });
      return ssePing() + sseEvent({ id: index + 1, data: resultEnvelope(id, JSON.stringify(value)) });
    });
    return new Response(frames.join(''), { headers: { 'content-type': 'text/event-stream' } });
  }

  const serve = async (_url: unknown, init?: RequestInit): Promise<Response> => {
    const parsed = parseRequest(String(init?.body), { maxDepth: 64 });
    try {
      if ('error' in parsed) throw parsed.error;
      const method = codec.methods.get(parsed.method);
      if (method === undefined) throw new A2AError('method-not-found', `Method not found: ${parsed.method}`);
      return reply(method, parsed.params, parsed.id);
    } catch (error) {
      if (!(error instanceof A2AError)) throw error;
      return Response.json(JSON.parse(errorEnvelope(parsed.id, JSON.stringify(codec.encodeError(error)))));
    }
  };
  return { fetch: serve as typeof fetch, calls };
}

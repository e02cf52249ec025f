import {
  A2AError,
  agreeVersion,
  type Codec,
  EXTENSION_HEADERS,
  errorEnvelope,
  invalidParams,
  type JsonRpcId,
  type JsonRpcRequest,
  type Method,
  parseRequest,
  readExtensions,
  resultEnvelope,
  type StreamResponse,
  sseEvent,
  VERSION_HEADER,
} from '@parley/protocol';
import type { Logger } from 'pino';
import type { ServedAssistant } from '../assistants/serve-assistant.ts';
import { ANONYMOUS } from '../auth/principal.ts';
import type { Caller } from '../engine/caller.ts';
import type { EventStream } from '../engine/event-stream.ts';
import type { Operations } from '../engine/operations.ts';
import { readBody } from './body.ts';
import { statusOf, toA2AError } from './failure.ts';
import { readHistoryScope } from './history-scope.ts';
import type { InFlight } from './in-flight.ts';
import { assertJson } from './json-only.ts';
import { sseResponse } from './sse-response.ts';

export interface JsonRpcOptions {
  operations: Operations;
  /** The methods of both versions; a name is in one of them. */
  codecs: readonly Codec[];
  assistant(id: string, owner: string): Promise<ServedAssistant | undefined>;
  strictVersion: boolean;
  bodyLimit: number;
  maxParts: number;
  maxDepth: number;
  pingMs: number;
  stallMs: number;
  inFlight: InFlight;
  logger: Logger;
  newId(): string;
}

/** `POST /a2a/{assistant_id}` (A2A 1.0, section 9). The method's name decides the wire version of the answer. */
export function jsonRpcHandler(
  options: JsonRpcOptions,
): (request: Request, assistantId: string) => Promise<Response> {
  const [fallback] = options.codecs;
  if (!fallback) throw new Error('no codec');

  const handle = async (request: Request, assistantId: string): Promise<Response> => {
    let id: JsonRpcId = null;
    let codec = fallback;
    try {
      assertJson(request);
      const parsed = parseRequest(await readBody(request, options.bodyLimit), options);
      id = parsed.id;
      if ('error' in parsed) throw parsed.error;
      codec = options.codecs.find(({ methods }) => methods.has(parsed.method)) ?? fallback;
      const method = codec.methods.get(parsed.method);
      agreeVersion({
        header: request.headers.get(VERSION_HEADER),
        query: queryVersion(request.url),
        methodVersion: method && codec.version,
        strict: options.strictVersion,
      });
      if (!method) throw new A2AError('method-not-found', `Method not found: ${parsed.method.slice(0, 100)}`);
      const assistant = await options.assistant(assistantId, ANONYMOUS.id);
      if (!assistant) throw new A2AError('not-found', `There is no assistant '${assistantId.slice(0, 100)}'`);
      return await dispatch(options, request, assistant, parsed, codec, method);
    } catch (error) {
      return errorResponse(id, codec, toA2AError(error, options.logger, options.newId));
    }
  };
  return async (request, assistantId) => {
    const done = options.inFlight.begin();
    try {
      return await handle(request, assistantId);
    } finally {
      done();
    }
  };
}

/** What a request gets while the server stops. */
export function stoppingResponse(codec: Codec): Response {
  const error = new A2AError('unavailable', 'The server is stopping', { retryAfter: STOPPING_RETRY_S });
  return errorResponse(null, codec, error);
}

const STOPPING_RETRY_S = 1;

/** Few URLs have a query; to parse one takes longer than to answer some requests. */
function queryVersion(url: string): string | null {
  const at = url.indexOf('?');
  return at < 0 ? null : new URLSearchParams(url.slice(at)).get(VERSION_HEADER);
}

async function dispatch(
  options: JsonRpcOptions,
  request: Request,
  assistant: ServedAssistant,
  { id, params }: JsonRpcRequest,
  codec: Codec,
  method: Method,
): Promise<Response> {
  const { operations } = options;
  const { headers, extensions } = activateExtensions(request, assistant);
  const caller: Caller = {
    owner: ANONYMOUS.id,
    assistantId: assistant.id,
    extensions,
    // A stream has one of its own.
    signals: method.streams ? [] : [request.signal, options.inFlight.closing],
    ...idempotencyKey(request),
  };
  const reply = (result: unknown): Response =>
    new Response(resultEnvelope(id, JSON.stringify(result)), { headers: { ...JSON_HEADERS, ...headers } });
  const stream = async (open: (caller: Caller) => Promise<EventStream>): Promise<Response> => {
    const hangUp = new AbortController();
    const events = await open({ ...caller, signals: [hangUp.signal] });
    const done = options.inFlight.begin();
    return sseResponse({
      frames: framesOf(events, id, codec),
      failed: (error) =>
        sseEvent({
          data: errorEnvelope(id, errorText(codec, toA2AError(error, options.logger, options.newId))),
        }),
      closed: () => {
        hangUp.abort();
        done();
      },
      closing: options.inFlight.closing,
      pingMs: options.pingMs,
      stallMs: options.stallMs,
      headers,
    });
  };
  const scoped = (): Caller => {
    const historyScope = readHistoryScope(request);
    return historyScope ? { ...caller, historyScope } : caller;
  };

  switch (method.operation) {
    case 'SendMessage': {
      const message = method.decode(params, options);
      await assistant.assertTakes(message.message);
      return reply(method.encode(await operations.sendMessage(scoped(), message)));
    }
    case 'SendStreamingMessage': {
      const message = method.decode(params, options);
      await assistant.assertTakes(message.message);
      return stream((streaming) => operations.sendStreamingMessage(streaming, message));
    }
    case 'GetTask':
      return reply(method.encode(await operations.getTask(scoped(), method.decode(params, options))));
    case 'ListTasks':
      return reply(method.encode(await operations.listTasks(scoped(), method.decode(params, options))));
    case 'CancelTask':
      return reply(method.encode(await operations.cancelTask(caller, method.decode(params, options))));
    case 'SubscribeToTask': {
      const asked = method.decode(params, options);
      return stream((streaming) => operations.subscribeToTask(streaming, asked, lastEventId(request)));
    }
    case 'GetExtendedAgentCard':
      throw new A2AError(
        'unsupported-operation',
        'This agent has no extended card: no authentication is configured',
      );
    case 'CreateTaskPushNotificationConfig':
    case 'GetTaskPushNotificationConfig':
    case 'ListTaskPushNotificationConfigs':
    case 'DeleteTaskPushNotificationConfig':
      throw new A2AError('push-notification-not-supported');
  }
}

const JSON_HEADERS = { 'content-type': 'application/json' };

/** The extensions that client and agent share, echoed under the header's name that the client used (section 3.2.6). */
function activateExtensions(
  request: Request,
  assistant: ServedAssistant,
): { headers: { [name: string]: string }; extensions: string[] } {
  const name = EXTENSION_HEADERS.find((header) => request.headers.has(header));
  const asked = readExtensions(...EXTENSION_HEADERS.map((header) => request.headers.get(header)));
  const missing = assistant.extensions.find(({ uri, required }) => required && !asked.includes(uri));
  if (missing) {
    throw new A2AError('extension-support-required', `This agent requires the extension ${missing.uri}`, {
      metadata: { extension: missing.uri },
    });
  }
  const extensions = asked.filter((uri) => assistant.extensions.some((offered) => offered.uri === uri));
  return { headers: name && extensions.length > 0 ? { [name]: extensions.join(', ') } : {}, extensions };
}

function idempotencyKey(request: Request): { idempotencyKey?: string } {
  const key = request.headers.get('idempotency-key');
  if (key === null || key === '') return {};
  if (key.length > MAX_KEY_LENGTH) {
    throw invalidParams('Idempotency-Key', `expected at most ${MAX_KEY_LENGTH} characters`);
  }
  return { idempotencyKey: key };
}

const MAX_KEY_LENGTH = 255;

function lastEventId(request: Request): number | undefined {
  const value = request.headers.get('last-event-id');
  return value !== null && /^\d{1,15}$/.test(value) ? Number(value) : undefined;
}

async function* framesOf(events: EventStream, id: JsonRpcId, codec: Codec): AsyncGenerator<string> {
  for await (const batch of events) {
    let text = '';
    for (const one of batch) {
      const result = encodedOnce(codec, one.event, one.final);
      text += sseEvent({ id: one.id, data: resultEnvelope(id, result) });
    }
    yield text;
  }
}

/** Encoded events, by wire version and `final`: all subscribers of a task share the string. */
type Encoded = WeakMap<StreamResponse, string>;
const encodedBy = new WeakMap<Codec, { passing: Encoded; final: Encoded }>();

function encodedOnce(codec: Codec, event: StreamResponse, final: boolean): string {
  let both = encodedBy.get(codec);
  if (!both) {
    both = { passing: new WeakMap(), final: new WeakMap() };
    encodedBy.set(codec, both);
  }
  const forms = final ? both.final : both.passing;
  const known = forms.get(event);
  if (known !== undefined) return known;
  const text = JSON.stringify(codec.encodeEvent(event, { final }));
  forms.set(event, text);
  return text;
}

function errorText(codec: Codec, error: A2AError): string {
  return JSON.stringify(codec.encodeError(error));
}

function errorResponse(id: JsonRpcId, codec: Codec, error: A2AError): Response {
  const status = statusOf(error);
  const retry = error.retryAfter === undefined ? {} : { 'retry-after': String(error.retryAfter) };
  return new Response(errorEnvelope(id, errorText(codec, error)), {
    status,
    headers: { ...JSON_HEADERS, ...retry },
  });
}

import { A2AError, invalidParams } from './errors.ts';
import { exceedsDepth } from './json-depth.ts';
import type { JsonObject, JsonValue } from './model.ts';

/** Numbers are integers that JavaScript holds exactly: the id is echoed as it came. */
export type JsonRpcId = string | number | null;

export interface JsonRpcRequest {
  id: JsonRpcId;
  method: string;
  params: JsonObject | undefined;
}

/** A request that cannot be dispatched; `id` is what could be read of it. */
export interface JsonRpcFault {
  id: JsonRpcId;
  error: A2AError;
}

export interface JsonRpcError {
  code: number;
  message: string;
  data?: JsonValue;
}

export interface JsonRpcLimits {
  /** Levels of arrays and objects in a body, envelope included. */
  maxDepth: number;
}

const fault = (
  id: JsonRpcId,
  kind: 'parse-error' | 'invalid-request' | 'invalid-params',
  message: string,
) => ({
  id,
  error: new A2AError(kind, message),
});

function isObject(value: unknown): value is { [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isId(value: unknown): value is JsonRpcId {
  return value === null || typeof value === 'string' || Number.isSafeInteger(value);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Text below this length is parsed however deep it nests, only to read its id. */
const SMALL = 64 * 1024;

/**
 * Reads a JSON-RPC 2.0 request (A2A 1.0, section 9). A2A has no batches and no notifications: an array and a request
 * without `id` are refused, and nothing is executed for them; `id: null` is accepted.
 */
export function parseRequest(text: string, { maxDepth }: JsonRpcLimits): JsonRpcRequest | JsonRpcFault {
  const tooDeep = exceedsDepth(text, maxDepth);
  const body = tooDeep && text.length > SMALL ? null : parseJson(text);
  if (body === undefined) return fault(null, 'parse-error', 'Parse error: the body is not JSON');
  const id = isObject(body) && isId(body.id) ? body.id : null;
  if (tooDeep) return fault(id, 'invalid-request', `Invalid request: nested deeper than ${maxDepth} levels`);
  if (Array.isArray(body))
    return fault(null, 'invalid-request', 'Invalid request: batches are not supported');
  if (!isObject(body)) return fault(null, 'invalid-request', 'Invalid request: the body must be an object');
  if (body.jsonrpc !== '2.0') return fault(id, 'invalid-request', 'Invalid request: jsonrpc must be "2.0"');
  if (!isId(body.id))
    return fault(null, 'invalid-request', 'Invalid request: id must be a string or an integer');
  const { method, params } = body;
  if (typeof method !== 'string' || method === '') {
    return fault(id, 'invalid-request', 'Invalid request: method must be a string');
  }
  if (params !== undefined && params !== null && !isObject(params)) {
    return fault(id, 'invalid-params', 'Invalid parameters: params must be an object');
  }
  const beyond = infiniteAt(params, '');
  if (beyond !== undefined) {
    const text = `${beyond} is a number beyond what a double holds`;
    return { id, error: invalidParams(beyond, text, text) };
  }
  return { id, method, params: (params ?? undefined) as JsonObject | undefined };
}

/** Where `1e400` stands: JavaScript reads it as Infinity and writes that as null. */
function infiniteAt(value: unknown, path: string): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : path;
  if (typeof value !== 'object' || value === null) return undefined;
  const list = Array.isArray(value);
  for (const [key, member] of Object.entries(value)) {
    if (typeof member !== 'number' && typeof member !== 'object') continue;
    const found = infiniteAt(member, list ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** `result` is JSON text, so that one encoded event serves every subscriber. */
export function resultEnvelope(id: JsonRpcId, result: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
}

/** `error` is the JSON text of a `JsonRpcError`. */
export function errorEnvelope(id: JsonRpcId, error: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":${error}}`;
}

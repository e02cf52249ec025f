/** What data parts look like over A2A 0.3, where `data` is an object. */

import type { DataPart, JsonObject, JsonValue } from '../../model.ts';
import { isObject } from '../reader.ts';

/** Metadata flag of `{value: …}` around data that is no object; the official SDKs share it. */
export const WRAPPED = 'data_part_compat';

const A2UI = new Set<unknown>(['application/a2ui+json', 'application/json+a2ui']);

/** A2UI sends lists over both versions, and its parts are kept exactly as they were made. */
export function isA2ui(part: { metadata?: JsonObject | undefined; mediaType?: string }): boolean {
  return A2UI.has(part.metadata?.mimeType ?? part.mediaType);
}

/** Same entries under other names; built from entries, so that a key named `__proto__` stays a key. */
function rename(value: JsonValue | undefined, names: { readonly [key: string]: string }): JsonValue {
  if (!isObject(value)) return value ?? null;
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([key, item]) => [
      Object.hasOwn(names, key) ? (names[key] ?? key) : key,
      item,
    ]),
  );
}

const RESULT_NAMES = { toolCallId: 'tool_call_id' };
const TOOL_NAMES = { toolCalls: 'tool_calls', toolResults: 'tool_results' };
const INTERRUPT_NAMES = { responseSchema: 'response_schema' };

/** Clients of the documented 0.3 server read these keys in snake_case. Parts that are not ours are never renamed. */
function renameOurs(data: JsonObject, origin: JsonValue | undefined): JsonObject {
  if (origin === 'interrupt') return rename(data, INTERRUPT_NAMES) as JsonObject;
  if (origin !== 'tools') return data;
  const { toolResults } = data;
  const results = Array.isArray(toolResults)
    ? toolResults.map((item) => rename(item, RESULT_NAMES))
    : toolResults;
  return rename(results === undefined ? data : { ...data, toolResults: results }, TOOL_NAMES) as JsonObject;
}

export function encodeDataPart(part: DataPart): JsonObject {
  const { data, metadata } = part;
  if (isObject(data)) {
    const own = renameOurs(data, metadata?.langgraph);
    return metadata === undefined ? { kind: 'data', data: own } : { kind: 'data', data: own, metadata };
  }
  if (isA2ui(part)) return { kind: 'data', data, ...(metadata === undefined ? {} : { metadata }) };
  return { kind: 'data', data: { value: data }, metadata: { ...metadata, [WRAPPED]: true } };
}

/** What both wires read alike. */

import type { HistoryScope, Message, Part, SendMessageConfiguration } from '../model.ts';
import {
  assign,
  type Cursor,
  fault,
  isObject,
  readInteger,
  readObject,
  readString,
  readStrings,
  readValue,
  requireString,
} from './reader.ts';

/** Code points. */
const MAX_CONTEXT_ID = 256;

/** Any name a host gives a conversation; no control characters and no half surrogates, which no store keeps apart. */
function readContextId(at: Cursor): string | undefined {
  const id = readString(at, 'contextId');
  if (id === undefined) return undefined;
  if (/[\p{Cc}\p{Cs}]/u.test(id)) return fault(at, 'contextId', 'Must not contain control characters');
  if (id.length > MAX_CONTEXT_ID && (id.length > 2 * MAX_CONTEXT_ID || [...id].length > MAX_CONTEXT_ID)) {
    return fault(at, 'contextId', `Must be at most ${MAX_CONTEXT_ID} characters long`);
  }
  return id;
}

const SCOPE_MESSAGE = "historyScope must be 'context' or 'task'";

/** The extension's key has one spelling; another one is an unknown field, hence no snake_case name here. */
function readHistoryScope(at: Cursor): HistoryScope | undefined {
  const scope = at.source.historyScope ?? undefined;
  if (scope === undefined || scope === 'context' || scope === 'task') return scope;
  at.faults.message = SCOPE_MESSAGE;
  return fault(at, 'historyScope', SCOPE_MESSAGE);
}

export interface HistoryOptions {
  historyLength?: number;
  historyScope?: HistoryScope;
}

export function readHistory(at: Cursor): HistoryOptions {
  // Beyond int32 too: the one upper limit is the server's, whose refusal has a sentence of its own.
  const historyLength = readInteger(at, 'historyLength', 0, Number.MAX_VALUE);
  return assign<HistoryOptions>({}, { historyLength, historyScope: readHistoryScope(at) });
}

/** Streams have no history options: what a client sends there is not even checked. */
export function readConfiguration(at: Cursor, streams: boolean): SendMessageConfiguration {
  return assign<SendMessageConfiguration>(streams ? {} : readHistory(at), {
    acceptedOutputModes: readStrings(at, 'acceptedOutputModes'),
  });
}

/** The number of parts is checked before any of them. */
function readParts(at: Cursor, max: number, readPart: (at: Cursor) => Part | undefined): Part[] | undefined {
  const list = readValue(at, 'parts');
  if (list === undefined) return fault(at, 'parts', 'At least one part is required');
  if (!Array.isArray(list)) return fault(at, 'parts', 'Must be an array of parts');
  if (list.length === 0) return fault(at, 'parts', 'At least one part is required');
  if (list.length > max) return fault(at, 'parts', `At most ${max} parts are allowed`);
  const parts: Part[] = [];
  for (const [index, source] of list.entries()) {
    const name = `parts[${index}]`;
    if (!isObject(source)) fault(at, name, 'Must be an object');
    else {
      const part = readPart({ source, path: `${at.path}${name}.`, faults: at.faults });
      if (part !== undefined) parts.push(part);
    }
  }
  return parts;
}

export interface MessageReaders {
  maxParts: number;
  readRole(at: Cursor): Message['role'] | undefined;
  readPart(at: Cursor): Part | undefined;
}

export function readMessage(at: Cursor, readers: MessageReaders): Message | undefined {
  const messageId = requireString(at, 'messageId');
  const role = readers.readRole(at);
  const parts = readParts(at, readers.maxParts, readers.readPart);
  const optional = {
    contextId: readContextId(at),
    taskId: readString(at, 'taskId'),
    metadata: readObject(at, 'metadata'),
    extensions: readStrings(at, 'extensions'),
    referenceTaskIds: readStrings(at, 'referenceTaskIds'),
  };
  if (messageId === undefined || role === undefined || parts === undefined) return undefined;
  return assign<Message>({ messageId, role, parts }, optional);
}

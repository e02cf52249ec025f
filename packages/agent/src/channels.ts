import { Annotation, type LastValue } from '@langchain/langgraph';
import type { JsonValue } from '@parley/protocol';
import type { FileRef } from './parts.ts';

/**
 * State channels that the server fills on every turn: the JSON of the message's data parts, and its files. Spread
 * them into a graph's state: `Annotation.Root({ ...MessagesAnnotation.spec, ...a2aChannels })`.
 */
export const a2aChannels: { a2aData: LastValue<JsonValue[]>; a2aFiles: LastValue<FileRef[]> } = {
  a2aData: Annotation<JsonValue[]>(),
  a2aFiles: Annotation<FileRef[]>(),
};

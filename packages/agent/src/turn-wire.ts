import type { JsonObject, JsonValue, Message, Part } from '@parley/protocol';
import type { FileRef } from './parts.ts';
import type { TurnArtifact } from './turn.ts';

/**
 * Inbound data travels under this one key of `configurable`, outbound events under the same key of a custom stream
 * chunk. LangGraph copies plain values of `configurable` into trace metadata, but no key that begins with `__`.
 */
export const TURN_KEY = '__a2a';

export interface TurnInput {
  /** `wake`: a time that the agent asked for has come. `cancel`: the task is canceled after this turn. */
  kind: 'message' | 'wake' | 'cancel';
  /** Of a turn of the kind `message`. */
  message?: Message;
  /** What `wakeAt` was given, in a turn of the kind `wake`. */
  wake?: JsonValue;
  /** All text parts of the message, joined. */
  text: string;
  /** The JSON inside its data parts. */
  data: JsonValue[];
  files: FileRef[];
  /** Messages of this task that wait behind this one. */
  queued: number;
  taskId: string;
  contextId: string;
  /** `params.metadata` and the message's own, which wins. */
  metadata: JsonObject;
  /** `params.configuration`. */
  configuration: JsonObject;
  /** v0.3: `params.context` and `message.command`, which LangGraph clients send. */
  context?: JsonObject;
  command?: JsonObject;
  /** Who calls; `anonymous` without authentication. */
  principal: string;
  extensions: string[];
  idempotencyKey?: string;
}

interface Saying {
  parts: Part[];
  metadata?: JsonObject;
  extensions?: string[];
}

export type TurnOutput =
  | { act: 'artifact'; taskId?: string; artifact: TurnArtifact }
  | ({ act: 'status'; taskId?: string } & Saying)
  | ({ act: 'require-input' | 'require-auth' | 'reject' | 'fail' | 'reply' } & Saying)
  | { act: 'cancel'; taskId: string }
  /** Milliseconds since 1970. */
  | { act: 'wake'; at: number; data: JsonValue };

export type TurnAct = TurnOutput['act'];

export interface TurnChunk {
  [TURN_KEY]: TurnOutput;
  /** LangGraph's id of the node's execution, and which try of it. */
  node: string;
  nodeAttempt: number;
}

/** Custom stream chunks that are not ours are somebody else's. */
export function isTurnChunk(chunk: unknown): chunk is TurnChunk {
  return typeof chunk === 'object' && chunk !== null && Object.hasOwn(chunk, TURN_KEY);
}

import { AsyncLocalStorageProviderSingleton } from '@langchain/core/singletons';
import type { LangGraphRunnableConfig } from '@langchain/langgraph';
import type { JsonObject, JsonValue, Part } from '@parley/protocol';
import { assertArtifact, assertSaid } from './check-said.ts';
import { TURN_KEY, type TurnAct, type TurnChunk, type TurnInput, type TurnOutput } from './turn-wire.ts';

/** What a node says: plain text, or A2A parts (v1.0 shape). */
export type Say = string | { parts: Part[]; metadata?: JsonObject; extensions?: string[] };

export interface TurnArtifact {
  /** One is made from the node's execution if absent. */
  artifactId?: string;
  name?: string;
  description?: string;
  parts: Part[];
  append?: boolean;
  lastChunk?: boolean;
  metadata?: JsonObject;
  /** URIs of the extensions that have a part in it (A2A 1.0, section 4.6.3). */
  extensions?: string[];
}

/** Another task of the same context. */
export interface OtherTask {
  artifact(artifact: TurnArtifact): void;
  status(say: Say): void;
  cancel(): void;
}

/**
 * One inbound turn as a node sees it, and how the node speaks back (docs/turn.md). Events are on the wire at once, in
 * order; the methods that end a run take effect when the graph returns, the last call of one kind wins. What is no
 * A2A is a `TypeError` that names the member.
 */
export interface Turn extends Readonly<TurnInput> {
  /** Aborted when the task is canceled or its deadline passes. */
  readonly signal: LangGraphRunnableConfig['signal'];
  artifact(artifact: TurnArtifact): void;
  /** The task is WORKING, with this message. */
  status(say: Say): void;
  requireInput(say: Say): void;
  requireAuth(say: Say): void;
  reject(say: Say): void;
  fail(say: Say): void;
  /** What the task is answered with, beside what AI messages say. */
  reply(say: Say): void;
  /** A turn of this task at that time, also after a restart, unless the task has ended. The data comes as `turn.wake`. */
  wakeAt(date: Date, data?: JsonValue): void;
  task(taskId: string): OtherTask;
}

/** The turn of the running node; `config` is the node's second argument, or none: the current one. `undefined` outside the server. */
export function a2aTurn(config?: LangGraphRunnableConfig): Turn | undefined {
  const current: LangGraphRunnableConfig | undefined =
    config ?? AsyncLocalStorageProviderSingleton.getRunnableConfig();
  const input = current?.configurable?.[TURN_KEY] as TurnInput | undefined;
  if (!current || !input) return undefined;
  const { signal } = current;
  const write = writerOf(current);
  const { taskId, nodeAttempt } = current.executionInfo ?? { taskId: '', nodeAttempt: 1 };
  const say = (output: TurnOutput): void => write({ [TURN_KEY]: output, node: taskId, nodeAttempt });
  const end =
    (act: Extract<TurnAct, 'require-input' | 'require-auth' | 'reject' | 'fail' | 'reply'>, method: string) =>
    (what: Say): void =>
      say({ act, ...saying(method, what) });
  const artifactOf = (artifact: TurnArtifact): TurnArtifact => {
    assertArtifact(artifact);
    return artifact;
  };
  return {
    ...input,
    signal,
    artifact: (artifact) => say({ act: 'artifact', artifact: artifactOf(artifact) }),
    status: (what) => say({ act: 'status', ...saying('status', what) }),
    requireInput: end('require-input', 'requireInput'),
    requireAuth: end('require-auth', 'requireAuth'),
    reject: end('reject', 'reject'),
    fail: end('fail', 'fail'),
    reply: end('reply', 'reply'),
    wakeAt: (date, data = null) => {
      const at = date.getTime();
      if (Number.isNaN(at)) throw new TypeError('turn.wakeAt: the date is invalid');
      say({ act: 'wake', at, data });
    },
    task: (other) => ({
      artifact: (artifact) => say({ act: 'artifact', taskId: other, artifact: artifactOf(artifact) }),
      status: (what) => say({ act: 'status', taskId: other, ...saying('status', what) }),
      cancel: () => say({ act: 'cancel', taskId: other }),
    }),
  };
}

function writerOf(config: LangGraphRunnableConfig): (chunk: TurnChunk) => void {
  const writer = config.writer ?? config.configurable?.writer;
  if (typeof writer !== 'function')
    throw new Error('a2aTurn: this config has no writer; pass the config of the node');
  return writer as (chunk: TurnChunk) => void;
}

function saying(method: string, say: Say): Exclude<Say, string> {
  if (typeof say === 'string') return { parts: [{ text: say }] };
  assertSaid(method, say);
  return say;
}

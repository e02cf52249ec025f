import { sameJson } from '@parley/protocol';
import { isBlock, jsonOf } from './content.ts';
import { type GraphMessage, messagesOf } from './messages.ts';

/** One execution of a node: LangGraph's task, not A2A's. */
export interface NodeRun {
  id: string;
  /** Not inside a subgraph. */
  root: boolean;
  /** Messages it has begun, in order; `ordinal` numbers them. */
  drafts: Map<string, Draft>;
  ordinal: number;
  /** Artifacts that earlier tries of it began. */
  left: Set<string>;
  /** `messages` of the state it was given. */
  before: unknown;
  /** What nodes of its subgraph have published: it returns the same again. */
  inner: Map<string, number>;
}

/** An AI message on its way out. */
export interface Draft {
  artifactId: string;
  text: string;
  begun: boolean;
  closed: boolean;
}

/** `sub:<id>|inner:<id>` -> the ids from the outermost in. */
export function idsOfNamespace(namespace: readonly string[]): string[] {
  return namespace.flatMap((part) => part.split('|')).map((part) => part.slice(part.lastIndexOf(':') + 1));
}

/**
 * The messages of a node's result that its state did not hold: by identity, by id, and in a channel without a reducer,
 * for plain objects that a node has copied, by position. A list that is shorter than the state is no copy of it.
 */
export function newMessages(
  node: NodeRun,
  written: unknown,
  appends: boolean,
  seen: SeenMessages,
): GraphMessage[] {
  const before = Array.isArray(node.before) ? node.before : [];
  const messages = messagesOf(written);
  const kept = appends ? undefined : new Set(before);
  const copied = (message: GraphMessage, index: number): boolean =>
    !appends &&
    message.id === undefined &&
    messages.length >= before.length &&
    sameJson(jsonOf(before[index]), jsonOf(message.source));
  let known: Set<string> | undefined;
  return messages.filter((message, index) => {
    if (before[index] === message.source || kept?.has(message.source) || seen.has(message)) return false;
    if (copied(message, index)) return false;
    if (message.id !== undefined) {
      // Those from before the run are seen.
      known ??= new Set(idsOf(before.slice(seen.first)));
      if (known.has(message.id)) return false;
    }
    const inner = node.inner.get(signature(message)) ?? 0;
    if (inner > 0) node.inner.set(signature(message), inner - 1);
    return inner === 0;
  });
}

/** Messages that went out, or were there before the run. */
export interface SeenMessages {
  /** How many messages the thread held before the run. */
  first: number;
  has(message: GraphMessage): boolean;
  add(message: GraphMessage, ancestors: readonly NodeRun[]): void;
}

export function rememberMessages(before: readonly unknown[]): SeenMessages {
  const seenIds = new Set(idsOf(before));
  const sources = new WeakSet<object>();
  return {
    first: before.length,
    has: (message) => sources.has(message.source) || (message.id !== undefined && seenIds.has(message.id)),
    add: (message, ancestors) => {
      sources.add(message.source);
      if (message.id !== undefined) seenIds.add(message.id);
      for (const { inner } of ancestors)
        inner.set(signature(message), (inner.get(signature(message)) ?? 0) + 1);
    },
  };
}

function idsOf(messages: readonly unknown[]): string[] {
  return messages.flatMap((message) =>
    isBlock(message) && typeof message.id === 'string' ? message.id : [],
  );
}

function signature(message: GraphMessage): string {
  return JSON.stringify([message.kind, message.content, message.toolCallId, message.toolCalls]);
}

/** `messages` of a node's input or result, whatever else it holds. */
export function messagesMember(value: unknown): unknown {
  return isBlock(value) ? value.messages : undefined;
}

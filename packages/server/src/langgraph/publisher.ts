import type { Artifact, JsonValue, Part } from '@parley/protocol';
import { v5 as uuidV5 } from 'uuid';
import type { Lease } from '../engine/ports/run.ts';
import { isBlock, jsonOf, partsOfContent } from './content.ts';
import { openDrafts } from './drafts.ts';
import type { GraphMessage } from './messages.ts';
import { idsOfNamespace, messagesMember, type NodeRun, newMessages, rememberMessages } from './node-runs.ts';
import { type TaskWriter, titled } from './task-writer.ts';
import type { AllowedTools } from './tool-calls.ts';
import { openToolParts } from './tool-parts.ts';

export interface PublisherOptions {
  lease: Lease;
  writer: TaskWriter;
  allowedTools: AllowedTools;
  /** `messages` has a reducer: nodes write what is new. */
  appends: boolean;
  /** Messages of the thread before this run. */
  before: readonly unknown[];
  /** What earlier runs, or attempts, of this task have published. */
  artifacts: readonly Artifact[];
}

/** Turns what a graph streams into events of its task (docs/behaviour.md, "From graph to task"). */
export interface Publisher {
  /** Stream mode `tasks`: a node starts. */
  nodeStarts(namespace: string[], start: { id: string; input?: unknown }): void;
  /** Stream mode `tasks`: a node is done. */
  nodeEnds(namespace: string[], end: { id: string; result?: unknown }): void;
  /** A node that has failed is tried again: it says everything again. `namespace` as for `token`. */
  nodeRestarts(namespace: string): void;
  /** Stream mode `messages`: a piece of an AI message. `namespace` is the node's own, its id last. */
  token(namespace: string, messageId: string, text: string): void;
  /**
   * Closes what is open; returns the answer's artifact, if there is one. `state`: messages of the thread now, where
   * results of nodes that a resumed run did not repeat are found.
   */
  end(how: 'completed' | 'paused' | 'stopped', state?: readonly GraphMessage[]): string | undefined;
}

export function createPublisher(options: PublisherOptions): Publisher {
  const { lease, writer, before, artifacts } = options;
  const nodes = new Map<string, NodeRun>();
  const seen = rememberMessages(before);
  const drafts = openDrafts(writer, artifacts);
  const tools = openToolParts(lease, writer, options.allowedTools, artifacts);
  let answer: string | undefined;
  let structured: JsonValue | undefined;
  let lastText: string | undefined;
  if (lease.payload.followUp) tools.reopen(before);

  const nodeOf = (id: string, root: boolean): NodeRun => {
    const known = nodes.get(id);
    if (known) return known;
    const node = {
      id,
      root,
      drafts: new Map(),
      ordinal: 0,
      left: new Set<string>(),
      before: undefined,
      inner: new Map(),
    };
    nodes.set(id, node);
    return node;
  };
  const publish = (node: NodeRun, message: GraphMessage): void => {
    const parts = partsOfContent(message.content);
    const calls = message.toolCalls.length > 0;
    const { artifactId, begun } = drafts.finish(node, message, parts, !calls);
    if (parts.length > 0) answer = artifactId;
    if (calls) tools.open(message, { artifactId, parts, begun });
    else if (parts.length > 0) writer.history(`done:${artifactId}`, artifactId, parts);
  };
  /** An answer that is no AI message: the text of the last output, a structured response. */
  const answerWith = (key: string, parts: Part[]): void => {
    const chunk = { lastChunk: true };
    if (answer !== undefined) writer.artifact(key, { artifactId: answer, parts }, { append: true, ...chunk });
    else {
      answer = uuidV5('answer', lease.runId);
      writer.artifact(key, titled(answer, parts), chunk);
      writer.history(key, answer, parts);
    }
  };

  return {
    nodeStarts: (namespace, { id, input }) => {
      nodeOf(id, namespace.length === 0).before = messagesMember(input);
    },

    nodeEnds: (namespace, { id, result }) => {
      const node = nodeOf(id, namespace.length === 0);
      const ancestors = idsOfNamespace(namespace).flatMap((ancestor) => nodes.get(ancestor) ?? []);
      for (const message of newMessages(node, messagesMember(result), options.appends, seen)) {
        seen.add(message, ancestors);
        if (message.kind === 'ai') publish(node, message);
        if (message.kind === 'tool') tools.answer(message);
      }
      drafts.abandon(node);
      if (node.root && isBlock(result)) {
        if (result.structuredResponse !== undefined) structured = jsonOf(result.structuredResponse);
        lastText = Object.values(result).findLast((value) => typeof value === 'string') ?? lastText;
      }
    },

    nodeRestarts: (namespace) => {
      const node = nodes.get(idsOfNamespace([namespace]).at(-1) ?? '');
      if (node) drafts.restart(node);
    },

    token: (namespace, messageId, text) => {
      const id = idsOfNamespace([namespace]).at(-1);
      if (id !== undefined && text !== '')
        drafts.token(nodeOf(id, !namespace.includes('|')), messageId, text);
    },

    end: (how, state = []) => {
      for (const message of state) if (message.kind === 'tool') tools.answer(message);
      tools.end(how === 'paused');
      if (how !== 'completed') return undefined;
      const key = `${lease.runId}:answer`;
      if (answer === undefined && lastText !== undefined && lastText !== '')
        answerWith(key, [{ text: lastText }]);
      if (structured !== undefined) {
        answerWith(`${key}:data`, [{ data: structured, mediaType: 'application/json' }]);
      }
      return answer;
    },
  };
}

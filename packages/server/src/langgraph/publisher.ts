import type { Artifact, JsonValue, Message, Part } from '@parley/protocol';
import { v5 as uuidV5 } from 'uuid';
import type { Entry, Lease } from '../engine/ports.ts';
import { isBlock, jsonOf, partsOfContent, textOfContent } from './content.ts';
import type { GraphMessage } from './messages.ts';
import {
  type Draft,
  idsOfNamespace,
  messagesMember,
  type NodeRun,
  newMessages,
  rememberMessages,
} from './node-runs.ts';
import { type AllowedTools, type Correlated, correlateToolCalls } from './tool-calls.ts';

export interface PublisherOptions {
  lease: Lease;
  emit(entry: Entry): void;
  allowedTools: AllowedTools;
  /** `messages` has a reducer: nodes write what is new. */
  appends: boolean;
  /** Messages of the thread before this run. */
  before: readonly GraphMessage[];
  /** What earlier runs of this task have published. */
  artifacts: readonly Artifact[];
}

/** Turns what a graph streams into events of its task (docs/behaviour.md, "From graph to task"). */
export interface Publisher {
  /** Stream mode `tasks`: a node starts. */
  nodeStarts(namespace: string[], start: { id: string; input?: unknown }): void;
  /** Stream mode `tasks`: a node is done. */
  nodeEnds(namespace: string[], end: { id: string; result?: unknown }): void;
  /** Stream mode `messages`: a piece of an AI message. `namespace` is the node's own, its id last. */
  token(namespace: string, messageId: string, text: string): void;
  /**
   * Closes what is open; returns the answer's artifact, if there is one. `state`: messages of the thread now, where
   * results of nodes that a resumed run did not repeat are found.
   */
  end(how: 'completed' | 'paused' | 'stopped', state?: readonly GraphMessage[]): string | undefined;
}

const ARTIFACT_NAME = 'Assistant Response';

/** Where the parts of one AI message go. */
interface Outlet {
  key: string;
  artifactId: string;
  messageId?: string;
  /** Parts that its history entry has besides the tool part. */
  parts: Part[];
  /** The artifact exists already. */
  begun: boolean;
}

export function createPublisher(options: PublisherOptions): Publisher {
  const { lease, emit, before } = options;
  const { taskId } = lease;
  const { contextId } = lease.lane;
  const nodes = new Map<string, NodeRun>();
  const seen = rememberMessages(before.flatMap(({ id }) => id ?? []));
  const tools = correlateToolCalls<Outlet>(options.allowedTools);
  let answer: string | undefined;
  let structured: JsonValue | undefined;
  let lastText: string | undefined;

  // Calls that an earlier run of this task has left open are answered in this one.
  if (lease.payload.followUp) {
    const lastQuestion = before.findLastIndex(({ kind }) => kind === 'human');
    for (const message of before.slice(lastQuestion + 1)) {
      if (message.kind === 'tool') tools.answer(message);
      if (message.kind === 'ai' && message.toolCalls.length > 0)
        tools.open(outletAgain(message), message.toolCalls);
    }
  }

  function outletAgain(message: GraphMessage): Outlet {
    const known = options.artifacts.find(
      ({ metadata }) => message.id !== undefined && metadata?.messageId === message.id,
    );
    const key = `tools:${message.id ?? message.toolCalls[0]?.id ?? ''}`;
    return {
      key,
      artifactId: known?.artifactId ?? uuidV5(key, lease.runId),
      parts: [],
      begun: known !== undefined,
    };
  }

  const nodeOf = (id: string, root: boolean): NodeRun => {
    const known = nodes.get(id);
    if (known) return known;
    const node = { id, root, drafts: new Map(), ordinal: 0, deltas: 0, before: undefined, inner: new Map() };
    nodes.set(id, node);
    return node;
  };
  const draftOf = (node: NodeRun, messageId: string | undefined): Draft => {
    const known = messageId === undefined ? undefined : node.drafts.get(messageId);
    if (known) return known;
    const ordinal = node.ordinal++;
    const draft = {
      artifactId: uuidV5(String(ordinal), node.id),
      ordinal,
      text: '',
      begun: false,
      closed: false,
    };
    node.drafts.set(messageId ?? `#${ordinal}`, draft);
    return draft;
  };
  const artifact = (key: string, body: Artifact, flags: { append?: boolean; lastChunk?: boolean }): void =>
    emit({ taskId, key, event: { artifactUpdate: { taskId, contextId, artifact: body, ...flags } } });
  const history = (key: string, messageId: string, parts: Part[]): void => {
    const message: Message = { messageId, contextId, taskId, role: 'ROLE_AGENT', parts };
    emit({ taskId, key: `${key}:history`, event: { history: message } });
  };
  const titled = (artifactId: string, messageId: string | undefined, parts: Part[]): Artifact => ({
    artifactId,
    name: ARTIFACT_NAME,
    parts,
    ...(messageId === undefined ? {} : { metadata: { messageId } }),
  });

  const publish = (node: NodeRun, message: GraphMessage): void => {
    const draft = draftOf(node, message.id);
    const key = `done:${node.id}:${draft.ordinal}`;
    const parts = partsOfContent(message.content);
    const calls = message.toolCalls.length > 0;
    if (draft.begun) finishDraft(draft, key, message, parts, !calls);
    else if (parts.length > 0) {
      artifact(key, titled(draft.artifactId, message.id, parts), calls ? {} : { lastChunk: true });
    }
    draft.closed = true;
    const begun = draft.begun || parts.length > 0;
    if (parts.length > 0) answer = draft.artifactId;
    if (calls) {
      const outlet = { key: `${key}:tools`, artifactId: draft.artifactId, parts, begun };
      tools.open(message.id === undefined ? outlet : { ...outlet, messageId: message.id }, message.toolCalls);
    } else if (parts.length > 0) history(key, draft.artifactId, parts);
  };
  /** What the tokens did not say, and that it was the last. */
  const finishDraft = (
    draft: Draft,
    key: string,
    message: GraphMessage,
    parts: Part[],
    last: boolean,
  ): void => {
    const flags = last ? { lastChunk: true } : {};
    const text = textOfContent(message.content);
    if (!text.startsWith(draft.text)) {
      artifact(key, titled(draft.artifactId, message.id, parts.length > 0 ? parts : [{ text: '' }]), flags);
      return;
    }
    const rest = text.slice(draft.text.length);
    const more = [...(rest === '' ? [] : [{ text: rest }]), ...parts.filter((part) => !('text' in part))];
    if (more.length > 0)
      artifact(key, { artifactId: draft.artifactId, parts: more }, { append: true, ...flags });
    else if (last) close(draft, key);
  };
  const close = (draft: Draft, key: string): void =>
    artifact(key, { artifactId: draft.artifactId, parts: [{ text: '' }] }, { append: true, lastChunk: true });

  const publishTools = ({ origin, part }: Correlated<Outlet>): void => {
    const { key, artifactId, messageId, parts, begun } = origin;
    if (begun) artifact(key, { artifactId, parts: [part] }, { append: true, lastChunk: true });
    else artifact(key, titled(artifactId, messageId, [part]), { lastChunk: true });
    history(key, artifactId, [...parts, part]);
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
        const done = message.kind === 'tool' ? tools.answer(message) : undefined;
        if (done) publishTools(done);
      }
      for (const draft of node.drafts.values()) {
        if (draft.begun && !draft.closed) close(draft, `done:${id}:${draft.ordinal}`);
        draft.closed = true;
      }
      if (node.root && isBlock(result)) {
        if (result.structuredResponse !== undefined) structured = jsonOf(result.structuredResponse);
        lastText = Object.values(result).findLast((value) => typeof value === 'string') ?? lastText;
      }
    },

    token: (namespace, messageId, text) => {
      const id = idsOfNamespace([namespace]).at(-1);
      if (id === undefined || text === '') return;
      const node = nodeOf(id, !namespace.includes('|'));
      const draft = draftOf(node, messageId);
      const key = `${id}:${lease.runId}:${lease.attempt}:${node.deltas++}`;
      if (draft.begun) artifact(key, { artifactId: draft.artifactId, parts: [{ text }] }, { append: true });
      else artifact(key, titled(draft.artifactId, messageId, [{ text }]), { append: false });
      draft.begun = true;
      draft.text += text;
    },

    end: (how, state = []) => {
      for (const message of state) {
        const done = message.kind === 'tool' ? tools.answer(message) : undefined;
        if (done) publishTools(done);
      }
      for (const group of tools.rest()) {
        const { key, artifactId, parts } = group.origin;
        if (how !== 'paused') publishTools(group);
        else if (parts.length > 0) history(`${key}:paused`, artifactId, parts);
      }
      if (how !== 'completed') return undefined;
      const key = `${lease.runId}:answer`;
      if (answer === undefined && lastText !== undefined && lastText !== '') {
        answer = uuidV5('answer', lease.runId);
        artifact(key, titled(answer, undefined, [{ text: lastText }]), { lastChunk: true });
        history(key, answer, [{ text: lastText }]);
      }
      if (structured !== undefined) {
        const begun = answer !== undefined;
        answer ??= uuidV5('answer', lease.runId);
        const parts: Part[] = [{ data: structured, mediaType: 'application/json' }];
        if (begun) artifact(`${key}:data`, { artifactId: answer, parts }, { append: true, lastChunk: true });
        else artifact(`${key}:data`, titled(answer, undefined, parts), { lastChunk: true });
      }
      return answer;
    },
  };
}

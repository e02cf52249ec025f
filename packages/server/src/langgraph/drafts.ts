import type { Artifact, Part } from '@parley/protocol';
import { v5 as uuidV5 } from 'uuid';
import { textOfContent } from './content.ts';
import type { GraphMessage } from './messages.ts';
import type { Draft, NodeRun } from './node-runs.ts';
import { type TaskWriter, titled } from './task-writer.ts';

/** AI messages on their way out: one artifact each, named after the node's execution, which a repetition shares. */
export interface Drafts {
  token(node: NodeRun, messageId: string, text: string): void;
  /** The whole message; `last`: nothing of it follows. */
  finish(node: NodeRun, message: GraphMessage, parts: Part[], last: boolean): Draft;
  /** What follows takes the place of what the node has begun. */
  restart(node: NodeRun): void;
  /** Closes what the node began and did not keep. */
  abandon(node: NodeRun): void;
}

export function openDrafts(writer: TaskWriter, artifacts: readonly Artifact[]): Drafts {
  const earlier = new Map(artifacts.map(({ artifactId, metadata }) => [metadata?.messageId, artifactId]));

  const draftOf = (node: NodeRun, messageId: string | undefined): Draft => {
    const known = messageId === undefined ? undefined : node.drafts.get(messageId);
    if (known) return known;
    const ordinal = node.ordinal++;
    const published = messageId === undefined ? undefined : earlier.get(messageId);
    const artifactId = published ?? uuidV5(String(ordinal), node.id);
    const draft = { artifactId, text: '', begun: false, closed: false };
    node.drafts.set(messageId ?? `#${ordinal}`, draft);
    return draft;
  };
  const closing: Part[] = [{ text: '' }];

  return {
    token: (node, messageId, text) => {
      const draft = draftOf(node, messageId);
      const { artifactId } = draft;
      if (draft.begun) writer.delta({ artifactId, parts: [{ text }] }, { append: true });
      else writer.delta(titled(artifactId, [{ text }], messageId), { append: false });
      draft.begun = true;
      draft.text += text;
    },

    finish: (node, message, parts, last) => {
      const draft = draftOf(node, message.id);
      const { artifactId } = draft;
      const key = `done:${artifactId}`;
      const chunk = last ? { lastChunk: true } : {};
      const text = textOfContent(message.content);
      if (!draft.begun) {
        if (parts.length > 0) writer.artifact(key, titled(artifactId, parts, message.id), chunk);
      } else if (!text.startsWith(draft.text)) {
        writer.artifact(key, titled(artifactId, parts.length > 0 ? parts : closing, message.id), chunk);
      } else {
        const more = missing(text.slice(draft.text.length), parts);
        if (more.length > 0 || last) {
          writer.artifact(
            key,
            { artifactId, parts: more.length > 0 ? more : closing },
            { append: true, ...chunk },
          );
        }
      }
      draft.begun ||= parts.length > 0;
      draft.closed = true;
      return draft;
    },

    restart: (node) => {
      for (const { artifactId, begun } of node.drafts.values()) if (begun) node.left.add(artifactId);
      node.drafts.clear();
      node.ordinal = 0;
    },

    abandon: (node) => {
      const close = (artifactId: string): void =>
        writer.delta({ artifactId, parts: closing }, { append: true, lastChunk: true });
      for (const draft of node.drafts.values()) {
        node.left.delete(draft.artifactId);
        if (!draft.begun || draft.closed) continue;
        close(draft.artifactId);
        draft.closed = true;
      }
      for (const artifactId of node.left) close(artifactId);
      node.left.clear();
    },
  };
}

/** What the tokens did not say. */
function missing(rest: string, parts: readonly Part[]): Part[] {
  const others = parts.filter((part) => !('text' in part));
  return rest === '' ? others : [{ text: rest }, ...others];
}

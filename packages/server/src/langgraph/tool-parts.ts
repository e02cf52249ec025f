import type { Artifact, Part } from '@parley/protocol';
import { v5 as uuidV5 } from 'uuid';
import type { Lease } from '../engine/ports/run.ts';
import { type GraphMessage, messagesOf } from './messages.ts';
import { type TaskWriter, titled } from './task-writer.ts';
import { type AllowedTools, type Correlated, correlateToolCalls } from './tool-calls.ts';

/** Where the calls of an AI message are published. */
interface Outlet {
  key: string;
  artifactId: string;
  messageId: string | undefined;
  /** What its history entry says besides the calls. */
  parts: Part[];
  /** The artifact exists already. */
  begun: boolean;
}

/** One data part for the calls of an AI message and their results, published when the last result is in. */
export interface ToolParts {
  open(message: GraphMessage, origin: { artifactId: string; parts: Part[]; begun: boolean }): void;
  /** Takes up the calls that an earlier run, or attempt, has left open in the thread. */
  reopen(thread: readonly unknown[]): void;
  answer(result: GraphMessage): void;
  /** `paused`: results may come in a later run. */
  end(paused: boolean): void;
}

export function openToolParts(
  lease: Lease,
  writer: TaskWriter,
  allowed: AllowedTools,
  artifacts: readonly Artifact[],
): ToolParts {
  const calls = correlateToolCalls<Outlet>(allowed);

  const publish = ({ origin, part }: Correlated<Outlet>): void => {
    const { key, artifactId, messageId, parts, begun } = origin;
    const chunk = { lastChunk: true };
    if (begun) writer.artifact(key, { artifactId, parts: [part] }, { append: true, ...chunk });
    else writer.artifact(key, titled(artifactId, [part], messageId), chunk);
    writer.history(key, artifactId, [...parts, part]);
  };
  const answer = (result: GraphMessage): void => {
    const done = calls.answer(result);
    if (done) publish(done);
  };

  return {
    open: (message, origin) =>
      calls.open({ key: keyOf(message), messageId: message.id, ...origin }, message.toolCalls),
    reopen: (thread) => {
      const lastQuestion = thread.findLastIndex((one) => messagesOf(one)[0]?.kind === 'human');
      for (const message of messagesOf(thread.slice(lastQuestion + 1))) {
        if (message.kind === 'tool') calls.answer(message);
        if (message.kind !== 'ai' || message.toolCalls.length === 0) continue;
        const key = keyOf(message);
        const known = artifacts.find(({ metadata }) => metadata?.messageId === message.id);
        const artifactId = known?.artifactId ?? uuidV5(key, lease.runId);
        calls.open(
          { key, artifactId, messageId: message.id, parts: [], begun: known !== undefined },
          message.toolCalls,
        );
      }
    },
    answer,
    end: (paused) => {
      for (const group of calls.rest()) {
        const { key, artifactId, parts } = group.origin;
        if (!paused) publish(group);
        else if (parts.length > 0) writer.history(`${key}:paused`, artifactId, parts);
      }
    },
  };
}

function keyOf(message: GraphMessage): string {
  return `tools:${message.id ?? message.toolCalls[0]?.id ?? ''}`;
}

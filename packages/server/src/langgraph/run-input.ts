import { HumanMessage } from '@langchain/core/messages';
import { Command } from '@langchain/langgraph';
import type { CheckpointTuple } from '@langchain/langgraph-checkpoint';
import { dataOf, filesOf } from '@parley/agent';
import { readAnswers } from '../engine/answers.ts';
import type { Lease, PendingInterrupt } from '../engine/ports.ts';
import { contentOfParts } from './content.ts';
import { appendsMessages, type CompiledGraph, hasChannel } from './graph.ts';

/** The graph input of a message. Its LangChain id is the run's: clients reuse `messageId`. */
export function inputOfMessage(
  graph: CompiledGraph,
  lease: Lease,
  thread: CheckpointTuple | undefined,
): object {
  const { parts } = lease.payload.message;
  const takesData = hasChannel(graph, 'a2aData');
  const message = new HumanMessage({ id: lease.runId, content: contentOfParts(parts, !takesData) as string });
  const existing = thread?.checkpoint.channel_values.messages;
  const before = appendsMessages(graph) || !Array.isArray(existing) ? [] : existing;
  return {
    messages: [...before, message],
    ...(takesData ? { a2aData: dataOf(parts) } : {}),
    ...(hasChannel(graph, 'a2aFiles') ? { a2aFiles: filesOf(parts) } : {}),
  };
}

/**
 * Answers as a command, each addressed: the ones the message was admitted with, or, when it was accepted before the
 * graph had paused, read now. Throws what `readAnswers` throws.
 */
export function resumeOfMessage(lease: Lease, pending: readonly PendingInterrupt[]): Command {
  const answers = lease.payload.answers ?? readAnswers(lease.payload, pending);
  const open = new Set(pending.map(({ id }) => id));
  // After a crash some of the answers may have been taken; a second delivery of those would be refused.
  const resume = Object.fromEntries(Object.entries(answers).filter(([id]) => open.has(id)));
  return new Command({ resume });
}

import { HumanMessage } from '@langchain/core/messages';
import { Command } from '@langchain/langgraph';
import type { CheckpointTuple } from '@langchain/langgraph-checkpoint';
import { dataOf, filesOf } from '@parley/agent';
import { readAnswers } from '../engine/answers.ts';
import type { Lease, MessagePayload, PendingInterrupt } from '../engine/ports/run.ts';
import { contentOfParts } from './content.ts';
import { appendsMessages, type CompiledGraph, hasChannel } from './graph.ts';

/** The graph input of a turn, without a message if none has brought it. */
export function inputOfTurn(graph: CompiledGraph, lease: Lease, thread: CheckpointTuple | undefined): object {
  const { payload, runId } = lease;
  const parts = payload.kind === 'message' ? payload.message.parts : [];
  const takesData = hasChannel(graph, 'a2aData');
  const content = contentOfParts(parts, !takesData) as string;
  // Its LangChain id is the run's: clients reuse `messageId`.
  const said = payload.kind === 'message' ? [new HumanMessage({ id: runId, content })] : [];
  const existing = thread?.checkpoint.channel_values.messages;
  const before = appendsMessages(graph) || !Array.isArray(existing) ? [] : existing;
  return {
    messages: [...before, ...said],
    ...(takesData ? { a2aData: dataOf(parts) } : {}),
    ...(hasChannel(graph, 'a2aFiles') ? { a2aFiles: filesOf(parts) } : {}),
  };
}

/**
 * Answers as a command, each addressed: the ones the message was admitted with, or, when it was accepted before the
 * graph had paused, read now. Throws what `readAnswers` throws.
 */
export function resumeOfMessage(payload: MessagePayload, pending: readonly PendingInterrupt[]): Command {
  const answers = payload.answers ?? readAnswers(payload, pending);
  const open = new Set(pending.map(({ id }) => id));
  // After a crash some of the answers may have been taken; a second delivery of those would be refused.
  const resume = Object.fromEntries(Object.entries(answers).filter(([id]) => open.has(id)));
  return new Command({ resume });
}

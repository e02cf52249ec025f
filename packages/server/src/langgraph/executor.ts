import { isTurnChunk } from '@parley/agent';
import { isA2AError } from '@parley/protocol';
import { v5 as uuidV5 } from 'uuid';
import { interruptParts, questionText } from '../engine/interrupt-parts.ts';
import type { AgentExecutor, PendingInterrupt, RunContext, RunEnd } from '../engine/ports.ts';
import type { Assistant } from './assistant.ts';
import { isBlock, textOfContent } from './content.ts';
import { appendsMessages, type CompiledGraph, type GraphState } from './graph.ts';
import { isRefusedAnswer, pendingInterrupts } from './interrupts.ts';
import { messagesOf } from './messages.ts';
import { messagesMember } from './node-runs.ts';
import { createPublisher, type Publisher } from './publisher.ts';
import { runConfig } from './run-config.ts';
import { startOfGraph } from './start-of-graph.ts';
import type { AllowedTools } from './tool-calls.ts';
import { createTurnOutputs, type TurnOutputs } from './turn-output.ts';

export interface GraphExecutorOptions {
  assistant: Assistant;
  graph(config: object): Promise<CompiledGraph>;
  allowedTools: AllowedTools;
}

/** Carries out a run with a compiled graph. */
export function createGraphExecutor(options: GraphExecutorOptions): AgentExecutor {
  return { run: (context) => runGraph(options, context) };
}

async function runGraph(options: GraphExecutorOptions, context: RunContext): Promise<RunEnd> {
  const { lease } = context;
  const config = runConfig(options.assistant, context);
  const graph = await options.graph(config);
  const thread = await context.checkpointer.getTuple(config);
  const start = await startOfGraph(graph, context, config, thread).catch((error: unknown) => {
    if (isA2AError(error) && error.kind === 'invalid-params') return { refused: error };
    throw error;
  });
  if ('refused' in start) return pause(context, await graph.getState(config), violation(start.refused));

  const publisher = createPublisher({
    lease,
    emit: context.emit,
    allowedTools: options.allowedTools,
    appends: appendsMessages(graph),
    before: messagesOf(thread?.checkpoint.channel_values.messages ?? []),
    artifacts: lease.payload.followUp ? ((await context.task()).artifacts ?? []) : [],
  });
  const outputs = createTurnOutputs(context);
  let interrupted = start.resumes;
  if (start.input !== undefined) {
    const streamMode = ['custom', 'tasks', ...(lease.payload.stream ? ['messages'] : [])];
    try {
      const stream = await graph.stream(start.input, {
        ...config,
        streamMode,
        subgraphs: true,
        durability: 'sync',
      });
      for await (const chunk of stream) interrupted = take(chunk, publisher, outputs) || interrupted;
    } catch (error) {
      const refused = start.resumes && isRefusedAnswer(error);
      publisher.end(refused ? 'paused' : 'stopped');
      if (!refused) throw error;
      return pause(context, await graph.getState(config), {
        field: 'message.parts',
        description: `the agent refused this answer: ${error.message}`,
      });
    }
  }
  const state = interrupted ? await graph.getState(config) : undefined;
  const pending = state ? pendingInterrupts(state) : [];
  const ending = outputs.ending(pending.length > 0);
  const how = pending.length > 0 ? 'paused' : ending ? 'stopped' : 'completed';
  const answerArtifactId = publisher.end(how, messagesOf(messagesMember(state?.values)));
  if (ending) return ending;
  if (state && pending.length > 0) return pause(context, state);
  return { state: 'TASK_STATE_COMPLETED', ...(answerArtifactId === undefined ? {} : { answerArtifactId }) };
}

/** One chunk of `graph.stream`: `[namespace, mode, payload]`. True if it is an interrupt. */
function take(chunk: unknown, publisher: Publisher, outputs: TurnOutputs): boolean {
  const [namespace, mode, payload] = chunk as [string[], string, unknown];
  if (mode === 'custom') {
    if (isTurnChunk(payload)) outputs.take(payload);
  } else if (mode === 'messages') {
    const [message, metadata] = payload as [{ [key: string]: unknown }, { [key: string]: unknown }];
    // Only streaming models send chunks; a whole message comes again with its node's result.
    if (typeof message.concat === 'function' && isAiChunk(message)) {
      publisher.token(
        String(metadata.langgraph_checkpoint_ns),
        String(message.id),
        textOfContent(message.content),
      );
    }
  } else if (mode === 'tasks' && isBlock(payload)) {
    const node = payload as { id: string; input?: unknown; result?: unknown; interrupts?: unknown[] };
    if ('result' in node) publisher.nodeEnds(namespace, node);
    else publisher.nodeStarts(namespace, node);
    return 'result' in node && (node.interrupts?.length ?? 0) > 0;
  }
  return false;
}

function isAiChunk(message: { [key: string]: unknown }): boolean {
  const { _getType: getType } = message;
  return typeof getType === 'function' && getType.call(message) === 'ai';
}

function pause(
  context: RunContext,
  state: GraphState,
  refusal?: { field: string; description: string },
): RunEnd {
  const { lease } = context;
  const pending: PendingInterrupt[] = pendingInterrupts(state);
  const question = questionText(pending);
  const parts = [...(question === '' ? [] : [{ text: question }]), ...interruptParts(pending)];
  return {
    state: 'TASK_STATE_INPUT_REQUIRED',
    pending,
    message: {
      messageId: uuidV5('question', lease.runId),
      taskId: lease.taskId,
      contextId: lease.lane.contextId,
      role: 'ROLE_AGENT',
      parts,
    },
    ...(refusal ? { refusal } : {}),
  };
}

function violation(error: { fieldViolations?: { field: string; description: string }[]; message: string }): {
  field: string;
  description: string;
} {
  return error.fieldViolations?.[0] ?? { field: 'message.parts', description: error.message };
}

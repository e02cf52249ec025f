import type { CheckpointTuple } from '@langchain/langgraph-checkpoint';
import { isTurnChunk } from '@parley/agent';
import { isA2AError } from '@parley/protocol';
import type { AgentExecutor, RunContext, RunEnd } from '../engine/ports/executor.ts';
import type { Assistant } from './assistant.ts';
import { hasBreakpoints, pendingQuestions } from './breakpoints.ts';
import { isBlock, textOfContent } from './content.ts';
import { finishedNodes } from './finished-nodes.ts';
import { appendsMessages, type CompiledGraph, type GraphState } from './graph.ts';
import { isRefusedAnswer } from './interrupts.ts';
import { lendStore } from './lend-store.ts';
import { messagesOf } from './messages.ts';
import { explainNoCheckpointer } from './no-checkpointer.ts';
import { watchNodeAttempts } from './node-attempts.ts';
import { messagesMember } from './node-runs.ts';
import { createPublisher, type Publisher } from './publisher.ts';
import { runConfig } from './run-config.ts';
import { startOfGraph } from './start-of-graph.ts';
import { createTaskWriter } from './task-writer.ts';
import type { AllowedTools } from './tool-calls.ts';
import { createTurnOutputs, type TurnOutputs } from './turn-output.ts';

export interface GraphExecutorOptions {
  assistant: Assistant;
  graph(config: object): Promise<CompiledGraph>;
  allowedTools: AllowedTools;
}

/** Carries out a run with a compiled graph. */
export function createGraphExecutor(options: GraphExecutorOptions): AgentExecutor {
  return {
    run: (context) =>
      runGraph(options, context).catch((error: unknown) => {
        throw explainNoCheckpointer(error, options.assistant.graphId);
      }),
  };
}

async function runGraph(options: GraphExecutorOptions, context: RunContext): Promise<RunEnd> {
  const { lease } = context;
  const given = runConfig(options.assistant, context);
  const { graph, config } = lendStore(await options.graph(given), given);
  const thread = await context.checkpointer.getTuple(config);
  const start = await startOfGraph(graph, context, config, thread).catch((error: unknown) => {
    if (isA2AError(error) && error.kind === 'invalid-params') return { refused: error };
    throw error;
  });
  if ('refused' in start) return pause(graph, await graph.getState(config), violation(start.refused));

  const publisher = await publisherOf(options, context, config, graph, thread);
  const outputs = createTurnOutputs(context);
  let interrupted = start.resumes || hasBreakpoints(graph);
  if (start.input !== undefined) {
    const streamMode = ['custom', 'tasks', ...(lease.payload.stream ? ['messages'] : [])];
    try {
      const mode = { streamMode, subgraphs: true, durability: 'sync' };
      // Only tokens go out before their node has succeeded.
      const callbacks = lease.payload.stream ? [watchNodeAttempts(publisher.nodeRestarts)] : [];
      const stream = await graph.stream(start.input, { ...config, ...mode, callbacks });
      for await (const chunk of stream) interrupted = take(chunk, publisher, outputs) || interrupted;
    } catch (error) {
      const refused = start.resumes && isRefusedAnswer(error);
      // A run that was stopped from outside may go on elsewhere: nothing of it is closed.
      if (!context.signal.aborted) publisher.end(refused ? 'paused' : 'stopped');
      if (!refused) throw error;
      const description = `the agent refused this answer: ${error.message}`;
      return pause(graph, await graph.getState(config), { field: 'message.parts', description });
    }
  }
  const state = interrupted ? await graph.getState(config) : undefined;
  const pending = state ? pendingQuestions(graph, state) : [];
  const ending = outputs.ending(pending.length > 0);
  const how = ending ? 'stopped' : pending.length > 0 ? 'paused' : 'completed';
  const answerArtifactId = publisher.end(how, messagesOf(messagesMember(state?.values)));
  if (ending) return ending;
  if (pending.length > 0) return { state: 'TASK_STATE_INPUT_REQUIRED', pending };
  return { state: 'TASK_STATE_COMPLETED', ...(answerArtifactId === undefined ? {} : { answerArtifactId }) };
}

/** A publisher that knows what the task's log may hold already. */
async function publisherOf(
  options: GraphExecutorOptions,
  context: RunContext,
  config: { configurable: object },
  graph: CompiledGraph,
  thread: CheckpointTuple | undefined,
): Promise<Publisher> {
  const { lease, checkpointer } = context;
  const repeated = lease.epoch > 1;
  const base = repeated ? await baseOf(context, config) : thread;
  const before = base?.checkpoint.channel_values.messages;
  const publisher = createPublisher({
    lease,
    writer: createTaskWriter(context),
    allowedTools: options.allowedTools,
    appends: appendsMessages(graph),
    before: Array.isArray(before) ? before : [],
    artifacts: repeated || lease.payload.followUp ? ((await context.task()).artifacts ?? []) : [],
  });
  if (repeated) {
    for (const node of await finishedNodes(checkpointer, config, lease.baseCheckpoint)) {
      publisher.nodeStarts([], node);
      publisher.nodeEnds([], node);
    }
  }
  return publisher;
}

async function baseOf(
  { lease, checkpointer }: RunContext,
  config: { configurable: object },
): Promise<CheckpointTuple | undefined> {
  if (lease.baseCheckpoint === null) return undefined;
  const configurable = { ...config.configurable, checkpoint_ns: '', checkpoint_id: lease.baseCheckpoint };
  return checkpointer.getTuple({ configurable });
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
  graph: CompiledGraph,
  state: GraphState,
  refusal: { field: string; description: string },
): RunEnd {
  return { state: 'TASK_STATE_INPUT_REQUIRED', pending: pendingQuestions(graph, state), refusal };
}

function violation(error: { fieldViolations?: { field: string; description: string }[]; message: string }): {
  field: string;
  description: string;
} {
  return error.fieldViolations?.[0] ?? { field: 'message.parts', description: error.message };
}

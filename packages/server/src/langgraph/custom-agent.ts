import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages';
import { a2aTurn, dataOf, type FileRef, filesOf, isTurnChunk, type Turn, textOf } from '@parley/agent';
import { appendParts, type JsonValue, type Message, type Part } from '@parley/protocol';
import { v5 as uuidV5 } from 'uuid';
import type { AgentExecutor, RunContext, RunEnd } from '../engine/ports/executor.ts';
import type { Assistant } from './assistant.ts';
import { contentOfParts, isBlock, jsonOf, partsOfContent } from './content.ts';
import { runConfig } from './run-config.ts';
import { type Chunk, createTaskWriter, titled } from './task-writer.ts';
import { createTurnOutputs } from './turn-output.ts';

export interface CustomInput {
  text: string;
  data: JsonValue[];
  files: FileRef[];
  /** The conversation, this message last. */
  messages: BaseMessage[];
}

/** A string, an AI message, or text, data and files. */
export type CustomOutput = string | BaseMessage | { text?: string; data?: JsonValue; files?: FileRef[] };

export interface CustomContext {
  config: object;
  signal: AbortSignal;
  turn: Turn | undefined;
}

/** An agent that is no graph. With `stream`, what it yields goes out as it comes. */
export interface CustomAgent {
  invoke?(input: CustomInput, context: CustomContext): CustomOutput | Promise<CustomOutput>;
  stream?(
    input: CustomInput,
    context: CustomContext,
  ): AsyncIterable<CustomOutput> | Promise<AsyncIterable<CustomOutput>>;
}

export function createCustomExecutor(assistant: Assistant, agent: CustomAgent): AgentExecutor {
  return { run: (context) => runCustom(assistant, agent, context) };
}

async function runCustom(assistant: Assistant, agent: CustomAgent, context: RunContext): Promise<RunEnd> {
  const { lease, signal } = context;
  const { payload } = lease;
  const said = payload.kind === 'message' ? [payload.message] : [];
  const parts = said.flatMap((message) => message.parts);
  const outputs = createTurnOutputs(context);
  const config = {
    ...runConfig(assistant, context),
    writer: (chunk: unknown) => {
      if (isTurnChunk(chunk)) outputs.take(chunk);
    },
    executionInfo: { taskId: `custom:${lease.runId}`, nodeAttempt: lease.epoch },
  };
  const input: CustomInput = {
    text: textOf(parts),
    data: dataOf(parts),
    files: filesOf(parts),
    messages: [...(await context.history()), ...said].map(chatMessage),
  };
  const call: CustomContext = {
    config,
    signal,
    get turn() {
      return a2aTurn(config as Parameters<typeof a2aTurn>[0]);
    },
  };
  const answer = answerOf(context);
  const streams = agent.stream && (lease.payload.stream || !agent.invoke);
  await (streams ? streamed(agent, input, call, answer) : whole(agent, input, call, answer));
  const answered = answer.begun ? { answerArtifactId: answer.artifactId } : {};
  return outputs.ending(false) ?? { state: 'TASK_STATE_COMPLETED', ...answered };
}

async function whole(
  agent: CustomAgent,
  input: CustomInput,
  call: CustomContext,
  answer: Answer,
): Promise<void> {
  const parts = partsOfOutput(await agent.invoke?.(input, call));
  if (parts.length === 0) return;
  answer.piece(parts, { lastChunk: true });
  answer.said(parts);
}

async function streamed(
  agent: CustomAgent,
  input: CustomInput,
  call: CustomContext,
  answer: Answer,
): Promise<void> {
  let said: Part[] = [];
  for await (const output of (await agent.stream?.(input, call)) ?? []) {
    call.signal.throwIfAborted();
    const parts = partsOfOutput(output);
    if (parts.length === 0) continue;
    answer.piece(parts, { append: said.length > 0 });
    said = appendParts(said, parts);
  }
  if (said.length === 0) return;
  answer.piece([{ text: '' }], { append: true, lastChunk: true });
  answer.said(said);
}

/** The artifact that a custom agent answers with. */
interface Answer {
  artifactId: string;
  begun: boolean;
  piece(parts: Part[], chunk: Chunk): void;
  /** The whole of it, for the task's history. */
  said(parts: Part[]): void;
}

function answerOf(context: RunContext): Answer {
  const { runId } = context.lease;
  const writer = createTaskWriter(context);
  const artifactId = uuidV5('answer', runId);
  const answer: Answer = {
    artifactId,
    begun: false,
    piece: (parts, chunk) => {
      writer.delta(chunk.append ? { artifactId, parts } : titled(artifactId, parts), chunk);
      answer.begun = true;
    },
    said: (parts) => writer.history(`${runId}:answer`, artifactId, parts),
  };
  return answer;
}

function partsOfOutput(output: CustomOutput | undefined): Part[] {
  if (typeof output === 'string') return partsOfContent(output);
  if (output === undefined || output === null) return [];
  if (!isBlock(output)) throw new TypeError(`a custom agent does not answer ${typeof output}`);
  if ('content' in output) return partsOfContent(output.content);
  const { text, data, files, ...unknown } = output as { text?: string; data?: JsonValue; files?: FileRef[] };
  const [name] = Object.keys(unknown);
  if (name !== undefined) {
    throw new TypeError(
      `a custom agent answers a string, an AI message or {text, data, files}, not {${name}}`,
    );
  }
  return [
    ...(text === undefined || text === '' ? [] : [{ text }]),
    ...(data === undefined ? [] : [{ data: jsonOf(data) }]),
    ...(files ?? []).map(partOfFile),
  ];
}

function partOfFile(file: FileRef): Part {
  const about = {
    ...(file.name === undefined ? {} : { filename: file.name }),
    ...(file.mimeType === undefined ? {} : { mediaType: file.mimeType }),
  };
  return file.bytes === undefined ? { url: file.uri ?? '', ...about } : { raw: file.bytes, ...about };
}

function chatMessage(message: Message): BaseMessage {
  const content = contentOfParts(message.parts, true) as string;
  return message.role === 'ROLE_AGENT' ? new AIMessage({ content }) : new HumanMessage({ content });
}

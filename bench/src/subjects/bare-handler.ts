import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { AIMessageChunk, HumanMessage } from '@langchain/core/messages';
import { answerGraph, tokenGraph } from '../agents/graphs.ts';
import { readJson, serve } from './http.ts';
import { openCheckpoints, openDatabase } from './internals.ts';
import type { RunningSubject, SubjectOptions } from './subject.ts';

interface SendBody {
  id: unknown;
  params: { message: { contextId?: string; parts: { text: string }[] } };
}

/**
 * The floor: the fewest lines that call the same graph with the same checkpointer on a database file. It keeps threads;
 * it keeps no task, no event and no message, and a run that it loses is lost.
 */
export async function start({ folder }: SubjectOptions): Promise<RunningSubject> {
  const database = openDatabase(join(folder, 'bare.db'));
  const checkpoints = openCheckpoints(database);
  const lanes = new Map<string, number>();
  const configOf = (contextId: string) => {
    const lane = lanes.get(contextId) ?? lanes.size + 1;
    lanes.set(contextId, lane);
    return { configurable: { thread_id: contextId, __pregel_checkpointer: checkpoints.ofLane(lane) } };
  };

  const server = await serve(async (request, response) => {
    const { id, params } = await readJson<SendBody>(request);
    const { contextId = randomUUID(), parts } = params.message;
    const input = { messages: [new HumanMessage(parts[0]?.text ?? '')] };
    const config = configOf(contextId);
    if (request.url === '/answer') {
      const { messages } = await answerGraph.invoke(input, config);
      const artifacts = [{ artifactId: randomUUID(), parts: [{ text: messages.at(-1)?.text }] }];
      reply(response, id, { id: randomUUID(), contextId, artifacts });
    } else {
      const stream = await tokenGraph.stream(input, { ...config, streamMode: 'messages' });
      if (request.url === '/tokens') await streamTo(response, stream);
      else reply(response, id, { contextId, chunks: await drain(stream) });
    }
  });
  return {
    url: server.url,
    close: async () => {
      await server.close();
      database.close();
    },
  };
}

function reply(response: ServerResponse, id: unknown, task: object): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  const result = { task: { ...task, status: { state: 'TASK_STATE_COMPLETED' } } };
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}

async function streamTo(response: ServerResponse, stream: AsyncIterable<unknown[]>): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  for await (const [message] of stream) {
    if (!(message instanceof AIMessageChunk)) continue;
    response.write(`data: ${JSON.stringify({ text: message.text })}\n\n`);
  }
  response.end('data: {"state":"TASK_STATE_COMPLETED"}\n\n');
}

/** The graph alone: what it streams goes nowhere. */
async function drain(stream: AsyncIterable<unknown>): Promise<number> {
  let chunks = 0;
  for await (const _ of stream) chunks++;
  return chunks;
}

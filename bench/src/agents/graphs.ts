/** The graphs that every server of graphs is given. No checkpointer is compiled in: the server brings one. */

import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, AIMessageChunk, type BaseMessage } from '@langchain/core/messages';
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs';
import { interrupt, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { readOrder, tokens } from './tokens.ts';

/** A model that streams tokens as it is told to, without a network. */
class TokenModel extends BaseChatModel {
  override _llmType(): string {
    return 'tokens';
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    let text = '';
    for await (const token of tokens(orderOf(messages))) text += token;
    return { generations: [{ text, message: new AIMessage(text) }] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    _options: this['ParsedCallOptions'],
    run?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    for await (const text of tokens(orderOf(messages))) {
      const chunk = new ChatGenerationChunk({ text, message: new AIMessageChunk(text) });
      yield chunk;
      await run?.handleLLMNewToken(text, undefined, undefined, undefined, undefined, { chunk });
    }
  }
}

function orderOf(messages: BaseMessage[]): ReturnType<typeof readOrder> {
  return readOrder(messages.at(-1)?.text ?? '');
}

const model = new TokenModel({});

/** One node, one answer. */
export const answerGraph = new StateGraph(MessagesAnnotation)
  .addNode('answer', ({ messages }) => ({ messages: [new AIMessage(`you said ${messages.at(-1)?.text}`)] }))
  .addEdge(START, 'answer')
  .compile();

/** One node that calls a streaming model. */
export const tokenGraph = new StateGraph(MessagesAnnotation)
  .addNode('speak', async ({ messages }) => ({ messages: [await model.invoke(messages.slice(-1))] }))
  .addEdge(START, 'speak')
  .compile();

/** Asks, and waits for ever. */
export const askingGraph = new StateGraph(MessagesAnnotation)
  .addNode('ask', () => ({ messages: [new AIMessage(String(interrupt('Shall I?')))] }))
  .addEdge(START, 'ask')
  .compile();

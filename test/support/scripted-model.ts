import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager';
import { BaseChatModel, type BaseChatModelParams } from '@langchain/core/language_models/chat_models';
import { AIMessage, AIMessageChunk, type BaseMessage } from '@langchain/core/messages';
import {
  type ChatGenerationChunk,
  type ChatResult,
  ChatGenerationChunk as Chunk,
} from '@langchain/core/outputs';

/** What a model says: text, or calls of tools. */
export type Line = string | { text?: string; calls: { name: string; args: object }[] };

export interface ScriptOptions extends BaseChatModelParams {
  /** Chooses the next line from the conversation. */
  reply: (messages: BaseMessage[]) => Line;
  /** Waited for before each token after the first, so that a test can hold the stream open. */
  gate?: (token: string) => Promise<void>;
}

/** A chat model without a network: it says what its script says, word by word. */
export class ScriptedModel extends BaseChatModel {
  readonly #options: ScriptOptions;

  constructor(options: ScriptOptions) {
    super(options);
    this.#options = options;
  }

  override _llmType(): string {
    return 'scripted';
  }

  override bindTools(): this {
    return this;
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const { text, calls } = this.#line(messages);
    const message = new AIMessage({ content: text, tool_calls: calls });
    return { generations: [{ message, text }] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
    manager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const { text, calls } = this.#line(messages);
    for (const token of text.match(/\S+\s*/g) ?? []) {
      await this.#options.gate?.(token);
      options.signal?.throwIfAborted();
      const chunk = new Chunk({ message: new AIMessageChunk({ content: token }), text: token });
      yield chunk;
      await manager?.handleLLMNewToken(token, undefined, undefined, undefined, undefined, { chunk });
    }
    if (calls.length === 0) return;
    const tool_call_chunks = calls.map(({ id, name, args }, index) => ({
      id,
      name,
      args: JSON.stringify(args),
      index,
    }));
    yield new Chunk({ message: new AIMessageChunk({ content: '', tool_call_chunks }), text: '' });
  }

  #line(messages: BaseMessage[]): {
    text: string;
    calls: { id: string; name: string; args: Record<string, unknown> }[];
  } {
    const line = this.#options.reply(messages);
    if (typeof line === 'string') return { text: line, calls: [] };
    const calls = line.calls.map(({ name, args }, index) => ({
      id: `call_${messages.length}_${index}`,
      name,
      args: args as Record<string, unknown>,
    }));
    return { text: line.text ?? '', calls };
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, AIMessageChunk, type BaseMessage, type ToolCall } from '@langchain/core/messages';
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs';

/** What a model says: text, or calls of tools. */
export type Line = string | { text?: string; calls: { name: string; args: Record<string, unknown> }[] };

export interface Script {
  /** The next line of the conversation. */
  reply(messages: BaseMessage[]): Line;
  /** Milliseconds before each token, so that streaming can be seen. */
  delayMs?: number;
}

/** A chat model that needs no network and no key: it says what its script says, token by token. */
export class ScriptedModel extends BaseChatModel {
  readonly #script: Script;

  constructor(script: Script) {
    super({});
    this.#script = script;
  }

  override _llmType(): string {
    return 'scripted';
  }

  /** A script knows the tools it calls. */
  override bindTools(): this {
    return this;
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const { text, calls } = this.#next(messages);
    return { generations: [{ text, message: new AIMessage({ content: text, tool_calls: calls }) }] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    { signal }: this['ParsedCallOptions'],
    run?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const { text, calls } = this.#next(messages);
    for (const token of text.match(/\s*\S+|\s+$/g) ?? []) {
      await sleep(this.#script.delayMs ?? 0, undefined, signal ? { signal } : {});
      const chunk = new ChatGenerationChunk({ text: token, message: new AIMessageChunk({ content: token }) });
      yield chunk;
      await run?.handleLLMNewToken(token, undefined, undefined, undefined, undefined, { chunk });
    }
    if (calls.length === 0) return;
    const tool_call_chunks = calls.map(({ id, name, args }, index) => ({
      id,
      name,
      index,
      args: JSON.stringify(args),
    }));
    yield new ChatGenerationChunk({
      text: '',
      message: new AIMessageChunk({ content: '', tool_call_chunks }),
    });
  }

  #next(messages: BaseMessage[]): { text: string; calls: (ToolCall & { id: string })[] } {
    const line = this.#script.reply(messages);
    if (typeof line === 'string') return { text: line, calls: [] };
    const calls = line.calls.map((call, index) => ({ ...call, id: `call-${messages.length}-${index}` }));
    return { text: line.text ?? '', calls };
  }
}

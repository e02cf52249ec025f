import { initChatModel } from 'langchain';
import { type Script, ScriptedModel } from './scripted-model.ts';

type ChatModel = ScriptedModel | Awaited<ReturnType<typeof initChatModel>>;

/** The model that `PARLEY_MODEL` names, such as `openai:gpt-5-mini`, or the script. */
export async function chatModel(script: Script): Promise<ChatModel> {
  const name = process.env.PARLEY_MODEL;
  return name ? initChatModel(name) : new ScriptedModel(script);
}

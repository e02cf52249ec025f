import type { BaseMessage } from '@langchain/core/messages';
import { Annotation, StateGraph } from '@langchain/langgraph';
import { chatModel } from '../shared/model.ts';

/** Context parameters for the agent. */
const Context = Annotation.Root({ my_configurable_param: Annotation<string>() });

/** Plain messages, and no reducer: a node returns the whole list. */
interface ChatMessage {
  role: string;
  content: string;
}
const State = Annotation.Root({ messages: Annotation<ChatMessage[]>() });

const model = await chatModel({ reply: scripted });

/** Process conversational messages and return the model's output. */
async function callModel(state: typeof State.State) {
  const latestMessage = state.messages.at(-1);
  const userContent = latestMessage?.content ?? 'No message content';
  const messages = [
    { role: 'system', content: 'You are a helpful conversational agent. Keep responses brief and engaging.' },
    { role: 'user', content: userContent },
  ];
  let answer: string;
  try {
    answer = (await model.invoke(messages)).text;
  } catch (error) {
    answer = `I received your message but had trouble processing it. Error: ${String(error).slice(0, 50)}...`;
  }
  return { messages: [...state.messages, { role: 'assistant', content: answer }] };
}

export const graph = new StateGraph(State, Context)
  .addNode('call_model', callModel)
  .addEdge('__start__', 'call_model')
  .compile();

function scripted(messages: BaseMessage[]): string {
  const heard = messages.at(-1)?.text ?? '';
  return `I am agent A, and I heard: ${heard.length > 60 ? `${heard.slice(0, 59)}…` : heard} What is the weather in Hamburg?`;
}

import { type BaseMessage, SystemMessage } from '@langchain/core/messages';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { chatModel } from '../shared/model.ts';

const model = await chatModel({ reply: scripted, delayMs: 15 });
const system = new SystemMessage('You are a friendly assistant. Keep your answers short.');

async function answer(state: typeof MessagesAnnotation.State) {
  return { messages: [await model.invoke([system, ...state.messages])] };
}

export const graph = new StateGraph(MessagesAnnotation)
  .addNode('answer', answer)
  .addEdge(START, 'answer')
  .addEdge('answer', END)
  .compile();

function scripted(messages: BaseMessage[]): string {
  const said = messages.filter((message) => message.type === 'human').map((message) => message.text);
  const latest = said.at(-1) ?? '';
  if (/what did i say first/i.test(latest)) return `The first thing you said was "${said[0]}".`;
  const count = said.length === 1 ? 'the first message' : `message ${said.length}`;
  return `You said "${latest}". That was ${count} of this conversation. Ask me what you said first.`;
}

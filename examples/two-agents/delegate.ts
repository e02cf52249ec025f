import { AIMessage } from '@langchain/core/messages';
import {
  END,
  type LangGraphRunnableConfig,
  MessagesAnnotation,
  START,
  StateGraph,
} from '@langchain/langgraph';
import { a2aTurn } from '@parley/agent';
import { sendMessage } from './send-message.ts';

/** Calls agent-a in its own context: the same `contextId`, so that both traces are one thread. */
async function delegate(state: typeof MessagesAnnotation.State, config: LangGraphRunnableConfig) {
  const text = state.messages.at(-1)?.text ?? '';
  const [answer] = await sendMessage(`${serverUrl()}/a2a/agent-a`, text, a2aTurn(config)?.contextId);
  return { messages: [new AIMessage(`agent-a says: ${answer}`)] };
}

export const graph = new StateGraph(MessagesAnnotation)
  .addNode('delegate', delegate)
  .addEdge(START, 'delegate')
  .addEdge('delegate', END)
  .compile();

/** Where the other agent is; here, the server that runs this one. */
function serverUrl(): string {
  return process.env.PARLEY_URL ?? 'http://127.0.0.1:2024';
}

import { AIMessage } from '@langchain/core/messages';
import { type LangGraphRunnableConfig, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import type { Gates } from './gates.ts';

/** Says, as JSON, what its node is given beside the state. Waits at the gate `profile`, if that is held. */
export function profileGraph(gates?: Gates): unknown {
  return new StateGraph(MessagesAnnotation)
    .addNode('say', async (_, config: LangGraphRunnableConfig) => {
      await gates?.pass('profile', config.signal);
      const { recursionLimit, tags, metadata, context } = config;
      const configurable = Object.fromEntries(
        Object.entries(config.configurable ?? {}).filter(([key]) => !key.startsWith('__')),
      );
      const given = { recursionLimit, tags, metadata, context, configurable };
      return { messages: [new AIMessage(JSON.stringify(given))] };
    })
    .addEdge(START, 'say')
    .compile();
}

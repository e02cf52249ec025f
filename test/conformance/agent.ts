import { AIMessage } from '@langchain/core/messages';
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { a2aTurn } from '@parley/agent';
import { behaviourOf, type Pause } from './behaviours.ts';

/** The agent that conformance suites talk to: one node, which does what the message's id asks for. */
export function createConformanceAgent(pause: Pause): object {
  return new StateGraph(MessagesAnnotation)
    .addNode('behave', async (_, config) => {
      const turn = a2aTurn(config);
      if (!turn) throw new Error('the conformance agent runs behind A2A only');
      if (turn.kind === 'cancel') turn.artifact({ parts: [{ data: turn.metadata }] });
      if (turn.kind !== 'message') return {};
      const answer = await behaviourOf(turn.message?.messageId ?? '')(turn, pause);
      return answer === undefined ? {} : { messages: [new AIMessage(answer)] };
    })
    .addEdge(START, 'behave')
    .compile();
}

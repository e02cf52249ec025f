import { AIMessage } from '@langchain/core/messages';
import {
  type CompiledStateGraph,
  interrupt,
  MessagesAnnotation,
  START,
  StateGraph,
} from '@langchain/langgraph';
import { z } from 'zod';
import { createGates, type Gates } from '../support/gates.ts';
import { ScriptedModel } from '../support/scripted-model.ts';

/** Graphs for what the common ones do not do. */

type AnyGraph = CompiledStateGraph<unknown, unknown, string>;
type State = typeof MessagesAnnotation.State;

const lastText = ({ messages }: State): string => String(messages.at(-1)?.content);

/** Two questions at once, from nodes that run side by side; the second wants a number. */
function twoQuestions(): AnyGraph {
  return new StateGraph(MessagesAnnotation)
    .addNode('name', () => ({ messages: [new AIMessage(`name: ${interrupt('What is your name?')}`)] }))
    .addNode('age', () => {
      const age = interrupt<unknown, { years: number }>(
        { question: 'How old are you?' },
        { responseSchema: z.object({ years: z.number().int().min(0) }) },
      );
      return { messages: [new AIMessage(`age: ${age.years}`)] };
    })
    .addEdge(START, 'name')
    .addEdge(START, 'age')
    .compile() as unknown as AnyGraph;
}

/** Asks twice in one node. */
function oneAfterTheOther(): AnyGraph {
  return new StateGraph(MessagesAnnotation)
    .addNode('ask', () => {
      const first = interrupt('first?');
      const second = interrupt('second?');
      return { messages: [new AIMessage(`${first} then ${second}`)] };
    })
    .addEdge(START, 'ask')
    .compile() as unknown as AnyGraph;
}

/** Asks after it has waited at the gate `question`. */
function lateQuestion(gates: Gates): AnyGraph {
  return new StateGraph(MessagesAnnotation)
    .addNode('wait', async (_, config) => {
      await gates.pass('question', config.signal);
      return {};
    })
    .addNode('ask', () => ({ messages: [new AIMessage(`answer: ${JSON.stringify(interrupt('well?'))}`)] }))
    .addEdge(START, 'wait')
    .addEdge('wait', 'ask')
    .compile() as unknown as AnyGraph;
}

/** Says as many words as it is told, token by token. */
function chatty(): AnyGraph {
  const model = new ScriptedModel({
    reply: (messages) => 'word '.repeat(Number(messages.at(-1)?.content)).trimEnd(),
  });
  return new StateGraph(MessagesAnnotation)
    .addNode('say', async ({ messages }, config) => ({ messages: [await model.invoke(messages, config)] }))
    .addEdge(START, 'say')
    .compile() as unknown as AnyGraph;
}

/** Waits at the gate named by the message's first word, then says the message and counts its runs. */
function gated(gates: Gates): { graph: AnyGraph; order: string[] } {
  const order: string[] = [];
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('say', async (state, config) => {
      const text = lastText(state);
      order.push(text);
      await gates.pass(text.split(' ')[0] ?? '', config.signal);
      return { messages: [new AIMessage(`done ${text}`)] };
    })
    .addEdge(START, 'say')
    .compile() as unknown as AnyGraph;
  return { graph, order };
}

export interface WireGraphs {
  gates: Gates;
  order: string[];
  graphs: { [graphId: string]: unknown };
}

export function createWireGraphs(): WireGraphs {
  const gates = createGates();
  const { graph, order } = gated(gates);
  return {
    gates,
    order,
    graphs: {
      'two-questions': twoQuestions(),
      'one-after-the-other': oneAfterTheOther(),
      'late-question': lateQuestion(gates),
      chatty: chatty(),
      gated: graph,
    },
  };
}

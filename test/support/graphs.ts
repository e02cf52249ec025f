import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import {
  Annotation,
  type CompiledStateGraph,
  interrupt,
  MessagesAnnotation,
  START,
  StateGraph,
} from '@langchain/langgraph';
import { a2aChannels, a2aTurn } from '@parley/agent';
import { createAgent } from 'langchain';
import { z } from 'zod';
import { createGates, type Gates } from './gates.ts';
import { ScriptedModel } from './scripted-model.ts';

/** Graphs that the end-to-end tests serve, and the gates that hold some of them. */
export interface Fixture {
  graphs: { [graphId: string]: unknown };
  gates: Gates;
}

const lastText = (messages: { content: unknown }[]): string => String(messages.at(-1)?.content ?? '');

export function createFixture(): Fixture {
  const gates = createGates();
  return {
    gates,
    graphs: {
      echo: echo(),
      memory: memory(),
      words: words(gates),
      steps: steps(gates),
      approval: approval(),
      slow: slow(gates),
      files: files(),
      tools: toolAgent(),
      structured: structured(),
      'no-reducer': noReducer(),
      'no-messages': noMessages(),
      broken: broken(),
      turn: turnGraph(),
      factory: () => echo(),
      'state-graph': new StateGraph(MessagesAnnotation)
        .addNode('say', () => ({ messages: [new AIMessage('made')] }))
        .addEdge(START, 'say'),
      promise: Promise.resolve(echo()),
      custom: {
        invoke: ({ text }: { text: string }) => `custom: ${text}`,
      },
      'custom-stream': {
        async *stream({ text }: { text: string }) {
          for (const word of text.split(' ')) yield `${word} `;
        },
      },
      data: dataGraph(),
      subgraph: withSubgraph(),
      intercepted: fakeInterruptText(),
    },
  };
}

type AnyGraph = CompiledStateGraph<unknown, unknown, string>;

function echo(): AnyGraph {
  return new StateGraph(MessagesAnnotation)
    .addNode('say', ({ messages }) => ({ messages: [new AIMessage(`you said: ${lastText(messages)}`)] }))
    .addEdge(START, 'say')
    .compile() as unknown as AnyGraph;
}

/** Counts the human turns it can see. */
function memory(): AnyGraph {
  return new StateGraph(MessagesAnnotation)
    .addNode('say', ({ messages }) => {
      const turns = messages.filter((message) => HumanMessage.isInstance(message));
      return {
        messages: [new AIMessage(`${turns.length}: ${turns.map(({ content }) => content).join(' | ')}`)],
      };
    })
    .addEdge(START, 'say')
    .compile() as unknown as AnyGraph;
}

/** Streams `one two three`, each word behind the gate `words:<word>`. */
function words(gates: Gates): AnyGraph {
  const model = new ScriptedModel({
    reply: () => 'one two three',
    gate: (token) => gates.pass(`words:${token.trim()}`),
  });
  return new StateGraph(MessagesAnnotation)
    .addNode('say', async ({ messages }, config) => ({ messages: [await model.invoke(messages, config)] }))
    .addEdge(START, 'say')
    .compile() as unknown as AnyGraph;
}

/** Two nodes; the second waits at the gate `steps:second`. */
function steps(gates: Gates): AnyGraph {
  return new StateGraph(MessagesAnnotation)
    .addNode('first', () => ({ messages: [new AIMessage('from the first node')] }))
    .addNode('second', async () => {
      await gates.pass('steps:second');
      return { messages: [new AIMessage('from the second node')] };
    })
    .addEdge(START, 'first')
    .addEdge('first', 'second')
    .compile() as unknown as AnyGraph;
}

function approval(): AnyGraph {
  const Decision = z.object({ approved: z.boolean(), note: z.string().optional() });
  return new StateGraph(MessagesAnnotation)
    .addNode('ask', ({ messages }) => {
      if (lastText(messages) === 'plain') {
        const name = interrupt('What is your name?');
        return { messages: [new AIMessage(`hello ${name}`)] };
      }
      const decision = interrupt<unknown, z.infer<typeof Decision>>(
        { question: 'Approve 42 EUR?', amount: 42 },
        { responseSchema: Decision },
      );
      return { messages: [new AIMessage(decision.approved ? 'paid' : `refused: ${decision.note ?? ''}`)] };
    })
    .addEdge(START, 'ask')
    .compile() as unknown as AnyGraph;
}

/** Waits until it is canceled, or for the gate `slow`. */
function slow(gates: Gates): AnyGraph {
  return new StateGraph(MessagesAnnotation)
    .addNode('wait', async (_, config) => {
      await gates.pass('slow', config.signal);
      return { messages: [new AIMessage('done waiting')] };
    })
    .addEdge(START, 'wait')
    .compile() as unknown as AnyGraph;
}

/** Says what files it got, and hands one back. */
function files(): AnyGraph {
  return new StateGraph(MessagesAnnotation)
    .addNode('read', ({ messages }) => {
      const content = messages.at(-1)?.content;
      const blocks = Array.isArray(content) ? content : [];
      const said = blocks.map((block) => JSON.stringify(block)).join('\n');
      return {
        messages: [
          new AIMessage({
            content: [
              { type: 'text', text: said },
              {
                type: 'file',
                mimeType: 'text/csv',
                data: Buffer.from('a,b\n1,2\n').toString('base64'),
                metadata: { filename: 'report.csv' },
              },
              { type: 'image', mimeType: 'image/png', url: 'https://example.com/chart.png' },
            ],
          }),
        ],
      };
    })
    .addEdge(START, 'read')
    .compile() as unknown as AnyGraph;
}

function toolAgent(): unknown {
  const add = tool(({ a, b }) => String(a + b), {
    name: 'add',
    description: 'Adds',
    schema: z.object({ a: z.number(), b: z.number() }),
  });
  const secret = tool(() => 'the secret', { name: 'secret', description: 'Tells', schema: z.object({}) });
  const model = new ScriptedModel({
    reply: (messages) =>
      messages.at(-1)?.getType() === 'tool'
        ? `the sum is ${lastText(messages.filter((message) => message.getType() === 'tool' && message.name === 'add'))}`
        : {
            text: 'let me see',
            calls: [
              { name: 'add', args: { a: 2, b: 3 } },
              { name: 'secret', args: {} },
            ],
          },
  });
  return createAgent({ model, tools: [add, secret] });
}

function structured(): AnyGraph {
  const State = Annotation.Root({ ...MessagesAnnotation.spec, structuredResponse: Annotation<object>() });
  return new StateGraph(State)
    .addNode('say', () => ({
      messages: [new AIMessage('two results')],
      structuredResponse: { count: 2, items: ['a', 'b'] },
    }))
    .addEdge(START, 'say')
    .compile() as unknown as AnyGraph;
}

/** The shape of the LangGraph A2A documentation's example: plain messages, no reducer. */
function noReducer(): AnyGraph {
  const State = Annotation.Root({ messages: Annotation<{ role: string; content: string }[]>() });
  return new StateGraph(State)
    .addNode('callModel', ({ messages }) => {
      const said = messages.map(({ content }) => content).join(' / ');
      return {
        messages: [...messages, { role: 'assistant', content: `${messages.length} messages: ${said}` }],
      };
    })
    .addEdge(START, 'callModel')
    .compile() as unknown as AnyGraph;
}

function noMessages(): AnyGraph {
  const State = Annotation.Root({ question: Annotation<string>(), documents: Annotation<string[]>() });
  return new StateGraph(State)
    .addNode('say', () => ({}))
    .addEdge(START, 'say')
    .compile() as unknown as AnyGraph;
}

function broken(): AnyGraph {
  return new StateGraph(MessagesAnnotation)
    .addNode('fail', () => {
      throw new Error('password=hunter2 at db.internal:5432');
    })
    .addEdge(START, 'fail')
    .compile() as unknown as AnyGraph;
}

/** Uses the turn API as the message says. */
function turnGraph(): AnyGraph {
  return new StateGraph(MessagesAnnotation)
    .addNode('speak', (_, config) => {
      const turn = a2aTurn(config);
      if (!turn) throw new Error('no turn');
      turn.status('looking');
      turn.artifact({
        artifactId: 'own',
        name: 'Own',
        parts: [{ data: { data: turn.data, files: turn.files.length } }],
      });
      if (turn.text === 'input') turn.requireInput('which one?');
      if (turn.text === 'auth') turn.requireAuth('log in first');
      if (turn.text === 'reject') turn.reject('not for me');
      if (turn.text === 'fail') turn.fail('could not do it');
      return {};
    })
    .addEdge(START, 'speak')
    .compile() as unknown as AnyGraph;
}

/** With the A2A channels, data does not reach the text. */
function dataGraph(): AnyGraph {
  const State = Annotation.Root({ ...MessagesAnnotation.spec, ...a2aChannels });
  return new StateGraph(State)
    .addNode('say', ({ messages, a2aData, a2aFiles }) => ({
      messages: [new AIMessage(JSON.stringify({ text: lastText(messages), a2aData, a2aFiles }))],
    }))
    .addEdge(START, 'say')
    .compile() as unknown as AnyGraph;
}

function withSubgraph(): AnyGraph {
  const inner = new StateGraph(MessagesAnnotation)
    .addNode('inner', () => ({ messages: [{ role: 'assistant', content: 'from inside' }] }))
    .addEdge(START, 'inner')
    .compile();
  return new StateGraph(MessagesAnnotation)
    .addNode('sub', inner)
    .addNode('outer', () => ({ messages: [new AIMessage('from outside')] }))
    .addEdge(START, 'sub')
    .addEdge('sub', 'outer')
    .compile() as unknown as AnyGraph;
}

/** State that merely contains the name LangGraph gives to interrupts. */
function fakeInterruptText(): AnyGraph {
  const State = Annotation.Root({ ...MessagesAnnotation.spec, note: Annotation<object>() });
  return new StateGraph(State)
    .addNode('say', () => ({
      messages: [new AIMessage('__interrupt__')],
      note: { __interrupt__: [{ value: 'no' }] },
    }))
    .addEdge(START, 'say')
    .compile() as unknown as AnyGraph;
}

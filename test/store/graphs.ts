import { AIMessage, type BaseMessage, HumanMessage, RemoveMessage } from '@langchain/core/messages';
import {
  Annotation,
  type BaseCheckpointSaver,
  Command,
  DeltaValue,
  interrupt,
  MessagesAnnotation,
  MessagesDeltaValue,
  messagesStateReducer,
  Overwrite,
  Send,
  StateGraph,
  StateSchema,
} from '@langchain/langgraph';
import { z } from 'zod';

/** One turn: some text, and a number that a graph may act on. */
export interface Turn {
  text: string;
  n: number;
}

/** What the tests use of a compiled graph. */
export interface TestGraph {
  invoke(input: unknown, config: object): Promise<unknown>;
  getState(
    config: object,
  ): Promise<{ next: unknown; values: unknown; tasks: { interrupts: { id?: string }[] }[] }>;
  getStateHistory(config: object): AsyncIterable<{ values: unknown; next: unknown; metadata?: unknown }>;
}

export interface GraphCase {
  build(saver: BaseCheckpointSaver): unknown;
  input(turn: Turn): unknown;
}

const say = ({ text, n }: Turn): string => text.repeat(1 + (n % 3) * 12);
const human = (turn: Turn) => ({ messages: [new HumanMessage(say(turn))], n: turn.n });
const echo = (messages: readonly BaseMessage[]) =>
  new AIMessage(`${messages.length}: ${messages.at(-1)?.text.toUpperCase()}`);

const WithNumber = Annotation.Root({ ...MessagesAnnotation.spec, n: Annotation<number> });

/** Graphs that use a saver in every way a user's graph may. */
export const GRAPHS: Record<string, GraphCase> = {
  'messages reducer': {
    build: (checkpointer) =>
      new StateGraph(WithNumber)
        .addNode('agent', ({ messages }) => ({ messages: [echo(messages)] }))
        .addEdge('__start__', 'agent')
        .compile({ checkpointer }),
    input: human,
  },

  'no reducer, whole list returned': {
    build: (checkpointer) => {
      const State = Annotation.Root({ messages: Annotation<BaseMessage[]>, n: Annotation<number> });
      return new StateGraph(State)
        .addNode('agent', ({ messages }) => ({ messages: [...messages, echo(messages)] }))
        .addNode('again', ({ messages, n }) => ({
          messages: n % 2 ? messages : [...messages, echo(messages)],
        }))
        .addEdge('__start__', 'agent')
        .addEdge('agent', 'again')
        .compile({ checkpointer });
    },
    input: human,
  },

  'no reducer, plain objects': {
    build: (checkpointer) => {
      type Plain = { role: string; content: string; extra?: { n: number[] } };
      const State = Annotation.Root({
        messages: Annotation<Plain[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }),
        n: Annotation<number>,
      });
      return new StateGraph(State)
        .addNode('agent', ({ messages, n }) => ({
          messages: [{ role: 'ai', content: `${messages.length}`, ...(n % 2 ? { extra: { n: [n] } } : {}) }],
        }))
        .addEdge('__start__', 'agent')
        .compile({ checkpointer });
    },
    input: (turn) => ({ messages: [{ role: 'user', content: say(turn) }], n: turn.n }),
  },

  'messages changed in place and returned': {
    build: (checkpointer) =>
      new StateGraph(WithNumber)
        .addNode('agent', ({ messages }) => ({
          messages: [new AIMessage({ content: [{ type: 'text', text: echo(messages).text }] })],
        }))
        .addNode('edit', ({ messages, n }) => {
          const edited = messages[n % messages.length] as BaseMessage;
          if (typeof edited.content === 'string') edited.content = `${edited.content} edited`;
          else (edited.content[0] as { text: string }).text += ' edited';
          edited.additional_kwargs.edits = n;
          return { messages: [edited] };
        })
        .addEdge('__start__', 'agent')
        .addEdge('agent', 'edit')
        .compile({ checkpointer }),
    input: human,
  },

  'reducer that changes its items': {
    build: (checkpointer) => {
      type Entry = { id: number; body: string; hits: number };
      const State = Annotation.Root({
        entries: Annotation<Entry[]>({
          default: () => [],
          reducer: (entries, updates) => {
            for (const update of updates) {
              const known = entries.find((entry) => entry.id === update.id);
              if (known) known.hits += 1;
              else entries.push({ ...update });
            }
            return entries;
          },
        }),
        n: Annotation<number>,
      });
      return new StateGraph(State)
        .addNode('agent', ({ n }) => ({ entries: [{ id: n % 5, body: 'agent', hits: 0 }] }))
        .addEdge('__start__', 'agent')
        .compile({ checkpointer });
    },
    input: (turn) => ({ entries: [{ id: turn.n, body: say(turn), hits: 0 }], n: turn.n }),
  },

  'removals and windows': {
    build: (checkpointer) => {
      const State = Annotation.Root({
        ...WithNumber.spec,
        recent: Annotation<string[]>({ default: () => [], reducer: (a, b) => [...a, ...b].slice(-7) }),
      });
      return new StateGraph(State)
        .addNode('agent', ({ messages }) => ({
          messages: [echo(messages)],
          recent: messages.map((m) => m.text),
        }))
        .addNode('trim', ({ messages, n }) => ({
          messages:
            n % 3 === 0 ? messages.slice(0, n % 5).map((m) => new RemoveMessage({ id: m.id as string })) : [],
        }))
        .addEdge('__start__', 'agent')
        .addEdge('agent', 'trim')
        .compile({ checkpointer });
    },
    input: human,
  },

  'overwrite, sets, maps, bytes and nothing': {
    build: (checkpointer) => {
      const State = Annotation.Root({
        ...WithNumber.spec,
        bytes: Annotation<{ raw: Uint8Array }>,
        odd: Annotation<unknown>,
      });
      return new StateGraph(State)
        .addNode('agent', ({ messages, n }) => ({
          messages: n % 4 === 0 ? new Overwrite([echo(messages)]) : [echo(messages)],
          bytes: { raw: new Uint8Array([n, 1, 2]) },
          odd: [
            undefined,
            null,
            { set: new Set([n]), map: new Map([[n, { deep: [n] }]]), pattern: /x/g, messages },
          ],
        }))
        .addEdge('__start__', 'agent')
        .compile({ checkpointer });
    },
    input: human,
  },

  subgraph: {
    build: (checkpointer) => {
      const inner = new StateGraph(WithNumber)
        .addNode('think', ({ messages }) => ({ messages: [echo(messages)] }))
        .addNode('ask', ({ n }) =>
          n % 2 ? { messages: [new AIMessage(String(interrupt({ ask: n })))] } : {},
        )
        .addEdge('__start__', 'think')
        .addEdge('think', 'ask')
        .compile();
      return new StateGraph(WithNumber)
        .addNode('inner', inner)
        .addNode('after', ({ messages }) => ({ messages: [echo(messages)] }))
        .addEdge('__start__', 'inner')
        .addEdge('inner', 'after')
        .compile({ checkpointer });
    },
    input: human,
  },

  'interrupts in parallel branches': {
    build: (checkpointer) =>
      new StateGraph(WithNumber)
        .addNode('a', ({ messages }) => ({ messages: [new AIMessage(`a ${interrupt(messages.length)}`)] }))
        .addNode('b', ({ messages, n }) =>
          n % 3 ? { messages: [echo(messages)] } : { messages: [new AIMessage(`b ${interrupt({ n })}`)] },
        )
        .addEdge('__start__', 'a')
        .addEdge('__start__', 'b')
        .compile({ checkpointer }),
    input: human,
  },

  'Send with the whole state': {
    build: (checkpointer) =>
      new StateGraph(WithNumber)
        .addNode('plan', () => ({}))
        .addNode('work', ({ messages, n }) => ({ messages: [new AIMessage(`${n} of ${messages.length}`)] }))
        .addEdge('__start__', 'plan')
        .addConditionalEdges('plan', ({ messages, n }) =>
          Array.from({ length: 1 + (n % 3) }, (_, i) => new Send('work', { messages, n: i })),
        )
        .compile({ checkpointer }),
    input: human,
  },

  'commands that go on with a Send': {
    build: (checkpointer) =>
      new StateGraph(WithNumber)
        .addNode(
          'plan',
          ({ messages, n }) =>
            new Command({
              update: { messages: [echo(messages)] },
              goto: [new Send('work', { messages, n })],
            }),
          { ends: ['work'] },
        )
        .addNode('work', ({ messages }) => ({
          messages: messages.slice(-1).map((m) => new AIMessage(m.text)),
        }))
        .addEdge('__start__', 'plan')
        .compile({ checkpointer }),
    input: human,
  },

  'delta channel': {
    build: (checkpointer) => {
      const State = new StateSchema({
        messages: MessagesDeltaValue,
        n: z.number(),
        log: new DeltaValue(
          z.array(z.string()).default(() => []),
          {
            inputSchema: z.string(),
            reducer: (current: string[], writes: string[]) => [...current, ...writes],
            snapshotFrequency: 4,
          },
        ),
      });
      return new StateGraph(State)
        .addNode('agent', ({ messages, n }) => ({ messages: [echo(messages)], log: `agent ${n}` }))
        .addNode('other', ({ messages, n }) => ({ log: `other ${n} ${messages.length} ${'x'.repeat(300)}` }))
        .addEdge('__start__', 'agent')
        .addEdge('__start__', 'other')
        .compile({ checkpointer });
    },
    input: (turn) => ({ ...human(turn), log: say(turn) }),
  },

  'a node that throws': {
    build: (checkpointer) =>
      new StateGraph(
        Annotation.Root({
          ...WithNumber.spec,
          all: Annotation<BaseMessage[]>({ reducer: messagesStateReducer, default: () => [] }),
        }),
      )
        .addNode('agent', ({ messages }) => ({ messages: [echo(messages)], all: messages }))
        .addNode('fail', ({ n }) => {
          if (n % 3 === 1) throw new Error('failed');
          return {};
        })
        .addEdge('__start__', 'agent')
        .addEdge('__start__', 'fail')
        .compile({ checkpointer }),
    input: human,
  },
};

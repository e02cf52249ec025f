import { setTimeout as sleep } from 'node:timers/promises';
import { AIMessage, HumanMessage } from '@langchain/core/messages';
import {
  interrupt,
  type LangGraphRunnableConfig,
  MessagesAnnotation,
  START,
  StateGraph,
} from '@langchain/langgraph';
import { a2aTurn } from '@parley/agent';
import { ScriptedModel } from '../support/scripted-model.ts';
import { noteVisit } from './visits.ts';

type State = typeof MessagesAnnotation.State;
type Node = (state: State, config: LangGraphRunnableConfig) => Promise<Partial<State>>;

const says = (text: string): Partial<State> => ({ messages: [new AIMessage(text)] });
const last = ({ messages }: State): string => String(messages.at(-1)?.text);
const humans = ({ messages }: State): string[] =>
  messages.filter((message) => HumanMessage.isInstance(message)).map(({ text }) => text);

/** Every node takes a moment, in which its process may be killed. */
const MOMENT_MS = 15;

/** Graphs that do one thing each, and leave word of it in `visits`. */
export function chaosGraphs(visits: string): { [graphId: string]: unknown } {
  const life = String(process.pid);
  const node =
    (body: Node): Node =>
    async (state, config) => {
      const { taskId = '', contextId = '' } = a2aTurn(config) ?? {};
      noteVisit(visits, { life, contextId, taskId, way: 'in' });
      try {
        await sleep(MOMENT_MS, undefined, config.signal ? { signal: config.signal } : {});
        return await body(state, config);
      } finally {
        noteVisit(visits, { life, contextId, taskId, way: 'out' });
      }
    };
  const model = new ScriptedModel({
    reply: (messages) => `you said: ${messages.at(-1)?.text}`,
    gate: () => sleep(4),
  });
  const graph = () => new StateGraph(MessagesAnnotation);

  const tokens = graph()
    .addNode(
      'say',
      node(async ({ messages }, config) => ({ messages: [await model.invoke(messages, config)] })),
    )
    .addEdge(START, 'say');
  const memory = graph()
    .addNode(
      'say',
      node(async (state) => says(humans(state).join(' | '))),
    )
    .addEdge(START, 'say');
  const questions = graph()
    .addNode(
      'ask',
      node(async () => says(`${interrupt('first?')} then ${interrupt('second?')}`)),
    )
    .addNode(
      'after',
      node(async (state) => says(`answered ${last(state)}`)),
    )
    .addEdge(START, 'ask')
    .addEdge('ask', 'after');
  const sideBySide = graph()
    .addNode(
      'left',
      node(async () => says(`left: ${interrupt('left?')}`)),
    )
    .addNode(
      'right',
      node(async () => says(`right: ${interrupt('right?')}`)),
    )
    .addEdge(START, 'left')
    .addEdge(START, 'right');
  const branches = graph()
    .addNode(
      'quick',
      node(async () => says('quick')),
    )
    .addNode(
      'slow',
      node(async (_, config) => {
        await sleep(60, undefined, config.signal ? { signal: config.signal } : {});
        return says('slow');
      }),
    )
    .addNode(
      'join',
      node(async () => says('joined')),
    )
    .addEdge(START, 'quick')
    .addEdge(START, 'slow')
    .addEdge(['quick', 'slow'], 'join');
  const inner = graph()
    .addNode(
      'one',
      node(async () => says('inner one')),
    )
    .addNode(
      'two',
      node(async () => says('inner two')),
    )
    .addEdge(START, 'one')
    .addEdge('one', 'two')
    .compile();
  const nested = graph()
    .addNode('sub', inner)
    .addNode(
      'outer',
      node(async () => says('outer')),
    )
    .addEdge(START, 'sub')
    .addEdge('sub', 'outer');
  const retried = graph()
    .addNode(
      'shaky',
      node(async ({ messages }, config) => {
        const message = await model.invoke(messages, config);
        if (config.executionInfo?.nodeAttempt === 1) throw new Error('the first try fails');
        return { messages: [message] };
      }),
      { retryPolicy: { maxAttempts: 2, initialInterval: 5, jitter: false, logWarning: false } },
    )
    .addEdge(START, 'shaky');
  const files = graph()
    .addNode(
      'copy',
      node(async (_, config) => {
        const turn = a2aTurn(config);
        const [file] = turn?.files ?? [];
        turn?.artifact({
          name: 'Copy',
          parts: [{ raw: file?.bytes ?? '', filename: file?.name ?? '', mediaType: file?.mimeType ?? '' }],
        });
        return {};
      }),
    )
    .addEdge(START, 'copy');
  const endless = graph()
    .addNode(
      'wait',
      node(async (_, config) => {
        await sleep(600_000, undefined, config.signal ? { signal: config.signal } : {});
        return {};
      }),
    )
    .addEdge(START, 'wait');
  const alarm = graph()
    .addNode(
      'wait',
      node(async (_, config) => {
        const turn = a2aTurn(config);
        if (turn?.kind === 'wake') return says(`woken with ${turn.wake}`);
        turn?.wakeAt(new Date(Date.now() + 40), turn.text);
        turn?.requireInput('wait');
        return {};
      }),
    )
    .addEdge(START, 'wait');
  const all = { tokens, memory, questions, sideBySide, branches, nested, retried, files, endless, alarm };
  return Object.fromEntries(Object.entries(all).map(([graphId, made]) => [graphId, made.compile()]));
}

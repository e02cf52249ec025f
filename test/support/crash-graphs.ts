import { AIMessage } from '@langchain/core/messages';
import { interrupt, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ScriptedModel } from './scripted-model.ts';

const says = (text: string) => ({ messages: [new AIMessage(text)] });
const graph = () => new StateGraph(MessagesAnnotation);

/** Graphs that say on standard output where they are, and wait there at `gate`. */
export function crashGraphs(gate: (signal?: AbortSignal) => Promise<void>): { [graphId: string]: unknown } {
  const questions = graph()
    .addNode('ask', async (_, config) => {
      const first = interrupt('first?');
      console.log('answered');
      await gate(config.signal);
      return says(`${first} then ${interrupt('second?')}`);
    })
    .addEdge(START, 'ask');
  const sideBySide = graph()
    .addNode('left', async (_, config) => {
      const answer = interrupt('left?');
      console.log('left');
      await gate(config.signal);
      return says(`left: ${answer}`);
    })
    .addNode('right', () => says(`right: ${interrupt('right?')}`))
    .addEdge(START, 'left')
    .addEdge(START, 'right');
  const quick = (name: string) => () => {
    console.log(name);
    return says(name);
  };
  const slow = async (_: unknown, config: { signal?: AbortSignal }) => {
    // Its sibling, or the node before it, is stored by now.
    setTimeout(() => console.log('waiting'), 100);
    await gate(config.signal);
    return says('slow');
  };
  const branches = graph()
    .addNode('quick', quick('quick'))
    .addNode('slow', slow)
    .addEdge(START, 'quick')
    .addEdge(START, 'slow');
  const inner = graph()
    .addNode('one', quick('one'))
    .addNode('two', slow)
    .addEdge(START, 'one')
    .addEdge('one', 'two')
    .compile();
  const nested = graph()
    .addNode('sub', inner)
    .addNode('outer', quick('outer'))
    .addEdge(START, 'sub')
    .addEdge('sub', 'outer');
  const model = new ScriptedModel({ reply: () => 'word for word' });
  const retried = graph()
    .addNode(
      'shaky',
      async ({ messages }, config) => {
        const message = await model.invoke(messages, config);
        if (config.executionInfo?.nodeAttempt === 1) throw new Error('the first try fails');
        console.log('second try');
        await gate(config.signal);
        return { messages: [message] };
      },
      { retryPolicy: { maxAttempts: 2, initialInterval: 1, jitter: false, logWarning: false } },
    )
    .addEdge(START, 'shaky');
  const all = { questions, sideBySide, branches, nested, retried };
  return Object.fromEntries(Object.entries(all).map(([graphId, made]) => [graphId, made.compile()]));
}

import { AIMessage } from '@langchain/core/messages';
import { interrupt, MemorySaver, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Served, serve } from '../support/serve.ts';
import { rpc, sendText } from '../wire/rpc.ts';

/** Asks for a name, unless it is told `count`: then it says how many messages it sees. */
const greeting = () =>
  new StateGraph(MessagesAnnotation)
    .addNode('greet', ({ messages }) => ({
      messages: [
        new AIMessage(
          messages.at(-1)?.text === 'count'
            ? `${messages.length}`
            : `hello ${interrupt('What is your name?')}`,
        ),
      ],
    }))
    .addEdge(START, 'greet');

const forgetful = greeting().compile({ checkpointer: false });
const graphs = {
  none: greeting().compile(),
  own: greeting().compile({ checkpointer: new MemorySaver() }),
  inherited: greeting().compile({ checkpointer: true }),
  factory: () => greeting().compile(),
  forgetful,
  made: () => greeting().compile({ checkpointer: false }),
  called: new StateGraph(MessagesAnnotation)
    .addNode('call', (state) =>
      forgetful.invoke(state, { configurable: { __pregel_checkpointer: undefined } }),
    )
    .addEdge(START, 'call')
    .compile(),
};

let served: Served;
beforeAll(async () => {
  served = await serve({ graphs });
});
afterAll(() => served.close());

describe('U21: a graph', () => {
  it.each(['none', 'own', 'inherited', 'factory'])(
    'with the checkpointer "%s" is lent one: it asks and goes on',
    async (graphId) => {
      const asked = await sendText(served, graphId, 'hi');
      expect(asked.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
      const done = await sendText(served, graphId, 'Ada', { taskId: asked.id });
      expect(done.status.state).toBe('TASK_STATE_COMPLETED');
      expect(done.artifacts[0].parts).toEqual([{ text: 'hello Ada' }]);
      const counted = await sendText(served, graphId, 'count', { contextId: asked.contextId });
      expect(counted.artifacts[0].parts).toEqual([{ text: '3' }]);
    },
  );

  it.each(['forgetful', 'made', 'called'])(
    'that refuses one and asks fails at once, and the log says why: %s',
    async (graphId) => {
      const logged = served.log.length;
      const asked = await sendText(served, graphId, 'hi');
      expect(asked.status.state).toBe('TASK_STATE_FAILED');
      expect(asked.status.message.parts[0].text).toMatch(
        /^An internal error occurred \(correlation id [\w-]+\)$/,
      );
      const [line = '{}'] = served.log.slice(logged).filter((one) => one.includes('agent failed'));
      expect(JSON.parse(line).err.message).toContain(
        `graph '${graphId}' cannot wait for an answer: it, or a graph that it calls, is compiled with checkpointer: false; leave that option out`,
      );
      expect((await rpc(served, graphId, 'GetTask', { id: asked.id })).result.status).toEqual(asked.status);
    },
  );

  it('that refuses one answers what needs none, and the log has warned at the start', async () => {
    const first = await sendText(served, 'forgetful', 'count');
    const second = await sendText(served, 'forgetful', 'count', { contextId: first.contextId });
    expect(second.artifacts[0].parts).toEqual([{ text: '1' }]);
    const warned = served.log.map((line) => JSON.parse(line)).filter(({ level }) => level === 40);
    expect(warned.map(({ graphId }) => graphId)).toEqual(['forgetful']);
    expect(warned[0].msg).toMatch(
      /graph 'forgetful': it is compiled with checkpointer: false, .*leave that option out/,
    );
  });
});

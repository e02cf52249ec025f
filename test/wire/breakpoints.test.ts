import { AIMessage } from '@langchain/core/messages';
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Served, serve } from '../support/serve.ts';
import { call, expectRefusal, type Fields, sendText, userMessage } from './rpc.ts';

/** Graphs compiled with `interruptBefore` or `interruptAfter`: they stop without a question. */
let served: Served;
const ran: string[] = [];
const graph = (breakpoints: object) =>
  new StateGraph(MessagesAnnotation)
    .addNode('plan', () => {
      ran.push('plan');
      return { messages: [new AIMessage('planned')] };
    })
    .addNode('act', () => {
      ran.push('act');
      return { messages: [new AIMessage('done')] };
    })
    .addEdge(START, 'plan')
    .addEdge('plan', 'act')
    .compile(breakpoints);
beforeAll(async () => {
  served = await serve({
    graphs: {
      before: graph({ interruptBefore: ['act'] }),
      after: graph({ interruptAfter: ['plan'] }),
      every: graph({ interruptBefore: '*' }),
    },
  });
});
afterAll(() => served.close());

describe('a graph with a static breakpoint', () => {
  it.each(['before', 'after'])(
    '(%s) waits there as input-required, and any answer lets it go on',
    async (graphId) => {
      ran.length = 0;
      const task = await sendText(served, graphId, 'go', { contextId: graphId });
      expect(task.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
      expect(task.status.message.parts[0].text).toBe("The agent has stopped before 'act'. Go on?");
      expect(task.artifacts.map(({ name }: Fields) => name)).toContain('Interrupt');
      expect(ran).toEqual(['plan']);
      const other = call('SendMessage', { message: userMessage('other', { contextId: graphId }) });
      expectRefusal(await served.post(graphId, other), { code: -32602, message: /waits for an answer/ });
      const done = await sendText(served, graphId, 'yes', { taskId: task.id });
      expect(done.status.state).toBe('TASK_STATE_COMPLETED');
      expect(done.artifacts[0].parts).toEqual([{ text: 'done' }]);
      expect(ran).toEqual(['plan', 'act']);
    },
  );

  it('stops at each of them', async () => {
    ran.length = 0;
    let task = await sendText(served, 'every', 'go');
    for (const node of ['plan', 'act']) {
      expect(task.status.message.parts[0].text).toContain(`'${node}'`);
      task = await sendText(served, 'every', 'yes', { taskId: task.id });
    }
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(ran).toEqual(['plan', 'act']);
  });
});

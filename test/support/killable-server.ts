/** A server that a test kills: `node --import tsx killable-server.ts <database> <gate file>`; prints its port. */
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { AIMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { a2aTurn } from '@parley/agent';
import { createParley } from '@parley/server';
import { createAgent } from 'langchain';
import { z } from 'zod';
import { crashGraphs } from './crash-graphs.ts';
import { ScriptedModel } from './scripted-model.ts';

const [, , database = '', gateFile = ''] = process.argv;

/** The second life of the process finds the file. */
async function gate(signal?: AbortSignal): Promise<void> {
  while (!existsSync(gateFile)) await sleep(20, undefined, signal ? { signal } : {});
}

const steps = new StateGraph(MessagesAnnotation)
  .addNode('first', () => ({ messages: [new AIMessage('from the first node')] }))
  .addNode('second', async (_, config) => {
    await gate(config.signal);
    return { messages: [new AIMessage('from the second node')] };
  })
  .addEdge(START, 'first')
  .addEdge('first', 'second')
  .compile();

const look = tool(
  async () => {
    console.log('tool');
    await gate();
    return 'sunny';
  },
  { name: 'look', description: 'Looks outside', schema: z.object({}) },
);
const weather = createAgent({
  model: new ScriptedModel({
    reply: (messages) =>
      messages.at(-1)?.getType() === 'tool'
        ? 'It is sunny.'
        : { text: 'Let me look.', calls: [{ name: 'look', args: {} }] },
  }),
  tools: [look],
});

const fatal = {
  invoke: () => {
    if (!existsSync(gateFile)) process.kill(process.pid, 'SIGKILL');
    return 'never';
  },
};

/** Two checkpoints and an answer, each as long as its message. */
const echo = new StateGraph(MessagesAnnotation)
  .addNode('say', ({ messages }) => ({ messages: [new AIMessage(`you said ${messages.at(-1)?.text}`)] }))
  .addEdge(START, 'say')
  .compile();

/** Waits as `input-required` until its time has come. */
const alarm = new StateGraph(MessagesAnnotation)
  .addNode('wait', (_, config) => {
    const turn = a2aTurn(config);
    if (turn?.kind === 'wake') return { messages: [new AIMessage(`woken: ${turn.wake}`)] };
    turn?.wakeAt(new Date(Date.now() + Number(turn.text)), 'in time');
    turn?.requireInput('wait');
    return {};
  })
  .addEdge(START, 'wait')
  .compile();

/** Its first life waits to be killed. */
const memory = new StateGraph(MessagesAnnotation)
  .addNode('put', async (_, config) => {
    const found = await config.store?.search(['kept']);
    if (found?.length === 0) {
      await config.store?.put(['kept'], 'k', {});
      console.log('put');
      await gate(config.signal);
    }
    return { messages: [new AIMessage(`found ${found?.length}`)] };
  })
  .addEdge(START, 'put')
  .compile();

const parley = await createParley({
  graphs: { ...crashGraphs(gate), memory, steps, weather, fatal, echo, alarm },
  database,
});
const { port } = await parley.listen({ port: 0, host: '127.0.0.1' });
console.log(`port ${port}`);
process.on('SIGTERM', () => {
  void parley.close(0).then(() => process.exit(0));
});

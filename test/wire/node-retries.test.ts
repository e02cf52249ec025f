import { AIMessage } from '@langchain/core/messages';
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ScriptedModel } from '../support/scripted-model.ts';
import { type Served, serve } from '../support/serve.ts';
import { call, collectFrames, type Fields, rpc, userMessage } from './rpc.ts';

/** Nodes with a `retryPolicy` that fail after they have streamed. */
let served: Served;
const policy = { retryPolicy: { maxAttempts: 3, initialInterval: 1, jitter: false, logWarning: false } };
beforeAll(async () => {
  let tries = 0;
  const model = new ScriptedModel({ reply: () => (tries === 1 ? 'a first try' : `try number ${tries}`) });
  const shaky = new StateGraph(MessagesAnnotation)
    .addNode(
      'say',
      async ({ messages }, config) => {
        tries = config.executionInfo?.nodeAttempt ?? 0;
        const said = [await model.invoke(messages, config)];
        if (tries === 1) said.push(await model.invoke(messages, config));
        if (tries < 3) throw new Error('not yet');
        return { messages: said };
      },
      policy,
    )
    .addEdge(START, 'say')
    .compile();
  const nested = new StateGraph(MessagesAnnotation)
    .addNode('sub', shaky)
    .addNode('after', () => ({ messages: [new AIMessage('after')] }))
    .addEdge(START, 'sub')
    .addEdge('sub', 'after')
    .compile();
  served = await serve({ graphs: { shaky, nested } });
});
afterAll(() => served.close());

describe('a node that is tried again', () => {
  it.each(['shaky', 'nested'])('(%s) says it in the same artifact, which it begins anew', async (graphId) => {
    const frames = await collectFrames(
      served,
      graphId,
      call('SendStreamingMessage', { message: userMessage('go') }),
    );
    const { id } = frames[0]?.data.result.task ?? {};
    const updates = frames.flatMap(({ data }) => data.result.artifactUpdate ?? []);
    const begun = updates.filter(({ append, artifact }) => !append && artifact.parts[0].text !== 'after');
    const first = begun[0]?.artifact.artifactId;
    expect(begun.filter(({ artifact }) => artifact.artifactId === first)).toHaveLength(3);
    const { artifacts, history } = (await rpc(served, graphId, 'GetTask', { id })).result;
    const textOf = ({ parts }: Fields): string => parts.map(({ text }: Fields) => text).join('');
    expect(artifacts.map(textOf)).toContain('try number 3');
    expect(artifacts.find(({ artifactId }: Fields) => artifactId === first).parts).toEqual([
      { text: 'try number 3' },
    ]);
    // The second message of the first try was never said again: it is closed as it was.
    expect(artifacts.map(textOf).filter((text: string) => text === 'a first try')).toHaveLength(1);
    expect(history.map(textOf)).not.toContain('a first try');
    expect(
      updates
        .filter(({ lastChunk }) => lastChunk)
        .map(({ artifact }) => artifact.artifactId)
        .sort(),
    ).toEqual(artifacts.map(({ artifactId }: Fields) => artifactId).sort());
  });
});

import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { MessagesAnnotation, StateGraph } from '@langchain/langgraph';
import { expect, it } from 'vitest';
import { admitMessage } from '../../packages/server/src/engine/admit.ts';
import { openSqliteStore } from '../../packages/server/src/store/sqlite/open.ts';

it('smoke', async () => {
  const store = openSqliteStore({ file: ':memory:' });
  const admit = admitMessage({ queuePerContext: 64 });
  const message = { messageId: 'm1', role: 'ROLE_USER' as const, parts: [{ text: 'hi' }] };
  const s = await store.submit(
    {
      owner: 'o',
      assistantId: 'a',
      digest: 'd',
      immediate: false,
      payload: { kind: 'message', message, stream: false },
    },
    admit,
  );
  console.log(JSON.stringify(s));
  const [lease] = await store.claim('w', 5, 1000);
  if (!lease) throw new Error();
  const status = (state: any) => ({
    statusUpdate: {
      taskId: s.taskId,
      contextId: s.contextId,
      status: { state, timestamp: new Date().toISOString() },
    },
  });
  console.log(
    await store.append(lease, [{ taskId: s.taskId, key: 'w', event: status('TASK_STATE_WORKING') }]),
  );
  const saver = store.checkpointer(lease);
  const g = new StateGraph(MessagesAnnotation)
    .addNode('a', () => ({ messages: [new AIMessage('yo')] }))
    .addEdge('__start__', 'a')
    .compile({ checkpointer: saver });
  for (let i = 0; i < 5; i++)
    await g.invoke({ messages: [new HumanMessage('hey')] }, { configurable: { thread_id: 'x' } });
  console.log((await g.getState({ configurable: { thread_id: 'x' } })).values.messages.length);
  console.log(
    await store.finish(lease, {
      entries: [{ taskId: s.taskId, key: `${lease.runId}:end`, event: status('TASK_STATE_COMPLETED') }],
      pending: [],
    }),
  );
  console.log(
    JSON.stringify(await store.list({ owner: 'o', assistantId: 'a' }, { size: 10, artifacts: true })),
  );
  console.log(
    JSON.stringify(await store.history({ owner: 'o', assistantId: 'a', taskId: s.taskId }, 'context')),
  );
  console.log(JSON.stringify(await store.read(s.taskId, 0, 100)));
  await expect(g.invoke({ messages: [] }, { configurable: { thread_id: 'x' } })).rejects.toThrow(
    'taken over',
  );
  await store.close();
});

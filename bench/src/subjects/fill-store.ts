import { randomUUID } from 'node:crypto';
import type { TaskState } from '@parley/protocol';
import { admitMessage, openSqliteStore } from './internals.ts';

const LEASE_MS = 60_000;

/** Finished tasks, each in a context of its own, through the store's own operations: what HTTP would have stored. */
export async function fillStore(file: string, assistantId: string, tasks: number): Promise<void> {
  const store = openSqliteStore({ file });
  const admit = admitMessage({ queuePerContext: 64 });
  for (let n = 0; n < tasks; n++) {
    const message = { messageId: `fill-${n}`, role: 'ROLE_USER' as const, parts: [{ text: `hello ${n}` }] };
    const payload = { kind: 'message' as const, message, followUp: false, stream: false };
    const inbound = { owner: 'anonymous', assistantId, digest: message.messageId, immediate: false, payload };
    const { taskId, contextId, runId } = await store.submit(inbound, admit);
    const [lease] = await store.claim('bench', 1, LEASE_MS);
    if (!lease) throw new Error('the store has no run to claim');
    const artifactId = randomUUID();
    const parts = [{ text: `you said hello ${n}` }];
    const status = (state: TaskState) => ({ state, timestamp: new Date(store.now()).toISOString() });
    await store.finish(lease, {
      pending: [],
      entries: [
        {
          taskId,
          key: `${runId}:working`,
          event: { statusUpdate: { taskId, contextId, status: status('TASK_STATE_WORKING') } },
        },
        {
          taskId,
          key: `${runId}:answer`,
          event: { artifactUpdate: { taskId, contextId, artifact: { artifactId, parts }, lastChunk: true } },
        },
        {
          taskId,
          key: `${runId}:history`,
          event: { history: { messageId: artifactId, taskId, contextId, role: 'ROLE_AGENT', parts } },
        },
        {
          taskId,
          key: `${runId}:end`,
          event: { statusUpdate: { taskId, contextId, status: status('TASK_STATE_COMPLETED') } },
        },
      ],
    });
  }
  await store.close();
}

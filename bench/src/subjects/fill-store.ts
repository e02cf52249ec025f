import { randomUUID } from 'node:crypto';
import { admitMessage, endOfRun, openSqliteStore, startOfRun } from './internals.ts';

/** Finished tasks, each in a context of its own, through the store's own operations: what HTTP would have stored. */
export async function fillStore(file: string, assistantId: string, tasks: number): Promise<void> {
  const store = openSqliteStore({ file });
  const admit = admitMessage({ queuePerContext: 64 });
  const claimant = {
    worker: 'bench',
    leaseMs: 60_000,
    begin: (lease: Parameters<typeof startOfRun>[0]) => startOfRun(lease, store.now()),
  };
  for (let n = 0; n < tasks; n++) {
    const message = { messageId: `fill-${n}`, role: 'ROLE_USER' as const, parts: [{ text: `hello ${n}` }] };
    const payload = { kind: 'message' as const, message, followUp: false, stream: false };
    const inbound = {
      owner: 'anonymous',
      assistantId,
      digest: message.messageId,
      immediate: false,
      takesReply: true,
      payload,
    };
    const { taskId, contextId, claimed } = await store.submit(inbound, admit, claimant);
    if (!claimed) throw new Error('the store did not hand out the run');
    const artifactId = randomUUID();
    const parts = [{ text: `you said hello ${n}` }];
    const said = { messageId: artifactId, taskId, contextId, role: 'ROLE_AGENT' as const, parts };
    const artifactUpdate = { taskId, contextId, artifact: { artifactId, parts }, lastChunk: true };
    const entries = [
      { taskId, key: `${artifactId}:answer`, event: { artifactUpdate } },
      { taskId, key: `${artifactId}:history`, event: { history: said } },
    ];
    const end = { state: 'TASK_STATE_COMPLETED' as const, answerArtifactId: artifactId };
    await store.finish(claimed.lease, endOfRun(claimed.lease, end, entries, store.now()));
  }
  await store.close();
}

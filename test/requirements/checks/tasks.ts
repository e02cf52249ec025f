import { expect } from 'vitest';
import { COMPLETED, getTask, message, pausedTask, refused, send } from '../ask.ts';
import type { Checks } from '../check.ts';

const UNKNOWN = '00000000-0000-7000-8000-000000000000';
const CANCELED = 'TASK_STATE_CANCELED';
const ENDED = ['tck-complete-task', 'tck-reject-task', 'own-fail', 'own-throw'];

/** One task; lists of them are in list-tasks.ts. */
export const tasks: Checks = {
  'CORE-GET-001': async (peer) => {
    for (const prefix of ['tck-complete-task', 'tck-artifact-file', 'tck-input-required']) {
      const task = await send(peer, prefix);
      expect(await getTask(peer, task.id)).toEqual(task);
    }
  },

  'CORE-GET-002': async (peer) => {
    for (const id of [UNKNOWN, 'no-uuid']) {
      await refused(peer, 'GetTask', { id }, { code: -32001, reason: 'TASK_NOT_FOUND' });
    }
  },

  'CORE-CANCEL-001': async (peer) => {
    const { id, contextId } = await send(peer, 'tck-input-required');
    const { result } = await peer.call('CancelTask', { id });
    expect(result).toMatchObject({ id, contextId, status: { state: CANCELED } });
    expect((await getTask(peer, id)).status).toEqual(result.status);
  },

  'CORE-CANCEL-002': async (peer) => {
    for (const prefix of ENDED) {
      const { id } = await send(peer, prefix);
      await refused(peer, 'CancelTask', { id }, { code: -32002, reason: 'TASK_NOT_CANCELABLE' });
    }
  },

  'CORE-CANCEL-003': async (peer) => {
    await refused(peer, 'CancelTask', { id: UNKNOWN }, { code: -32001, reason: 'TASK_NOT_FOUND' });
  },

  'CANCEL-AGAIN': async (peer) => {
    const { id } = await send(peer, 'tck-input-required');
    const first = await peer.call('CancelTask', { id });
    const second = await peer.call('CancelTask', { id });
    expect(second.result).toEqual(first.result);
  },

  'CANCEL-RUNNING': async (peer) => {
    const { id } = await pausedTask(peer);
    const { result } = await peer.call('CancelTask', { id });
    expect(result.status.state).toBe(CANCELED);
    peer.gates.open('pause');
    const { artifacts } = await getTask(peer, id);
    expect(artifacts.map(({ artifactId }: { artifactId: string }) => artifactId)).toEqual(['before']);
  },

  'CANCEL-METADATA': async (peer) => {
    const full = peer.under('full');
    const { id } = await send(full, 'tck-input-required');
    const { result } = await full.call('CancelTask', { id, metadata: { why: 'too late' } });
    expect(result.status.state).toBe(CANCELED);
    expect(result.artifacts[0].parts).toEqual([{ data: { why: 'too late' } }]);
  },

  'TASK-ENDED-UNTOUCHED': async (peer) => {
    const canceled = await send(peer, 'tck-input-required');
    await peer.call('CancelTask', { id: canceled.id });
    const ended = await Promise.all(ENDED.map((prefix) => send(peer, prefix)));
    for (const { id } of [canceled, ...ended]) {
      const before = await getTask(peer, id);
      for (const operation of ['SendMessage', 'SendStreamingMessage'] as const) {
        await refused(peer, operation, { message: message('more', { taskId: id }) }, { code: -32004 });
      }
      expect(await getTask(peer, id)).toEqual(before);
    }
  },

  'TENANT-NAMED': async (peer) => {
    const tenant = 'acme';
    const asked = { message: message('tck-input-required'), tenant };
    const { id } = (await peer.call('SendMessage', asked)).result.task;
    await getTask(peer, id, { tenant });
    expect((await peer.call('ListTasks', { tenant })).error).toBeUndefined();
    expect((await peer.call('CancelTask', { id, tenant })).result.status.state).toBe(CANCELED);
  },

  'TASK-REFINED': async (peer) => {
    const { id, contextId } = await send(peer, 'tck-artifact-text');
    const more = { contextId, referenceTaskIds: [id] };
    const refined = await send(peer, 'tck-artifact-text', more);
    expect(refined.contextId).toBe(contextId);
    expect(refined.id).not.toBe(id);
    expect(refined.status.state).toBe(COMPLETED);
  },

  'TASK-REFERENCES': async (peer) => {
    const { id, contextId } = await send(peer, 'tck-artifact-text');
    const { artifacts } = await send(peer, 'own-show-turn', { contextId, referenceTaskIds: [id] });
    expect(artifacts[0].parts[0].data.references).toEqual([id]);
  },
};

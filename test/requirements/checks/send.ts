import { expect } from 'vitest';
import {
  COMPLETED,
  collect,
  getTask,
  IMMEDIATELY,
  INPUT_REQUIRED,
  message,
  reaches,
  refused,
  send as sendTask,
} from '../ask.ts';
import type { Checks } from '../check.ts';

const unsupported = { raw: 'QUJD', mediaType: 'application/x-unsupported' };

export const send: Checks = {
  'CORE-SEND-001': async (peer) => {
    for (const prefix of ['tck-complete-task', 'tck-message-response']) {
      const { result } = await peer.call('SendMessage', { message: message(prefix) });
      expect(Object.keys(result)).toEqual([prefix.includes('message') ? 'message' : 'task']);
    }
  },

  'CORE-SEND-002': async (peer) => {
    const { id } = await sendTask(peer, 'tck-complete-task');
    const params = { message: message('more', { taskId: id }) };
    for (const operation of ['SendMessage', 'SendStreamingMessage'] as const) {
      await refused(peer, operation, params, { code: -32004, reason: 'UNSUPPORTED_OPERATION' });
    }
  },

  'CORE-SEND-003': async (peer) => {
    const params = { message: message('tck-complete-task', { parts: [unsupported] }) };
    for (const operation of ['SendMessage', 'SendStreamingMessage'] as const) {
      await refused(peer.under('full'), operation, params, {
        code: -32005,
        reason: 'CONTENT_TYPE_NOT_SUPPORTED',
      });
    }
  },

  'CORE-EXECUTION-MODE-001': async (peer) => {
    peer.gates.hold('pause');
    const answer = sendTask(peer, 'tck-delayed-complete');
    await peer.gates.reached('pause');
    peer.gates.open('pause');
    const { status, artifacts } = await answer;
    expect(status.state).toBe(COMPLETED);
    expect(artifacts[0].parts).toEqual([{ text: 'Done after delay' }]);
    expect((await sendTask(peer, 'tck-input-required')).status.state).toBe(INPUT_REQUIRED);
  },

  'CORE-EXECUTION-MODE-002': async (peer) => {
    peer.gates.hold('pause');
    const { id, status } = await sendTask(peer, 'tck-delayed-complete', {}, IMMEDIATELY);
    expect(['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING']).toContain(status.state);
    await reaches(peer, id, 'TASK_STATE_WORKING');
    peer.gates.open('pause');
    await reaches(peer, id, COMPLETED);
  },

  'SEND-ALL-ARTIFACTS': async (peer) => {
    const { artifacts } = await sendTask(peer, 'own-pause');
    expect(artifacts.map(({ artifactId }: { artifactId: string }) => artifactId)).toEqual([
      'before',
      'after',
    ]);
  },

  'SEND-AUTH-STOPS': async (peer) => {
    expect((await sendTask(peer, 'tck-auth-required')).status.state).toBe('TASK_STATE_AUTH_REQUIRED');
  },

  'SEND-IMMEDIATE-STREAM': async (peer) => {
    const params = { message: message('tck-stream-001'), configuration: IMMEDIATELY };
    const events = await collect(peer.stream('SendStreamingMessage', params));
    expect(events.at(-1)?.statusUpdate.status.state).toBe(COMPLETED);
  },

  'SEND-IMMEDIATE-MESSAGE': async (peer) => {
    const params = { message: message('tck-message-response'), configuration: IMMEDIATELY };
    const { result } = await peer.call('SendMessage', params);
    expect(Object.keys(result)).toEqual(['message']);
  },

  'SEND-METADATA': async (peer) => {
    const params = { message: message('own-show-turn'), metadata: { colour: 'red' } };
    const { result } = await peer.call('SendMessage', params);
    expect(result.task.artifacts[0].parts[0].data.metadata).toEqual({ colour: 'red' });
  },

  'SEND-MESSAGE-CONTEXT': async (peer) => {
    const own = await peer.call('SendMessage', { message: message('tck-message-response') });
    expect(own.result.message.contextId).toMatch(/^[^ ]+$/);
    const contextId = `mine-${own.result.message.contextId}`;
    const named = await peer.call('SendMessage', { message: message('tck-message-response', { contextId }) });
    expect(named.result.message).toMatchObject({
      role: 'ROLE_AGENT',
      contextId,
      parts: [{ text: 'Direct message response' }],
    });
  },

  'SEND-MESSAGE-NO-TASK': async (peer) => {
    const { result } = await peer.call('SendMessage', { message: message('tck-message-response') });
    expect(result.message).not.toHaveProperty('taskId');
    const { contextId } = result.message;
    expect((await peer.call('ListTasks', { contextId })).result.totalSize).toBe(0);
  },

  'SEND-RESULT-IS-ARTIFACT': async (peer) => {
    const { artifacts, status } = await sendTask(peer, 'tck-complete-task');
    expect(artifacts.map(({ parts }: { parts: unknown }) => parts)).toEqual([[{ text: 'Hello from TCK' }]]);
    expect(status).not.toHaveProperty('message');
  },

  'SEND-REJECTED': async (peer) => {
    const { id, status } = await sendTask(peer, 'tck-reject-task');
    expect(status.state).toBe('TASK_STATE_REJECTED');
    expect(status.message.parts).toEqual([{ text: 'Not for me' }]);
    expect((await getTask(peer, id)).status).toEqual(status);
  },
};

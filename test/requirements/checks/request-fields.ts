import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Fields } from '../../wire/rpc.ts';
import { COMPLETED, message, refused, send } from '../ask.ts';
import type { Checks } from '../check.ts';
import type { Peer } from '../peer.ts';

async function refusedWithout(peer: Peer, member: string, field: string, value?: unknown): Promise<void> {
  const { [member]: _, ...rest } = message('tck-complete-task');
  const bad = { ...rest, ...(value === undefined ? {} : { [member]: value }) };
  for (const operation of ['SendMessage', 'SendStreamingMessage'] as const) {
    await refused(peer, operation, { message: bad }, { code: -32602, field });
  }
}

/** A call whose params are written as given, to the task of its answer. */
async function taskOf(peer: Peer, params: Fields): Promise<Fields> {
  const { text } = await peer.post({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params });
  const { result } = JSON.parse(text) as Fields;
  expect(result?.task.status.state, text).toBe(COMPLETED);
  return result.task;
}

/** What a request may leave out, and in which forms its members are understood. */
export const requestFields: Checks = {
  'DM-SERIAL-005': async (peer) => {
    const unknown = { colour: 'red', deep: { er: [1] } };
    const body = peer.request('SendMessage', {
      message: message('tck-complete-task', unknown),
      configuration: { ...unknown, historyLength: 1 },
      ...unknown,
    });
    const { text } = await peer.post({ ...body, ...unknown });
    expect(text).not.toContain('"error"');
    expect(text).not.toContain('colour');
  },

  'WIRE-SNAKE-CASE-IN': async (peer) => {
    const contextId = randomUUID();
    const params = {
      message: {
        message_id: `tck-artifact-text-${randomUUID()}`,
        context_id: contextId,
        role: 'ROLE_USER',
        parts: [{ raw: 'QUJD', media_type: 'text/plain' }],
      },
      configuration: { history_length: 0, return_immediately: false },
    };
    const task = await taskOf(peer, params);
    expect(task).toMatchObject({ contextId, artifacts: [{ parts: [{ text: 'Generated text content' }] }] });
    expect(task).not.toHaveProperty('history');
    const listing = { context_id: contextId, page_size: 7, include_artifacts: true };
    const { result } = await peer.call('ListTasks', listing);
    expect([result.totalSize, result.pageSize]).toEqual([1, 7]);
    expect(result.tasks[0]).toHaveProperty('artifacts');
  },

  'WIRE-ENUM-NUMBERS-IN': async (peer) => {
    const { contextId, history } = await taskOf(peer, { message: message('tck-complete-task', { role: 1 }) });
    expect(history[0].role).toBe('ROLE_USER');
    const { result } = await peer.call('ListTasks', { contextId, status: 3 });
    expect(result.totalSize).toBe(1);
  },

  'WIRE-BASE64-IN': async (peer) => {
    for (const raw of ['++//', '--__', 'QQ==', 'QQ']) {
      const { history } = await send(peer, 'tck-complete-task', {
        parts: [{ raw, mediaType: 'text/plain' }],
      });
      expect(history[0].parts[0].raw).toBe(raw.startsWith('Q') ? 'QQ==' : '++//');
    }
    const parts = [{ raw: 'no base64!', mediaType: 'text/plain' }];
    const { error } = await peer.call('SendMessage', { message: message('tck-complete-task', { parts }) });
    expect(error?.code).toBe(-32602);
  },

  'WIRE-BASE64-OUT': async (peer) => {
    const { artifacts } = await send(peer, 'tck-artifact-file');
    const { raw } = artifacts[0].parts[0];
    expect(Buffer.from(raw, 'base64').toString('base64')).toBe(raw);
  },

  'PRESENCE-MESSAGE-ID': async (peer) => {
    await refusedWithout(peer, 'messageId', 'message.messageId');
  },

  'PRESENCE-ROLE': async (peer) => {
    await refusedWithout(peer, 'role', 'message.role');
    await refusedWithout(peer, 'role', 'message.role', 'ROLE_KING');
  },

  'PRESENCE-PARTS': async (peer) => {
    await refusedWithout(peer, 'parts', 'message.parts');
    await refusedWithout(peer, 'parts', 'message.parts', []);
  },

  'PRESENCE-CONTENT': async (peer) => {
    await refusedWithout(peer, 'parts', 'message.parts[0]', [{ metadata: {} }]);
    await refusedWithout(peer, 'parts', 'message.parts[1]', [{ text: 'one' }, { text: 'two', data: {} }]);
  },

  'PRESENCE-TASK-ID': async (peer) => {
    for (const operation of ['GetTask', 'CancelTask', 'SubscribeToTask'] as const) {
      await refused(peer, operation, {}, { code: -32602, field: 'id' });
    }
  },
};

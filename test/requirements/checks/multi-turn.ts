import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { COMPLETED, collect, getTask, INPUT_REQUIRED, message, next, refused, send } from '../ask.ts';
import type { Checks } from '../check.ts';

const UNKNOWN = '00000000-0000-7000-8000-000000000000';
const AUTH_REQUIRED = 'TASK_STATE_AUTH_REQUIRED';

export const multiTurn: Checks = {
  'CORE-MULTI-001': async (peer) => {
    const [one, two] = [await send(peer, 'tck-complete-task'), await send(peer, 'tck-complete-task')];
    expect(one.contextId).not.toBe(two.contextId);
  },

  'CORE-MULTI-001a': async (peer) => {
    expect((await send(peer, 'tck-complete-task')).contextId).toMatch(/\S/);
  },

  'CORE-MULTI-002': async (peer) => {
    for (const contextId of [
      `tck-client-context-${randomUUID()}`,
      randomUUID(),
      `two words ${Math.random()}`,
    ]) {
      const first = await send(peer, 'tck-complete-task', { contextId });
      const second = await send(peer, 'tck-complete-task', { contextId });
      expect([first.contextId, second.contextId]).toEqual([contextId, contextId]);
    }
  },

  'CORE-MULTI-002a': async (peer) => {
    for (const contextId of ['a\u0000b', 'x'.repeat(257)]) {
      const params = { message: message('tck-complete-task', { contextId }) };
      await refused(peer, 'SendMessage', params, { code: -32602, field: 'message.contextId' });
    }
  },

  'CORE-MULTI-003': async (peer) => {
    const contextId = randomUUID();
    const ids = new Set<string>();
    for (let n = 0; n < 5; n++) ids.add((await send(peer, 'tck-complete-task', { contextId })).id);
    expect(ids.size).toBe(5);
  },

  'CORE-MULTI-004': async (peer) => {
    for (const taskId of [UNKNOWN, 'chosen-by-me']) {
      const params = { message: message('tck-complete-task', { taskId }) };
      await refused(peer, 'SendMessage', params, { code: -32001, reason: 'TASK_NOT_FOUND' });
    }
  },

  'CORE-MULTI-005': async (peer) => {
    const { id, contextId } = await send(peer, 'tck-input-required');
    const answered = await send(peer, 'tck-complete-task', { taskId: id });
    expect([answered.id, answered.contextId, answered.status.state]).toEqual([id, contextId, COMPLETED]);
  },

  'CORE-MULTI-006': async (peer) => {
    for (const prefix of ['tck-input-required', 'tck-complete-task']) {
      const { id } = await send(peer, prefix);
      const params = { message: message('tck-complete-task', { taskId: id, contextId: 'another' }) };
      const { error } = await peer.call('SendMessage', params);
      expect([-32602, -32004]).toContain(error?.code);
    }
  },

  'MULTI-MISMATCH-UNTOUCHED': async (peer) => {
    const { id } = await send(peer, 'tck-input-required');
    const before = await getTask(peer, id);
    const params = { message: message('tck-complete-task', { taskId: id, contextId: 'another' }) };
    await refused(peer, 'SendMessage', params, { code: -32602, field: 'message.contextId' });
    expect(await getTask(peer, id)).toEqual(before);
  },

  'MULTI-ASK-AGAIN': async (peer) => {
    const { id } = await send(peer, 'tck-input-required');
    for (let n = 0; n < 2; n++) {
      const again = await send(peer, 'tck-input-required', { taskId: id });
      expect([again.id, again.status.state]).toEqual([id, INPUT_REQUIRED]);
    }
    expect((await send(peer, 'tck-complete-task', { taskId: id })).status.state).toBe(COMPLETED);
  },

  'AUTH-INTASK-001': async (peer) => {
    const { id } = await send(peer, 'tck-auth-required');
    expect((await getTask(peer, id)).id).toBe(id);
  },

  'AUTH-INTASK-002': async (peer) => {
    expect((await send(peer, 'tck-auth-required')).status.state).toBe(AUTH_REQUIRED);
  },

  'AUTH-INTASK-003': async (peer) => {
    const { status } = await send(peer, 'tck-auth-required');
    expect(status.message.parts).toEqual([{ text: 'Log in first' }]);
  },

  'AUTH-INTASK-005': async (peer) => {
    const { id } = await send(peer, 'tck-auth-required');
    const events = peer.stream('SubscribeToTask', { id });
    expect((await next(events)).task.status.state).toBe(AUTH_REQUIRED);
    await send(peer, 'tck-complete-task', { taskId: id });
    expect((await collect(events)).at(-1)?.statusUpdate.status.state).toBe(COMPLETED);
  },

  'AUTH-INTASK-006': async (peer) => {
    const { id } = await send(peer, 'tck-auth-required');
    const still = await send(peer, 'tck-auth-required', { taskId: id });
    expect([still.id, still.status.state]).toEqual([id, AUTH_REQUIRED]);
  },
};

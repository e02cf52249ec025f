import { expect } from 'vitest';
import { getTask, message, refused, send } from '../ask.ts';
import type { Checks } from '../check.ts';
import type { Peer } from '../peer.ts';

const SAID = ['a first message', 'and a second', 'and the last'];

/** A task to which these were said, all under one messageId. */
async function conversation(peer: Peer): Promise<{ [key: string]: string }> {
  const messageId = `tck-input-required-${Math.random()}`;
  let task: { [key: string]: string } = {};
  for (const text of SAID) {
    const more = { messageId, parts: [{ text }], ...(task.id ? { taskId: task.id } : {}) };
    task = await send(peer, 'tck-input-required', more);
  }
  return task;
}

/** The texts of the user in a task's history. */
const said = (task: { [key: string]: unknown }): string[] =>
  (task.history as { role: string; parts: { text: string }[] }[])
    .filter(({ role }) => role === 'ROLE_USER')
    .map(({ parts }) => parts.map(({ text }) => text).join(''));

export const history: Checks = {
  'CORE-HIST-001': async (peer) => {
    const { id = '' } = await conversation(peer);
    expect(await getTask(peer, id, { historyLength: 0 })).not.toHaveProperty('history');
  },

  'CORE-HIST-002': async (peer) => {
    const { id = '' } = await conversation(peer);
    for (const historyLength of [1, 2, 10]) {
      const { history: some = [] } = await getTask(peer, id, { historyLength });
      expect(some.length).toBeLessThanOrEqual(historyLength);
    }
  },

  'CORE-HIST-003': async (peer) => {
    const params = { message: message('tck-complete-task'), configuration: { historyLength: 0 } };
    const { result } = await peer.call('SendMessage', params);
    expect(result.task).not.toHaveProperty('history');
  },

  'CORE-HIST-004': async (peer) => {
    const { id } = await send(peer, 'tck-complete-task');
    expect((await getTask(peer, id)).history.length).toBeGreaterThan(0);
  },

  'CORE-HIST-005': async (peer) => {
    const { id = '' } = await conversation(peer);
    expect(said(await getTask(peer, id))).toEqual(SAID);
  },

  'CORE-HIST-006': async (peer) => {
    const parts = [
      { text: 'a sentence — with ünusual "characters"\n' },
      { data: { deep: [1, { a: null }] } },
    ];
    const sent = message('tck-complete-task', { parts, metadata: { colour: 'red' } });
    const { result } = await peer.call('SendMessage', { message: sent });
    const { history: some } = await getTask(peer, result.task.id);
    const { id: taskId, contextId } = result.task;
    expect(some[0]).toEqual({ ...sent, taskId, contextId });
  },

  'HIST-NEWEST': async (peer) => {
    const { id = '' } = await conversation(peer);
    const all = (await getTask(peer, id)).history;
    for (const historyLength of [1, 2]) {
      const { history: some } = await getTask(peer, id, { historyLength });
      expect(some).toEqual(all.slice(-historyLength));
    }
    const message1 = message('tck-complete-task', { taskId: id });
    const { result } = await peer.call('SendMessage', {
      message: message1,
      configuration: { historyLength: 1 },
    });
    expect(result.task.history).toHaveLength(1);
    expect(result.task.history).toEqual((await getTask(peer, id)).history.slice(-1));
  },

  'HIST-LISTED': async (peer) => {
    const { id, contextId } = await conversation(peer);
    for (const historyLength of [0, 1, 2]) {
      const { result } = await peer.call('ListTasks', { contextId, historyLength });
      expect(result.tasks[0].id).toBe(id);
      expect(result.tasks[0].history ?? []).toHaveLength(historyLength);
    }
  },

  'HIST-NEGATIVE': async (peer) => {
    const { id } = await send(peer, 'tck-complete-task');
    const bad = { historyLength: -1 };
    await refused(peer, 'GetTask', { id, ...bad }, { code: -32602, field: 'historyLength' });
    const params = { message: message('tck-complete-task'), configuration: bad };
    await refused(peer, 'SendMessage', params, { code: -32602, field: 'configuration.historyLength' });
    if (peer.version === '0.3') return;
    await refused(peer, 'ListTasks', bad, { code: -32602, field: 'historyLength' });
  },
};

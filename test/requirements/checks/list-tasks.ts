import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { COMPLETED, INPUT_REQUIRED, refused, send } from '../ask.ts';
import type { Checks } from '../check.ts';
import type { Peer } from '../peer.ts';

interface Listed {
  id: string;
  status: { state: string; timestamp: string };
}

async function list(peer: Peer, params: object): Promise<{ [key: string]: unknown; tasks: Listed[] }> {
  const { result } = await peer.call('ListTasks', params);
  return result as { tasks: Listed[] };
}

const ids = ({ tasks }: { tasks: Listed[] }): string[] => tasks.map(({ id }) => id);

/** As many tasks in a context of their own, the oldest first. */
async function contextOf(
  peer: Peer,
  count: number,
  contextId: string = randomUUID(),
): Promise<{ contextId: string; created: string[] }> {
  const created: string[] = [];
  for (let n = 0; n < count; n++) created.push((await send(peer, 'tck-artifact-text', { contextId })).id);
  return { contextId, created };
}

/** Every page of a list, one behind the other; `between` is done after each. */
async function pages(peer: Peer, params: object, between = async (): Promise<void> => {}): Promise<string[]> {
  const all: string[] = [];
  for (let pageToken = ''; ; ) {
    const page = await list(peer, { ...params, pageToken });
    all.push(...ids(page));
    pageToken = page.nextPageToken as string;
    if (pageToken === '') return all;
    await between();
  }
}

export const listTasks: Checks = {
  'CORE-LIST-001': async (peer) => {
    const { contextId, created } = await contextOf(peer, 2);
    expect(ids(await list(peer, { contextId })).sort()).toEqual(created.sort());
  },

  'CORE-LIST-002': async (peer) => {
    const { contextId, created } = await contextOf(peer, 5);
    const first = await list(peer, { contextId, pageSize: 2 });
    expect(first.nextPageToken).not.toBe('');
    expect(await pages(peer, { contextId, pageSize: 2 })).toEqual(created.reverse());
  },

  'CORE-LIST-003': async (peer) => {
    const contextId = randomUUID();
    const asking = await send(peer, 'tck-input-required', { contextId });
    const other = await send(peer, 'tck-complete-task', { contextId });
    expect(ids(await list(peer, { contextId }))).toEqual([other.id, asking.id]);
    await send(peer, 'tck-complete-task', { taskId: asking.id });
    expect(ids(await list(peer, { contextId }))).toEqual([asking.id, other.id]);
  },

  'CORE-LIST-004': async (peer) => {
    const { contextId } = await contextOf(peer, 2);
    for (const pageSize of [2, 3, 100]) {
      expect((await list(peer, { contextId, pageSize })).nextPageToken).toBe('');
    }
  },

  'CORE-LIST-005': async (peer) => {
    const { contextId } = await contextOf(peer, 1);
    for (const asked of [{}, { includeArtifacts: false }]) {
      expect((await list(peer, { contextId, ...asked })).tasks[0]).not.toHaveProperty('artifacts');
    }
    const { tasks } = await list(peer, { contextId, includeArtifacts: true });
    expect(tasks[0]).toMatchObject({ artifacts: [{ parts: [{ text: 'Generated text content' }] }] });
  },

  'LIST-UNKNOWN-CONTEXT': async (peer) => {
    for (const contextId of ['tck-test-context-1', randomUUID()]) {
      const page = await list(peer, { contextId });
      expect(page).toEqual({ tasks: [], nextPageToken: '', pageSize: 50, totalSize: 0 });
    }
  },

  'LIST-STABLE': async (peer) => {
    const contextId = randomUUID();
    const asking = await send(peer, 'tck-input-required', { contextId });
    const { created } = await contextOf(peer, 5, contextId);
    const change = async (): Promise<void> => {
      await send(peer, 'tck-input-required', { taskId: asking.id });
      await send(peer, 'tck-complete-task', { contextId });
    };
    const seen = await pages(peer, { contextId, pageSize: 2 }, change);
    expect(seen.filter((id) => id !== asking.id)).toEqual(created.reverse());
  },

  'LIST-EACH-ONCE': async (peer) => {
    const contextId = randomUUID();
    const one = peer.under('coarse');
    const sent = Array.from({ length: 12 }, () => send(one, 'tck-complete-task', { contextId }));
    const created = (await Promise.all(sent)).map(({ id }) => id);
    expect((await pages(one, { contextId, pageSize: 1 })).sort()).toEqual(created.sort());
  },

  'LIST-DEFAULT-SIZE': async (peer) => {
    const { contextId } = await contextOf(peer, 51);
    const page = await list(peer, { contextId });
    expect([page.pageSize, page.tasks.length]).toEqual([50, 50]);
    expect(page.nextPageToken).not.toBe('');
  },

  'LIST-SIZE-RANGE': async (peer) => {
    for (const pageSize of [1, 100]) expect((await list(peer, { pageSize })).pageSize).toBe(pageSize);
    for (const pageSize of [0, 101, -1]) {
      await refused(peer, 'ListTasks', { pageSize }, { code: -32602, field: 'pageSize' });
    }
  },

  'LIST-TOTAL': async (peer) => {
    const { contextId } = await contextOf(peer, 3);
    expect((await list(peer, { contextId, pageSize: 1 })).totalSize).toBe(3);
    const none = await list(peer, { contextId, status: INPUT_REQUIRED });
    expect(none.totalSize).toBe(0);
  },

  'LIST-ECHO-SIZE': async (peer) => {
    for (const pageSize of [7, 100]) expect((await list(peer, { pageSize })).pageSize).toBe(pageSize);
  },

  'LIST-BY-STATE': async (peer) => {
    const { contextId, created } = await contextOf(peer, 1);
    const rejected = await send(peer, 'tck-reject-task', { contextId });
    expect(ids(await list(peer, { contextId, status: COMPLETED }))).toEqual(created);
    expect(ids(await list(peer, { contextId, status: 'TASK_STATE_REJECTED' }))).toEqual([rejected.id]);
  },

  'LIST-AFTER': async (peer) => {
    const { contextId } = await contextOf(peer, 1);
    const [task] = (await list(peer, { contextId })).tasks;
    const statusTimestampAfter = task?.status.timestamp ?? '';
    expect(ids(await list(peer, { contextId, statusTimestampAfter }))).toEqual([task?.id]);
    const later = new Date(Date.parse(statusTimestampAfter) + 1).toISOString();
    expect(ids(await list(peer, { contextId, statusTimestampAfter: later }))).toEqual([]);
  },

  'LIST-BAD-FILTER': async (peer) => {
    const bad = { pageToken: 'no token', status: 'TASK_STATE_TIRED', statusTimestampAfter: 'yesterday' };
    for (const [field, value] of Object.entries(bad)) {
      await refused(peer, 'ListTasks', { [field]: value }, { code: -32602, field });
    }
  },
};

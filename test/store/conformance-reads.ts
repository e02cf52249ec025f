import type { Task } from '@parley/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import { Fenced } from '../../packages/server/src/engine/fenced.ts';
import type { Lease } from '../../packages/server/src/engine/ports/run.ts';
import type { Store, TaskFilter } from '../../packages/server/src/engine/ports/store.ts';
import {
  admit,
  claimant,
  claimOne,
  complete,
  delta,
  end,
  inbound,
  listTasks,
  refOf,
  says,
  send,
} from './scenario.ts';

/** What is read back. */
export function describeReads(open: () => Store): void {
  let store: Store;
  beforeEach(() => {
    store = open();
  });

  describe('list', () => {
    it('U36: orders by status, newest first, page by page', async () => {
      const tasks: string[] = [];
      for (let i = 0; i < 7; i++) {
        tasks.unshift((await send(store, { contextId: `c${i % 2}` })).taskId);
        await complete(store, await claimOne(store));
      }
      const first = await listTasks(store, {}, { size: 3 });
      const second = await listTasks(store, {}, { size: 3, after: first.next as string });
      const third = await listTasks(store, {}, { size: 3, after: second.next as string });
      expect([first, second, third].flatMap((page) => page.tasks.map(({ id }) => id))).toEqual(tasks);
      expect([first.total, second.total, third.total, third.next]).toEqual([7, 7, 7, undefined]);
      expect(await listTasks(store, { contextId: 'c1' })).toMatchObject({ total: 3 });
      expect(await listTasks(store, { contextId: 'none' })).toEqual({
        tasks: [],
        upTo: [],
        total: 0,
      });
    });

    it('counts and filters by state and time', async () => {
      const queued = await send(store, { contextId: 'q' });
      await store.requestCancel(refOf(queued));
      await send(store, { contextId: 'a' });
      await send(store, { contextId: 'a' });
      const lease = await claimOne(store);
      const at = async (filter: Partial<TaskFilter>) => {
        const { tasks, total } = await listTasks(store, filter);
        expect(tasks).toHaveLength(total);
        return total;
      };
      expect(await at({ state: 'TASK_STATE_WORKING' })).toBe(1);
      expect(await at({ state: 'TASK_STATE_SUBMITTED' })).toBe(1);
      expect(await at({ state: 'TASK_STATE_CANCELED', contextId: 'a' })).toBe(0);
      await complete(store, lease);
      expect(await at({ state: 'TASK_STATE_COMPLETED', contextId: 'a' })).toBe(1);
      expect(await at({ state: 'TASK_STATE_WORKING' })).toBe(0);
      const statusAfter = (await listTasks(store)).tasks[0]?.status.timestamp as string;
      expect(await at({ statusAfter })).toBe(1);
      expect(await at({ statusAfter: '9999-01-01T00:00:00.000Z' })).toBe(0);
      expect(await at({})).toBe(3);
    });

    it('shows tasks as they are, artifacts only when asked, without history', async () => {
      await send(store, { contextId: 'a' });
      const lease = await claimOne(store);
      await store.append(lease, [delta(lease, 'd', 'x', false), says(lease, 'h', 'said')]);
      for (const artifacts of [false, true]) {
        const [task] = (await listTasks(store, {}, { artifacts })).tasks;
        const snapshot = (await store.snapshot(refOf(lease)))?.task as Task;
        const { artifacts: _, ...head } = snapshot;
        expect(task).toEqual(artifacts ? snapshot : head);
      }
      await complete(store, lease);
      expect((await listTasks(store)).tasks[0]).not.toHaveProperty('artifacts');
      expect((await listTasks(store, {}, { artifacts: true })).tasks[0]).toHaveProperty('artifacts');
    });

    it('refuses page tokens that are not of this list', async () => {
      for (let i = 0; i < 3; i++) await send(store);
      const { next } = await listTasks(store, {}, { size: 1 });
      const violation = { kind: 'invalid-params', fieldViolations: [{ field: 'pageToken' }] };
      for (const after of ['x', Buffer.from('[1,2,3]').toString('base64url'), `${next}x`.slice(4)]) {
        await expect(listTasks(store, {}, { size: 1, after })).rejects.toMatchObject(violation);
      }
      const other = { state: 'TASK_STATE_SUBMITTED' } as const;
      await expect(listTasks(store, other, { size: 1, after: next as string })).rejects.toMatchObject(
        violation,
      );
    });
  });

  it('gives the last messages of task and context, oldest first', async () => {
    const texts = async (scope: 'task' | 'context', limit?: number) =>
      (await store.history(refOf({ taskId }), scope, limit)).map(
        ({ parts }) => (parts[0] as { text: string }).text,
      );
    const { taskId } = await send(store, { contextId: 'c', text: '1' });
    const lease = await claimOne(store);
    await send(store, { contextId: 'c', text: '2' });
    await store.append(lease, [says(lease, 'h', '3')]);
    await send(store, { taskId, text: '4' });
    expect(await texts('context')).toEqual(['1', '2', '3', '4']);
    expect(await texts('context', 2)).toEqual(['3', '4']);
    expect(await texts('task')).toEqual(['1', '3', '4']);
    expect(await texts('task', 2)).toEqual(['3', '4']);
    expect(await texts('task', 0)).toEqual([]);
  });

  it('U10: gives the messages that a snapshot, a page and an end stood with', async () => {
    const texts = async (of: { taskId: string }, scope: 'task' | 'context', upTo?: number, limit?: number) =>
      (await store.history(refOf(of), scope, limit, upTo)).map(
        ({ parts }) => (parts[0] as { text: string }).text,
      );
    const first = await send(store, { contextId: 'c', text: '1' });
    const elsewhere = await send(store, { contextId: 'd', text: 'elsewhere' });
    const lease = await claimOne(store);
    await store.append(lease, [says(lease, 'h', '2')]);
    const before = await store.snapshot(refOf(first));
    const second = await send(store, { contextId: 'c', text: '3' });
    const page = await listTasks(store);
    const upToOf = (taskId: string) => page.upTo[page.tasks.findIndex(({ id }) => id === taskId)];
    const { snapshot } = await complete(store, lease);
    await send(store, { contextId: 'c', text: '4' });
    await send(store, { contextId: 'd', text: 'later' });
    expect(await texts(first, 'context', before?.upTo)).toEqual(['1', '2']);
    expect(await texts(first, 'context', before?.upTo, 1)).toEqual(['2']);
    expect(await texts(first, 'task', before?.upTo)).toEqual(['1', '2']);
    expect(page.upTo).toHaveLength(3);
    expect(await texts(second, 'context', upToOf(second.taskId))).toEqual(['1', '2', '3']);
    expect(await texts(first, 'context', upToOf(first.taskId))).toEqual(['1', '2', '3']);
    expect(await texts(elsewhere, 'context', upToOf(elsewhere.taskId))).toEqual(['elsewhere']);
    expect(await texts(first, 'context', snapshot.upTo)).toEqual(['1', '2', '3']);
    expect(await texts(first, 'context')).toEqual(['1', '2', '3', '4']);

    const { taskId } = second;
    await claimOne(store);
    const asked = await claimOne(store);
    const waiting = (
      await store.finish(asked, { entries: [], end: [end(asked, 'TASK_STATE_INPUT_REQUIRED')], pending: [] })
    ).snapshot;
    await send(store, { taskId, text: '5' });
    expect(await texts(second, 'task', waiting.upTo)).toEqual(['3']);
    expect(await texts(second, 'task', waiting.upTo, 1)).toEqual(['3']);
    expect(await texts(second, 'task')).toEqual(['3', '5']);
  });

  it('gives a run the conversation before it, without what waits and what it says itself', async () => {
    const textsBefore = async (lease: Lease) =>
      (await store.historyBefore(lease)).map(({ parts }) => (parts[0] as { text: string }).text);
    const { taskId } = await send(store, { contextId: 'c', text: '1' });
    await send(store, { contextId: 'd', text: 'elsewhere' });
    const first = await claimOne(store);
    await send(store, { contextId: 'c', text: '2' });
    await send(store, { taskId, text: '3' });
    await store.append(first, [says(first, 'h', 'to 1')]);
    expect(await textsBefore(first)).toEqual([]);
    await store.finish(first, { entries: [], end: [end(first, 'TASK_STATE_INPUT_REQUIRED')], pending: [] });
    await claimOne(store);
    const second = await claimOne(store);
    expect(await textsBefore(second)).toEqual(['1', 'to 1']);
    await store.append(second, [says(second, 'h', 'to 2')]);
    await store.release(second, 0, true);
    const again = await claimOne(store);
    expect(await textsBefore(again)).toEqual(['1', 'to 1']);
    await complete(store, again);
    const third = await claimOne(store);
    await send(store, { contextId: 'c', text: '4' });
    expect(await textsBefore(third)).toEqual(['1', '2', 'to 1', 'to 2']);
    const fused = await store.submit(inbound({ contextId: 'e', text: '5' }), admit, claimant());
    expect(fused.claimed && (await textsBefore(fused.claimed.lease))).toEqual([]);
    await expect(store.historyBefore(second)).rejects.toThrow(Fenced);
  });
}

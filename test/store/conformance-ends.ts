import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../packages/server/src/engine/ports/store.ts';
import {
  admit,
  claim,
  claimant,
  claimOne,
  complete,
  delta,
  end,
  inbound,
  pause,
  refOf,
  send,
  stateOf,
} from './scenario.ts';

/** How tasks pause and are canceled. */
export function describePauses(open: () => Store): void {
  let store: Store;
  beforeEach(() => {
    store = open();
  });

  describe('a pause', () => {
    const a = '0'.repeat(32);
    const b = '1'.repeat(32);
    const answer = (taskId: string, ids: string[]) =>
      send(store, { taskId, data: { resume: Object.fromEntries(ids.map((id) => [id, 'yes'])) } });

    it('keeps its questions until they are answered', async () => {
      const { taskId } = await send(store, { contextId: 'c' });
      await pause(store, await claimOne(store), [a, b]);
      await expect(send(store, { contextId: 'c' })).rejects.toMatchObject({ kind: 'invalid-params' });
      await answer(taskId, [a]);
      await expect(answer(taskId, [a])).rejects.toMatchObject({ kind: 'invalid-params' });
      const lease = await claimOne(store);
      expect(lease.payload).toMatchObject({ answers: { [a]: 'yes' } });
      await pause(store, lease, [b]);
      await answer(taskId, [b]);
      await complete(store, await claimOne(store));
      await send(store, { contextId: 'c' });
    });

    it('is not written while a message of the task waits', async () => {
      const { taskId } = await send(store);
      const lease = await claimOne(store);
      const waiting = await send(store, { taskId });
      const { snapshot, events } = await pause(store, lease, [a], [delta(lease, 'kept', 'x', false)]);
      expect(events).toHaveLength(1);
      expect(snapshot.task).toMatchObject({
        status: { state: 'TASK_STATE_WORKING' },
        artifacts: [{ artifactId: 'answer' }],
      });
      const next = await claimOne(store);
      expect(next.runId).toBe(waiting.runId);
      await pause(store, next, [a]);
      expect(await stateOf(store, next)).toBe('TASK_STATE_INPUT_REQUIRED');
    });

    it('holds back what other tasks of the context have queued until it is over', async () => {
      const asked = await send(store, { contextId: 'c' });
      const queued = await send(store, { contextId: 'c' });
      await pause(store, await claimOne(store), [a]);
      expect(await claim(store, 10)).toEqual([]);
      expect(await stateOf(store, queued)).toBe('TASK_STATE_SUBMITTED');
      await answer(asked.taskId, [a]);
      const second = await claimOne(store);
      expect(second).toMatchObject({ taskId: asked.taskId, payload: { answers: { [a]: 'yes' } } });
      await pause(store, second, [b]);
      expect(await claim(store, 10)).toEqual([]);
      await answer(asked.taskId, [b]);
      const third = await claimOne(store);
      expect(third.taskId).toBe(asked.taskId);
      await store.release(third, 0, true);
      await complete(store, await claimOne(store));
      expect(await claim(store, 10)).toMatchObject([{ runId: queued.runId }]);
    });

    it('hands an answer to the claimant although others are queued', async () => {
      const { taskId } = await send(store, { contextId: 'c' });
      await send(store, { contextId: 'c' });
      await pause(store, await claimOne(store), [a, b]);
      const resume = (id: string) => inbound({ taskId, data: { resume: { [id]: 'yes' } } });
      const first = await store.submit(resume(a), admit, claimant());
      expect(first.claimed?.lease.taskId).toBe(taskId);
      const second = await store.submit(resume(b), admit, claimant());
      expect(second).not.toHaveProperty('claimed');
      if (first.claimed) await pause(store, first.claimed.lease, [b]);
      expect(await claim(store, 10)).toMatchObject([{ runId: second.runId }]);
    });

    it('that was not written holds them back too', async () => {
      const { taskId } = await send(store, { contextId: 'c' });
      const lease = await claimOne(store);
      const other = await send(store, { contextId: 'c' });
      const more = await send(store, { taskId });
      await pause(store, lease, [a]);
      const next = await claim(store, 10);
      expect(next).toMatchObject([{ runId: more.runId }]);
      if (next[0]) await complete(store, next[0]);
      expect(await claim(store, 10)).toMatchObject([{ runId: other.runId }]);
    });

    it.each(['cancel', 'fail', 'ask nothing'] as const)('lets them go on after: %s', async (how) => {
      const sent = await send(store, { contextId: 'c' });
      const queued = await send(store, { contextId: 'c' });
      await pause(store, await claimOne(store), [a]);
      if (how === 'cancel') await store.requestCancel(refOf(sent));
      else {
        await answer(sent.taskId, [a]);
        const lease = await claimOne(store);
        if (how === 'ask nothing') await pause(store, lease, []);
        else await store.finish(lease, { entries: [], end: [end(lease, 'TASK_STATE_FAILED')], pending: [] });
      }
      expect(await claim(store, 10)).toMatchObject([{ runId: queued.runId }]);
    });

    it('without questions leaves the context open', async () => {
      const { taskId } = await send(store, { contextId: 'c' });
      await pause(store, await claimOne(store), []);
      await send(store, { contextId: 'c' });
      await send(store, { taskId });
      expect(await claim(store, 10)).toHaveLength(1);
    });
  });

  describe('cancel', () => {
    it('ends a task that does not run, with its queued messages', async () => {
      const sent = await send(store, { contextId: 'c' });
      const next = await send(store, { contextId: 'c' });
      const result = await store.requestCancel(refOf(sent));
      expect(result).toMatchObject({ kind: 'canceled', events: [{ seq: 2 }] });
      expect(await stateOf(store, sent)).toBe('TASK_STATE_CANCELED');
      expect(await store.outcome(sent.runId)).toEqual({ state: 'dropped' });
      expect(await store.requestCancel(refOf(sent))).toEqual({
        kind: 'terminal',
        state: 'TASK_STATE_CANCELED',
      });
      expect(await claim(store, 10)).toMatchObject([{ runId: next.runId }]);
    });

    it('ends a paused task and opens its context', async () => {
      const sent = await send(store, { contextId: 'c' });
      await pause(store, await claimOne(store), ['0'.repeat(32)]);
      expect(await store.requestCancel(refOf(sent))).toMatchObject({ kind: 'canceled' });
      await send(store, { contextId: 'c' });
    });

    it('tells a running run', async () => {
      const sent = await send(store);
      const lease = await claimOne(store);
      expect(await store.requestCancel(refOf(sent))).toEqual({ kind: 'signalled' });
      expect(await store.renew([lease], 1_000)).toEqual({ lost: [], cancel: [lease.runId] });
      await store.finish(lease, { entries: [], end: [end(lease, 'TASK_STATE_CANCELED')], pending: [] });
      expect(await stateOf(store, sent)).toBe('TASK_STATE_CANCELED');
    });

    it('wins over a pause, and over another attempt', async () => {
      const paused = await send(store);
      const first = await claimOne(store);
      await store.requestCancel(refOf(paused));
      const { snapshot, events } = await pause(store, first, ['0'.repeat(32)]);
      expect(snapshot.task.status.state).toBe('TASK_STATE_CANCELED');
      expect(events).toHaveLength(1);
      for (const giveBack of ['release', 'reap'] as const) {
        const sent = await send(store);
        const lease = await claimOne(store, -1);
        await store.requestCancel(refOf(sent));
        if (giveBack === 'release') await store.release(lease, 0, true);
        else await store.reap(false);
        expect(await stateOf(store, sent)).toBe('TASK_STATE_CANCELED');
        expect(await claim(store)).toEqual([]);
      }
    });

    it('comes too late for a completed task', async () => {
      const sent = await send(store);
      const lease = await claimOne(store);
      await store.requestCancel(refOf(sent));
      await complete(store, lease);
      expect(await stateOf(store, sent)).toBe('TASK_STATE_COMPLETED');
      expect(await store.requestCancel(refOf({ taskId: 'unknown' }))).toEqual({ kind: 'unknown' });
    });
  });
}

import { beforeEach, describe, expect, it } from 'vitest';
import type { WakeEntry } from '../../packages/server/src/engine/ports/log.ts';
import type { OwnTurn } from '../../packages/server/src/engine/ports/run.ts';
import type { Store } from '../../packages/server/src/engine/ports/store.ts';
import { claim, claimOne, complete, end, logOf, pause, refOf, send, stateOf } from './scenario.ts';

const CANCEL: OwnTurn = { kind: 'cancel', followUp: true, stream: true, metadata: { by: 'caller' } };

/** Turns that no message brings. */
export function describeTurns(open: () => Store): void {
  let store: Store;
  beforeEach(() => {
    store = open();
  });
  const wake = (taskId: string, key: string, inMs: number, data: string): WakeEntry => ({
    taskId,
    key,
    wake: { at: store.now() + inMs, data },
  });
  /** A task that waits without a question, and asks for turns. */
  const resting = async (...entries: ((taskId: string) => WakeEntry)[]): Promise<string> => {
    const { taskId } = await send(store);
    const lease = await claimOne(store);
    await store.append(
      lease,
      entries.map((entry) => entry(taskId)),
    );
    await store.finish(lease, { entries: [], end: [end(lease, 'TASK_STATE_INPUT_REQUIRED')], pending: [] });
    return taskId;
  };

  describe('a turn at a time', () => {
    it('is queued when it is due, and not before', async () => {
      await resting((taskId) => wake(taskId, 'k', 60_000, 'later'));
      expect(await store.wakeDue()).toBeGreaterThan(store.now());
      expect(await claim(store)).toEqual([]);
      const due = await resting((taskId) => wake(taskId, 'k', -1, 'now'));
      expect(await store.wakeDue()).toBeGreaterThan(store.now());
      expect(await claim(store, 10)).toMatchObject([
        { taskId: due, epoch: 1, payload: { kind: 'wake', data: 'now', followUp: true } },
      ]);
    });

    it('that is asked for again under its key is one turn', async () => {
      await resting(
        (taskId) => wake(taskId, 'k', 60_000, 'first'),
        (taskId) => wake(taskId, 'k', -1, 'second'),
      );
      await store.wakeDue();
      expect(await claim(store, 10)).toMatchObject([{ payload: { data: 'second' } }]);
      expect(await store.wakeDue()).toBeUndefined();
    });

    it('waits while its task runs, and until its questions are answered', async () => {
      const { taskId } = await send(store);
      const lease = await claimOne(store);
      await store.append(lease, [wake(taskId, 'k', -1, 'now')]);
      await store.wakeDue();
      expect(await claim(store)).toEqual([]);
      await pause(store, lease, ['0'.repeat(32)]);
      await store.wakeDue();
      expect(await claim(store)).toEqual([]);
      await send(store, { taskId, text: 'yes' });
      const answered = await claimOne(store);
      await store.finish(answered, {
        entries: [],
        end: [end(answered, 'TASK_STATE_INPUT_REQUIRED')],
        pending: [],
      });
      await store.wakeDue();
      expect(await claimOne(store)).toMatchObject({ taskId, payload: { kind: 'wake' } });
    });

    it('comes behind what waits in the lane, and does not hold it up before', async () => {
      const { taskId, contextId } = await send(store);
      const lease = await claimOne(store);
      await store.append(lease, [wake(taskId, 'k', -1, 'now')]);
      const queued = await send(store, { contextId });
      await store.finish(lease, { entries: [], end: [end(lease, 'TASK_STATE_INPUT_REQUIRED')], pending: [] });
      await store.wakeDue();
      const [first, ...others] = await claim(store, 10);
      expect(first?.taskId).toBe(queued.taskId);
      expect(others).toEqual([]);
      if (first) await complete(store, first);
      expect(await claimOne(store)).toMatchObject({ taskId, payload: { kind: 'wake' } });
    });

    it('of an ended task is dropped', async () => {
      const { taskId } = await send(store);
      const lease = await claimOne(store);
      await store.append(lease, [wake(taskId, 'k', -1, 'now')]);
      await complete(store, lease);
      await store.wakeDue();
      expect(await claim(store)).toEqual([]);
      expect(await store.wakeDue()).toBeUndefined();
    });

    it('is refused from a run that was taken over', async () => {
      const { taskId } = await send(store);
      const lease = await claimOne(store, -1);
      await store.reap(false);
      await claimOne(store);
      await expect(store.append(lease, [wake(taskId, 'k', -1, 'now')])).rejects.toThrow();
      expect(await store.wakeDue()).toBeUndefined();
    });
  });

  describe('a turn before a cancel', () => {
    it('follows the run that is stopped, and the task ends with it', async () => {
      const { taskId } = await send(store);
      const running = await claimOne(store);
      expect(await store.requestCancel(refOf({ taskId }), CANCEL)).toEqual({ kind: 'signalled' });
      const stopped = { entries: [], end: [end(running, 'TASK_STATE_CANCELED')], pending: [] };
      expect((await store.finish(running, stopped)).events).toEqual([]);
      expect(await stateOf(store, { taskId })).toBe('TASK_STATE_WORKING');
      const turn = await claimOne(store);
      expect(turn.payload).toEqual(CANCEL);
      expect(await store.requestCancel(refOf({ taskId }), CANCEL)).toEqual({ kind: 'signalled' });
      expect(await store.renew([turn], 60_000)).toEqual({ lost: [], cancel: [] });
      await store.finish(turn, { entries: [], end: [end(turn, 'TASK_STATE_CANCELED')], pending: [] });
      expect(await claim(store)).toEqual([]);
      expect(await stateOf(store, { taskId })).toBe('TASK_STATE_CANCELED');
    });

    it('follows a run whose worker died, and is carried out again if its own did', async () => {
      const { taskId } = await send(store);
      await claimOne(store, -1);
      await store.requestCancel(refOf({ taskId }), CANCEL);
      await store.reap(false);
      expect((await claimOne(store, -1)).payload.kind).toBe('cancel');
      await store.reap(false);
      expect(await claimOne(store)).toMatchObject({ attempt: 2, payload: { kind: 'cancel' } });
    });

    it('is not had by a task that has not begun, nor by one that ended in time', async () => {
      const { taskId } = await send(store);
      expect((await store.requestCancel(refOf({ taskId }), CANCEL)).kind).toBe('canceled');
      const other = await send(store);
      const lease = await claimOne(store);
      await store.requestCancel(refOf(other), CANCEL);
      await complete(store, lease);
      expect(await claim(store)).toEqual([]);
      expect(await stateOf(store, other)).toBe('TASK_STATE_COMPLETED');
    });

    it('comes before messages of the task that wait, which are dropped', async () => {
      const { taskId } = await send(store);
      const running = await claimOne(store);
      const waiting = await send(store, { taskId });
      await store.requestCancel(refOf({ taskId }), CANCEL);
      await store.finish(running, { entries: [], end: [end(running, 'TASK_STATE_CANCELED')], pending: [] });
      expect((await claimOne(store)).payload.kind).toBe('cancel');
      expect(await store.outcome(waiting.runId)).toEqual({ state: 'dropped' });
      expect((await logOf(store, taskId)).length).toBeGreaterThan(2);
    });
  });
}

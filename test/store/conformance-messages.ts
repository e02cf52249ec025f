import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../packages/server/src/engine/ports/store.ts';
import {
  admit,
  claim,
  claimant,
  claimOne,
  complete,
  inbound,
  listTasks,
  pause,
  refOf,
  type Sending,
  send,
} from './scenario.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** How messages come in. */
export function describeMessages(open: () => Store): void {
  let store: Store;
  beforeEach(() => {
    store = open();
  });

  describe('submit', () => {
    it('stores task, message and first event', async () => {
      const sent = await send(store, { text: 'one' });
      expect(sent).toMatchObject({ seq: 1, joined: false });
      expect(sent.taskId).toMatch(UUID);
      expect(sent.contextId).toMatch(UUID);
      const log = await store.read(sent.taskId, 0, 10);
      expect(log).toEqual(sent.events);
      const { taskId, contextId } = sent;
      const message = { role: 'ROLE_USER', parts: [{ text: 'one' }], taskId, contextId };
      expect(log).toMatchObject([
        {
          taskId,
          seq: 1,
          event: { task: { id: taskId, contextId, status: { state: 'TASK_STATE_SUBMITTED' } } },
        },
      ]);
      expect(log[0]?.event).toMatchObject({ task: { history: [message] } });
      const snapshot = await store.snapshot(refOf(sent));
      expect(snapshot).toMatchObject({ seq: 1, task: { id: taskId, contextId } });
      expect(snapshot?.task).not.toHaveProperty('history');
      expect(snapshot?.task.status.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(await store.history(refOf(sent), 'task')).toMatchObject([message]);
      expect(await store.outcome(sent.runId)).toEqual({ state: 'queued' });
    });

    it('takes any contextId and makes a task per message', async () => {
      const first = await send(store, { contextId: 'wf-session-abc' });
      const second = await send(store, { contextId: 'wf-session-abc' });
      expect(second.contextId).toBe('wf-session-abc');
      expect(second.taskId).not.toBe(first.taskId);
      expect(await store.history(refOf(second), 'context')).toHaveLength(2);
      expect(await store.history(refOf(second), 'task')).toHaveLength(1);
    });

    it('keeps callers and assistants apart, also in one context', async () => {
      const mine = await send(store, { contextId: 'c' });
      const hers = await send(store, { contextId: 'c', owner: 'other' });
      const agents = await send(store, { contextId: 'c', assistantId: 'second' });
      expect(await claim(store, 10)).toHaveLength(3);
      expect(await store.snapshot({ ...refOf(mine), owner: 'other' })).toBeUndefined();
      expect(await store.snapshot({ ...refOf(mine), assistantId: 'second' })).toBeUndefined();
      expect(await store.snapshot(refOf(hers))).toBeUndefined();
      expect(await store.history(refOf(mine), 'context')).toHaveLength(1);
      expect(await store.history(refOf(hers), 'context')).toEqual([]);
      expect(await store.requestCancel(refOf(agents))).toEqual({ kind: 'unknown' });
      for (const filter of [{}, { contextId: 'c' }]) {
        const { tasks, total } = await listTasks(store, filter);
        expect([tasks.map(({ id }) => id), total]).toEqual([[mine.taskId], 1]);
      }
      await expect(send(store, { taskId: hers.taskId })).rejects.toMatchObject({ kind: 'task-not-found' });
    });

    it('leaves nothing behind when the message is refused', async () => {
      await expect(send(store, { contextId: 'c', taskId: 'nope' })).rejects.toMatchObject({
        kind: 'task-not-found',
      });
      const refuse = () => {
        throw new Error('no');
      };
      await expect(store.submit(inbound({ contextId: 'c' }), refuse)).rejects.toThrow('no');
      expect((await listTasks(store)).total).toBe(0);
      expect(await claim(store)).toEqual([]);
    });

    it('gives a follow-up its place in the task', async () => {
      const sent = await send(store);
      const lease = await claimOne(store);
      const { taskId, contextId } = sent;
      const follow = await send(store, { taskId, text: 'more' });
      expect(follow).toMatchObject({ taskId, contextId, seq: 3, joined: false });
      expect(follow.events).toMatchObject([{ seq: 3, event: { history: { taskId, contextId } } }]);
      expect(await store.snapshot(refOf(sent))).toMatchObject({ seq: 3 });
      expect(await claim(store)).toEqual([]);
      await store.release(lease, 0, true);
      expect(await claimOne(store)).toMatchObject({ runId: sent.runId, queued: 1 });
    });

    it('caps the queue of a context', async () => {
      for (let i = 0; i < 64; i++) await send(store, { contextId: 'c' });
      await expect(send(store, { contextId: 'c' })).rejects.toMatchObject({ kind: 'resource-exhausted' });
      await send(store, { contextId: 'd' });
      expect((await listTasks(store)).total).toBe(65);
    });

    it('hands the run to a claimant when the lane is free', async () => {
      const sent = await store.submit(inbound({ contextId: 'c' }), admit, claimant());
      const { claimed } = sent;
      if (!claimed) throw new Error('not claimed');
      expect(claimed.lease).toMatchObject({
        runId: sent.runId,
        taskId: sent.taskId,
        attempt: 1,
        baseCheckpoint: null,
      });
      expect(claimed.events).toMatchObject([
        { seq: 2, event: { statusUpdate: { status: { state: 'TASK_STATE_WORKING' } } } },
      ]);
      expect(await store.read(sent.taskId, 0, 10)).toEqual([...sent.events, ...claimed.events]);
      const behind = await store.submit(inbound({ contextId: 'c' }), admit, claimant());
      expect(behind).not.toHaveProperty('claimed');
      expect(await claim(store)).toEqual([]);
      await complete(store, claimed.lease);
      expect(await claimOne(store)).toMatchObject({ runId: behind.runId });
    });
  });

  describe('the same message again', () => {
    const same = { messageId: 'same', text: 'same' };

    it('joins the open run of a new task', async () => {
      const first = await send(store, same);
      expect(await send(store, same)).toEqual({ ...first, joined: true, events: [] });
      const lease = await claimOne(store);
      expect(await send(store, same)).toEqual({ ...first, joined: true, events: [] });
      await complete(store, lease);
      expect((await send(store, same)).taskId).not.toBe(first.taskId);
    });

    it('is another message with other content, of another caller, or to another target', async () => {
      const first = await send(store, same);
      const others = [
        await send(store, { ...same, text: 'other' }),
        await send(store, { ...same, owner: 'other' }),
        await send(store, { ...same, assistantId: 'second' }),
        await send(store, { ...same, contextId: 'c' }),
      ];
      expect(new Set([first, ...others].map(({ taskId }) => taskId)).size).toBe(5);
    });

    it('U37: is known by its key to its own caller and assistant alone, and with its own content', async () => {
      const keyed = (sending: Sending, digest = 'body') => {
        const request = { key: 'key', digest, keptMs: 60_000 };
        return store.submit({ ...inbound(sending), request }, admit);
      };
      const first = await keyed({ text: 'one' });
      const others = [await keyed({ owner: 'other' }), await keyed({ assistantId: 'second' })];
      expect(new Set([first, ...others].map(({ taskId }) => taskId)).size).toBe(3);
      expect(await keyed({ text: 'one' })).toMatchObject({ joined: true, taskId: first.taskId });
      await expect(keyed({ text: 'two' }, 'another body')).rejects.toMatchObject({ kind: 'invalid-params' });
    });

    it('never runs again for a named task', async () => {
      const { taskId } = await send(store);
      const lease = await claimOne(store);
      const follow = await send(store, { ...same, taskId });
      await pause(store, lease, []);
      await complete(store, await claimOne(store));
      expect(await send(store, { ...same, taskId })).toEqual({ ...follow, joined: true, events: [] });
      expect(await store.outcome(follow.runId)).toEqual({ state: 'done' });
      expect(await claim(store)).toEqual([]);
    });
  });
}

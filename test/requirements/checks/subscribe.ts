import { applyEvent, type Task, type TaskEvent } from '@parley/protocol';
import { expect } from 'vitest';
import {
  COMPLETED,
  collect,
  getTask,
  INPUT_REQUIRED,
  message,
  next,
  pausedTask,
  refused,
  send,
  stateOf,
  WORKING,
} from '../ask.ts';
import type { Checks } from '../check.ts';
import type { Event, Peer } from '../peer.ts';

const UNKNOWN = '00000000-0000-7000-8000-000000000000';

const subscribe = (peer: Peer, id: string): AsyncGenerator<Event, void, undefined> =>
  peer.stream('SubscribeToTask', { id });

/** What the events of a subscription make of a task, as a client adds them up. */
function added([first, ...updates]: Event[]): Task {
  let task = first?.task as Task;
  for (const { final: _, ...update } of updates) task = applyEvent(task, update as TaskEvent);
  return task;
}

export const subscriptions: Checks = {
  'STREAM-ERROR-FIRST': async (peer) => {
    await refused(peer, 'SubscribeToTask', { id: UNKNOWN }, { code: -32001 });
    await refused(peer, 'SendStreamingMessage', { message: {} }, { code: -32602 });
    await refused(
      peer,
      'SendStreamingMessage',
      { message: message('x', { taskId: UNKNOWN }) },
      { code: -32001 },
    );
  },

  'STREAM-ORDER-002': async (peer) => {
    const { id } = await pausedTask(peer);
    const both = [subscribe(peer, id), subscribe(peer, id), subscribe(peer, id)];
    await Promise.all(both.map(next));
    peer.gates.open('pause');
    for (const events of both) {
      const all = await collect(events);
      expect(all.some(({ artifactUpdate }) => artifactUpdate?.artifact.artifactId === 'after')).toBe(true);
      expect(stateOf(all.at(-1))).toBe(COMPLETED);
    }
  },

  'STREAM-ORDER-003': async (peer) => {
    const { id } = await pausedTask(peer);
    const both = [subscribe(peer, id), subscribe(peer, id)];
    await Promise.all(both.map(next));
    peer.gates.open('pause');
    const [one, two] = await Promise.all(both.map(collect));
    expect(one).toEqual(two);
    expect(one?.length).toBeGreaterThan(1);
  },

  'STREAM-ORDER-004': async (peer) => {
    const { id } = await pausedTask(peer);
    const [leaves, stays] = [subscribe(peer, id), subscribe(peer, id)];
    await Promise.all([next(leaves), next(stays)]);
    await leaves.return();
    peer.gates.open('pause');
    expect(stateOf((await collect(stays)).at(-1))).toBe(COMPLETED);
  },

  'STREAM-SUB-001': async (peer) => {
    const { id } = await pausedTask(peer);
    const events = subscribe(peer, id);
    const { task } = await next(events);
    expect([task.id, task.status.state]).toEqual([id, WORKING]);
    expect(task.artifacts.map(({ artifactId }: { artifactId: string }) => artifactId)).toEqual(['before']);
    peer.gates.open('pause');
    await collect(events);
  },

  'STREAM-SUB-002': async (peer) => {
    const { id } = await send(peer, 'tck-input-required');
    const events = subscribe(peer, id);
    expect(stateOf(await next(events))).toBe(INPUT_REQUIRED);
    await send(peer, 'tck-input-required', { taskId: id });
    await send(peer, 'tck-complete-task', { taskId: id });
    const states = (await collect(events)).map(stateOf).filter((state) => state !== undefined);
    expect(states).toEqual([WORKING, INPUT_REQUIRED, WORKING, COMPLETED]);
  },

  'STREAM-SUB-003': async (peer) => {
    for (const prefix of ['tck-complete-task', 'tck-reject-task', 'own-fail']) {
      const { id } = await send(peer, prefix);
      await refused(peer, 'SubscribeToTask', { id }, { code: -32004, reason: 'UNSUPPORTED_OPERATION' });
    }
  },

  'STREAM-SUB-004': async (peer) => {
    await refused(peer, 'SubscribeToTask', { id: UNKNOWN }, { code: -32001, reason: 'TASK_NOT_FOUND' });
  },

  'STREAM-SUB-NO-GAP': async (peer) => {
    const { id } = await pausedTask(peer);
    const events = subscribe(peer, id);
    const seen = [await next(events)];
    peer.gates.open('pause');
    seen.push(...(await collect(events)));
    const { history: _, ...task } = await getTask(peer, id);
    const { history: __, ...sum } = added(seen);
    expect(sum).toEqual(task);
  },
};

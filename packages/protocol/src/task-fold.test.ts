import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { task as anyTask, deepFreeze, update } from '../test/arbitraries.ts';
import { createFold } from './fold-log.ts';
import type { Artifact, Message, Part, Task, TaskEvent, TaskState } from './model.ts';
import { applyEvent } from './task-fold.ts';

const ids = { taskId: 't', contextId: 'c' };
const start: Task = deepFreeze({ id: 't', contextId: 'c', status: { state: 'TASK_STATE_SUBMITTED' } });

const chunk = (artifactId: string, parts: Part[], more: Partial<Artifact> = {}, append = true): TaskEvent =>
  deepFreeze({ artifactUpdate: { ...ids, append, artifact: { artifactId, parts, ...more } } });

const turn = (state: TaskState, metadata?: { [key: string]: string }): TaskEvent =>
  deepFreeze({ statusUpdate: { ...ids, status: { state }, ...(metadata ? { metadata } : {}) } });

const fold = (...events: TaskEvent[]): Task =>
  events.reduce<Task>((task, event) => applyEvent(task, event), start);

describe('applyEvent', () => {
  it('starts with a task and with nothing else', () => {
    expect(applyEvent(undefined, { task: start })).toBe(start);
    expect(() => applyEvent(undefined, turn('TASK_STATE_WORKING'))).toThrow(
      expect.objectContaining({ code: 'FOLD_WITHOUT_TASK' }),
    );
  });

  it('U11: joins consecutive text chunks into one part with the exact text', () => {
    const task = fold(
      chunk('a', [{ text: 'Hel' }], {}, false),
      chunk('a', [{ text: 'lo ' }]),
      chunk('a', [{ text: '' }]),
      chunk('a', [{ text: 'w' }]),
    );
    expect(task.artifacts).toEqual([{ artifactId: 'a', parts: [{ text: 'Hello w' }] }]);
  });

  it('joins at the seam of two events only', () => {
    const task = fold(chunk('a', [{ text: '1' }, { text: '2' }]), chunk('a', [{ text: '3' }, { text: '4' }]));
    expect(task.artifacts?.[0]?.parts).toEqual([{ text: '1' }, { text: '23' }, { text: '4' }]);
  });

  it.each<[string, Part, Part]>([
    ['metadata', { text: 'a', metadata: { x: 1 } }, { text: 'b', metadata: { x: 2 } }],
    ['metadata on one side', { text: 'a' }, { text: 'b', metadata: {} }],
    ['mediaType', { text: 'a', mediaType: 'text/plain' }, { text: 'b', mediaType: 'text/html' }],
    ['filename', { text: 'a', filename: 'x' }, { text: 'b' }],
    ['kind', { text: 'a' }, { data: 'b' }],
  ])('keeps parts of different %s apart', (_, left, right) => {
    expect(fold(chunk('a', [left]), chunk('a', [right])).artifacts?.[0]?.parts).toEqual([left, right]);
  });

  it('joins across equal metadata, whatever the order of its keys', () => {
    const task = fold(
      chunk('a', [{ text: 'a', metadata: { x: 1, y: [2] } }]),
      chunk('a', [{ text: 'b', metadata: { y: [2], x: 1 } }]),
    );
    expect(task.artifacts?.[0]?.parts).toEqual([{ text: 'ab', metadata: { x: 1, y: [2] } }]);
  });

  it('U11: replaces an artifact in its place unless it appends', () => {
    const task = fold(
      chunk('a', [{ text: '1' }], { name: 'old' }, false),
      chunk('b', [{ text: '2' }], {}, false),
      chunk('a', [{ text: '3' }], {}, false),
    );
    expect(task.artifacts).toEqual([
      { artifactId: 'a', parts: [{ text: '3' }] },
      { artifactId: 'b', parts: [{ text: '2' }] },
    ]);
  });

  it('merges what later chunks say about an artifact', () => {
    const task = fold(
      chunk('a', [{ text: '1' }], { name: 'n', metadata: { x: 1, y: 1 }, extensions: ['e'] }),
      chunk('a', [{ text: '2' }], { description: 'd', metadata: { y: 2 }, extensions: ['e', 'f'] }),
    );
    expect(task.artifacts).toEqual([
      {
        artifactId: 'a',
        name: 'n',
        description: 'd',
        metadata: { x: 1, y: 2 },
        extensions: ['e', 'f'],
        parts: [{ text: '12' }],
      },
    ]);
  });

  it('appends history and merges metadata of status updates', () => {
    const message: Message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] };
    const task = fold(
      { history: message },
      turn('TASK_STATE_WORKING', { a: '1', b: '1' }),
      turn('TASK_STATE_WORKING', { b: '2' }),
      { history: message },
    );
    expect(task).toEqual({
      ...start,
      status: { state: 'TASK_STATE_WORKING' },
      history: [message, message],
      metadata: { a: '1', b: '2' },
    });
  });

  it.each<TaskState>([
    'TASK_STATE_COMPLETED',
    'TASK_STATE_FAILED',
    'TASK_STATE_CANCELED',
    'TASK_STATE_REJECTED',
  ])('changes nothing after %s', (state) => {
    const ended = fold(turn(state));
    for (const event of [turn('TASK_STATE_WORKING'), chunk('a', [{ text: 'late' }]), { task: start }]) {
      expect(applyEvent(ended, event)).toBe(ended);
    }
  });

  it('moves the answer to the front when the task completes, and only then', () => {
    const texts = [
      chunk('a', [{ text: 'draft' }]),
      chunk('b', [{ text: 'answer' }]),
      chunk('c', [{ text: 'x' }]),
    ];
    const order = (event: TaskEvent) => fold(...texts, event).artifacts?.map(({ artifactId }) => artifactId);
    expect(order(turn('TASK_STATE_COMPLETED', { answerArtifactId: 'b' }))).toEqual(['b', 'a', 'c']);
    expect(order(turn('TASK_STATE_COMPLETED', { answerArtifactId: 'nope' }))).toEqual(['a', 'b', 'c']);
    expect(order(turn('TASK_STATE_FAILED', { answerArtifactId: 'b' }))).toEqual(['a', 'b', 'c']);
  });

  it('shares what an event does not touch', () => {
    const before = fold(chunk('a', [{ text: '1' }]), chunk('b', [{ text: '2' }]));
    const after = applyEvent(before, chunk('b', [{ text: '3' }]));
    expect(after.artifacts?.[0]).toBe(before.artifacts?.[0]);
    expect(after.status).toBe(before.status);
  });

  it('keeps a metadata key named __proto__', () => {
    const metadata = JSON.parse('{"__proto__":{"x":1}}');
    const task = fold(
      { statusUpdate: { ...ids, status: start.status, metadata } },
      turn('TASK_STATE_WORKING', { a: '1' }),
    );
    expect(Object.keys(task.metadata ?? {})).toEqual(['__proto__', 'a']);
  });
});

describe('createFold', () => {
  it('agrees with applyEvent on every prefix of every log, and neither changes its arguments', () => {
    fc.assert(
      fc.property(
        anyTask,
        fc.array(update, { maxLength: 12 }),
        fc.array(fc.boolean()),
        (first, events, looks) => {
          deepFreeze(first);
          deepFreeze(events);
          const log = createFold(first);
          let expected = first;
          for (const [index, event] of events.entries()) {
            expected = deepFreeze(applyEvent(expected, event));
            log.apply(event);
            if (looks[index % Math.max(looks.length, 1)]) expect(deepFreeze(log.task())).toEqual(expected);
          }
          expect(log.task()).toEqual(expected);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('starts empty or from an event', () => {
    const log = createFold();
    expect(log.task()).toBeUndefined();
    expect(() => log.apply(turn('TASK_STATE_WORKING'))).toThrow(
      expect.objectContaining({ code: 'FOLD_WITHOUT_TASK' }),
    );
    log.apply({ task: start });
    expect(log.task()).toBe(start);
  });

  it('U10: hands out snapshots that later events do not change, and shares what stayed', () => {
    const log = createFold(start);
    log.apply(chunk('a', [{ data: 1 }]));
    log.apply(chunk('b', [{ data: 1 }]));
    const before = log.task();
    log.apply(chunk('b', [{ data: 2 }]));
    expect(before?.artifacts?.[1]?.parts).toEqual([{ data: 1 }]);
    expect(log.task()?.artifacts?.[0]).toBe(before?.artifacts?.[0]);
    expect(log.task()).toBe(log.task());
  });

  it('takes many chunks', () => {
    const log = createFold(start);
    for (let index = 0; index < 100_000; index += 1) log.apply(chunk('a', [{ text: `${index % 10}` }]));
    expect(log.task()?.artifacts).toEqual([
      { artifactId: 'a', parts: [{ text: '0123456789'.repeat(10_000) }] },
    ]);
  });
});

import { setImmediate } from 'node:timers/promises';
import { applyEvent, type Task } from '@parley/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { inboundOf } from '../../packages/server/src/engine/inbound.ts';
import type { RunEnd } from '../../packages/server/src/engine/ports/executor.ts';
import { openRunLog } from '../../packages/server/src/engine/run-log.ts';
import { streamTask } from '../../packages/server/src/engine/stream-task.ts';
import { CALLER, COMPLETED, type Engine, type EngineOptions, openEngine, piece } from './engine-harness.ts';

let engine: Engine;
afterEach(() => engine.close());

describe('the log of a run', () => {
  const open = async () => {
    engine = openEngine(async () => COMPLETED);
    void engine.say('go').catch(() => {});
    const begin = (lease: Parameters<typeof piece>[0]['lease']) => piece({ lease }, 'begin', '');
    const [claimed] = await engine.store.claim({ worker: 'w', leaseMs: 10_000, begin }, 1);
    if (!claimed) throw new Error('not claimed');
    const { lease } = claimed;
    return { lease, log: openRunLog(engine.store, engine.wake, lease, () => {}) };
  };

  it('joins pieces of text that are marked, and nothing else', async () => {
    const { lease, log } = await open();
    const run = { lease };
    log.emit(piece(run, '1', 'a', { append: false, name: 'Named', delta: true }));
    log.emit(piece(run, '2', 'b', { delta: true }));
    log.emit(piece(run, '3', 'c', { delta: true, lastChunk: true }));
    log.emit(piece(run, '4', 'd'));
    log.emit(piece(run, '5', 'e', { delta: true }));
    log.emit(piece(run, '6', 'f', { delta: true, name: 'Renamed' }));
    log.emit(piece(run, '7', 'g'));
    const rest = await log.drain();
    expect(rest.map(({ key }) => key)).toEqual(['1', '4', '5', '6', '7']);
    expect(rest[0]).toMatchObject({
      event: {
        artifactUpdate: {
          append: false,
          lastChunk: true,
          artifact: { artifactId: 'a', name: 'Named', parts: [{ text: 'abc' }] },
        },
      },
    });
  });

  it('takes nothing after its end', async () => {
    const { lease, log } = await open();
    expect(await log.drain()).toEqual([]);
    log.emit(piece({ lease }, 'late', 'x'));
    expect(await log.drain()).toEqual([]);
  });
});

describe('a stream', () => {
  it('shows what came before the event that its check refuses', async () => {
    engine = openEngine(async (_, context) => {
      context.emit(piece(context, 'one', 'one'));
      return COMPLETED;
    });
    engine.work();
    const answer = await engine.say('go');
    const taskId = 'task' in answer ? answer.task.id : '';
    const { owner, assistantId } = CALLER;
    const stream = streamTask({
      store: engine.store,
      wake: engine.wake,
      ref: { owner, assistantId, taskId },
      signals: CALLER.signals,
      pollMs: 5,
      after: 1,
      until: 'answer',
      check: async () => {
        throw new Error('refused');
      },
    });
    const seen: number[] = [];
    const read = async (): Promise<void> => {
      for await (const events of stream) seen.push(...events.map(({ id }) => id));
    };
    await expect(read()).rejects.toThrow('refused');
    expect(seen).toEqual([2, 3]);
  });
});

describe('U07, U12: a subscription', () => {
  it('misses nothing of what happens while its first event is read, and says nothing twice', async () => {
    let go = (): void => {};
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    let armed = false;
    engine = openEngine(
      async (_, context) => {
        context.emit(piece(context, '1', 'one ', { append: false }));
        await gate;
        context.emit(piece(context, '2', 'two '));
        context.emit(piece(context, '3', 'three'));
        return COMPLETED;
      },
      {
        faults: (store) => ({
          history: async (ref, ...window) => {
            if (armed) go();
            const state = async () => (await store.snapshot(ref))?.task.status.state;
            while (armed && (await state()) !== 'TASK_STATE_COMPLETED') await setImmediate();
            return store.history(ref, ...window);
          },
        }),
      },
    );
    engine.work();
    const said = engine.say('go');
    const textOf = (task: Task | undefined): string =>
      task?.artifacts
        ?.map(({ parts }) => parts.map((part) => ('text' in part ? part.text : '')).join(''))
        .join() ?? '';
    const running = async () =>
      (await engine.operations.listTasks(CALLER, { includeArtifacts: true, historyLength: 0 })).tasks[0];
    await expect.poll(async () => textOf(await running())).toBe('one ');
    const id = (await running())?.id ?? '';
    armed = true;
    let seen: Task | undefined;
    const read = async (): Promise<void> => {
      for await (const batch of await engine.operations.subscribeToTask(CALLER, { id })) {
        for (const { event } of batch) {
          if ('message' in event) throw new Error('a message');
          if ('task' in event) expect([seen, textOf(event.task)]).toEqual([undefined, 'one ']);
          seen = applyEvent(seen, event);
        }
      }
    };
    const ended = read();
    await expect.poll(() => textOf(seen)).toBe('one two three');
    await ended;
    armed = false;
    await said;
    expect(seen?.status.state).toBe('TASK_STATE_COMPLETED');
  });
});

describe('a list', () => {
  it('reads the history of a context once', async () => {
    const reads: string[] = [];
    const faults: EngineOptions['faults'] = (store) => ({
      history: async (ref, scope, limit) => {
        reads.push(scope);
        return store.history(ref, scope, limit);
      },
    });
    engine = openEngine(async () => COMPLETED, { faults });
    engine.work();
    for (const contextId of ['a', 'a', 'a', 'b']) await engine.say('go', contextId);
    reads.length = 0;
    const { tasks } = await engine.operations.listTasks(CALLER, {});
    expect(tasks.map(({ history }) => history?.length)).toEqual([1, 3, 3, 3]);
    expect(reads).toEqual(['context', 'context']);
    const own = await engine.operations.listTasks(CALLER, { historyScope: 'task' });
    expect(own.tasks.map(({ history }) => history?.length)).toEqual([1, 1, 1, 1]);
    expect(reads).toHaveLength(6);
  });
});

describe('the digest of a message', () => {
  it('is that of caller, assistant, message and command', () => {
    engine = openEngine(async () => COMPLETED);
    const message = { messageId: 'm', role: 'ROLE_USER' as const, parts: [], taskId: 't' };
    const sent = { streaming: true, streamTokens: false, messageReplies: false, cancelTurn: false };
    const digests = [
      inboundOf(CALLER, { message }, sent),
      inboundOf(CALLER, { message, command: { resume: 'yes' } }, sent),
      inboundOf(CALLER, { message, command: { resume: 'no' } }, sent),
      inboundOf(CALLER, { message: { ...message, taskId: 'u' } }, sent),
      inboundOf({ ...CALLER, owner: 'other' }, { message }, sent),
      inboundOf({ ...CALLER, assistantId: 'other' }, { message }, sent),
    ].map(({ digest }) => digest);
    expect(new Set(digests).size).toBe(digests.length);
    expect(
      inboundOf(CALLER, { message, metadata: { attempt: 2 } }, { ...sent, streaming: false }).digest,
    ).toBe(digests[0]);
  });
});

it('a turn before a cancel that does not end is cut off, and the task is canceled', async () => {
  const asks: RunEnd = { state: 'TASK_STATE_INPUT_REQUIRED', pending: [] };
  engine = openEngine((text) => (text === 'cancel' ? new Promise(() => {}) : Promise.resolve(asks)), {
    cancelTurn: true,
  });
  engine.work();
  const sent = await engine.say('go');
  const id = 'task' in sent ? sent.task.id : '';
  const { status } = await engine.operations.cancelTask(CALLER, { id });
  expect(status.state).toBe('TASK_STATE_CANCELED');
  expect(engine.runs.map(({ text }) => text)).toEqual(['go', 'cancel']);
});

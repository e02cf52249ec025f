import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { Unavailable } from '../../packages/server/src/engine/unavailable.ts';
import { openRefusable } from '../store/refused-commit.ts';
import { CALLER, COMPLETED, type Engine, openEngine, piece, unfoldable } from './engine-harness.ts';

let engine: Engine;
afterEach(() => engine.close());

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

type Answer = Awaited<ReturnType<Engine['say']>>;

function taskOf(answer: Answer) {
  if (!('task' in answer)) throw new Error('no task');
  return answer.task;
}

const stateOf = (answer: Answer) => taskOf(answer).status.state;

/** Sends a message whose sender is told that its task goes on later. */
async function refusedTask() {
  const refused = await engine.say('go').catch((error: unknown) => error);
  const metadata = { taskId: expect.any(String) };
  expect(refused).toMatchObject({ kind: 'unavailable', retryAfter: 10, metadata });
  const { taskId } = (refused as { metadata: { taskId: string } }).metadata;
  return { task: () => engine.operations.getTask(CALLER, { id: taskId }) };
}

describe('what the store refuses', () => {
  it.each(['while the agent runs', 'with its end'] as const)('fails the run, %s', async (when) => {
    engine = openEngine(async (text, context) => {
      if (text !== 'bad') return COMPLETED;
      context.emit(piece(context, 'good', 'kept', { append: false }));
      context.emit(unfoldable(context));
      return when === 'with its end' ? COMPLETED : aborted(context.signal);
    });
    engine.work();
    const [bad, good] = await Promise.all([engine.say('bad'), engine.say('good')]);
    expect(stateOf(bad)).toBe('TASK_STATE_FAILED');
    expect(taskOf(bad).status.message?.parts).toMatchObject([{ text: expect.stringContaining('id-') }]);
    expect(stateOf(good)).toBe('TASK_STATE_COMPLETED');
    expect(engine.runs.map(({ text }) => text)).toEqual(['bad', 'good']);
  });

  it('does not undo what came before and after it', async () => {
    let failures = 1;
    engine = openEngine(
      async (_, context) => {
        context.emit(piece(context, 'one', 'one'));
        await aborted(context.signal).catch(() => context.emit(piece(context, 'two', 'two')));
        return COMPLETED;
      },
      {
        faults: (store) => ({
          append: async (lease, entries) => {
            if (failures-- > 0) throw new Error('disk full');
            return store.append(lease, entries);
          },
        }),
      },
    );
    engine.work();
    const task = taskOf(await engine.say('go'));
    expect(task.status.state).toBe('TASK_STATE_FAILED');
    expect(task.artifacts).toMatchObject([{ parts: [{ text: 'two' }] }]);
  });
});

describe('an end that cannot be stored', () => {
  it.each([
    { givenBack: true, attempts: [1, 2] },
    { givenBack: false, attempts: [1, 2] },
  ])('is written by the next attempt; given back: $givenBack', async ({ givenBack, attempts }) => {
    let failures = 1;
    engine = openEngine(async () => COMPLETED, {
      faults: (store) => ({
        finish: async (lease, end) => {
          if (failures-- > 0) throw new Error('busy');
          return store.finish(lease, end);
        },
        release: async (lease, delayMs, counts) => {
          engine.clock.now += givenBack ? delayMs : 1_000;
          if (!givenBack) throw new Error('busy');
          return store.release(lease, 0, counts);
        },
      }),
    });
    engine.work();
    expect(stateOf(await engine.say('go'))).toBe('TASK_STATE_COMPLETED');
    expect(engine.runs.map(({ attempt }) => attempt)).toEqual(attempts);
  });

  it('keeps its last entries when the store was only busy', async () => {
    let failures = 1;
    engine = openEngine(
      async (_, context) => {
        context.emit(piece(context, 'one', 'one'));
        return COMPLETED;
      },
      {
        faults: (store) => ({
          finish: async (lease, end) => {
            if (failures-- > 0) throw new Error('busy');
            return store.finish(lease, end);
          },
        }),
      },
    );
    engine.work();
    const task = taskOf(await engine.say('go'));
    expect(task).toMatchObject({
      status: { state: 'TASK_STATE_COMPLETED' },
      artifacts: [{ artifactId: 'a' }],
    });
    expect(engine.runs).toHaveLength(1);
  });
});

describe('a commit that the disk refuses', () => {
  // No heartbeat, whose commit would be the one that is refused.
  const UNDISTURBED = { leaseMs: 600_000 };

  it.each(['events', 'end'] as const)('costs time and nothing else: %s', async (what) => {
    const { database, refuse } = openRefusable();
    engine = openEngine(
      async (_, context) => {
        context.emit(piece(context, `${context.lease.epoch}`, 'said', { append: false }));
        if (context.lease.epoch > 1) return COMPLETED;
        refuse();
        return what === 'events' ? aborted(context.signal) : COMPLETED;
      },
      { database, fused: UNDISTURBED },
    );
    const { task } = await refusedTask();
    engine.clock.now += 10_000;
    await expect.poll(async () => (await task()).status.state).toBe('TASK_STATE_COMPLETED');
    expect((await task()).artifacts).toMatchObject([{ parts: [{ text: 'said' }] }]);
    expect(engine.runs.map(({ attempt }) => attempt)).toEqual([1, 1]);
  });

  it('is heard of at once by the sender of a message, whose agent does not begin', async () => {
    const { database, refuse } = openRefusable();
    engine = openEngine(async () => COMPLETED, { database, fused: UNDISTURBED });
    refuse();
    await expect(engine.say('go')).rejects.toThrow(Unavailable);
    expect(engine.runs).toEqual([]);
    expect(stateOf(await engine.say('again'))).toBe('TASK_STATE_COMPLETED');
  });
});

describe('a store that cannot write', () => {
  const refuse = async (): Promise<never> => {
    throw new Unavailable('disk full');
  };

  it.each([
    ['the end', { finish: refuse }],
    ['the end, and the run stays with its lease', { finish: refuse, release: refuse }],
    ['an event', { append: refuse }],
  ])('costs time, and those who wait are told: %s', async (what, fault) => {
    let broken = true;
    engine = openEngine(
      async (_, context) => {
        context.emit(piece(context, 'said', 'said', { append: false }));
        if (what === 'an event' && context.lease.epoch === 1) await aborted(context.signal);
        return COMPLETED;
      },
      {
        faults: (store) =>
          Object.fromEntries(
            Object.entries(fault).map(([name, broke]) => [
              name,
              (...args: unknown[]) =>
                broken ? broke() : (store[name as 'finish'] as (...args: unknown[]) => unknown)(...args),
            ]),
          ),
        fused: { leaseMs: 9_000, pollMs: 5 },
      },
    );
    const { task } = await refusedTask();
    broken = false;
    engine.clock.now += 8_000;
    engine.wake.signal('run', '');
    await sleep(20);
    expect((await task()).status.state).toBe('TASK_STATE_WORKING');
    engine.clock.now += 2_001;
    await engine.store.reap(false);
    await expect.poll(async () => (await task()).status.state).toBe('TASK_STATE_COMPLETED');
    expect((await task()).artifacts).toMatchObject([{ parts: [{ text: 'said' }] }]);
    // Of a run that stays with its lease nobody knows why it ended.
    expect(engine.runs.map(({ attempt }) => attempt)).toEqual([1, 'release' in fault ? 2 : 1]);
  });

  it('may take long: a run begins again ever later, however often', async () => {
    const delays: number[] = [];
    engine = openEngine(async () => COMPLETED, {
      faults: (store) => ({
        finish: async (...args) => (delays.length < 8 ? refuse() : store.finish(...args)),
        release: async (lease, delayMs, counts) => {
          delays.push(delayMs / 1_000);
          await store.release(lease, delayMs, counts);
          engine.clock.now += delayMs;
        },
      }),
      fused: { leaseMs: 900_000 },
    });
    const { task } = await refusedTask();
    await expect.poll(async () => (await task()).status.state).toBe('TASK_STATE_COMPLETED');
    expect(delays).toEqual([10, 20, 40, 80, 160, 320, 600, 600]);
  });

  it('does not keep a canceled task from its end, nor those who wait for it', async () => {
    let begun = (): void => {};
    const begins = new Promise<void>((resolve) => {
      begun = resolve;
    });
    engine = openEngine(
      async (_, { signal }) => {
        begun();
        return aborted(signal);
      },
      { faults: () => ({ finish: refuse }), fused: {} },
    );
    const answer = engine.say('go');
    await begins;
    const { tasks } = await engine.operations.listTasks(CALLER, {});
    const canceled = await engine.operations.cancelTask(CALLER, { id: tasks[0]?.id ?? '' });
    expect(canceled.status.state).toBe('TASK_STATE_CANCELED');
    expect(stateOf(await answer)).toBe('TASK_STATE_CANCELED');
  });

  it('says so to the sender of a message', async () => {
    engine = openEngine(async () => COMPLETED, { faults: () => ({ submit: refuse }), fused: {} });
    await expect(engine.say('go')).rejects.toThrow(Unavailable);
  });
});

describe('a worker that is gone', () => {
  const abandon = async (leaseMs: number): Promise<void> => {
    const claimant = {
      worker: 'gone',
      leaseMs,
      begin: (lease: Parameters<typeof piece>[0]['lease']) => piece({ lease }, 'begin', ''),
    };
    expect(await engine.store.claim(claimant, 1)).toHaveLength(1);
  };

  it('U22, U34: loses its run to another when its lease has ended', async () => {
    engine = openEngine(async () => COMPLETED);
    const answer = engine.say('go');
    await abandon(10_000);
    engine.work();
    engine.clock.now += 10_001;
    await expect.poll(() => engine.runs).toEqual([{ text: 'go', attempt: 2 }]);
    expect(stateOf(await answer)).toBe('TASK_STATE_COMPLETED');
  });

  it('that comes back to its own run stops the attempt it had, and keeps the new one', async () => {
    let first: AbortSignal | undefined;
    const begun: (() => void)[] = [];
    const begins = [0, 1].map((i) => new Promise<void>((resolve) => (begun[i] = resolve)));
    engine = openEngine(async (_, { lease, signal }) => {
      begun[lease.attempt - 1]?.();
      if (lease.attempt === 1) {
        first = signal;
        return aborted(signal);
      }
      for (let beats = 0; beats < 5; beats++) {
        engine.clock.now += 30;
        await sleep(25);
      }
      return COMPLETED;
    });
    const worker = engine.work();
    const answer = engine.say('go');
    await begins[0];
    engine.clock.now += 61;
    expect(await engine.store.reap(false)).toBe(1);
    engine.wake.signal('run', '');
    await begins[1];
    expect(first?.aborted).toBe(true);
    expect(stateOf(await answer)).toBe('TASK_STATE_COMPLETED');
    expect(engine.runs.map(({ attempt }) => attempt)).toEqual([1, 2]);
    await expect.poll(() => worker.running()).toBe(0);
  });

  it('is not followed by a fourth: the run fails and the lane goes on', async () => {
    engine = openEngine(async () => COMPLETED);
    const doomed = engine.say('doomed');
    const next = engine.say('next');
    for (let i = 0; i < 3; i++) {
      await abandon(-1);
      expect(await engine.store.reap(false)).toBe(1);
    }
    engine.work();
    const task = taskOf(await doomed);
    expect(task.status).toMatchObject({
      state: 'TASK_STATE_FAILED',
      message: { parts: [{ text: 'The agent stopped unexpectedly several times.' }] },
    });
    expect(stateOf(await next)).toBe('TASK_STATE_COMPLETED');
    expect(engine.runs).toEqual([{ text: 'next', attempt: 1 }]);
  });
});

describe('a run', () => {
  it('is found whenever it is queued, also as the worker finds nothing more', async () => {
    for (let hops = 0; hops < 8; hops++) {
      let idle = 0;
      let answer: Promise<Answer> | undefined;
      engine = openEngine(async () => COMPLETED, {
        faults: (store) => ({
          claim: async (claimant, n) => {
            const claimed = await store.claim(claimant, n);
            if (claimed.length > 0 || idle++ > 0) return claimed;
            void (async () => {
              for (let i = 0; i < hops; i++) await undefined;
              answer = engine.say('go');
            })();
            return claimed;
          },
        }),
      });
      engine.work({ pollMs: 60_000, leaseMs: 180_000 });
      for (let i = 0; i < 50; i++) await undefined;
      expect(answer && stateOf(await answer)).toBe('TASK_STATE_COMPLETED');
      if (hops < 7) await engine.close();
    }
  });

  it('begins although its stream cannot', async () => {
    let broken = false;
    let resumed = (): void => {};
    const second = new Promise<void>((resolve) => {
      resumed = resolve;
    });
    engine = openEngine(
      async (text) => {
        if (text === 'yes') resumed();
        return text === 'yes' ? COMPLETED : { state: 'TASK_STATE_INPUT_REQUIRED', pending: [] };
      },
      {
        fused: { pollMs: 60_000, leaseMs: 180_000 },
        faults: (store) => ({
          snapshot: async (ref) => {
            if (broken) throw new Error('busy');
            return store.snapshot(ref);
          },
        }),
      },
    );
    const { id: taskId } = taskOf(await engine.say('ask'));
    broken = true;
    const parts = [{ text: 'yes' }];
    const message = { messageId: 'm', role: 'ROLE_USER' as const, parts, taskId };
    await expect(engine.operations.sendStreamingMessage(CALLER, { message })).rejects.toThrow('busy');
    await second;
    broken = false;
  });

  it('sees the conversation without what is still queued', async () => {
    const seen: { [text: string]: string[] } = {};
    let open = (): void => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    engine = openEngine(async (text, context) => {
      await gate;
      seen[text] = (await context.history()).map(({ parts }) => (parts[0] as { text: string }).text);
      return COMPLETED;
    });
    engine.work();
    const answers = [engine.say('one'), engine.say('two'), engine.say('three')];
    open();
    await Promise.all(answers);
    expect(seen).toEqual({ one: [], two: ['one'], three: ['one', 'two'] });
  });

  it('that was written off is not heard any more', async () => {
    let appended = 0;
    let emit = (): void => {};
    let begun = (): void => {};
    const begins = new Promise<void>((resolve) => {
      begun = resolve;
    });
    engine = openEngine(
      (_, context) => {
        emit = () => context.emit(piece(context, 'late', 'late'));
        begun();
        return new Promise(() => {});
      },
      {
        faults: (store) => ({
          append: async (lease, entries) => {
            appended++;
            return store.append(lease, entries);
          },
        }),
      },
    );
    engine.work();
    const answer = engine.say('go');
    await begins;
    const { tasks } = await engine.operations.listTasks(CALLER, {});
    await engine.operations.cancelTask(CALLER, { id: tasks[0]?.id ?? '' });
    expect(stateOf(await answer)).toBe('TASK_STATE_CANCELED');
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    emit();
    expect(timers()).toBe(before);
    expect(appended).toBe(0);
  });
});

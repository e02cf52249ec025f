import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { CALLER, COMPLETED, type Engine, openEngine, piece } from './engine-harness.ts';

let engine: Engine;
afterEach(() => engine.close());

const LONG_MS = 600_000;

const onlyTask = async () => (await engine.operations.listTasks(CALLER, {})).tasks[0];

describe('U22: a run that takes too long', () => {
  it.each(['heeds its signal', 'ignores it'])('fails its task at the deadline: it %s', async (how) => {
    let aborted = false;
    engine = openEngine((_, context) => {
      context.emit(piece(context, '1', 'begun', { append: false }));
      return new Promise((_, reject) => {
        context.signal.addEventListener('abort', () => {
          aborted = true;
          if (how === 'heeds its signal') reject(context.signal.reason);
        });
      });
    });
    engine.work({ runDeadlineMs: 40, leaseMs: LONG_MS, cancelGraceMs: 20 });
    const answer = engine.say('go');
    await expect.poll(async () => (await onlyTask())?.status.state).toBe('TASK_STATE_FAILED');
    expect(aborted).toBe(true);
    expect(await answer).toMatchObject({
      task: {
        status: { message: { parts: [{ text: 'The task took longer than 0.04 s and was stopped.' }] } },
        artifacts: [{ parts: [{ text: 'begun' }] }],
      },
    });
    expect(await engine.say('next')).toMatchObject({ task: { status: { state: 'TASK_STATE_FAILED' } } });
  });
});

describe('U18: a cancel', () => {
  it('stops the run at once, not at its next heartbeat, and what it says later is not heard', async () => {
    let signal: AbortSignal | undefined;
    let finish = (): void => {};
    const late = new Promise<void>((resolve) => {
      finish = resolve;
    });
    engine = openEngine(
      async (_, context) => {
        signal = context.signal;
        await late;
        context.emit(piece(context, 'late', 'too late', { append: false }));
        return COMPLETED;
      },
      { fused: { leaseMs: LONG_MS, pollMs: LONG_MS, cancelGraceMs: 20 } },
    );
    const answer = engine.say('go');
    await expect.poll(() => signal).toBeDefined();
    const id = (await onlyTask())?.id ?? '';
    const canceled = engine.operations.cancelTask(CALLER, { id });
    canceled.catch(() => {});
    await Promise.race([canceled, sleep(1_000)]);
    expect(signal?.aborted).toBe(true);
    expect((await onlyTask())?.status.state).toBe('TASK_STATE_CANCELED');
    finish();
    const { status } = await canceled;
    expect(await engine.operations.cancelTask(CALLER, { id })).toMatchObject({ status });
    expect(await answer).toMatchObject({ task: { status } });
    await sleep(20);
    const task = await engine.operations.getTask(CALLER, { id });
    expect(task.status).toEqual(status);
    expect(task).not.toHaveProperty('artifacts');
  });
});

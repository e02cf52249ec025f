import { setTimeout as sleep } from 'node:timers/promises';
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { afterEach, describe, expect, it } from 'vitest';
import { serve } from '../support/serve.ts';
import { rpc, sendText } from '../wire/rpc.ts';
import { CALLER, COMPLETED, type Engine, openEngine, piece } from './engine-harness.ts';

let engine: Engine | undefined;
afterEach(async () => {
  await engine?.close();
  engine = undefined;
});

const LONG_MS = 600_000;

const onlyTask = async (opened = engine) => (await opened?.operations.listTasks(CALLER, {}))?.tasks[0];

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

describe('U18: the signal of a run', () => {
  /** What the agent was given to listen to. */
  let signal: AbortSignal | undefined;
  const listen = async (given: AbortSignal | undefined): Promise<never> => {
    signal = given;
    return new Promise((_, reject) => given?.addEventListener('abort', () => reject(given.reason)));
  };
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('listen', (_, config) => listen(config.signal))
    .addEdge(START, 'listen')
    .compile();
  const custom = { invoke: (_: unknown, context: { signal: AbortSignal }) => listen(context.signal) };

  it.each(['graph', 'custom'])('reaches the agent within a second of the cancel: %s', async (graphId) => {
    signal = undefined;
    const served = await serve({ graphs: { graph, custom } });
    try {
      const { id } = await sendText(served, graphId, 'go', {}, { returnImmediately: true });
      await expect.poll(() => signal).toBeDefined();
      const canceled = rpc(served, graphId, 'CancelTask', { id });
      await expect.poll(() => signal?.aborted).toBe(true);
      expect((await canceled).result.status.state).toBe('TASK_STATE_CANCELED');
    } finally {
      await served.close();
    }
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

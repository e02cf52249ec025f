import { internalError } from '@parley/protocol';
import type { Logger } from 'pino';
import { Fenced } from './fenced.ts';
import type { AgentExecutor, RunEnd } from './ports/executor.ts';
import type { Claimant, Claimed, Finished, Lease } from './ports/run.ts';
import type { Store } from './ports/store.ts';
import type { Wake } from './ports/wake.ts';
import { agentSays, endOfRun, startOfRun } from './run-end.ts';
import { openRunLog, publishByTask, type RunLog } from './run-log.ts';
import { RETRY_AFTER_S, Unavailable } from './unavailable.ts';

export interface WorkerOptions {
  store: Store;
  wake: Wake;
  logger: Logger;
  newId(): string;
  /** The agent behind an assistant id; `undefined` when it was removed since. */
  executor(assistantId: string): Promise<AgentExecutor | undefined>;
  name: string;
  /** Runs at a time. */
  concurrency: number;
  leaseMs: number;
  /** A run that takes longer fails. */
  runDeadlineMs: number;
  pollMs: number;
  /** A canceled run that ignores its signal is written off after this time. */
  cancelGraceMs: number;
  /** What an agent may do before its task is canceled takes no longer. */
  cancelTurnMs: number;
  /** A run that was claimed more often than this fails unheard: it may be what stops its workers. Default 3. */
  maxAttempts?: number;
}

export interface Worker {
  /** For a message that comes in here: `undefined` when there is no room for another run. */
  claimant(): Claimant | undefined;
  start(claimed: Claimed): void;
  /** Stops claiming, waits for running runs up to `drainMs`, gives the rest back to the queue. */
  close(drainMs: number): Promise<void>;
  running(): number;
}

const MAX_ATTEMPTS = 3;

const MAX_RETRY_S = 600;

interface Running {
  lease: Lease;
  abort: AbortController;
  done: Promise<void>;
}

class Stopped extends Error {
  readonly why: 'canceled' | 'deadline' | 'lost' | 'drain';
  constructor(why: Stopped['why']) {
    super(`run stopped: ${why}`);
    this.why = why;
  }
}

/** Claims runs of the store and carries them out until closed. */
export function startWorker(options: WorkerOptions): Worker {
  const { store, wake, logger } = options;
  const runs = new Map<string, Running>();
  let closing = false;
  let pumping = false;
  let pumped: Promise<void> = Promise.resolve();
  let again = false;
  let alarm: NodeJS.Timeout | undefined;

  const claimant: Claimant = {
    worker: options.name,
    leaseMs: options.leaseMs,
    begin: (lease) => startOfRun(lease, store.now()),
  };
  const claim = async (): Promise<void> => {
    try {
      do {
        again = false;
        await wakeTurns();
        const room = options.concurrency - runs.size;
        if (closing || room <= 0) return;
        const claimed = await store.claim(claimant, room);
        for (const one of claimed) {
          wake.publish(one.lease.taskId, one.events);
          start(one);
        }
        if (claimed.length > 0) again = true;
      } while (again);
    } catch (error) {
      logger.error({ err: error }, 'claiming runs failed');
    } finally {
      // In the same turn as the last look at `again`: a pump in between would be lost.
      pumping = false;
    }
  };
  /** Queues the turns whose time has come, and looks again when the next one's is. */
  const wakeTurns = async (): Promise<void> => {
    clearTimeout(alarm);
    const next = await store.wakeDue();
    // What is further away is found by polling.
    const ms = next === undefined ? options.pollMs : next - store.now();
    if (ms < options.pollMs && !closing) alarm = setTimeout(pump, ms);
  };
  const pump = (): void => {
    again = true;
    if (pumping) return;
    pumping = true;
    pumped = claim();
  };
  const stop = (run: Running | undefined, why: Stopped['why']): void => run?.abort.abort(new Stopped(why));
  const start = ({ lease }: Claimed): void => {
    stop(runs.get(lease.runId), 'lost');
    const abort = new AbortController();
    const done = carryOut(options, lease, abort)
      .catch((error: unknown) => {
        if (error instanceof Fenced) logger.warn({ runId: lease.runId }, 'run was taken over');
        else logger.error({ err: error, runId: lease.runId }, 'run could not be stored');
      })
      .finally(() => {
        // A later attempt may be running by now.
        if (runs.get(lease.runId)?.lease === lease) runs.delete(lease.runId);
        pump();
      });
    runs.set(lease.runId, { lease, abort, done });
  };
  const renew = async (): Promise<void> => {
    if (runs.size === 0) return;
    const { lost, cancel } = await store.renew(
      [...runs.values()].map((run) => run.lease),
      options.leaseMs,
    );
    for (const runId of lost) stop(runs.get(runId), 'lost');
    for (const runId of cancel) stop(runs.get(runId), 'canceled');
  };

  const offRun = wake.onSignal('run', pump);
  const offCancel = wake.onSignal('cancel', (taskId) => {
    for (const run of runs.values()) {
      if (run.lease.taskId === taskId && run.lease.payload.kind !== 'cancel') stop(run, 'canceled');
    }
  });
  const poll = setInterval(pump, options.pollMs);
  const beat = async (): Promise<void> => {
    await renew();
    if ((await store.reap(false)) > 0) pump();
  };
  const heartbeat = setInterval(() => {
    beat().catch((error: unknown) => logger.error({ err: error }, 'renewing leases failed'));
  }, options.leaseMs / 3);
  pump();

  return {
    claimant: () => (closing || runs.size >= options.concurrency ? undefined : claimant),
    start,
    running: () => runs.size,
    close: async (drainMs) => {
      closing = true;
      offRun();
      clearInterval(poll);
      clearTimeout(alarm);
      await pumped;
      await settled(
        [...runs.values()].map((run) => run.done),
        drainMs,
      );
      for (const run of runs.values()) stop(run, 'drain');
      await settled(
        [...runs.values()].map((run) => run.done),
        options.cancelGraceMs * 2,
      );
      clearInterval(heartbeat);
      offCancel();
    },
  };
}

async function carryOut(options: WorkerOptions, lease: Lease, abort: AbortController): Promise<void> {
  const { store, wake, logger } = options;
  const log = openRunLog(store, wake, lease, (error) => abort.abort(error));
  try {
    const end = await execute(options, lease, abort, log.emit);
    if (end === 'lost') return;
    if (end === 'drain') {
      await log.flush();
      return await store.release(lease, 0, false);
    }
    // Whatever the agent has done before its task is canceled, it is canceled now.
    const reached: RunEnd = lease.payload.kind === 'cancel' ? { state: 'TASK_STATE_CANCELED' } : end;
    const { events, snapshot } = await writeEnd(options, lease, log, reached);
    const own = events.filter((event) => event.taskId === lease.taskId);
    publishByTask(
      wake,
      events.filter((event) => event.taskId !== lease.taskId),
    );
    wake.publish(lease.taskId, own, snapshot);
    logger.debug({ runId: lease.runId, taskId: lease.taskId }, 'run ended');
  } catch (error) {
    if (!(error instanceof Fenced)) await giveBack(options, lease, error);
    throw error;
  } finally {
    log.close();
  }
}

/**
 * A later attempt goes on; a run that cannot be given back ends with its lease. What the store could not write is no
 * fault of the run: it costs none of its attempts, only more and more time.
 */
async function giveBack(
  { store, wake, logger, pollMs }: WorkerOptions,
  lease: Lease,
  error: unknown,
): Promise<void> {
  const stuck = error instanceof Unavailable;
  const delayMs = stuck ? Math.min(RETRY_AFTER_S * 2 ** (lease.epoch - 1), MAX_RETRY_S) * 1_000 : pollMs;
  const refused = await store.release(lease, delayMs, !stuck).catch((again: unknown) => again);
  if (refused instanceof Fenced) return;
  if (refused !== undefined) logger.warn({ err: refused, runId: lease.runId }, 'run was not given back');
  if (stuck || refused instanceof Unavailable) wake.signal('stuck', lease.taskId);
}

/** How the run ended; `lost`: it is somebody else's now; `drain`: somebody else is to go on with it. */
async function execute(
  options: WorkerOptions,
  lease: Lease,
  abort: AbortController,
  emit: RunLog['emit'],
): Promise<RunEnd | 'lost' | 'drain'> {
  const { store, maxAttempts = MAX_ATTEMPTS } = options;
  if (lease.attempt > maxAttempts) {
    options.logger.error({ taskId: lease.taskId, runId: lease.runId }, 'run was attempted too often');
    return failed(options, lease, 'The agent stopped unexpectedly several times.');
  }
  const deadline = setTimeout(() => abort.abort(new Stopped('deadline')), deadlineOf(options, lease));
  try {
    const executor = await options.executor(lease.lane.assistantId);
    if (!executor) {
      const { assistantId } = lease.lane;
      options.logger.warn({ assistantId, taskId: lease.taskId }, 'a task fails: its assistant is gone');
      return failed(options, lease, `The assistant ${assistantId} is gone.`);
    }
    const result = executor.run({
      lease,
      checkpointer: store.checkpointer(lease),
      memory: store.memory(lease),
      signal: abort.signal,
      now: () => store.now(),
      task: async () => {
        const { owner, assistantId } = lease.lane;
        const found = await store.snapshot({ owner, assistantId, taskId: lease.taskId });
        if (!found) throw new Fenced(lease.runId);
        return found.task;
      },
      history: () => store.historyBefore(lease),
      emit,
    });
    return await orStopped(result, abort.signal, options.cancelGraceMs);
  } catch (error) {
    const reason: unknown = abort.signal.aborted ? abort.signal.reason : error;
    if (reason instanceof Stopped && (reason.why === 'lost' || reason.why === 'drain')) return reason.why;
    return failure(options, lease, reason);
  } finally {
    clearTimeout(deadline);
  }
}

function deadlineOf({ runDeadlineMs, cancelTurnMs }: WorkerOptions, { payload }: Lease): number {
  return payload.kind === 'cancel' ? Math.min(cancelTurnMs, runDeadlineMs) : runDeadlineMs;
}

/** Stores the end of a run; if its last entries are refused, without them. */
async function writeEnd(
  options: WorkerOptions,
  lease: Lease,
  log: RunLog,
  reached: RunEnd,
): Promise<Finished> {
  const { store, wake, logger } = options;
  const rest = await log.drain();
  const refused = log.failure();
  const ended = reached.state === 'TASK_STATE_FAILED' || reached.state === 'TASK_STATE_CANCELED';
  let end = refused && !ended ? failure(options, lease, refused.error) : reached;
  const finish = (entries: typeof rest): Promise<Finished> =>
    store.finish(lease, endOfRun(lease, end, entries, store.now()));
  if (rest.length === 0) return finish([]);
  try {
    return await finish(rest);
  } catch (error) {
    if (endsAttempt(error)) throw error;
    logger.warn({ err: error, runId: lease.runId }, 'run is stored piece by piece');
  }
  try {
    publishByTask(wake, await store.append(lease, rest));
  } catch (error) {
    if (endsAttempt(error)) throw error;
    if (!ended) end = failure(options, lease, error);
  }
  return finish([]);
}

/** Nothing more can be written for it. */
function endsAttempt(error: unknown): boolean {
  return error instanceof Fenced || error instanceof Unavailable;
}

/** The run's result, or the reason it was stopped for once it has had `graceMs` to notice. */
async function orStopped(result: Promise<RunEnd>, signal: AbortSignal, graceMs: number): Promise<RunEnd> {
  let timer: NodeJS.Timeout | undefined;
  let onAbort = (): void => {};
  const stopped = new Promise<never>((_, reject) => {
    onAbort = () => {
      timer = setTimeout(() => reject(signal.reason), graceMs);
    };
    signal.addEventListener('abort', onAbort);
  });
  try {
    const end = await Promise.race([result, stopped]);
    signal.throwIfAborted();
    return end;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

/** What the task's owner is told of a run that threw; the cause goes to the log alone. Throws what ends an attempt. */
function failure(options: WorkerOptions, lease: Lease, reason: unknown): RunEnd {
  if (endsAttempt(reason)) throw reason;
  if (reason instanceof Stopped && reason.why === 'canceled') return { state: 'TASK_STATE_CANCELED' };
  if (reason instanceof Stopped) {
    const seconds = options.runDeadlineMs / 1000;
    return failed(options, lease, `The task took longer than ${seconds} s and was stopped.`);
  }
  // Whatever a node throws, an A2AError of an agent that it called too: `turn.fail` is how it speaks to its caller.
  const correlationId = options.newId();
  options.logger.error(
    { err: reason, correlationId, taskId: lease.taskId, runId: lease.runId },
    'agent failed',
  );
  return failed(options, lease, internalError(correlationId).message);
}

function failed(options: WorkerOptions, lease: Lease, text: string): RunEnd {
  return { state: 'TASK_STATE_FAILED', message: agentSays(lease, options.newId(), [{ text }]) };
}

async function settled(promises: Promise<void>[], ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([Promise.allSettled(promises), timeout]);
  clearTimeout(timer);
}

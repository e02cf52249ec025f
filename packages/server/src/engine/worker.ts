import { A2AError, internalError } from '@parley/protocol';
import type { Logger } from 'pino';
import { Fenced } from './fenced.ts';
import type { AgentExecutor, Claimant, Claimed, Lease, RunEnd, Store, Wake } from './ports.ts';
import { agentSays, endOfRun, startOfRun } from './run-end.ts';
import { openRunLog, publishByTask } from './run-log.ts';

export interface WorkerOptions {
  store: Store;
  wake: Wake;
  logger: Logger;
  newId(): string;
  /** The agent behind an assistant id; `undefined` when it was removed since. */
  executor(assistantId: string): AgentExecutor | undefined;
  name: string;
  /** Runs at a time. */
  concurrency: number;
  leaseMs: number;
  /** A run that takes longer fails. */
  runDeadlineMs: number;
  pollMs: number;
  /** A canceled run that ignores its signal is written off after this time. */
  cancelGraceMs: number;
}

export interface Worker {
  /** For a message that comes in here: `undefined` when there is no room for another run. */
  claimant(): Claimant | undefined;
  start(claimed: Claimed): void;
  /** Stops claiming, waits for running runs up to `drainMs`, gives the rest back to the queue. */
  close(drainMs: number): Promise<void>;
  running(): number;
}

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
  let pumping: Promise<void> | undefined;
  let again = false;

  const claimant: Claimant = {
    worker: options.name,
    leaseMs: options.leaseMs,
    begin: (lease) => startOfRun(lease, store.now()),
  };
  const claim = async (): Promise<void> => {
    do {
      again = false;
      const room = options.concurrency - runs.size;
      if (closing || room <= 0) return;
      const claimed = await store.claim(claimant, room);
      for (const one of claimed) {
        wake.publish(one.lease.taskId, one.events);
        start(one);
      }
      if (claimed.length > 0) again = true;
    } while (again);
  };
  const pump = (): void => {
    again = true;
    pumping ??= claim()
      .catch((error: unknown) => logger.error({ err: error }, 'claiming runs failed'))
      .finally(() => {
        pumping = undefined;
      });
  };
  const start = ({ lease }: Claimed): void => {
    const abort = new AbortController();
    const done = carryOut(options, lease, abort)
      .catch((error: unknown) => {
        if (error instanceof Fenced) logger.warn({ runId: lease.runId }, 'run was taken over');
        else logger.error({ err: error, runId: lease.runId }, 'run could not be stored');
      })
      .finally(() => {
        runs.delete(lease.runId);
        pump();
      });
    runs.set(lease.runId, { lease, abort, done });
  };
  const stop = (run: Running | undefined, why: Stopped['why']): void => run?.abort.abort(new Stopped(why));
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
    for (const run of runs.values()) if (run.lease.taskId === taskId) stop(run, 'canceled');
  });
  const poll = setInterval(pump, options.pollMs);
  const heartbeat = setInterval(() => {
    renew().catch((error: unknown) => logger.error({ err: error }, 'renewing leases failed'));
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
      await pumping;
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
  const deadline = setTimeout(() => abort.abort(new Stopped('deadline')), options.runDeadlineMs);
  let end: RunEnd;
  try {
    const executor = options.executor(lease.lane.assistantId);
    if (!executor) throw new A2AError('not-found', `assistant ${lease.lane.assistantId} is gone`);
    const result = executor.run({
      lease,
      checkpointer: store.checkpointer(lease),
      signal: abort.signal,
      now: () => store.now(),
      task: async () => {
        const { owner, assistantId } = lease.lane;
        const found = await store.snapshot({ owner, assistantId, taskId: lease.taskId });
        if (!found) throw new Fenced(lease.runId);
        return found.task;
      },
      history: async () => {
        const { owner, assistantId } = lease.lane;
        const messages = await store.history({ owner, assistantId, taskId: lease.taskId }, 'context');
        return messages.filter(
          ({ messageId, taskId }) => taskId !== lease.taskId || messageId !== lease.payload.message.messageId,
        );
      },
      emit: log.emit,
    });
    end = await orStopped(result, abort.signal, options.cancelGraceMs);
  } catch (error) {
    const reason: unknown = abort.signal.aborted ? abort.signal.reason : error;
    if (reason instanceof Fenced) throw reason;
    if (reason instanceof Stopped && reason.why === 'lost') return;
    if (reason instanceof Stopped && reason.why === 'drain') {
      await log.flush();
      return await store.release(lease, 0, false);
    }
    end = failure(options, lease, reason);
  } finally {
    clearTimeout(deadline);
  }
  const rest = await log.drain();
  const { events, snapshot } = await store.finish(
    lease,
    endOfRun(lease, end, rest, store.now(), options.newId),
  );
  const own = events.filter((event) => event.taskId === lease.taskId);
  publishByTask(
    wake,
    events.filter((event) => event.taskId !== lease.taskId),
  );
  wake.publish(lease.taskId, own, snapshot);
  logger.debug({ runId: lease.runId, taskId: lease.taskId, state: end.state }, 'run ended');
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

/** What the task's owner is told of a run that threw; the cause goes to the log alone. */
function failure(options: WorkerOptions, lease: Lease, reason: unknown): RunEnd {
  if (reason instanceof Stopped && reason.why === 'canceled') return { state: 'TASK_STATE_CANCELED' };
  const say = (text: string): RunEnd => ({
    state: 'TASK_STATE_FAILED',
    message: agentSays(lease, options.newId(), text),
  });
  if (reason instanceof Stopped)
    return say(`The task took longer than ${options.runDeadlineMs / 1000} s and was stopped.`);
  if (reason instanceof A2AError) return say(reason.message);
  const correlationId = options.newId();
  options.logger.error(
    { err: reason, correlationId, taskId: lease.taskId, runId: lease.runId },
    'agent failed',
  );
  return say(internalError(correlationId).message);
}

async function settled(promises: Promise<void>[], ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([Promise.allSettled(promises), timeout]);
  clearTimeout(timer);
}

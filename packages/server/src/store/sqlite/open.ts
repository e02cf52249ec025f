import type { Store } from '../../engine/ports.ts';
import { newId as newUuid } from '../new-id.ts';
import { requestCancel } from './cancel.ts';
import { openCheckpoints } from './checkpoints/open.ts';
import { openDatabase } from './database.ts';
import { writeEntries } from './entries.ts';
import { finish } from './finish.ts';
import { openLeases } from './leases.ts';
import { openList } from './list.ts';
import { giveBack } from './requeue.ts';
import { trackStagedRuns } from './staged-runs.ts';
import { submit } from './submit.ts';
import { openTables } from './tables.ts';

export interface SqliteStoreOptions {
  /** A path, made with its folders if absent, or `:memory:`. One process at a time may have it open. */
  file: string;
  /** Milliseconds since the epoch. */
  now?: () => number;
  /** UUIDv7. */
  newId?: () => string;
}

/** The embedded store. Throws `StoreError` if the file cannot be used. */
export function openSqliteStore(options: SqliteStoreOptions): Store {
  const { now = Date.now, newId = newUuid } = options;
  const database = openDatabase(options.file);
  const tables = openTables(database);
  const leases = openLeases(database);
  const list = openList(database, tables);
  const checkpoints = openCheckpoints(database);
  const { tasks, messages, events, snapshots, runs } = tables;

  database.onEnd(snapshots.settle);
  const staged = trackStagedRuns(database);
  const { write } = database;
  const stored = async <T>(body: () => T): Promise<T> => {
    const result = database.stage(body);
    await database.commit();
    return result;
  };
  /** What is read may be staged still, and is told when it is not. */
  const told = async <T>(result: T): Promise<T> => {
    await database.commit();
    return result;
  };

  return {
    now,

    submit: async (inbound, admit, claimant) => {
      const context = { tables, now, newId, headOf: checkpoints.headOf, claimant };
      // What `admit` throws it throws before anything is written.
      const submitted = database.append(() => submit(context, inbound, admit));
      // Nobody knows of a new task before its first stop: it is stored with what its run writes.
      const secret = submitted.claimed && inbound.taskId === undefined && inbound.answered === 'at-stop';
      return secret ? submitted : told(submitted);
    },
    requestCancel: async (ref) => write(() => requestCancel(tables, ref, now())),

    snapshot: async (ref) => {
      const row = tasks.find(ref);
      return told(row && snapshots.read(row));
    },
    list: async (filter, page) => told(list(filter, page)),
    history: async (ref, scope, limit) => {
      const row = tasks.findMessages(ref);
      if (!row) return told([]);
      return told(scope === 'task' ? messages.ofTask(row, limit) : messages.ofLane(row.lane, limit));
    },
    historyBefore: async (lease) => {
      runs.assertHeld(lease);
      return messages.before(lease.runId);
    },
    read: async (taskId, afterSeq, limit) => {
      const task = tasks.logOf(taskId);
      if (!task) throw new Error(`task ${taskId} is gone`);
      return told(events.read(task, afterSeq, limit));
    },
    outcome: async (runId) => {
      const outcome = runs.outcome(runId);
      if (!outcome) throw new Error(`run ${runId} is unknown`);
      return told(outcome);
    },

    claim: async (claimant, n) => {
      const at = now();
      // Usually there is none: asked after every run, and a write transaction costs more than a look.
      if (!leases.claimable(at)) return [];
      const by = {
        worker: claimant.worker,
        now: at,
        until: at + claimant.leaseMs,
        headOf: checkpoints.headOf,
      };
      const claimed = write(() =>
        leases.claim(by, n).map((lease) => ({
          lease,
          events: lease.epoch === 1 ? writeEntries(tables, lease.lane.id, [claimant.begin(lease)], at) : [],
        })),
      );
      for (const { lease } of claimed) staged.begin(lease.runId);
      return claimed;
    },
    renew: async (held, leaseMs) =>
      write(() => {
        const until = now() + leaseMs;
        const answer: { lost: string[]; cancel: string[] } = { lost: [], cancel: [] };
        for (const lease of held) {
          const renewed = leases.renew(lease, until);
          if (!renewed) answer.lost.push(lease.runId);
          else if (renewed.cancel) answer.cancel.push(lease.runId);
        }
        return answer;
      }),
    append: async (lease, entries) =>
      stored(() => {
        const run = runs.held(lease);
        return writeEntries(tables, run.lane, entries, now());
      }),
    finish: async (lease, end) => {
      staged.assertWhole(lease.runId);
      staged.end(lease.runId);
      const finished = await stored(() => finish(tables, lease, end, now()));
      snapshots.forget(lease.lane.id);
      return finished;
    },
    release: async (lease, delayMs, countsAsAttempt) => {
      staged.end(lease.runId);
      write(() => {
        const run = runs.held(lease);
        const at = now();
        giveBack(tables, leases, run, { runAt: at + delayMs, forgetAttempt: !countsAsAttempt, now: at });
      });
    },
    reap: async (all) => {
      const at = now();
      const before = all ? undefined : at;
      if (leases.ended(before).length === 0) return 0;
      return write(() => {
        const ended = leases.ended(before);
        for (const { runId } of ended) {
          const run = runs.get(runId);
          if (run) giveBack(tables, leases, run, { runAt: null, forgetAttempt: false, now: at });
        }
        return ended.length;
      });
    },

    checkpointer: (lease) =>
      checkpoints.ofLane(lease.lane.id, (body) =>
        staged.append(lease.runId, () => runs.assertHeld(lease), body),
      ),

    close: async () => database.close(),
  };
}

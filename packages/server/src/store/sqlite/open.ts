import { isTerminal } from '@parley/protocol';
import type { AssistantStore } from '../../assistants/ports.ts';
import { Forgotten } from '../../engine/forgotten.ts';
import type { Lease } from '../../engine/ports/run.ts';
import type { Store } from '../../engine/ports/store.ts';
import { Unavailable } from '../../engine/unavailable.ts';
import type { ThreadStore } from '../../threads/ports.ts';
import { newId } from '../new-id.ts';
import { openAssistantStore } from './assistants.ts';
import { requestCancel } from './cancel.ts';
import { openCheckpoints } from './checkpoints/open.ts';
import { type Database, openDatabase } from './database.ts';
import { writeEntries } from './entries.ts';
import { finish } from './finish.ts';
import { openForget } from './forget.ts';
import type { ItemSettings } from './items/item-store.ts';
import { openItems } from './items/open.ts';
import { openLeases } from './leases.ts';
import { openList } from './list.ts';
import { wakeDue } from './own-turn.ts';
import { giveBack } from './requeue.ts';
import { openRetention } from './retention.ts';
import { trackStagedRuns } from './staged-runs.ts';
import { submit } from './submit.ts';
import { openTables } from './tables.ts';
import type { TaskRow } from './tasks.ts';
import { openThreadStore } from './threads.ts';
import { asUnavailable } from './unavailable.ts';

/** What one database holds. */
export interface SqliteStore extends Store {
  assistants: AssistantStore;
  threads: ThreadStore;
  /** What was found to be lost when the file was opened. */
  damage?: string;
}

/** The embedded store on an open database, which it closes. `now`: milliseconds since 1970. */
export function storeOn(
  database: Database,
  now: () => number = Date.now,
  itemSettings: ItemSettings = {},
): SqliteStore {
  const tables = openTables(database);
  const leases = openLeases(database);
  const list = openList(database, tables);
  const checkpoints = openCheckpoints(database);
  const items = openItems(database, itemSettings, now);
  const { tasks, messages, events, snapshots, runs, lanes } = tables;
  const forget = openForget(database, tables, checkpoints);
  const retention = openRetention(database, tables, forget);

  const staged = trackStagedRuns(database, (lease) => void runs.held(lease));
  const { write } = database;
  /** What `body` throws may rest on what is staged, too: it is told when that is stored. */
  const stored = async <T>(body: () => T): Promise<T> => {
    try {
      return database.stage(body);
    } finally {
      await database.commit();
    }
  };
  const written = async <T>(lease: Lease, body: () => T): Promise<T> => {
    const result = staged.write(lease, database.stage, body);
    await database.commit();
    return result;
  };
  /** What is read may be staged still, and is told when it is not. If that is lost, what is left is read again. */
  const told = async <T>(body: () => T): Promise<T> => {
    const read = (): T => {
      try {
        return body();
      } catch (error) {
        throw asUnavailable(error);
      }
    };
    const result = read();
    try {
      await database.commit();
      return result;
    } catch {
      const left = read();
      await database.commit();
      return left;
    }
  };

  /** What goes on and is seen for the first time. A disk that takes no word of it is no reason to show nothing. */
  const show = (rows: readonly TaskRow[]): void => {
    const fresh = rows.filter(({ shown, state }) => shown === 0 && !isTerminal(state));
    if (fresh.length === 0) return;
    try {
      database.stage(() => {
        for (const row of fresh) tasks.setShown(row, 1);
      });
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
    }
  };

  return {
    now,
    ...(database.damage === undefined ? {} : { damage: database.damage }),

    submit: async (inbound, admit, claimant) => {
      const context = { tables, now, newId, headOf: checkpoints.headOf, claimant };
      return stored(() => {
        const submitted = submit(context, inbound, admit);
        if (submitted.claimed) staged.begin(submitted.claimed.lease);
        return submitted;
      });
    },
    requestCancel: async (ref, turn) => write(() => requestCancel(tables, ref, turn, now())),

    snapshot: async (ref) =>
      told(() => {
        const row = tasks.find(ref);
        if (row) show([row]);
        return row && snapshots.read(row);
      }),
    list: async (filter, page) =>
      told(() => {
        const { rows, ...found } = list(filter, page);
        show(rows);
        return found;
      }),
    history: async (ref, scope, limit, upTo) =>
      told(() => {
        if (scope === 'context') return messages.around(ref, limit, upTo);
        const row = tasks.findMessages(ref);
        return row ? messages.ofTask(row, limit, upTo) : [];
      }),
    historyBefore: async (lease) => {
      staged.assertHeld(lease);
      return messages.before(lease.runId);
    },
    read: async (taskId, afterSeq, limit) =>
      told(() => {
        const task = tasks.logOf(taskId);
        if (!task) throw new Forgotten(taskId);
        return events.read(task, afterSeq, limit);
      }),
    outcome: async (runId) =>
      told(() => {
        const outcome = runs.outcome(runId);
        if (!outcome) throw new Forgotten(runId);
        return outcome;
      }),

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
      return write(() =>
        leases.claim(by, n).map((lease) => {
          staged.begin(lease);
          const begin = lease.epoch === 1 ? [claimant.begin(lease)] : [];
          return { lease, events: writeEntries(tables, lease.lane.id, begin, at) };
        }),
      );
    },
    wakeDue: async () => {
      const { wakes } = tables;
      const at = now();
      const first = wakes.first();
      if (first === undefined || first > at) return first;
      if (wakes.isDue(at)) write(() => wakeDue(tables, at));
      return wakes.next(at);
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
      written(lease, () => writeEntries(tables, lease.lane.id, entries, now())),
    finish: async (lease, end) => {
      const finished = await stored(() => {
        staged.assertWhole(lease);
        staged.end(lease);
        return finish(tables, lease, end, now());
      });
      snapshots.forget(lease.lane.id);
      return finished;
    },
    release: async (lease, delayMs, countsAsAttempt) => {
      staged.doubt();
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
      staged.doubt();
      return write(() => {
        const ended = leases.ended(before);
        for (const { runId } of ended) {
          const run = runs.get(runId);
          if (run) giveBack(tables, leases, run, { runAt: null, forgetAttempt: false, now: at });
        }
        return ended.length;
      });
    },

    expire: async (before, limit, end) => write(() => retention.expire(before, limit, end, now())),
    forgetEvents: async (before, limit) => write(() => retention.forgetEvents(before, limit)),
    forgetTasks: async (before, limit) => write(() => retention.forgetTasks(before, limit)),
    forgetRequests: async (limit) => write(() => retention.forgetRequests(now(), limit)),
    forgetItems: async (limit) => write(() => items.forgetExpired(limit)),

    checkpointer: (lease) =>
      checkpoints.ofLane(lease.lane.id, (body) => staged.write(lease, database.join, body)),
    memory: (lease) => items.store({ read: told, write: (body) => written(lease, body) }),

    assistants: openAssistantStore(database, forget, now),
    threads: openThreadStore(database, { lanes, forget, checkpoints }),

    close: async () => database.close(),
  };
}

export interface SqliteStoreOptions {
  /** A path, made with its folders if absent, or `:memory:`. One process at a time may have it open. */
  file: string;
  /** Milliseconds since 1970. */
  now?: () => number;
  /** Of LangGraph's store. */
  items?: ItemSettings;
}

/** Throws `StoreError` if the file cannot be used. */
export function openSqliteStore({ file, now, items }: SqliteStoreOptions): SqliteStore {
  return storeOn(openDatabase(file), now, items);
}

import Sqlite from 'better-sqlite3';
import { Unavailable } from '../../engine/unavailable.ts';
import { asUnavailable } from './unavailable.ts';

/** `undone`: one part was rolled back, what ran before it is still open. `lost`: all that was open is gone. */
export type TransactionEnd = 'committed' | 'undone' | 'lost';

/**
 * One transaction is open at a time, and whatever is written joins it: a commit writes every page that was touched,
 * and the writes of a turn touch the same ones. Readers of this connection see what is open; what they tell anybody
 * else has to wait for `commit`.
 */
export interface Transactions {
  /**
   * Runs `body` at once; it is committed with the next `write` or `commit`, or after `COMMIT_WITHIN_MS`. What `body`
   * throws rolls back its own part alone. Not to be nested.
   */
  stage<T>(body: () => T): T;
  /**
   * As `stage`, for a body that throws what is not SQLite's only while it has changed nothing: it has no part of its
   * own to roll back, and takes with it all that is open if SQLite fails.
   */
  join<T>(body: () => T): T;
  /**
   * Resolves when all that is open is committed, at the end of this turn of the event loop; rejects with `Unavailable` if
   * it is lost. To be called in the same turn as what it is for: of an earlier loss it knows nothing.
   */
  commit(): Promise<void>;
  /** `stage` and a commit at once. */
  write<T>(body: () => T): T;
  onEnd(listener: (end: TransactionEnd) => void): void;
}

/** What is staged and not waited for may be lost with the process this long. */
const COMMIT_WITHIN_MS = 10;

interface Waiting {
  promise: Promise<void>;
  resolve(): void;
  reject(error: unknown): void;
}

export function openTransactions(sqlite: Sqlite.Database): Transactions {
  const begin = sqlite.prepare('BEGIN IMMEDIATE');
  const commitOpen = sqlite.prepare('COMMIT');
  const rollback = sqlite.prepare('ROLLBACK');
  const savepoint = sqlite.prepare('SAVEPOINT part');
  const release = sqlite.prepare('RELEASE part');
  const rollbackPart = sqlite.prepare('ROLLBACK TO part');
  const listeners: ((end: TransactionEnd) => void)[] = [];
  let open = false;
  let timer: NodeJS.Timeout | undefined;
  let waiting: Waiting | undefined;

  const tell = (end: TransactionEnd): void => {
    for (const listener of listeners) listener(end);
  };
  /** The transaction has ended, for good or ill. */
  const settle = (error?: unknown): void => {
    open = false;
    const waited = waiting;
    waiting = undefined;
    tell(error === undefined ? 'committed' : 'lost');
    if (error === undefined) waited?.resolve();
    // Whoever waits has done nothing wrong.
    else waited?.reject(error instanceof Unavailable ? error : new Unavailable(error));
  };
  /** Any statement that fails badly enough, a read as well, ends the transaction without asking. */
  const endedUnasked = (): Error | undefined => {
    if (!open || sqlite.inTransaction) return undefined;
    const error = new Unavailable('SQLite has ended the transaction');
    settle(error);
    return error;
  };
  const isOpen = (): boolean => {
    endedUnasked();
    return open;
  };
  const lose = (error: unknown): void => {
    try {
      if (sqlite.inTransaction) rollback.run();
    } finally {
      settle(error);
    }
  };
  const commitNow = (): void => {
    const ended = endedUnasked();
    if (ended) throw ended;
    if (!open) return;
    try {
      commitOpen.run();
    } catch (error) {
      const lost = new Unavailable(error);
      lose(lost);
      throw lost;
    }
    settle();
  };
  const commitQuietly = (): void => {
    try {
      commitNow();
    } catch {
      // A run whose writes are lost hears of it at its next one, whoever waits in `commit` now.
    }
  };
  const alone = <T>(body: () => T): T => {
    try {
      begin.run();
      const result = body();
      open = true;
      timer = timer?.refresh() ?? setTimeout(commitQuietly, COMMIT_WITHIN_MS);
      return result;
    } catch (error) {
      if (sqlite.inTransaction) rollback.run();
      tell('undone');
      throw asUnavailable(error);
    }
  };
  const together = <T>(body: () => T): T => {
    savepoint.run();
    try {
      const result = body();
      release.run();
      return result;
    } catch (error) {
      const told = asUnavailable(error);
      // A full disk ends the whole transaction, and with it every part.
      if (!sqlite.inTransaction) settle(told);
      else {
        rollbackPart.run();
        release.run();
        tell('undone');
      }
      throw told;
    }
  };
  const stage = <T>(body: () => T): T => (isOpen() ? together(body) : alone(body));

  return {
    stage,
    join: (body) => {
      if (!isOpen()) return alone(body);
      try {
        return body();
      } catch (error) {
        const told = asUnavailable(error);
        if (error instanceof Sqlite.SqliteError) lose(told);
        throw told;
      }
    },
    commit: async () => {
      const ended = endedUnasked();
      if (ended) throw ended;
      if (!open) return;
      if (!waiting) {
        waiting = withResolvers();
        setImmediate(commitQuietly);
      }
      await waiting.promise;
    },
    write: (body) => {
      const result = stage(body);
      commitNow();
      return result;
    },
    onEnd: (listener) => {
      listeners.push(listener);
    },
  };
}

/** `Promise.withResolvers`, which Node has from 22 on. */
function withResolvers(): Waiting {
  let resolve = (): void => {};
  let reject = (_: unknown): void => {};
  const promise = new Promise<void>((one, other) => {
    resolve = one;
    reject = other;
  });
  return { promise, resolve, reject };
}

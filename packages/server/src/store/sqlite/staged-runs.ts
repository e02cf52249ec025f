import type { Lease } from '../../engine/ports/run.ts';
import { Unavailable } from '../../engine/unavailable.ts';
import type { Transactions } from './transactions.ts';

/**
 * Runs with writes in the open transaction. If it is lost, their writes are, some of which nobody waited for: such a
 * run must not go on as if they were there. It is given back and begins again from what is stored.
 */
export interface StagedRuns {
  /** The lease was given out just now. */
  begin(lease: Lease): void;
  /** The run ends in the open transaction: what comes after it is asked again. */
  end(lease: Lease): void;
  /** Runs may have changed hands: all are asked again. */
  doubt(): void;
  /** Throws `Fenced` if the lease does not hold any more. This process has the file: it knows unless it is in doubt. */
  assertHeld(lease: Lease): void;
  /** Throws `Unavailable` if something that the run had written was lost. To be asked within `stage`. */
  assertWhole(lease: Lease): void;
  /** Carries out a write of a run that is whole, through `stage` or `join`. */
  write<T>(lease: Lease, how: Transactions['stage'], body: () => T): T;
}

/** A lease is one attempt: an older one of the same run has a state of its own. */
interface Staged {
  /** The round in which it was seen to hold. */
  held: number;
  lost: boolean;
}

const NEVER = -1;

/** `ask` throws `Fenced`. */
export function trackStagedRuns({ onEnd }: Transactions, ask: (lease: Lease) => void): StagedRuns {
  const states = new WeakMap<Lease, Staged>();
  const writers = new Set<Staged>();
  let round = 0;
  const stateOf = (lease: Lease): Staged => {
    let state = states.get(lease);
    if (!state) {
      state = { held: NEVER, lost: false };
      states.set(lease, state);
    }
    return state;
  };
  const assertHeld = (lease: Lease): void => {
    const state = stateOf(lease);
    if (state.held === round) return;
    ask(lease);
    state.held = round;
  };
  const assertWhole = (lease: Lease): void => {
    if (states.get(lease)?.lost) throw new Unavailable(`what run ${lease.runId} had written was lost`);
  };
  onEnd((end) => {
    if (end === 'undone') return;
    if (end === 'lost') {
      round++;
      for (const state of writers) state.lost = true;
    }
    writers.clear();
  });

  return {
    begin: (lease) => {
      stateOf(lease).held = round;
    },
    end: (lease) => {
      stateOf(lease).held = NEVER;
    },
    doubt: () => {
      round++;
    },
    assertHeld,
    assertWhole,
    write: (lease, how, body) => {
      const state = stateOf(lease);
      let first = false;
      try {
        return how(() => {
          // Here, not before: `how` may be what finds that the transaction was lost.
          assertWhole(lease);
          assertHeld(lease);
          first = !writers.has(state);
          writers.add(state);
          return body();
        });
      } catch (error) {
        if (first) writers.delete(state);
        // An agent may go on as if nothing had happened.
        if (error instanceof Unavailable) state.lost = true;
        throw error;
      }
    },
  };
}

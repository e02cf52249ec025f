import type { Lease } from '../../engine/ports.ts';
import type { Transactions } from './transactions.ts';

/**
 * Runs with writes in the open transaction. If it is lost, their writes are, some of which nobody waited for: such a
 * run must not go on as if they were there. It is given back and begins again from what is stored.
 */
export interface StagedRuns {
  /**
   * Carries out a write of a run through `stage` or `join`, if the run is whole. `assertHeld` is asked once per
   * transaction: nobody else can take over a run within one.
   */
  write<T>(lease: Lease, how: Transactions['stage'], assertHeld: () => void, body: () => T): T;
  /** Throws if something that the run had written was lost. */
  assertWhole(lease: Lease): void;
  /** The run ends in the open transaction: what comes after it is asked again. */
  end(lease: Lease): void;
}

/** A lease is one attempt: an older one of the same run has a state of its own. */
interface Staged {
  held: boolean;
  lost: boolean;
}

export function trackStagedRuns({ onEnd }: Transactions): StagedRuns {
  const states = new WeakMap<Lease, Staged>();
  const writers = new Set<Staged>();
  const stateOf = (lease: Lease): Staged => {
    let state = states.get(lease);
    if (!state) {
      state = { held: false, lost: false };
      states.set(lease, state);
    }
    return state;
  };
  const assertWhole = (lease: Lease): void => {
    if (states.get(lease)?.lost) throw new Error(`what run ${lease.runId} had written was lost`);
  };
  onEnd((end) => {
    if (end === 'undone') return;
    for (const state of writers) {
      state.held = false;
      if (end === 'lost') state.lost = true;
    }
    writers.clear();
  });

  return {
    write: (lease, how, assertHeld, body) => {
      assertWhole(lease);
      const state = stateOf(lease);
      const first = !writers.has(state);
      writers.add(state);
      try {
        const result = how(() => {
          if (!state.held) assertHeld();
          return body();
        });
        state.held = true;
        return result;
      } catch (error) {
        if (first) writers.delete(state);
        throw error;
      }
    },
    assertWhole,
    end: (lease) => {
      stateOf(lease).held = false;
    },
  };
}

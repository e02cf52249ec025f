import type { Transactions } from './transactions.ts';

/**
 * Runs with writes that nobody waits for: what LangGraph's saver stores while a run goes on. If such a write is lost,
 * its run must not go on as if it were there; it is given back and begins again from what is stored.
 */
export interface StagedRuns {
  /** Appends to the open transaction. `assertHeld` throws if the run is somebody else's; asked once per transaction. */
  append<T>(runId: string, assertHeld: () => void, body: () => T): T;
  /** Throws if something that the run staged was lost. */
  assertWhole(runId: string): void;
  /** The run begins. */
  begin(runId: string): void;
  /** The run ends in the open transaction, or is given back. */
  end(runId: string): void;
}

export function trackStagedRuns({ append, onEnd }: Transactions): StagedRuns {
  /** In the open transaction. */
  const wrote = new Set<string>();
  const held = new Set<string>();
  const broken = new Set<string>();
  const assertWhole = (runId: string): void => {
    if (broken.has(runId)) throw new Error(`what run ${runId} had written was lost`);
  };
  onEnd((end) => {
    if (end === 'undone') return;
    if (end === 'lost') for (const runId of wrote) broken.add(runId);
    wrote.clear();
    held.clear();
  });
  return {
    append: (runId, assertHeld, body) => {
      assertWhole(runId);
      if (!held.has(runId)) assertHeld();
      wrote.add(runId);
      const result = append(body);
      held.add(runId);
      return result;
    },
    assertWhole,
    begin: (runId) => {
      broken.delete(runId);
    },
    end: (runId) => {
      held.delete(runId);
    },
  };
}

import type { Transactions } from './transactions.ts';

/**
 * Runs with writes that nobody waits for: what LangGraph's saver stores while a run goes on. If such a write is lost,
 * its run must not go on as if it were there; it is given back and begins again from what is stored.
 */
export interface StagedRuns {
  stage<T>(runId: string, body: () => T): T;
  /** Throws if something that the run staged was lost. */
  assertWhole(runId: string): void;
  /** The run begins, or is over. */
  forget(runId: string): void;
}

export function trackStagedRuns({ stage, onEnd }: Transactions): StagedRuns {
  const open = new Set<string>();
  const broken = new Set<string>();
  const assertWhole = (runId: string): void => {
    if (broken.has(runId)) throw new Error(`what run ${runId} had written was lost`);
  };
  onEnd((end) => {
    if (end === 'undone') return;
    if (end === 'lost') for (const runId of open) broken.add(runId);
    open.clear();
  });
  return {
    stage: (runId, body) => {
      assertWhole(runId);
      open.add(runId);
      return stage(body);
    },
    assertWhole,
    forget: (runId) => {
      broken.delete(runId);
    },
  };
}

import { afterEach, beforeEach, describe } from 'vitest';
import type { Store } from '../../packages/server/src/engine/ports.ts';
import { describePauses } from './conformance-ends.ts';
import { describeMessages } from './conformance-messages.ts';
import { describeReads } from './conformance-reads.ts';
import { describeRetention } from './conformance-retention.ts';
import { describeRuns } from './conformance-runs.ts';
import { describeTurns } from './conformance-turns.ts';

/** What every store does. */
export function describeStore(name: string, open: () => Promise<Store>): void {
  describe(name, () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    const current = () => store;
    describeMessages(current);
    describeRuns(current);
    describePauses(current);
    describeReads(current);
    describeRetention(current);
    describeTurns(current);
  });
}

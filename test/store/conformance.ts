import { afterEach, beforeEach, describe } from 'vitest';
import type { AssistantStore } from '../../packages/server/src/assistants/ports.ts';
import type { Store } from '../../packages/server/src/engine/ports/store.ts';
import type { ThreadStore } from '../../packages/server/src/threads/ports.ts';
import { describeAssistants } from './conformance-assistants.ts';
import { describePauses } from './conformance-ends.ts';
import { describeMemory } from './conformance-memory.ts';
import { describeMessages } from './conformance-messages.ts';
import { describeReads } from './conformance-reads.ts';
import { describeRetention } from './conformance-retention.ts';
import { describeRuns } from './conformance-runs.ts';
import { describeThreads } from './conformance-threads.ts';
import { describeTurns } from './conformance-turns.ts';

/** All that one database holds. */
export interface WholeStore extends Store {
  assistants: AssistantStore;
  threads: ThreadStore;
}

/** What every store does. */
export function describeStore(name: string, open: () => Promise<WholeStore>): void {
  describe(name, () => {
    let store: WholeStore;
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
    describeAssistants(current);
    describeThreads(current);
    describeTurns(current);
    describeMemory(current);
  });
}

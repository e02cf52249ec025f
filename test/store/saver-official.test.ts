import { deltaChannelHistoryTests, validate } from '@langchain/langgraph-checkpoint-validation';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ThreadRouter } from './thread-router.ts';

// The suite expects its functions to be global.
Object.assign(globalThis, { describe, it, expect, beforeAll, beforeEach, afterAll, afterEach });

for (const fresh of [false, true]) {
  const initializer = {
    checkpointerName: fresh ? 'SQLite saver, a new one per call' : 'SQLite saver',
    createCheckpointer: () => new ThreadRouter({ fresh }),
    destroyCheckpointer: (saver: ThreadRouter) => saver.close(),
  };
  validate(initializer);
  deltaChannelHistoryTests(initializer);
}

import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const conditions = ['@parley/source'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: [
      'packages/*/src/**/*.test.ts',
      'test/**/*.test.ts',
      'examples/**/*.test.ts',
      'bench/src/**/*.test.ts',
    ],
    pool: 'threads',
    isolate: false,
    // Many tests wait for processes of their own: on two cores 425 s with two workers, 627 s with the one of the default.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 20_000,
  },
});

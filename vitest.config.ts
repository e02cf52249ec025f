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
    testTimeout: 20_000,
  },
});

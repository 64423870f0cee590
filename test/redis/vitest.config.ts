import { defineConfig } from 'vitest/config';

/** The tests that need redis-server; `npm test` runs without one. */
export default defineConfig({
  test: {
    include: ['test/redis/**/*.test.ts'],
    setupFiles: ['test/support/after-each-file.ts'],
    globalSetup: ['test/e2e/support/build-once.ts'],
    // Loading what they share anew for each file took 7 s; the servers that they test are processes of their own.
    isolate: false,
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});

import { defineConfig } from 'vitest/config';

/** The tests that run chat programs of others, which npm brings for them alone; `npm test` needs none. */
export default defineConfig({
  test: {
    include: ['test/clients/**/*.test.ts'],
    globalSetup: ['test/e2e/support/build-once.ts', 'test/clients/support/install-programs.ts'],
    // Each test waits for a program most of its time, and two of them keep two cores busy.
    maxWorkers: 1,
    maxConcurrency: 2,
    testTimeout: 180_000,
    hookTimeout: 60_000,
  },
});

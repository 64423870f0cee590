import { defineConfig } from 'vitest/config';

/** The demo on each day of a year, for half an hour; not part of `npm test`. */
export default defineConfig({
  test: {
    include: ['test/days/**/*.test.ts'],
    globalSetup: ['test/e2e/support/build-once.ts'],
    maxWorkers: 1,
    maxConcurrency: 2,
    testTimeout: 120_000,
  },
});

import { defineConfig } from 'vitest/config';

/** Tests with chat programs, which npm installs for them; not part of `npm test`. */
export default defineConfig({
  test: {
    include: ['test/clients/**/*.test.ts'],
    globalSetup: ['test/e2e/support/build-once.ts', 'test/clients/support/install-programs.ts'],
    // Tests mostly wait for a program, so two keep two cores busy.
    maxWorkers: 1,
    maxConcurrency: 2,
    testTimeout: 180_000,
    hookTimeout: 60_000,
  },
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

/** Tests that start the command line get a sandbox to share; the others need none. */
const spawning = ['test/commands/**/*.test.ts', 'test/e2e/**/*.test.ts'];

/**
 * The first counts the processes that its own has started; the second replaces a module, which others may have loaded; the third takes
 * ten times as long in a process that other files have used.
 */
const alone = [
  ...['test/analysis/sql/engine.test.ts', 'test/tools/codes.test.ts', 'test/house/pumped-patterns.test.ts'],
];
/** What takes this long hangs; everything shorter is a busy machine. */
const maxMs = 60_000;
const common = { testTimeout: maxMs, hookTimeout: maxMs, expect: { poll: { timeout: maxMs } } };

if (/[#%?]/.test(process.cwd())) {
  throw new Error(
    'Vite, which the tests run on, loads nothing from a path with #, % or ? in it: move the clone elsewhere.',
  );
}

/** Views, and the process that runs queries, are built files, whatever starts them. */
const build = 'test/e2e/support/build-once.ts';

/** Where build/check.js wants the results to be, for a program to read. */
const results = process.env['TEST_RESULTS'];

// What a developer's shell configures is no part of a test.
for (const name of Object.keys(process.env)) if (name.startsWith('TRACKER_')) delete process.env[name];

// Nor is what a developer's cache and state hold; the workers, and the processes that they start, have these.
const cache = mkdtempSync(join(tmpdir(), 'tests-cache-'));
for (const name of ['XDG_CACHE_HOME', 'XDG_STATE_HOME', 'LOCALAPPDATA']) process.env[name] = cache;
process.once('exit', () => rmSync(cache, { recursive: true, force: true }));

export default defineConfig({
  test: {
    reporters: results ? ['default', ['json', { outputFile: results }]] : ['default'],
    // On two cores, the third works while the others wait for timers, disks and processes that start.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...common,
          name: 'parts',
          // Loading the project anew for each file took more time than many tests do. No test leaves a change of what is shared.
          isolate: false,
          setupFiles: ['test/support/after-each-file.ts'],
          include: ['test/**/*.test.ts'],
          exclude: [
            ...spawning,
            ...alone,
            'test/bench/**',
            'test/browser/**',
            'test/clients/**',
            'test/days/**',
            'test/redis/**',
          ],
          globalSetup: [build],
        },
      },
      {
        test: {
          ...common,
          name: 'processes',
          isolate: false,
          setupFiles: ['test/support/after-each-file.ts'],
          include: spawning,
          globalSetup: [build, 'test/e2e/support/share-sandbox.ts'],
        },
      },
      { test: { ...common, name: 'alone', include: alone, globalSetup: [build] } },
    ],
  },
});

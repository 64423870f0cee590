import { test } from 'vitest';
import { runCli } from '../e2e/support/run-cli.ts';
import { expectSixJobs } from './demo-promises.ts';

test('demo plays its six jobs on a narrow screen, and ends with the lines for a client', async () => {
  expectSixJobs(await runCli(['demo']));
});

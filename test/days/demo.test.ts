import { test } from 'vitest';
import { expectSixJobs } from '../commands/demo-promises.ts';
import { runCli } from '../e2e/support/run-cli.ts';

/** A year with two changes of the clock in most zones, and a New Year at its start and end. */
const firstDay = Date.UTC(2026, 11, 31);
const dayMs = 86_400_000;

/**
 * In 168 days every hour of each weekday comes once. From the first to the last minute of an hour, because a day begins or ends
 * within seconds.
 */
const moments = Array.from({ length: 367 }, (_, day) => {
  const hour = (day * 7) % 24;
  const second = hour === 0 ? 1 : hour === 23 ? 3599 : (day * 997) % 3600;
  return new Date(firstDay + day * dayMs + hour * 3_600_000 + second * 1000).toISOString();
});

test.concurrent.each(moments)('the demo keeps its promises at %s', async (now) => {
  expectSixJobs(await runCli(['demo'], { now }));
});

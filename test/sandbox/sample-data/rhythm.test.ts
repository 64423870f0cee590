import { expect, test } from 'vitest';
import { listDays } from '../../../src/sandbox/sample-data/audience.ts';
import { Database } from '../../../src/sandbox/store/database.ts';

test.each([
  ['America/New_York', '2026-03-09T12:00:00Z', [24, 23, 24]],
  ['America/New_York', '2026-11-02T12:00:00Z', [24, 25, 24]],
  ['UTC', '2026-03-09T12:00:00Z', [24, 24, 24]],
])('days of %s up to %s go from midnight to midnight, over the change of the clocks too', async (zone, now, hours) => {
  const database = await Database.open();
  const days = await listDays(database, zone, new Date(now), 3);
  expect(days.map(({ start, end }) => (end - start) / 3_600_000)).toEqual(hours);
  expect(days.slice(1).map(({ start }) => start)).toEqual(days.slice(0, -1).map(({ end }) => end));
  await database.close();
});

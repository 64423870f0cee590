import { describe, expect, test } from 'vitest';
import { setup, traffic } from '../support/fixture.ts';
import { type Arguments, startTracker } from '../support/tracker.ts';

/** Moments around the ends of a day, in campaign 2. */
const midnights = [
  ['2026-11-01 03:59:59', 'last second of 31 October in New York'],
  ['2026-11-01 04:00:00', 'first second of 1 November in New York, still summer time'],
  ['2026-11-02 04:59:59', 'last second of 1 November in New York, winter time, 25 hours later'],
  ['2026-11-02 05:00:00', 'first second of 2 November in New York'],
  ['2026-03-28 21:59:59', 'last second of 28 March in Beirut'],
  ['2026-03-28 22:00:00', 'first second of 29 March in Beirut, a day that begins at 01:00'],
] as const;

const visits = midnights.map(
  ([at, what], index) => `INSERT INTO visits (click_id, subid, campaign_id, "at", path, keyword, cost)
    VALUES (${1001 + index}, 'zzzzzzzz_2_${1001 + index}', 2, '${at}', 1, '${what}', 0.10)`,
);

let now = new Date('2026-06-11T03:59:59Z');
const tracker = await startTracker([...setup, ...traffic, ...visits], { now: () => now });

async function views(form: Arguments): Promise<string | undefined> {
  const { Reports } = await tracker.ask('stats', { report: 'campaign', camp: 1, ...form });
  return Reports?.['campaign']?.[0]?.['Views'];
}

describe('the days of a report', () => {
  test('are those of the time zone of the settings', async () => {
    expect(await views({ start: '2026-06-10', end: '2026-06-10' })).toBe('6');
    expect(await views({ start: '2026-06-11', end: '2026-06-11' })).toBe('0');
  });

  test('are those of the timezone parameter if it is given, in any letter case', async () => {
    expect(await views({ start: '2026-06-11', end: '2026-06-11', timezone: 'Europe/Berlin' })).toBe('1');
    expect(await views({ start: '2026-06-10', end: '2026-06-10', timezone: 'europe/berlin' })).toBe('5');
    expect(await views({ start: '2026-06-10', end: '2026-06-11', timezone: 'UTC' })).toBe('6');
  });

  test('have 25 hours when summer time ends, and start at 01:00 when it starts at midnight', async () => {
    const on = (day: string, zone = {}) => views({ camp: 2, start: day, end: day, ...zone });
    const autumn = await Promise.all(['2026-10-31', '2026-11-01', '2026-11-02'].map((day) => on(day)));
    expect(autumn).toEqual(['1', '2', '1']);
    for (const day of ['2026-03-28', '2026-03-29']) expect(await on(day, { timezone: 'Asia/Beirut' })).toBe('1');
  });
});

describe('without dates', () => {
  test('the period is the current day of the zone, not of UTC', async () => {
    now = new Date('2026-06-11T03:59:59Z');
    expect(await views({})).toBe('6');
    expect(await views({ timezone: 'UTC' })).toBe('1');
    now = new Date('2026-06-11T04:00:00Z');
    expect(await views({})).toBe('0');
  });

  test('a start alone means until the current day, an end alone from the current day', async () => {
    now = new Date('2026-06-11T12:00:00Z');
    expect(await views({ start: '2026-06-01' })).toBe('6');
    expect(await views({ end: '2026-06-30' })).toBe('0');
    expect(await tracker.refusal('stats', { camp: 1, end: '2026-06-10' })).toContain('before start 2026-06-11');
  });
});

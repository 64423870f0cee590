import { expect, it } from 'vitest';
import { changeADay } from '../../../src/analysis/change/days-of-change.ts';

const days = ['2026-11-25', '2026-11-26', '2026-11-27', '2026-11-28', '2026-11-29'];

/** 200 visits a day, of which half click and 5 sell for 2.00 each, until the clicks of the last two days. */
const sumsWith = (lastClicks: readonly [number, number]) => ({
  views: [200, 200, 200, 200, 200],
  clicks: [100, 100, 100, ...lastClicks],
  conversions: [5, 5, 5, 0, 0],
  revenue: [10, 10, 10, 0, 0],
  cost: [4, 4, 4, 4, 4],
});

it.each([
  [0, 0],
  [2, 0],
  [1, 1],
] as const)(
  'what stopped clicks cost a day is all that they earned, whatever %i and %i last ones sold',
  (...clicks) => {
    const aDay = changeADay('2026-11-28', sumsWith(clicks), days, ['clicks_per_visit'], false);
    expect(aDay).toBeLessThan(-9.7);
    expect(aDay).toBeGreaterThanOrEqual(-10);
  },
);

import { expect, it } from 'vitest';
import { changeOfPayout } from '../../../src/analysis/change/payouts.ts';

/** Sales by their day, each day after a space. */
const salesOf = (days: string) =>
  days.split(' ').flatMap((sales, when) => sales.split(',').map((revenue) => ({ when, revenue: Number(revenue) })));

it.each([
  ['now and then pays double', '24,12 24,12,12,12,12,24 12,12 12 12,12 12,12,12 12 12,12,12 12,12 24 12,24,12 12,12'],
  ['always pays the same', '12,12 12,12,12 12,12 12'],
  ['pays what it likes', '3,7 8,2,9 4,11 5,6'],
])('takes no change of payout from an offer that %s', (_, days) => {
  expect(changeOfPayout(salesOf(days))?.chance ?? 1).toBeGreaterThan(0.01);
});

it.each([
  ['for good', '24,24 24,24,24 24,24 12,12 12,12', 12],
  ['though some sales are paid otherwise', '3,3,9,3 3,3,3 3,3,3 3,3,2,2 2,2,9,2 2,2,2 2,2', 2],
])('finds a payout that fell %s', (_, days, after) => {
  const change = changeOfPayout(salesOf(days));
  expect(change).toMatchObject({ since: 3, after });
  expect(change?.chance).toBeLessThan(0.01);
});

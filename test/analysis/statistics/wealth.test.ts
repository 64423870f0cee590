import { expect, test } from 'vitest';
import { historyOf, type PageDay } from '../../../src/analysis/statistics/history.ts';
import { logAverage } from '../../../src/analysis/statistics/scatter.ts';
import { betOn, pairUp, unseenPayoutOf } from '../../../src/analysis/statistics/wealth.ts';

const day = (views: number, count: number, value = 1) => ({ views, conversions: count > 0 ? [{ value, count }] : [] });

/** The logarithm of the wealth, where days are known to scatter by chance alone. */
function wealth(leader: readonly PageDay[], rival: readonly PageDay[], unseenPayout = 0, ratio = 1): number {
  const chanceAlone = { chiSquare: 0, days: Number.POSITIVE_INFINITY };
  return logAverage(betOn(pairUp(historyOf(leader), historyOf(rival), unseenPayout), ratio), chanceAlone);
}

test('of conversions it is the conditional binomial likelihood ratio, averaged over lifts, the common ones more', () => {
  const [views, rivalViews, count, rivalCount] = [1200, 800, 40, 15];
  const part = views / (views + rivalViews);
  const weights = [0.1, 0.3, 0.3, 0.25, 0.05];
  const ratios = [0.1, 0.2, 0.4, 0.8, 1.6].map((lift, index) => {
    const lifted = (part * (1 + lift)) / (part * (1 + lift) + 1 - part);
    return (weights[index] ?? 0) * (lifted / part) ** count * ((1 - lifted) / (1 - part)) ** rivalCount;
  });
  const mean = ratios.reduce((sum, ratio) => sum + ratio, 0);
  expect(wealth([day(views, count)], [day(rivalViews, rivalCount)])).toBeCloseTo(Math.log(mean), 9);
});

test('shares that changed between a poor and a good week bring nothing', () => {
  // Both convert 1% in the first week and 4% in the second; the sums make the first look better by two thirds.
  const leader = [day(2000, 20), day(8000, 320)];
  const rival = [day(8000, 80), day(2000, 80)];
  expect(wealth([day(10_000, 340)], [day(10_000, 160)])).toBeGreaterThan(20);
  expect(wealth(leader, rival)).toBeLessThan(0);
});

test('days on which either page had no view count for nothing', () => {
  const both = [day(1000, 30), day(1000, 28)];
  const later = [day(1000, 20), day(1000, 20)];
  const alone = wealth([...both, day(1000, 500)], [...later, day(0, 0)]);
  expect(alone).toBeCloseTo(wealth(both, later), 1);
});

test('scaling payouts changes nothing', () => {
  const of = (unit: number) => wealth([day(1000, 30, unit)], [day(1000, 18, unit)]);
  expect(of(250)).toBeCloseTo(of(1), 9);
});

test('a lead that is supposed to be there already brings less', () => {
  const pages = [[day(1000, 60)], [day(1000, 30)]] as const;
  const logs = [0.5, 1, 1.5, 2].map((ratio) => wealth(...pages, 0, ratio));
  expect(logs).toEqual([...logs].sort((a, b) => b - a));
  expect(logs.at(-1)).toBeLessThan(0);
});

test('chargebacks count against the page that has them, and never ruin the bet', () => {
  const charged = [{ views: 1000, conversions: [...day(0, 30, 20).conversions, ...day(0, 1, -400).conversions] }];
  const rival = [day(1000, 15, 20)];
  expect(wealth(charged, rival)).toBeLessThan(wealth([day(1000, 30, 20)], rival));
  expect(wealth(rival, charged)).toBeGreaterThan(wealth(rival, [day(1000, 30, 20)]));
  expect(Number.isFinite(wealth(charged, rival))).toBe(true);
});

test('without a conversion, or with nothing earned, nothing is bet', () => {
  expect(wealth([day(500, 0)], [day(500, 0)])).toBe(0);
  expect(wealth([day(500, 9, 0)], [day(500, 2, 0)])).toBe(0);
});

test('payouts of another shape leave room for one that has not come yet', () => {
  const paid = (...worths: readonly [value: number, count: number][]) =>
    historyOf([{ views: 1000, conversions: worths.map(([value, count]) => ({ value, count })) }]);
  expect(unseenPayoutOf(paid([10, 80]), paid([0.5, 30], [2, 25], [100, 5]))).toBe(300);
  expect(unseenPayoutOf(paid([10, 80]), paid([40, 80]))).toBe(0);
  const pages = [[day(1000, 80, 10)], [day(1000, 40, 10)]] as const;
  expect(wealth(...pages, 300)).toBeLessThan(wealth(...pages));
});

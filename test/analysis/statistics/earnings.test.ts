import { expect, test } from 'vitest';
import { drawEarnings, earningsEstimates, oddsOf } from '../../../src/analysis/statistics/earnings.ts';
import type { Posterior } from '../../../src/analysis/statistics/posterior.ts';
import { at } from './at.ts';
import { type Beta, expectedLossOfFirst, probabilitySecondExceeds } from './closed-form.ts';

const fixed = (rate: Beta): Posterior => ({
  rate,
  payout: { mean: 1, shape: Number.POSITIVE_INFINITY, meanSquare: 1 },
});

const count = 20_000;

test.each([
  // Career batting of Hank Aaron and Mike Piazza under a uniform prior, the data of Robinson's "Introduction to Empirical Bayes" (2017).
  { name: 'Aaron and Piazza', first: { alpha: 3_772, beta: 8_594 }, second: { alpha: 2_128, beta: 4_785 } },
  { name: 'two fresh pages', first: { alpha: 1, beta: 1 }, second: { alpha: 1, beta: 1 } },
  { name: 'rare conversions', first: { alpha: 5, beta: 2_500 }, second: { alpha: 9, beta: 2_400 } },
  { name: 'unequal traffic', first: { alpha: 301, beta: 9_700 }, second: { alpha: 21, beta: 480 } },
])('probability to be best and expected loss agree with the closed forms: $name', ({ first, second }) => {
  const odds = oddsOf(drawEarnings([fixed(first), fixed(second)], count, 11));
  const [one, other] = [at(odds, 0), at(odds, 1)];
  const exact = probabilitySecondExceeds(first, second);
  const standardError = Math.sqrt((exact * (1 - exact)) / count);
  expect(Math.abs(other.probabilityBest - exact)).toBeLessThan(4 * standardError);
  expect(one.probabilityBest + other.probabilityBest).toBeCloseTo(1, 12);
  // An unlikely loss rests on fewer draws: its standard error is up to 3% here.
  expect(Math.abs(one.expectedLoss / expectedLossOfFirst(first, second) - 1)).toBeLessThan(0.1);
  expect(Math.abs(other.expectedLoss / expectedLossOfFirst(second, first) - 1)).toBeLessThan(0.1);
});

test('the closed form itself: of two uniform rates either is higher as often, and gives away 1/6', () => {
  const uniform = { alpha: 1, beta: 1 };
  expect(probabilitySecondExceeds(uniform, uniform)).toBeCloseTo(0.5, 9);
  expect(expectedLossOfFirst(uniform, uniform)).toBeCloseTo(1 / 6, 9);
});

test('doubt about payouts widens the interval of earnings, and moves its mean nowhere', () => {
  const rate = { alpha: 100, beta: 4_900 };
  const pages: Posterior[] = [
    { rate, payout: { mean: 20, shape: Number.POSITIVE_INFINITY, meanSquare: 400 } },
    { rate, payout: { mean: 20, shape: 50, meanSquare: 900 } },
  ];
  const estimates = earningsEstimates(pages, drawEarnings(pages, count, 5));
  const [certain, doubtful] = [at(estimates, 0), at(estimates, 1)];
  expect(certain.mean).toBeCloseTo(0.4, 12);
  expect(doubtful.mean).toBeCloseTo(0.4, 12);
  expect(doubtful.high - doubtful.low).toBeGreaterThan(1.5 * (certain.high - certain.low));
});

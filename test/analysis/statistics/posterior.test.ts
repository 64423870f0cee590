import { expect, test } from 'vitest';
import { gatherEvidence, type PageResult } from '../../../src/analysis/statistics/evidence.ts';
import { type Posterior, posteriorOf, rateEstimate } from '../../../src/analysis/statistics/posterior.ts';
import { drawGamma, seededRandom } from '../../../src/analysis/statistics/random.ts';
import { at } from './at.ts';

const withRate = (alpha: number, beta: number): Posterior => ({
  rate: { alpha, beta },
  payout: { mean: 1, shape: Number.POSITIVE_INFINITY, meanSquare: 1 },
});

function posteriors(results: readonly PageResult[]): Posterior[] {
  const { pages, pooled } = gatherEvidence(results, 'view');
  return pages.map((page) => posteriorOf(page, pooled));
}

test('437 girls in 980 births: a rate of 0.446, from 0.415 to 0.477 (Bayesian Data Analysis, section 2.4)', () => {
  const { mean, low, high } = rateEstimate(withRate(438, 544));
  expect([mean, low, high].map((value) => value.toFixed(3))).toEqual(['0.446', '0.415', '0.477']);
});

test.each([
  // Made with SciPy 1.17, beta.ppf.
  { alpha: 2, beta: 999, low: 0.00024230111687723185, high: 0.005558924279826672 },
  { alpha: 4, beta: 1_996, low: 0.000545465988597203, high: 0.004379506700073927 },
  { alpha: 11, beta: 4_990, low: 0.0010987276822172491, high: 0.0036749854808604205 },
])('the interval of Beta($alpha, $beta) is that of other libraries to nine digits', ({ alpha, beta, low, high }) => {
  const estimate = rateEstimate(withRate(alpha, beta));
  expect(estimate.low / low).toBeCloseTo(1, 9);
  expect(estimate.high / high).toBeCloseTo(1, 9);
});

test('without conversions the edges are in closed form: 1 - (1 - p)^(1 / beta)', () => {
  const { low, high } = rateEstimate(withRate(1, 5_000));
  expect(low / -Math.expm1(Math.log1p(-0.025) / 5_000)).toBeCloseTo(1, 9);
  expect(high / -Math.expm1(Math.log1p(-0.975) / 5_000)).toBeCloseTo(1, 9);
});

test('without any data the rate may be anything, evenly', () => {
  const nothing = { views: 0, conversions: 0, revenue: 0 };
  for (const { rate } of posteriors([nothing, nothing])) expect(rate).toEqual({ alpha: 1, beta: 1 });
});

test('a page without results is believed to be like the others, and nothing is sure about it', () => {
  const proven = { views: 10_000, conversions: 200, revenue: 3_000, revenueSquares: 60_000 };
  const fresh = at(posteriors([proven, { views: 0, conversions: 0, revenue: 0 }]), 1);
  const rate = rateEstimate(fresh);
  expect(rate.mean).toBeCloseTo(0.02, 3);
  expect(rate.low).toBeLessThan(0.001);
  expect(rate.high).toBeGreaterThan(0.07);
  expect(fresh.payout.mean).toBeCloseTo(15, 10);
});

test('with many results the posterior is what the page has shown', () => {
  const page = { views: 1_000_000, conversions: 20_000, revenue: 400_000, revenueSquares: 12_000_000 };
  const other = { views: 1_000_000, conversions: 5_000, revenue: 20_000, revenueSquares: 100_000 };
  const posterior = at(posteriors([page, other]), 0);
  expect(rateEstimate(posterior).mean).toBeCloseTo(0.02, 5);
  expect(posterior.payout.mean).toBeCloseTo(20, 2);
});

test('payouts that never vary leave no doubt about their mean', () => {
  const page = { views: 900, conversions: 30, revenue: 30 * 12.34, revenueSquares: 30 * 12.34 ** 2 };
  expect(at(posteriors([page, page]), 0).payout.shape).toBe(Number.POSITIVE_INFINITY);
});

test('the mean payout has mean and variance of the Bayesian bootstrap, by Rubin’s own weights', () => {
  const payouts = [5, 5, 5, 9, 20, 5, 61, 5, 9, 5];
  const revenue = payouts.reduce((sum, payout) => sum + payout, 0);
  const page = { views: 500, conversions: payouts.length, revenue, payouts };
  const { mean, shape } = at(posteriors([page, page]), 0).payout;
  const random = seededRandom(3);
  // Prior payouts like the pooled ones, worth one conversion: each weight has the shape 1 + 1/10.
  const means = Array.from({ length: 50_000 }, () => {
    const weights = payouts.map(() => drawGamma(1.1, random));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    return weights.reduce((sum, weight, index) => sum + weight * (payouts[index] ?? 0), 0) / total;
  });
  const average = means.reduce((sum, value) => sum + value, 0) / means.length;
  const variance = means.reduce((sum, value) => sum + (value - average) ** 2, 0) / means.length;
  expect(mean / average).toBeCloseTo(1, 2);
  expect(mean ** 2 / shape / variance).toBeGreaterThan(0.96);
  expect(mean ** 2 / shape / variance).toBeLessThan(1.04);
});

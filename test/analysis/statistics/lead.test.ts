import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Sums } from '../../../src/analysis/statistics/evidence.ts';
import { isEnoughEvidence, isSureLead, logLikelihoodRatio } from '../../../src/analysis/statistics/lead.ts';

const fixedPayout = (exposures: number, conversions: number, payout = 10): Sums => ({
  exposures,
  conversions,
  revenue: conversions * payout,
  squares: conversions * payout ** 2,
});

test('the likelihood ratio is that of a normal mixture: its integral over the differences agrees', () => {
  const [leader, rival] = [fixedPayout(10_000, 240), fixedPayout(10_000, 200)];
  const difference = 0.04;
  const variance = (0.22 * 10 - 0.22 ** 2) * (2 / 10_000);
  const deviation = 0.3 * 0.22;
  let integral = 0;
  const steps = 20_000;
  for (let index = 0; index < steps; index += 1) {
    const effect = deviation * (-8 + (16 * (index + 0.5)) / steps);
    const prior = Math.exp(-0.5 * (effect / deviation) ** 2) / Math.sqrt(2 * Math.PI) / deviation;
    const ratio = Math.exp((difference ** 2 - (difference - effect) ** 2) / (2 * variance));
    integral += prior * ratio * ((16 * deviation) / steps);
  }
  // Fixed payouts make the variance as supposed the greater of the two by a hair.
  expect(logLikelihoodRatio(leader, rival)).toBeCloseTo(Math.log(integral), 2);
});

test('a page that does not lead is never a sure leader, and two are never sure leads over each other', () => {
  const count = fc.integer({ min: 0, max: 3_000 });
  fc.assert(
    fc.property(count, count, (one, other) => {
      const [a, b] = [fixedPayout(50_000, one), fixedPayout(40_000, other)];
      expect(isSureLead(a, b) && isSureLead(b, a)).toBe(false);
      if (one / 50_000 <= other / 40_000) expect(isSureLead(a, b)).toBe(false);
    }),
    { seed: 9, numRuns: 500 },
  );
});

test('the greater the lead, the surer', () => {
  const ratios = [205, 220, 240, 260, 300].map((leader) =>
    logLikelihoodRatio(fixedPayout(10_000, leader), fixedPayout(10_000, 200)),
  );
  expect(ratios).toEqual([...ratios].sort((one, other) => one - other));
});

test('a lead that keeps its size gets surer with more views', () => {
  const ratios = [1, 3, 10, 30].map((times) =>
    logLikelihoodRatio(fixedPayout(times * 10_000, times * 240), fixedPayout(times * 10_000, times * 200)),
  );
  expect(ratios).toEqual([...ratios].sort((one, other) => one - other));
});

test('the more payouts vary, the less sure the same lead', () => {
  const varying = (page: Sums): Sums => ({ ...page, squares: page.squares * 3 });
  const [leader, rival] = [fixedPayout(10_000, 300), fixedPayout(10_000, 200)];
  expect(logLikelihoodRatio(varying(leader), varying(rival))).toBeLessThan(logLikelihoodRatio(leader, rival));
});

test('the silence of a page with rare, large payouts says nothing until some were due', () => {
  const leader = fixedPayout(4_000, 200, 4);
  expect(isEnoughEvidence(leader, fixedPayout(4_000, 12, 40))).toBe(false);
  expect(isEnoughEvidence(leader, fixedPayout(4_000, 120, 4))).toBe(true);
});

test('a page without conversions loses once 20 would have been due', () => {
  expect(isSureLead(fixedPayout(1_000, 20), fixedPayout(1_000, 0))).toBe(false);
  expect(isSureLead(fixedPayout(2_000, 40), fixedPayout(2_000, 0))).toBe(true);
});

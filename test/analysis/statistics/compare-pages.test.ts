import fc from 'fast-check';
import { expect, test } from 'vitest';
import { comparePages, thresholds } from '../../../src/analysis/statistics/compare-pages.ts';
import { gatherEvidence, type PageResult } from '../../../src/analysis/statistics/evidence.ts';
import { isSureLead } from '../../../src/analysis/statistics/lead.ts';
import { at } from './at.ts';

const page = (views: number, conversions: number, payout = 10): PageResult => ({
  views,
  conversions,
  revenue: conversions * payout,
  revenueSquares: conversions * payout ** 2,
});

test('a page that earns twice as much over thousands of views is the leader and gets the traffic', () => {
  const { decision, pages } = comparePages([page(5_000, 100), page(5_000, 200)]);
  expect(decision).toEqual({ kind: 'leader', page: 1 });
  expect(pages.map(({ share }) => share)).toEqual([5, 95]);
  expect(at(pages, 1).probabilityBest).toBeGreaterThan(0.99);
  expect(at(pages, 1).expectedLoss).toBeLessThan(0.01);
  // 0.2 a view behind: $200 on 1,000 views.
  expect(at(pages, 0).expectedLoss).toBeGreaterThan(170);
  expect(at(pages, 0).expectedLoss).toBeLessThan(230);
});

test('luck on forty views is no decision yet, and says what is missing', () => {
  const { decision, pages } = comparePages([page(2_000, 60), page(40, 5)]);
  expect(decision).toMatchObject({ kind: 'no decision yet', page: 1 });
  expect(decision.kind === 'no decision yet' && decision.missing).toContain('evidence');
  for (const { share } of pages) expect(share).toBeGreaterThanOrEqual(10);
});

test('two fixed looks at 97% are not enough for one who may look every day', () => {
  const { decision, pages } = comparePages([page(10_000, 200), page(10_000, 242)]);
  expect(at(pages, 1).probabilityBest).toBeGreaterThan(thresholds.probability);
  expect(decision).toMatchObject({ kind: 'no decision yet', page: 1, missing: ['sure lead'] });
});

test('fewer sales of more money win where money is what counts', () => {
  const { decision } = comparePages([page(20_000, 800, 4), page(20_000, 400, 16)]);
  expect(decision).toEqual({ kind: 'leader', page: 1 });
});

test('payouts that vary make the same sums less certain', () => {
  const steady = comparePages([page(5_000, 100), page(5_000, 130)]);
  const varying = [page(5_000, 100), page(5_000, 130)].map((result) => ({
    ...result,
    revenueSquares: (result.revenueSquares ?? 0) * 4,
  }));
  const loose = comparePages(varying);
  const width = ({ pages }: typeof loose) => at(pages, 1).earnings.high - at(pages, 1).earnings.low;
  expect(width(loose)).toBeGreaterThan(1.5 * width(steady));
  expect(at(loose.pages, 1).probabilityBest).toBeLessThan(at(steady.pages, 1).probabilityBest);
});

test('pages without any results are equal, and no one can say how long it takes', () => {
  const { decision, pages, currency } = comparePages([page(0, 0), page(0, 0), page(0, 0)]);
  expect(currency).toBe('conversions');
  expect(decision).toMatchObject({ kind: 'no decision yet', viewsNeeded: { median: null, likely: null } });
  for (const { share } of pages) expect(Math.abs(share - 33)).toBeLessThanOrEqual(2);
});

test('pages far apart need fewer views than pages close together', () => {
  const needed = (conversions: number) => {
    const { decision } = comparePages([page(1_500, 30), page(1_500, conversions)]);
    return decision.kind === 'no decision yet' ? (decision.viewsNeeded.median ?? Number.POSITIVE_INFINITY) : 0;
  };
  expect(needed(50)).toBeGreaterThan(0);
  expect(needed(50)).toBeLessThan(needed(31) / 3);
});

test('asked twice, the answer is the same to the last digit', () => {
  const results = [page(3_000, 61), page(2_900, 70), page(3_100, 66)];
  expect(comparePages(results)).toEqual(comparePages(results));
});

const someResults = fc.array(
  fc
    .record({ views: fc.integer({ min: 0, max: 20_000 }), part: fc.double({ min: 0, max: 0.2, noNaN: true }) })
    .map(({ views, part }) => page(views, Math.floor(views * part))),
  { minLength: 2, maxLength: 4 },
);

test('whatever the results: probabilities sum to 1, shares to 100, intervals hold their means, leaders are sure', () => {
  fc.assert(
    fc.property(someResults, (results) => {
      const { pages, decision } = comparePages(results);
      expect(pages.reduce((sum, { probabilityBest }) => sum + probabilityBest, 0)).toBeCloseTo(1, 9);
      expect(pages.reduce((sum, { share }) => sum + share, 0)).toBe(100);
      for (const { rate, earnings, expectedLoss } of pages) {
        expect(rate.low).toBeLessThanOrEqual(rate.mean);
        expect(rate.high).toBeGreaterThanOrEqual(rate.mean);
        expect(earnings.low).toBeLessThanOrEqual(earnings.mean);
        expect(earnings.high).toBeGreaterThanOrEqual(earnings.mean);
        expect(expectedLoss).toBeGreaterThanOrEqual(0);
      }
      if (decision.kind === 'leader') {
        const sums = gatherEvidence(results, 'view').pages;
        const leader = at(sums, decision.page);
        expect(sums.every((rival) => rival === leader || isSureLead(leader, rival))).toBe(true);
      }
    }),
    { seed: 2, numRuns: 25 },
  );
});

test('better results never make a page less likely to be the best', () => {
  const odds = [50, 60, 70, 80, 90].map((conversions) => {
    const { pages } = comparePages([page(3_000, 70), page(3_000, conversions)]);
    return at(pages, 1).probabilityBest;
  });
  expect(odds).toEqual([...odds].sort((one, other) => one - other));
});

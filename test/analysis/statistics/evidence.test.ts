import { expect, test } from 'vitest';
import { gatherEvidence } from '../../../src/analysis/statistics/evidence.ts';
import { at } from './at.ts';

const page = { views: 1_000, clicks: 400, conversions: 40, revenue: 400 };

test('earnings are per view or per click, as asked', () => {
  expect(at(gatherEvidence([page, page], 'view').pages, 0).exposures).toBe(1_000);
  expect(at(gatherEvidence([page, page], 'click').pages, 0).exposures).toBe(400);
});

test('single payouts and their sum of squares say the same', () => {
  const payouts = Array.from({ length: 40 }, (_, index) => (index % 4 === 0 ? 25 : 5));
  const revenueSquares = payouts.reduce((sum, payout) => sum + payout ** 2, 0);
  const listed = gatherEvidence([{ ...page, payouts }, page], 'view');
  const summed = gatherEvidence([{ ...page, revenueSquares }, page], 'view');
  expect(at(listed.pages, 0).squares).toBeCloseTo(revenueSquares, 6);
  expect(summed.pages).toEqual(listed.pages);
});

test('a sample of the payouts says how much all of them vary', () => {
  const payouts = [5, 15, 5, 15];
  expect(at(gatherEvidence([{ ...page, payouts }, page], 'view').pages, 0).squares).toBeCloseTo(40 * 100 * 1.25, 6);
});

test('a few payouts that happen to be equal do not count as steady when those of the other page vary', () => {
  const few = { views: 100, conversions: 2, revenue: 20, payouts: [10, 10] };
  const many = { ...page, payouts: Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? 1 : 19)) };
  const sums = at(gatherEvidence([few, many], 'view').pages, 0);
  expect(sums.squares).toBeGreaterThan(1.6 * 200);
});

test.each([
  { made: 'payouts unknown', pages: [page, page] },
  { made: 'payouts borrowed', pages: [{ ...page, payouts: [1, 2] }, page] },
  {
    made: 'no revenue',
    pages: [
      { ...page, revenue: 0 },
      { ...page, revenue: 0 },
    ],
  },
  { made: 'page without conversions', pages: [page, { ...page, conversions: 0, revenue: 0 }] },
  { made: 'more conversions than views', pages: [page, { ...page, views: 3 }] },
  { made: 'revenue without conversions', pages: [page, { ...page, conversions: 0 }] },
])('says so where it has to assume: $made', ({ made, pages }) => {
  expect(gatherEvidence(pages, 'view').assumptions).toContain(made);
});

test('assumes nothing where every payout is known', () => {
  const known = { ...page, revenueSquares: 4_000 };
  expect(gatherEvidence([known, known], 'view').assumptions).toEqual([]);
});

test('without revenue pages are compared by conversions', () => {
  const evidence = gatherEvidence(
    [
      { ...page, revenue: 0 },
      { ...page, revenue: 0 },
    ],
    'view',
  );
  expect(evidence.currency).toBe('conversions');
  expect(evidence.pooled).toEqual({ exposures: 2_000, conversions: 80, revenue: 80, squares: 80 });
});

test.each([
  { why: 'at least two pages', pages: [page], per: 'view' as const },
  { why: 'views is -1', pages: [page, { ...page, views: -1 }], per: 'view' as const },
  { why: 'revenue is NaN', pages: [page, { ...page, revenue: Number.NaN }], per: 'view' as const },
  { why: 'payout is Infinity', pages: [{ ...page, payouts: [Number.POSITIVE_INFINITY] }, page], per: 'view' as const },
  { why: 'Page 2 has no clicks', pages: [page, { views: 5, conversions: 1, revenue: 1 }], per: 'click' as const },
])('refuses, and says why: $why', ({ why, pages, per }) => {
  expect(() => gatherEvidence(pages, per)).toThrow(why);
});

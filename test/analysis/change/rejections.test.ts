import { expect, it } from 'vitest';
import { sizeOfFactor } from '../../../src/analysis/change/deviations.ts';
import { type Boundaries, type Measure, placeOf, width } from '../../../src/analysis/change/sums.ts';

/** Sales of two spans of two weeks, with those that are rejected and pay nothing. */
function spans(before: readonly [sales: number, rejected: number], after: readonly [sales: number, rejected: number]) {
  const sumsOf = ([sales, rejected]: readonly [number, number]) => {
    const sums = new Float64Array(width);
    const paid = sales - rejected;
    const own: Partial<Record<Measure, number>> = {
      ...{ views: sales * 40, clicks: sales * 14, conversions: sales, paid: sales - rejected },
      ...{ cost: sales * 14, costSquares: sales * 5, revenue: paid * 21, revenueSquares: paid * 441 },
    };
    for (const [measure, sum] of Object.entries(own)) sums[placeOf[measure as Measure]] = sum;
    return sums;
  };
  return { before: sumsOf(before), after: sumsOf(after), days: [14, 14] } as const satisfies Boundaries;
}

const moved = (...[own, others]: readonly [Boundaries, Boundaries]) => sizeOfFactor('revenue_per_sale', own, others);

it('two rejected sales of eight prove nothing, where none were before and others had fewer', () => {
  expect(moved(spans([21, 0], [8, 2]), spans([38, 4], [29, 1]))).toBeLessThan(3);
  expect(moved(spans([27, 0], [2, 2]), spans([35, 4], [32, 1]))).toBeLessThan(4);
});

it('many more rejected sales are sure', () => {
  expect(moved(spans([100, 10], [100, 45]), spans([200, 20], [200, 22]))).toBeGreaterThan(4);
  expect(moved(spans([100, 10], [100, 12]), spans([200, 20], [200, 22]))).toBeLessThan(2);
});

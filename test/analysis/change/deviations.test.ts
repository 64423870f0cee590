import fc from 'fast-check';
import { expect, it } from 'vitest';
import { findDeviation, LimitsOfGroups, sizeOfFactor, sizesOf } from '../../../src/analysis/change/deviations.ts';
import { type Boundaries, GroupSums, noSums, subtract, sumRows, width } from '../../../src/analysis/change/sums.ts';
import { marksOf } from '../../../src/analysis/change/visit-columns.ts';

const many = { size: 'max' } as const;

/** The visits of a day. Some days have none, or only visits without clicks, cost or sales. */
interface Day {
  readonly visits: number;
  readonly clickRate: number;
  readonly saleRate: number;
  readonly cost: number;
  readonly payout: number;
}

const day: fc.Arbitrary<Day> = fc.record({
  visits: fc.constantFrom(0, 1, 3, 10, 40),
  clickRate: fc.constantFrom(0, 0.05, 0.3, 0.9, 1),
  saleRate: fc.constantFrom(0, 0.1, 0.5, 1),
  cost: fc.constantFrom(0, 0.001, 0.2, 5),
  payout: fc.constantFrom(0, 0.5, 12, 400),
});

/** The first of `count` things, spread evenly. */
const isOneOf = (index: number, rate: number) => Math.floor((index + 1) * rate) > Math.floor(index * rate);

type Columns = [number[], number[], number[], number[], number[], number[]];

/** A group and all other visits, at each boundary of these days; the first day is the earlier span. */
function sumsOf(own: readonly Day[], others: readonly Day[]): readonly [group: Boundaries, rest: Boundaries] {
  const [clicks, conversions, cost, revenue, stretches, codes]: Columns = [[], [], [], [], [], []];
  for (const [code, days] of [own, others].entries())
    for (const [index, { visits, clickRate, saleRate, cost: price, payout }] of days.entries())
      for (let visit = 0, clicked = 0; visit < visits * (1 + 9 * code); visit += 1) {
        const isClick = isOneOf(visit, clickRate);
        clicked += Number(isClick);
        const earned = isClick && isOneOf(clicked, saleRate) ? payout * (1 + (visit % 3)) : 0;
        // Some clicked twice.
        clicks.push(Number(isClick) * (1 + (visit % 2)));
        conversions.push(Number(earned > 0));
        cost.push(price * (1 + (visit % 2)));
        revenue.push(earned);
        stretches.push(index);
        codes.push(code);
      }
  const amounts = {
    ...{ clicks: Float64Array.from(clicks), conversions: Float64Array.from(conversions) },
    ...{ cost: Float64Array.from(cost), revenue: Float64Array.from(revenue) },
  };
  const days = Uint8Array.from(stretches);
  const rows = Uint32Array.from(codes.keys());
  const columns = {
    listed: rows,
    whole: { name: '', values: [''], codes: new Uint8Array(codes.length) },
    ...{ dimensions: [], days: [], dayCodes: new Uint16Array() },
    unpaid: Uint8Array.from(codes, (_, index) => Number(index % 3 === 0)),
    ...{ amounts, stretches: days, marks: marksOf(amounts, days) },
    dayCounts: [own.length - 1, own.length - 1] as const,
  };
  const [group, all, rest] = [noSums(columns), sumRows(rows, columns), noSums(columns)];
  const dimension = { codes: Uint8Array.from(codes), values: ['', ''] };
  new GroupSums(columns).group(rows, dimension).read(0, group);
  subtract(all, group, rest);
  return [group, rest];
}

it('leaves out no factor that moved further than the least that is asked about', () => {
  const days = fc.integer({ min: 2, max: 5 }).chain((length) => {
    const some = fc.array(day, { ...many, minLength: length, maxLength: length });
    return fc.tuple(some, some);
  });
  fc.assert(
    fc.property(days, fc.constantFrom(0.5, 1, 2, 3.7, 5, 8), ([own, others], least) => {
      const [group, rest] = sumsOf(own, others);
      const beyond = (sizes: readonly number[]) => sizes.map((size) => (size > least ? size : 0));
      expect(beyond(sizesOf(group, rest, least))).toEqual(beyond(sizesOf(group, rest, 0)));
    }),
    { numRuns: 500 },
  );
});

it('adds up each value at each boundary like its visits one by one', () => {
  const [group, rest] = sumsOf(
    [2, 3, 4].map((visits) => ({ visits, clickRate: 1, saleRate: 0.5, cost: 0.5, payout: 8 })),
    [1, 1, 1].map((visits) => ({ visits, clickRate: 0, saleRate: 0, cost: 0, payout: 0 })),
  );
  // Views, clicks, sales and cost come first.
  expect([...group.before.slice(0, 4), ...group.after.slice(0, 4)]).toEqual([2, 3, 1, 1.5, 7, 10, 4, 5]);
  const next = [group.before, group.after].flatMap((sums) => [...sums.slice(width, width + 4)]);
  expect(next).toEqual([5, 7, 3, 3.5, 4, 6, 2, 3]);
  expect([rest.before[0], rest.after[0], rest.before[width], rest.after[width]]).toEqual([10, 20, 20, 10]);
});

/** The sales of so many clicks, before and after a boundary. */
type Sold = readonly [before: readonly [number, number], after: readonly [number, number]];

/** How far the sales for each click of a group moved compared with its rest. */
function moveOfSales(group: Sold, rest: Sold, days: readonly [number, number] = [7, 7]): number {
  const sums = ([sales, clicks]: readonly [number, number]) =>
    Float64Array.from([clicks * 3, clicks, sales, 0, 0, sales * 3, sales * 9, sales]);
  const [own, others] = [group, rest].map(([before, after]) => ({
    before: sums(before),
    after: sums(after),
    days,
  })) as [Boundaries, Boundaries];
  return sizesOf(own, others, 0)[2] ?? 0;
}

it('does not take what few others moved by for a move of all', () => {
  const own: Sold = [
    [124, 2359],
    [15, 1012],
  ];
  const against = (...others: Sold) => moveOfSales(own, others);
  expect(against([96, 1664], [34, 694])).toBeGreaterThan(3.5);
  expect(against([9600, 166_400], [3400, 69_400])).toBeGreaterThan(against([96, 1664], [34, 694]));
  // The others fell as well, by more than chance: all did, and the group no more than they.
  expect(against([96, 1664], [10, 694])).toBeLessThan(1.5);
});

it('takes a rate that moved for further from chance the more days it did: what each day brings anew averages out', () => {
  const [own, others]: [Sold, Sold] = [
    [
      [900, 15_000],
      [600, 15_000],
    ],
    [
      [9000, 150_000],
      [9000, 150_000],
    ],
  ];
  const over = (days: number) => moveOfSales(own, others, [days, days]);
  expect(over(7)).toBeGreaterThan(over(2) * 1.3);
  expect(over(7)).toBeGreaterThan(4);
  expect(over(2)).toBeLessThan(3.5);
});

it('takes the cost of a visit for moved only by more than bids do from day to day', () => {
  const sums = (cost: number) => Float64Array.from([4000, 0, 0, 4000 * cost, 4000 * cost ** 2 * 1.01, 0, 0, 0]);
  const spans = (before: number, after: number): Boundaries => ({
    ...{ before: sums(before), after: sums(after), days: [7, 7] },
  });
  const moved = (after: number) => Math.max(...sizesOf(spans(0.34, after), spans(0.33, 0.33), 0));
  expect(moved(0.334)).toBeLessThan(2);
  expect(moved(0.44)).toBeGreaterThan(5);
});

it('does not take a few sales without one of the dearest offer for sales that pay less', () => {
  const sums = (...sales: readonly (readonly [count: number, payout: number])[]) => {
    const all = (of: (payout: number) => number) => sales.reduce((sum, [count, payout]) => sum + count * of(payout), 0);
    const count = all(() => 1);
    return Float64Array.from([
      count * 10,
      count * 3,
      count,
      0,
      0,
      all((payout) => payout),
      all((payout) => payout ** 2),
      count,
    ]);
  };
  const before = sums([330, 0.55], [165, 0.8], [57, 1.3]);
  const rest = { before: sums([5000, 0.7]), after: sums([300, 0.7]), days: [7, 1] as const };
  const moveOf = (after: Float64Array) => sizesOf({ before, after, days: [7, 1] }, rest, 0)[4];
  expect(moveOf(sums([22, 0.55], [3, 0.8]))).toBeLessThan(3.5);
  expect(moveOf(sums([15, 0.28], [8, 0.4], [3, 0.65]))).toBeGreaterThan(5);
});

it('tells a factor first that is sure, if one is', () => {
  const days = fc.array(day, { ...many, minLength: 4, maxLength: 4 });
  fc.assert(
    fc.property(days, days, (own, others) => {
      const [group, rest] = sumsOf(own, others);
      const limits = new LimitsOfGroups(1, 5, rest).of(0.2, false);
      const found = findDeviation(group, rest, limits);
      const [first] = found?.moved ?? [];
      if (found?.isSure && first) expect(sizeOfFactor(first, group, rest)).toBeGreaterThanOrEqual(limits.sure);
    }),
    { numRuns: 300 },
  );
});

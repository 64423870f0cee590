/** Tests of how far a factor of a group moved, compared with the same factor of other visits. */

import { entropy } from '../statistics/entropy.ts';
import type { Factor } from './factors.ts';
import { type Boundaries, type Measure, placeOf, width } from './sums.ts';

/** How far a group's factor usually moves, compared with the same factor of the rest. */
export const usualMove: Readonly<Record<Factor, number>> = {
  visits: 0.2,
  cost_per_visit: 0.05,
  clicks_per_visit: 0.07,
  sales_per_click: 0.1,
  revenue_per_sale: 0.05,
};

/** How far the cost of a visit moves from day to day beside that of others: traffic is bought at auctions. */
const usualOfBids = 0.03;

/** What of the square of that lasts, besides what each day brings anew: visits come and go for weeks, rates less so. */
const lastingPart = 0.25;

/** How far a rate of all visits usually moves: few others show it less well than this does. */
const usualOfAll = 0.2;

/** Others that moved by more standard deviations than this show it themselves. */
const maxSteady = 2;

/** How it is told by how much a factor of a group moved. */
export interface Test {
  readonly factor: Factor;
  /**
   * How far a group's factor moved compared with the rest's, with the best of all days as the boundary, in standard deviations; 0 if the
   * rest moved more, or if it surely moved no further than `least`. It is computed for each group, so nothing is allocated on the way.
   */
  readonly sizeOf: (group: Boundaries, rest: Boundaries, least: number) => number;
}

/** What is rejected pays nothing: that more of it is shows better than that a sale brought less. */
export const approvals = countTest('revenue_per_sale', 'paid', 'conversions');

export const tests: readonly Test[] = [
  countTest('visits', 'views'),
  countTest('clicks_per_visit', 'clicks', 'views'),
  countTest('sales_per_click', 'conversions', 'clicks'),
  approvals,
  meanTest('revenue_per_sale', 'revenue', 'revenueSquares', 'conversions'),
  meanTest('cost_per_visit', 'cost', 'costSquares', 'views', usualOfBids),
];

/** Whether a square is surely below that of `least`, however both were rounded. */
const isBelow = (square: number, least: number) => square * (1 + 1e-9) + 1e-9 < least ** 2;

/**
 * Compares the counts of two spans, each divided by its base: the root of the deviance of a rate from the one that the rest predicts,
 * reduced by the uncertainty of the rest and by usual moves. Counts are Poisson; clicks of visits and sales of clicks binomial.
 */
function countTest(factor: Factor, count: Measure, base?: Measure): Test {
  const [part, whole] = [placeOf[count], base === undefined ? undefined : placeOf[base]];
  const added = base === undefined ? 0 : 1;
  const [usualSquare, lasting] = [usualMove[factor] ** 2, factor === 'visits' ? 1 : lastingPart];
  const sizeOf = (group: Boundaries, rest: Boundaries, least: number) => {
    const all = (group.before[part] ?? 0) + (group.after[part] ?? 0);
    let size = 0;
    for (let start = 0; start < group.before.length && all > 0; start += width) {
      const before = group.before[start + part] ?? 0;
      const after = group.after[start + part] ?? 0;
      const restBefore = (rest.before[start + part] ?? 0) + 0.5;
      const restAfter = (rest.after[start + part] ?? 0) + 0.5;
      const days = start / width;
      const usual = usualSquare * (lasting + 1 / (group.days[0] + days) + 1 / (group.days[1] - days));
      const sizeBefore = whole === undefined ? group.days[0] + days : (group.before[start + whole] ?? 0);
      const sizeAfter = whole === undefined ? group.days[1] - days : (group.after[start + whole] ?? 0);
      const restSizeBefore = (whole === undefined ? sizeBefore : (rest.before[start + whole] ?? 0)) + added;
      const restSizeAfter = (whole === undefined ? sizeAfter : (rest.after[start + whole] ?? 0)) + added;
      if (sizeBefore === 0 || sizeAfter === 0) continue;
      const othersBefore = sizeBefore - before;
      const othersAfter = sizeAfter - after;
      // Clicks are some of the visits, if none has several: what did not click counts as well, and a rate scatters less than a count.
      const isRate = whole !== undefined && Math.min(othersBefore, othersAfter) >= 0 && othersBefore + othersAfter > 0;
      const allOthers = isRate ? othersBefore + othersAfter : 0;
      const restChange = (restAfter * restSizeBefore) / (restSizeAfter * restBefore);
      // What is predicted is between no change and that of the rest, and the deviance is convex.
      const most = Math.max(size, least);
      if (
        isBelow(maxDeviance(all, after, allOthers, othersAfter, partAfter(sizeBefore, sizeAfter, restChange)), most) &&
        isBelow(maxDeviance(all, after, allOthers, othersAfter, partAfter(sizeBefore, sizeAfter, 1)), most)
      )
        continue;
      const partOfRest = (restBefore + restAfter) / (restSizeBefore + restSizeAfter);
      const ofRest = (1 / restBefore + 1 / restAfter) * (isRate ? Math.max(1 - partOfRest, 0) : 1);
      // What few others seem to have moved by is mostly chance, so that it is shrunk: the mean of the normal posterior.
      const isSteady = isRate && (restChange - 1) ** 2 < maxSteady ** 2 * ofRest * restChange;
      const shrunk = isSteady ? usualOfAll ** 2 / (usualOfAll ** 2 + ofRest) : 1;
      const outside = Math.log(restChange) * shrunk;
      const inside = Math.log(((after + 0.5) * (sizeBefore + added)) / ((sizeAfter + added) * (before + 0.5)));
      if (!movedMore(inside, outside)) continue;
      const predicted = partAfter(sizeBefore, sizeAfter, Math.exp(outside));
      // A rate above 1 is none: then nothing is expected of the others. Less than one of them is no less than the rest has.
      const left = sizeAfter - all * predicted;
      const leastLeft = Math.min((sizeAfter * (restSizeAfter - restAfter)) / restSizeAfter, 1);
      const others = isRate && left > 0 && left < leastLeft ? leastLeft : left;
      const partOfOthers = isRate ? allOthers / (sizeBefore + sizeAfter) : 1;
      const spread = 1 + ((ofRest * shrunk + usual) * all * predicted * (1 - predicted)) / partOfOthers;
      const deviance =
        devianceOf(after, before, all * predicted) +
        (isInside(others, allOthers) ? devianceOf(othersAfter, othersBefore, others) : 0);
      size = Math.max(size, Math.sqrt(Math.max(deviance, 0) / spread));
    }
    return size;
  };
  return { factor, sizeOf };
}

/** The part of a count that falls on the later span if the rate changes by a factor. */
function partAfter(sizeBefore: number, sizeAfter: number, change: number): number {
  const size = sizeAfter * change;
  return size / (size + sizeBefore);
}

const isInside = (number: number, max: number) => number > 0 && number < max;

/** The deviance of two counts, of which one is expected. */
export function devianceOf(one: number, other: number, expected: number): number {
  return 2 * (entropy(one, expected) + entropy(other, one + other - expected));
}

/**
 * The most that the deviance of a count and of the others can be, without logarithms: each adds 2 * (x log(x / e) - x + e), which is at
 * most (x - e)^2 times 2 / e, since log(y) <= y - 1.
 */
function maxDeviance(all: number, after: number, allOthers: number, othersAfter: number, predicted: number): number {
  const expected = all * predicted;
  const ofCount = ((after - expected) ** 2 * all) / (expected * (all - expected));
  if (allOthers === 0) return 2 * ofCount;
  const others = othersAfter + after - expected;
  if (!isInside(others, allOthers)) return Number.POSITIVE_INFINITY;
  return 2 * (ofCount + ((othersAfter - others) ** 2 * allOthers) / (others * (allOthers - others)));
}

/**
 * Compares the mean amounts of two spans: Welch's test on their ratio, compared with the ratio of the rest, as standard deviations of a
 * normal variable (Wallace, "Bounds on normal approximations to Student's", 1959), because a few payouts that vary prove little.
 * @param usualOfDays how far the amount usually moves from day to day, as a part
 */
function meanTest(factor: Factor, amount: Measure, square: Measure, count: Measure, usualOfDays = 0): Test {
  const minCount = 5;
  const [amounts, squares, counts] = [placeOf[amount], placeOf[square], placeOf[count]];
  const [usual, usualSquare] = [usualMove[factor] ** 2, usualOfDays ** 2];
  const meanOf = (sums: Float64Array, start: number) => (sums[start + amounts] ?? 0) / (sums[start + counts] ?? 0);
  /** As a part of the square of the mean. */
  const varianceOf = (sums: Float64Array, start: number, mean: number) =>
    Math.max((sums[start + squares] ?? 0) / (sums[start + counts] ?? 0) / mean ** 2 - 1, 0);
  const varianceOfMean = (sums: Float64Array, start: number, variance: number) =>
    (variance + usual) / (sums[start + counts] ?? 0);
  const areEnough = ({ before, after }: Boundaries, start: number) =>
    Math.min(before[start + counts] ?? 0, after[start + counts] ?? 0) >= minCount &&
    (before[start + amounts] ?? 0) > 0 &&
    (after[start + amounts] ?? 0) > 0;
  /** How surely there is none where there was some, or the other way round: none is a count whose chance is known. */
  const sizeOfNone = (group: Boundaries, rest: Boundaries, start: number) => {
    const isLost = group.after[start + amounts] === 0;
    const [none, some] = isLost ? [group.after, group.before] : [group.before, group.after];
    const amount = some[start + amounts] ?? 0;
    if (none[start + amounts] !== 0 || (none[start + counts] ?? 0) < minCount || amount <= 0) return 0;
    const change = meanOf(rest.after, start) / meanOf(rest.before, start);
    const each = amount ** 2 / ((some[start + squares] ?? 0) * (some[start + counts] ?? 0));
    return Math.sqrt(2 * (none[start + counts] ?? 0) * each * Math.min(isLost ? change : 1 / change, 1));
  };
  const sizeOf = (group: Boundaries, rest: Boundaries, least: number) => {
    const all = (group.before[counts] ?? 0) + (group.after[counts] ?? 0);
    let size = 0;
    for (let start = 0; start < group.before.length && all > minCount; start += width) {
      if (!areEnough(group, start)) {
        if (areEnough(rest, start)) size = Math.max(size, sizeOfNone(group, rest, start));
        continue;
      }
      const before = meanOf(group.before, start);
      const after = meanOf(group.after, start);
      const hasRest = areEnough(rest, start);
      const restBefore = hasRest ? meanOf(rest.before, start) : 1;
      const restAfter = hasRest ? meanOf(rest.after, start) : 1;
      const days = start / width;
      const ofDays = lastingPart + 1 / (group.days[0] + days) + 1 / (group.days[1] - days);
      const ofBefore = varianceOf(group.before, start, before);
      const ofAfter = varianceOf(group.after, start, after);
      // A few sales may have none of those that pay most: they scatter at least as far as all do around their means.
      const number = (group.before[start + counts] ?? 0) + (group.after[start + counts] ?? 0);
      const pooled =
        (ofBefore * (group.before[start + counts] ?? 0) + ofAfter * (group.after[start + counts] ?? 0)) / number;
      let variance =
        varianceOfMean(group.before, start, Math.max(ofBefore, pooled)) +
        varianceOfMean(group.after, start, Math.max(ofAfter, pooled)) +
        usualSquare * ofDays;
      // |log(x)| <= |x - 1| / sqrt(x), and the variance of the rest only adds to that of the group.
      const ratio = (after * restBefore) / (before * restAfter);
      if (isBelow((ratio - 1) ** 2 / ratio / variance, Math.max(size, least))) continue;
      if (hasRest)
        variance +=
          varianceOfMean(rest.before, start, varianceOf(rest.before, start, restBefore)) +
          varianceOfMean(rest.after, start, varianceOf(rest.after, start, restAfter));
      const [inside, outside] = [Math.log(after / before), Math.log(restAfter / restBefore)];
      if (!movedMore(inside, outside)) continue;
      const square = (inside - outside) ** 2 / variance;
      const freedom = Math.min(group.before[start + counts] ?? 0, group.after[start + counts] ?? 0) - 1;
      size = Math.max(size, Math.sqrt(freedom * Math.log1p(square / freedom)));
    }
    return size;
  };
  return { factor, sizeOf };
}

/** Two parts of a whole always differ from each other. Only the part that moved is a cause. */
function movedMore(inside: number, outside: number): boolean {
  return Math.abs(inside) > Math.abs(outside) && Math.sign(inside) === Math.sign(inside - outside);
}

import { countOf, type Worth } from './history.ts';

/** Two samples of one distribution pass this bound of Kolmogorov and Smirnov in 5 of 100 cases. */
const bound = 1.36;

/** What a page may yet be paid whose payouts do not have the shape of the other's: so many times the largest that either has had. */
const unseenFactor = 3;

/**
 * The payout that the rival has to be credited with where the payouts of two pages, each over their median, are of different
 * shape: a page of rare, large payouts looks poor until the first one comes.
 *
 * @returns 0 where both have the same shape, as far as can be seen
 */
export function unseenPayoutOf(one: readonly Worth[], other: readonly Worth[]): number {
  const [count, otherCount] = [countOf(one), countOf(other)];
  if (count === 0 || otherCount === 0) return 0;
  const critical = bound * Math.sqrt((count + otherCount) / (count * otherCount));
  if (maxDistance(overMedian(one), overMedian(other)) <= critical) return 0;
  return unseenFactor * [...one, ...other].reduce((max, { value }) => Math.max(max, value), 0);
}

/** The largest distance between the two distribution functions. */
function maxDistance(one: readonly Worth[], other: readonly Worth[]): number {
  const [size, otherSize] = [countOf(one), countOf(other)];
  const steps = [
    ...one.map(({ value, count }) => ({ value, step: count / size })),
    ...other.map(({ value, count }) => ({ value, step: -count / otherSize })),
  ].sort((a, b) => a.value - b.value);
  let distance = 0;
  let max = 0;
  for (const [index, { value, step }] of steps.entries()) {
    distance += step;
    // Equal values are one step of both.
    if (steps[index + 1]?.value !== value) max = Math.max(max, Math.abs(distance));
  }
  return max;
}

function overMedian(worths: readonly Worth[]): readonly Worth[] {
  const sorted = worths.toSorted((a, b) => a.value - b.value);
  const half = countOf(sorted) / 2;
  let passed = 0;
  const median = sorted.find(({ count }) => {
    passed += count;
    return passed >= half;
  })?.value;
  return median ? sorted.map(({ value, count }) => ({ value: value / median, count })) : sorted;
}

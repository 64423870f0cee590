import { at, type History, type Worth } from './history.ts';

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
export function unseenPayoutOf(one: History, other: History): number {
  const [count, otherCount] = [one.conversions, other.conversions];
  if (count === 0 || otherCount === 0) return 0;
  const critical = bound * Math.sqrt((count + otherCount) / (count * otherCount));
  if (maxDistance(stepsOf(one), stepsOf(other)) <= critical) return 0;
  return unseenFactor * Math.max(0, ...[one, other].map(({ worths }) => worths.at(-1)?.value ?? 0));
}

/** The largest distance between two distribution functions that rise by such steps. */
function maxDistance(one: readonly Step[], other: readonly Step[]): number {
  let [distance, max, index, otherIndex] = [0, 0, 0, 0];
  while (index < one.length && otherIndex < other.length) {
    const value = Math.min(at(one, index).value, at(other, otherIndex).value);
    // Equal values are one step of both.
    for (; one[index]?.value === value; index += 1) distance += at(one, index).rise;
    for (; other[otherIndex]?.value === value; otherIndex += 1) distance -= at(other, otherIndex).rise;
    max = Math.max(max, Math.abs(distance));
  }
  return max;
}

/** A payout over the median, and how many of all are that high, as a part. */
interface Step {
  readonly value: number;
  readonly rise: number;
}

function stepsOf({ worths, conversions }: History): readonly Step[] {
  const median = Math.abs(medianOf(worths, conversions)) || 1;
  return worths.map(({ value, count }) => ({ value: value / median, rise: count / conversions }));
}

function medianOf(worths: readonly Worth[], conversions: number): number {
  let passed = 0;
  for (const { value, count } of worths) {
    passed += count;
    if (passed >= conversions / 2) return value;
  }
  return 0;
}

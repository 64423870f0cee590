import { type Day, sum } from './history.ts';

/** A part of the traffic that is too small to mislead. */
const minMoved = { fromShares: 0.03, fromDayToDay: 0.1 } as const;

/** A split differs by more than chance where chi-square is so many of its standard deviations above what is expected. */
const deviations = 4;

/** Whether the views of a period are spread otherwise than shares say, so that shares must have been others before. */
export function fitShares(views: readonly number[], shares: readonly (number | null)[]): boolean {
  const weights = shares.map((share) => share ?? Number.NaN);
  // The shares are exact; as a sample they would be endless.
  return !isMoved(views, weights, Number.POSITIVE_INFINITY, minMoved.fromShares);
}

/**
 * The days on which shares had just been changed: such a day mixes two splits, and sales to earlier visitors may still be
 * booked on the days behind it.
 *
 * @param delay the mean time from a visit to its booking, in days
 * @returns the dates
 */
export function datesOfChange(days: readonly Day[], delay: number): readonly string[] {
  const splits = days.map(({ pages }) => pages.map(({ views }) => views));
  const changes = splits.flatMap((split, index) => {
    const before = splits.slice(0, index).findLast((earlier) => sum(earlier) > 0);
    return before && isMoved(split, before, sum(before), minMoved.fromDayToDay) ? [index] : [];
  });
  const length = 1 + Math.ceil(2 * delay);
  const isAffected = (index: number) => changes.some((change) => index >= change && index < change + length);
  return days.filter((_, index) => isAffected(index)).map(({ date }) => date);
}

/** Whether views are split otherwise than `weights`, which were a sample of `size`, by more than chance and by enough to matter. */
function isMoved(views: readonly number[], weights: readonly number[], size: number, minPart: number): boolean {
  const [allViews, allWeights] = [sum(views), sum(weights)];
  if (!(allViews > 0 && allWeights > 0)) return false;
  let moved = 0;
  let chiSquare = 0;
  for (const [page, count] of views.entries()) {
    const part = (weights[page] ?? 0) / allWeights;
    const difference = count / allViews - part;
    moved += Math.abs(difference) / 2;
    // Under no change both samples have the same part.
    const common = size === Number.POSITIVE_INFINITY ? part : (count + part * size) / (allViews + size);
    if (common > 0) chiSquare += difference ** 2 / (common * (1 / allViews + 1 / size));
    else if (count > 0) return moved >= minPart;
  }
  const freedom = Math.max(views.length - 1, 1);
  return moved >= minPart && chiSquare > freedom + deviations * Math.sqrt(2 * freedom);
}

import { daysFrom, type SaleDelay } from '../sale-delay.ts';
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

/** How a report books sales, and how late they come. */
export interface Lateness {
  /** The day that a sale counts on: that of its visit, or its own. */
  readonly booking: 'visit' | 'sale' | 'unknown';
  /** Undefined if no list says it. */
  readonly delay: Pick<SaleDelay, 'meanDays' | 'daysUntilIn'> | undefined;
  /** The last day that sales may have come in, YYYY-MM-DD. */
  readonly asOf: string;
}

/** Why days do not count. */
export interface LeftOut {
  /** Shares had just been changed. */
  readonly changed: readonly string[];
  /** Sales of their visitors are still to come. */
  readonly late: readonly string[];
}

/** Days after a change on which earlier visitors may still buy, if nothing is known of how late they do. */
const assumedDaysAfterChange = 3;

/** For how many days behind a change of shares the sales of visitors from before it may come in. */
export function daysAfterChange({ booking, delay }: Lateness): number {
  if (booking === 'visit') return 0;
  return delay ? Math.max(Math.ceil(2 * delay.meanDays), delay.daysUntilIn) : assumedDaysAfterChange;
}

/**
 * The days that mislead. The day of a change mixes two splits; if sales are booked on their own day, those of earlier visitors fall
 * on the days behind it. If they are booked on the day of their visit, the last days lack the sales that are still to come, and
 * pages need not be alike in that.
 *
 * @param viewsBefore what the pages had shortly before the first day, if it is known
 */
export function daysLeftOut(days: readonly Day[], lateness: Lateness, viewsBefore?: readonly number[]): LeftOut {
  const splits = days.map(({ pages }) => pages.map(({ views }) => views));
  const all = viewsBefore ? [viewsBefore, ...splits] : splits;
  const changes = splits.flatMap((split, index) => {
    const before = all.slice(0, index + all.length - splits.length).findLast((earlier) => sum(earlier) > 0);
    return before && isMoved(split, before, sum(before), minMoved.fromDayToDay) ? [index] : [];
  });
  const length = 1 + daysAfterChange(lateness);
  const isAffected = (index: number) => changes.some((change) => index >= change && index < change + length);
  const { booking, delay, asOf } = lateness;
  const daysToCome = booking === 'sale' ? 0 : (delay?.daysUntilIn ?? 0);
  return {
    changed: days.filter((_, index) => isAffected(index)).map(({ date }) => date),
    late: days.filter(({ date }) => daysFrom(date, asOf) < daysToCome).map(({ date }) => date),
  };
}

/** Whether the views of two spans are split otherwise, by more than chance. */
export function areSharesMoved(views: readonly number[], before: readonly number[]): boolean {
  return sum(before) > 0 && isMoved(views, before, sum(before), minMoved.fromDayToDay);
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

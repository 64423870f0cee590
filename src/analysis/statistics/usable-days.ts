import { daysFrom, type SaleDelay } from '../sale-delay.ts';
import { type Day, sum } from './history.ts';
import { deviationOf } from './scatter.ts';

/** Smaller changes of the split do not mislead. */
const minMoved = { fromShares: 0.03, fromDayToDay: 0.1, forGood: 0.03 } as const;

/** A split has moved if chi-square exceeds its expectation by this many standard deviations. */
const deviations = 4;

const isBeyondChance = (chiSquare: number, freedom: number) =>
  chiSquare > freedom + deviations * Math.sqrt(2 * freedom);

const isBeyond = (deviation: number) => (chiSquare: number, freedom: number) =>
  deviationOf(chiSquare, freedom) > deviation;

/** By chance in one of 1,000 cases: each day of a comparison is looked at. */
const isRare = isBeyond(3.09);

/** By chance in about one of 300,000 cases: the days of many groups are looked at. */
const isSure = isBeyond(4.5);

/** Whether the views of a period are split as the shares require. If not, other shares applied before. */
export function fitShares(views: readonly number[], shares: readonly (number | null)[]): boolean {
  const weights = shares.map((share) => share ?? Number.NaN);
  // Shares are exact, like a sample of infinite size.
  return !hasMoved(views, weights, Number.POSITIVE_INFINITY, minMoved.fromShares);
}

/** How a report books sales, and how late they come. */
export interface Lateness {
  /** Whether a sale counts on the day of its visit, or on its own day. */
  readonly booking: 'visit' | 'sale' | 'unknown';
  /** Undefined if no list shows it. */
  readonly delay: Pick<SaleDelay, 'meanDays' | 'daysUntilIn'> | undefined;
  /** The last day whose sales are known, YYYY-MM-DD. */
  readonly asOf: string;
}

/** The days after a visit until its sales are in; 0 if sales count on their own day. */
export const daysToCome = ({ booking, delay }: Lateness): number =>
  booking === 'sale' ? 0 : (delay?.daysUntilIn ?? 0);

/** Days that do not count, by reason. */
export interface LeftOut {
  /** Shares had just changed. */
  readonly changed: readonly string[];
  /** Sales of their visitors are still to come. */
  readonly late: readonly string[];
}

/** Days after a change on which earlier visitors may still buy, if the delay is unknown. */
const assumedDaysAfterChange = 3;

/** The days after a change of shares on which sales of earlier visitors may come in. */
export function daysAfterChange({ booking, delay }: Lateness): number {
  if (booking === 'visit') return 0;
  return delay ? Math.max(Math.ceil(2 * delay.meanDays), delay.daysUntilIn) : assumedDaysAfterChange;
}

/**
 * The days that mislead. The day of a change mixes two splits; if sales are booked on their own day, the sales of earlier visitors fall
 * on the days after it. If they are booked on the day of their visit, the last days lack the sales that are still to come, and
 * pages may differ in that.
 *
 * @param viewsBefore the pages' views shortly before the first day, if known
 */
export function daysLeftOut(days: readonly Day[], lateness: Lateness, viewsBefore?: readonly number[]): LeftOut {
  const splits = days.map(({ pages }) => pages.map(({ views }) => views));
  const all = viewsBefore ? [viewsBefore, ...splits] : splits;
  const changes = splits.flatMap((split, index) => {
    const before = all.slice(0, index + all.length - splits.length).findLast((earlier) => sum(earlier) > 0);
    return before && hasMoved(split, before, sum(before), minMoved.fromDayToDay, isRare) ? [index] : [];
  });
  const length = 1 + daysAfterChange(lateness);
  const isAffected = (index: number) => changes.some((change) => index >= change && index < change + length);
  return {
    changed: days.filter((_, index) => isAffected(index)).map(({ date }) => date),
    late: days.filter(({ date }) => daysFrom(date, lateness.asOf) < daysToCome(lateness)).map(({ date }) => date),
  };
}

/** Whether the views of two spans are split differently, by more than chance. */
export function haveSharesMoved(views: readonly number[], before: readonly number[]): boolean {
  return hasMoved(views, before, sum(before), minMoved.fromDayToDay);
}

/** Whether they are surely split differently, though many spans of many groups are looked at. */
export function haveSharesSurelyMoved(views: readonly number[], before: readonly number[]): boolean {
  return hasMoved(views, before, sum(before), minMoved.forGood, isSure);
}

/** Whether views are split differently from `weights`, a sample of `size`, by more than chance and by enough to matter. */
function hasMoved(
  views: readonly number[],
  weights: readonly number[],
  size: number,
  minPart: number,
  hasExceeded = isBeyondChance,
): boolean {
  const [allViews, allWeights] = [sum(views), sum(weights)];
  if (!(allViews > 0 && allWeights > 0)) return false;
  let moved = 0;
  let chiSquare = 0;
  for (const [page, count] of views.entries()) {
    const part = (weights[page] ?? 0) / allWeights;
    const difference = count / allViews - part;
    moved += Math.abs(difference) / 2;
    // Without a change both samples have the same part.
    const common = size === Number.POSITIVE_INFINITY ? part : (count + part * size) / (allViews + size);
    if (common > 0) chiSquare += difference ** 2 / (common * (1 / allViews + 1 / size));
    else if (count > 0) return moved >= minPart;
  }
  const freedom = Math.max(views.length - 1, 1);
  return moved >= minPart && hasExceeded(chiSquare, freedom);
}

import { daysFrom, type SaleDelay } from '../sale-delay.ts';
import { at, type Day, sum } from './history.ts';
import { isSplitAnew, movesIn } from './moved-shares.ts';

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
  const fromDayToDay = splits.flatMap((split, index) => {
    const before = all.slice(0, index + all.length - splits.length).findLast((earlier) => sum(earlier) > 0);
    return before && isSplitAnew(split, before, 'each day') ? [index] : [];
  });
  // With few views, only the days before and after show a change.
  const dates = days.map(({ date }) => date);
  const moves = movesIn(dates, (date) => at(splits, dates.indexOf(date)));
  const lasting = [...splits.keys()].filter((index) =>
    moves.some(({ from, until }) => at(dates, index) >= from && at(dates, index) <= until),
  );
  const changes = [...fromDayToDay, ...lasting];
  const length = 1 + daysAfterChange(lateness);
  const isAffected = (index: number) => changes.some((change) => index >= change && index < change + length);
  return {
    changed: days.filter((_, index) => isAffected(index)).map(({ date }) => date),
    late: days.filter(({ date }) => daysFrom(date, lateness.asOf) < daysToCome(lateness)).map(({ date }) => date),
  };
}

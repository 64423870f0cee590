import type { FactorRates } from '../../answer/profit-change.ts';
import { at, sum } from '../statistics/history.ts';
import type { GroupFigures } from '../visit-groups.ts';
import { devianceOf } from './factor-tests.ts';
import { carriedTogether, type Factor, factorEffects, ratioByFactor } from './factors.ts';
import { type SumsByDay, sumByDay } from './sums.ts';
import type { VisitColumns, Visits } from './visit-columns.ts';

/** When a factor changed; days as YYYY-MM-DD. */
export interface DaysOfChange {
  /** Undefined if no day stands out. */
  readonly since: string | undefined;
  /** The last day of it, if days since then are as they were before. */
  readonly until?: string | undefined;
  /** The day from which on there was nothing of it at all, where chance would have brought some. */
  readonly noneSince: string | undefined;
  /** What each factor was on all days before the change, and since then; none for visits. */
  readonly rates?: FactorRates | undefined;
  /** What the factors changed of the profit of a day, from all days before to those since. */
  readonly aDay?: number | undefined;
}

/** The deviance by which a day must stand out to be named; chance reaches it once in 10,000 times. */
const minDayDeviance = 15;

/** Fewer days without sales may be those whose sales are late. */
export const minDaysWithoutSales = 3;

/** With so many expected, chance brings none once in 10,000 times. */
export const minExpected = 9.2;

/** Days or hours in a row, by their indexes; the last one included. */
export type Range = readonly [first: number, last: number];

export function countIn(counts: readonly number[], [first, last]: Range): number {
  let count = 0;
  for (let index = first; index <= last && index < counts.length; index += 1) count += at(counts, index);
  return count;
}

/** How far what some days or hours have is from their part of the whole: the deviance of their rate beside that of the others. */
export function devianceIn(parts: readonly number[], wholes: readonly number[], range: Range): number {
  const [own, count] = [countIn(parts, range), sum(parts)];
  const expected = (count * countIn(wholes, range)) / sum(wholes);
  return expected > 0 && expected < count ? devianceOf(own, count - own, expected) : 0;
}

/** The range that deviates most, if by more than the least. */
export function mostDeviating(
  parts: readonly number[],
  wholes: readonly number[],
  ranges: readonly Range[],
  least: number,
): Range | undefined {
  let best = { range: undefined as Range | undefined, deviance: least };
  for (const range of ranges) {
    const deviance = devianceIn(parts, wholes, range);
    if (deviance > best.deviance) best = { range, deviance };
  }
  return best.range;
}

/**
 * The day from which on there is nothing, where chance would have brought some, and how much.
 * @param least the first day that it may be
 * @param minDays so many days without anything prove that nothing comes
 * @param unit how much counts as one
 */
export function noneFrom(
  parts: readonly number[],
  wholes: readonly number[],
  { least = 1, minDays = 1, unit = 1 },
): { readonly from: number; readonly expected: number } | undefined {
  const from = Math.max(parts.findLastIndex((part) => part > 0) + 1, least);
  const expected = (sum(parts.slice(0, from)) / sum(wholes.slice(0, from))) * sum(wholes.slice(from));
  return parts.length - from >= minDays && expected >= minExpected * unit ? { from, expected } : undefined;
}

/** A factor with when it changed. */
export interface DatedFactor extends DaysOfChange {
  readonly factor: Factor;
}

/** What there is none of any more says most, whatever else moved: it comes first. */
export const endedFirst = <Dated extends DatedFactor>(factors: readonly Dated[]): Dated[] => {
  const isOver = ({ noneSince }: DatedFactor) => Number(noneSince !== undefined);
  return factors.toSorted((one, other) => isOver(other) - isOver(one));
};

/**
 * The days on which factors of some visits changed: the largest deviance of a Poisson rate before and after it.
 * @param told the same visits with the amounts that rates are told of
 * @param isLastOpen whether the last day is not over
 */
export function daysOfChange(
  factors: readonly Factor[],
  rows: Visits,
  otherRows: Visits,
  columns: VisitColumns,
  told: VisitColumns,
  isLastOpen: boolean,
): DatedFactor[] {
  const { days } = columns;
  const sums = [rows, otherRows].map((some) => sumByDay(some, columns, days)) as [SumsByDay, SumsByDay];
  const ofTold = told === columns ? sums[0] : sumByDay(rows, told, days);
  return factors.map((factor) => {
    const dates = datesOf(factor, sums, days, otherRows.length > 0);
    const until = lastDayOf(factor, dates.since, sums[0], days);
    const aDay = changeADay(dates.since, sums[0], days, factors, isLastOpen);
    return { factor, ...dates, until, aDay, rates: ratesAround(dates.since ?? dates.noneSince, ofTold, days, until) };
  });
}

function datesOf(
  factor: Factor,
  [own, others]: readonly [own: SumsByDay, others: SumsByDay],
  days: readonly string[],
  hasOthers: boolean,
): Pick<DaysOfChange, 'since' | 'noneSince'> {
  const [measure, per] = ratioByFactor[factor];
  const usedDays = [...days.keys()].filter((day) => at(own.views, day) + at(others.views, day) > 0);
  const counts = countsOf(own, measure);
  const parts = usedDays.map((day) => at(counts, day));
  // Where a group is all there is on some days, its first one stands out too.
  const wholes = usedDays.map((day) => (per ? at(own[per], day) : hasOthers ? Math.max(at(others.views, day), 1) : 1));
  const last = usedDays.length - 1;
  const ranges = usedDays.slice(1).map((_, index) => [index + 1, last] as const);
  const nameOf = (index = -1) => days[usedDays[index] ?? -1];
  const since = nameOf(mostDeviating(parts, wholes, ranges, minDayDeviance)?.[0]);
  // Sales of the last days may still come.
  const noneSince = nameOf(noneFrom(parts, wholes, { minDays: per === 'clicks' ? minDaysWithoutSales : 1 })?.from);
  return { since, noneSince };
}

/** Poisson rates are of counts: cost counts in cents. */
const countsOf = (sums: SumsByDay, measure: keyof SumsByDay): readonly number[] =>
  measure === 'cost' ? sums.cost.map((cost) => cost * 100) : sums[measure];

const rateIn = (parts: readonly number[], wholes: readonly number[], range: Range): number =>
  countIn(parts, range) / countIn(wholes, range);

/** What is over left at most this part of its move in the days after it. */
const maxLeft = 0.25;

/** The last day of a change of a factor that is over. */
export function lastDayOf(
  factor: Factor,
  since: string | undefined,
  sums: SumsByDay,
  days: readonly string[],
): string | undefined {
  const [measure, per] = ratioByFactor[factor];
  const first = since === undefined ? -1 : days.indexOf(since);
  if (!per || first < 1) return undefined;
  const [parts, wholes] = [countsOf(sums, measure), sums[per]];
  const last = days.length - 1;
  const shorter = Array.from({ length: last - first }, (_, index) => [first, first + index] as const);
  const lasting = devianceIn(parts, wholes, [first, last]);
  const range = mostDeviating(parts, wholes, shorter, lasting + minDayDeviance);
  if (!range) return undefined;
  const rateOf = (some: Range) => rateIn(parts, wholes, some);
  const [before, during, after] = [rateOf([0, first - 1]), rateOf(range), rateOf([range[1] + 1, last])];
  return Math.abs(after - before) <= maxLeft * Math.abs(during - before) ? days[range[1]] : undefined;
}

/**
 * What some factors changed of the profit of a day since one of some days: in a span that began earlier, its money is spread thin.
 * @param isLastOpen whether the last day is not over
 */
export function changeADay(
  since: string | undefined,
  sums: Pick<SumsByDay, keyof GroupFigures>,
  days: readonly string[],
  factors: readonly Factor[],
  isLastOpen: boolean,
): number | undefined {
  const first = since === undefined ? -1 : days.indexOf(since);
  if (first < 1) return undefined;
  const last = isLastOpen && first < days.length - 1 ? days.length - 2 : days.length - 1;
  const meansIn = (range: Range) => {
    const meanOf = (measure: keyof GroupFigures) => countIn(sums[measure], range) / (range[1] - range[0] + 1);
    const [views, clicks, conversions] = [meanOf('views'), meanOf('clicks'), meanOf('conversions')];
    return { views, clicks, conversions, cost: meanOf('cost'), revenue: meanOf('revenue') };
  };
  return carriedTogether(factorEffects(meansIn([0, first - 1]), meansIn([first, last])), factors);
}

/**
 * What factors were on the days before one of some days, and from it on: the averages of two spans hide how far they moved.
 * @param until the last day of what is over
 */
export function ratesAround(
  day: string | undefined,
  sums: SumsByDay,
  days: readonly string[],
  until: string | undefined,
): FactorRates | undefined {
  if (day === undefined) return undefined;
  const first = days.indexOf(day);
  const last = until === undefined ? days.length - 1 : days.indexOf(until);
  const rates = Object.entries(ratioByFactor).flatMap(([factor, [measure, per]]) => {
    if (!per) return [];
    const rateOf = (range: Range) => rateIn(sums[measure], sums[per], range);
    const [before, after] = [rateOf([0, first - 1]), rateOf([first, last])];
    return before >= 0 && after >= 0 ? [[factor, { before, after }]] : [];
  });
  return Object.fromEntries(rates);
}

import { entropy } from '../statistics/entropy.ts';
import { at, sum } from '../statistics/history.ts';
import {
  changeADay,
  type DatedFactor,
  type DaysOfChange,
  devianceIn,
  endedFirst,
  lastDayOf,
  minDaysWithoutSales,
  minExpected,
  noneFrom,
  type Range,
  ratesAround,
} from './days-of-change.ts';
import { testsInRow } from './deviations.ts';
import { usualMove } from './factor-tests.ts';
import { type Factor, type FactorEffect, factorEffects, largestFirst, ratioByFactor, worthTelling } from './factors.ts';
import { type SumsByDay, spansOf, sumByDay, sumRows } from './sums.ts';
import type { VisitColumns, Visits } from './visit-columns.ts';

/** The days of both spans, including those without visits. */
export interface SpanDays {
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** The hour of the tracker's clock at which the last day of each span ends, where these are not whole days. */
  readonly untilHour?: number | undefined;
  /** The sales of a day's visits that are still to come. */
  readonly salesToCome?: ((day: string) => number) | undefined;
}

/** In at most so many quiet questions, all visits are said to have moved; in truth in fewer. */
const maxFalse = 0.05;

/** How far days usually differ counts like so many days: few days may be alike by chance. */
const usualDays = 2;

/** The names of all campaigns. */
function campaignsOf({ dimensions }: VisitColumns): readonly string[] {
  return dimensions.find(({ name }) => name === 'campaign')?.values.filter((value) => value !== null) ?? [];
}

/** What is asked of all visits. */
export interface AskedOfAll {
  /** How many share the budget of false causes. */
  readonly searches?: number;
  /** The one factor that is asked about; by default, each that moved so much money. */
  readonly only?: Factor;
}

/**
 * What all of some visits did alike.
 * @param searched the amounts that are compared, and those that are told
 * @returns undefined if no factor moved by more than days differ
 */
export function causeOfAll(
  rows: Visits,
  { columns, told }: Readonly<Record<'columns' | 'told', VisitColumns>>,
  spans: SpanDays,
  { minEffect, searches = 1, only }: AskedOfAll & { readonly minEffect: number },
) {
  const effectsIn = (some: VisitColumns) => {
    const { before, after } = spansOf(sumRows(rows, some));
    const factors = factorEffects(before, after).sort(largestFirst);
    return { before, after, factors };
  };
  const compared = effectsIn(columns);
  const days = [...spans.before, ...spans.after];
  const byDay = sumByDay(rows, columns, days);
  const moves = movesOfWhole(byDay, days, spans, searches, partOfLastDay(rows, columns, spans));
  const moved = endedFirst(
    compared.factors.flatMap(({ factor, effect }) =>
      Math.abs(effect) < minEffect || (only && factor !== only) ? [] : moves.filter((move) => move.factor === factor),
    ),
  );
  const [first] = moved;
  if (!first) return undefined;
  const names = moved.map(({ factor }) => factor);
  const { before, after, factors } = told === columns ? compared : effectsIn(told);
  const isOpen = spans.untilHour !== undefined;
  const until = lastDayOf(first.factor, first.since, byDay, days);
  const worth = worthTelling(names, factors);
  const campaigns = campaignsOf(columns);
  return {
    groups: campaigns.length === 1 ? campaigns.map((value) => ({ dimension: 'campaign', value })) : [],
    ...{ alike: [], before, after, factors, moved: worth, isSure: true },
    ...{ since: first.since, until, noneSince: first.noneSince, placement: undefined, share: undefined },
    aDay: changeADay(first.since, byDay, days, worth, isOpen),
    rates: ratesAround(
      first.since ?? first.noneSince,
      told === columns ? byDay : sumByDay(rows, told, days),
      days,
      until,
    ),
  };
}

/** A rate that fell to this part of what it was is nearly none. */
const maxOfNearlyNone = 0.2;

/** Whether what all of some visits did nearly ended. */
export function isNearlyNone(all: Pick<MovedFactors, 'moved'> & Pick<DaysOfChange, 'rates'> = { moved: [] }): boolean {
  const [factor] = all.moved;
  const rate = factor && all.rates?.[factor];
  return rate !== undefined && rate.after <= maxOfNearlyNone * rate.before;
}

interface MovedFactors {
  readonly factors: readonly FactorEffect[];
  readonly moved: readonly Factor[];
}

/** A group has at least this part of what all visits did, or it only did the same as they. */
const minPartOfAll = 0.5;

/** Whether all visits of a campaign did what a group of them seems to have done. */
export function coversMore(
  ofAll: MovedFactors,
  { isSure, factors, moved: [factor] }: MovedFactors & { readonly isSure: boolean },
): boolean {
  const effectIn = (some: readonly FactorEffect[]) => some.find((one) => one.factor === ofAll.moved[0])?.effect ?? 0;
  const part = effectIn(factors) / effectIn(ofAll.factors);
  // What a group did against the others is its own.
  return !isSure || (factor === ofAll.moved[0] && part >= 0 && part < minPartOfAll);
}

/**
 * The factors of some visits that changed on a day of the later span by more than days differ: there is nothing to compare them with but
 * the days before. At each boundary, the deviance of two rates is divided by that of the days around them (P. McCullagh and J. A. Nelder,
 * "Generalized linear models", 1989, section 4.5). Where nothing is left, its chance is known.
 */
function movesOfWhole(
  sums: SumsByDay,
  days: readonly string[],
  spans: SpanDays,
  searches: number,
  partOfLast: number,
): DatedFactor[] {
  const { before, after, salesToCome } = spans;
  const partOf = (day: string) => (isLastDay(day, spans) ? partOfLast : 1);
  const factors = Object.keys(ratioByFactor) as Factor[];
  const leastOf = (boundaries: number) =>
    Math.sqrt(2 * Math.log((searches * factors.length * testsInRow(boundaries)) / maxFalse));
  return factors.flatMap((factor) => {
    const [measure, per] = ratioByFactor[factor];
    // Sales that were taken back count as none.
    const parts = sums[measure].map((part) => Math.max(part, 0));
    const isSales = factor === 'sales_per_click';
    const rate = sum(parts.slice(0, before.length)) / sum((per ? sums[per] : []).slice(0, before.length));
    const wholes = days.map((day, index) => {
      const whole = per ? at(sums[per], index) : partOf(day);
      if (!isSales || !(rate > 0) || index < before.length) return whole;
      // Sales to come make up for a fall, and are no rise.
      return Math.max(whole - (salesToCome?.(day) ?? 0) / rate, Math.min(whole, at(parts, index) / rate), 0);
    });
    // Visits and sales count one by one. Amounts are those of visits or sales, and scatter as far as these do.
    const isAmount = measure === 'cost' || measure === 'revenue';
    const unit = isAmount ? sum(sums[`${measure}Squares`]) / sum(parts) : 1;
    const chance = isAmount ? unit - sum(parts) / sum(wholes) : 1;
    const scatter = { unit, chance, usual: usualMove[factor] };
    const minDaysOfNone = isSales && !salesToCome ? minDaysWithoutSales : 1;
    const { size, day, noneFrom } = bestBoundary(parts, wholes, before.length, { ...scatter, minDaysOfNone });
    const [since, noneSince] = [days[day], days[noneFrom ?? -1]];
    if (size >= leastOf(after.length)) return [{ factor, since, noneSince }];
    const passing = bestPassing(parts, wholes, before.length, scatter);
    const isSure = passing.size >= leastOf((after.length * (after.length - 1)) / 2);
    return isSure && lastDayOf(factor, days[passing.day], sums, days)
      ? [{ factor, since: days[passing.day], noneSince: undefined }]
      : [];
  });
}

const isLastDay = (day: string, { before, after }: SpanDays): boolean => day === before.at(-1) || day === after.at(-1);

/** The part of a day's visits that come before the hour at which the last days end, by the other days. */
function partOfLastDay(rows: Visits, columns: VisitColumns, spans: SpanDays): number {
  const { untilHour } = spans;
  const hour = columns.dimensions.find(({ name }) => name === 'hour');
  if (untilHour === undefined || !hour) return 1;
  const isLast = columns.days.map((day) => isLastDay(day, spans));
  const isEarly = hour.values.map((value) => value !== null && Number(value) < untilHour);
  let [early, all] = [0, 0];
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index] ?? 0;
    if (isLast[columns.dayCodes[row] ?? 0]) continue;
    all += 1;
    if (isEarly[hour.codes[row] ?? 0]) early += 1;
  }
  return all === 0 ? 1 : early / all;
}

export interface Scatter {
  /** How much counts as one. */
  readonly unit: number;
  /** The variance of a day by chance alone, as a part of its mean. */
  readonly chance: number;
  /** How far days usually move, as a part. */
  readonly usual: number;
  /** So many days without anything prove that nothing comes. */
  readonly minDaysOfNone: number;
}

/**
 * The day from which on a rate differs most from the one before, by how many standard deviations, and the day from which on there is none.
 * @param first the first day that it may be
 */
export function bestBoundary(
  all: readonly number[],
  allWholes: readonly number[],
  first: number,
  { minDaysOfNone, ...scatter }: Scatter,
): { readonly day: number; readonly size: number; readonly noneFrom: number | undefined } {
  const { unit } = scatter;
  const { used, parts, wholes, least, sizeOf } = comparedDays(all, allWholes, first, scatter);
  const found = noneFrom(parts, wholes, { least, minDays: minDaysOfNone, unit });
  // A campaign that rests on some weekdays had none on them a week ago.
  const usually = found ? sum(used.slice(found.from).map((day) => at(all, day - first))) : 0;
  const none = usually >= minExpected * unit ? found : undefined;
  let best = { day: first, size: 0 };
  for (let index = Math.max(least, 1); index < used.length; index += 1) {
    const ofScatter = sizeOf([index, used.length - 1]);
    const size = index === none?.from ? Math.max(ofScatter, Math.sqrt((2 * none.expected) / unit)) : ofScatter;
    if (size > best.size) best = { day: at(used, index), size };
  }
  return { ...best, noneFrom: used[none?.from ?? -1] };
}

/** The day from which on a rate differs most for some days and not since then, by how many standard deviations. */
function bestPassing(
  all: readonly number[],
  allWholes: readonly number[],
  first: number,
  scatter: Omit<Scatter, 'minDaysOfNone'>,
): { readonly day: number; readonly size: number } {
  const { used, least, sizeOf } = comparedDays(all, allWholes, first, scatter);
  let best = { day: first, size: 0 };
  for (let from = Math.max(least, 1); from < used.length; from += 1) {
    for (let last = from; last < used.length - 1; last += 1) {
      const size = sizeOf([from, last]);
      if (size > best.size) best = { day: at(used, from), size };
    }
  }
  return best;
}

/** The days that have any of what a rate is of, and how far that of some of them is from the others', by standard deviations. */
function comparedDays(
  all: readonly number[],
  allWholes: readonly number[],
  first: number,
  { chance, usual }: Pick<Scatter, 'chance' | 'usual'>,
) {
  const used = all.map((_, day) => day).filter((day) => at(allWholes, day) > 0);
  const [parts, wholes] = [all, allWholes].map((some) => used.map((day) => at(some, day))) as [number[], number[]];
  const rate = sum(parts) / sum(wholes);
  const deviance = 2 * sum(parts.map((part, index) => entropy(part, rate * at(wholes, index))));
  const usualScatter = usualDays * usual ** 2 * (sum(parts) / used.length);
  const sizeOf = (range: Range) => {
    const between = devianceIn(parts, wholes, range);
    const scatter = Math.max((deviance - between + usualScatter) / used.length, chance);
    const moved = scatter > 0 ? between / scatter : 0;
    return Math.sqrt(used.length * Math.log1p(moved / used.length));
  };
  return { used, parts, wholes, least: used.filter((day) => day < first).length, sizeOf };
}

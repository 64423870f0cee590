import { dayMs, hourMs } from '../api/durations.ts';
import { countInFront } from './statistics/history.ts';

/** Moments on the tracker's clock as if that were UTC. */
interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

/** A time in which no sale came in, though they came before it and since. */
export interface SalesGap extends TimeSpan {
  /** How many are usual in it. */
  readonly expected: number;
  /** How likely chance makes one like it, by how long the others are. */
  readonly chance: number;
}

/** With fewer days or sales, the usual gaps are not known. */
const [minDays, minSales] = [14, 60];

/** So many sales are usual in it, and so many times those of each other gap: networks rest, and report in batches. */
const [minExpected, timesOthers] = [15, 2];

/** What chance brings more often is no loss. */
const maxChance = 0.001;

/** How many sales are usual is told by so many days before and after a gap. */
const daysAround = 7;

/** Of sales that only came late, this part of those usual in the gap come soon after it, besides the usual ones and more than by chance. */
const [partOfLate, deviationsOfLate] = [0.4, 3];

/**
 * The one time without a sale that no other is like: what came in then was lost.
 * @param booked when sales came in, in any order
 * @param since it ends after this
 */
export function salesGapIn(booked: readonly number[], since: number): SalesGap | undefined {
  const moments = Float64Array.from(booked).sort();
  const [first = 0, last = 0] = [moments[0], moments.at(-1)];
  if (moments.length < minSales || last - first < minDays * dayMs) return undefined;
  const usual = usualOf(moments);
  let [longest, second] = [undefined as Omit<SalesGap, 'chance'> | undefined, 0];
  for (let index = 1; index < moments.length; index += 1) {
    const [from, to] = [moments[index - 1] ?? 0, moments[index] ?? 0];
    if (to - from < hourMs) continue;
    const expected = usual(from, to);
    if (expected > (longest?.expected ?? 0)) [longest, second] = [{ from, to, expected }, longest?.expected ?? 0];
    else second = Math.max(second, expected);
  }
  if (!longest || longest.to <= since || longest.expected < Math.max(minExpected, timesOthers * second))
    return undefined;
  const { from, to, expected } = longest;
  const soon = Math.min(2 * to - from, last);
  const ofSoon = usual(to, soon);
  const late = countIn(moments, to, soon) - ofSoon;
  if (late > Math.max(partOfLate * expected, deviationsOfLate * Math.sqrt(ofSoon))) return undefined;
  if (wereSentAgain(moments, longest)) return undefined;
  // The longest of so many gaps between single sales is about this logarithm; sales that come together make longer ones.
  const together = Math.max(second / Math.log(moments.length), 1);
  const chance = moments.length * Math.exp(-expected / together);
  return chance <= maxChance ? { ...longest, chance } : undefined;
}

/** Sales that a network sends again come together, within so many days after a gap. */
const daysUntilSent = 4;

/** Whether so many of them came within one hour after a gap as in none before it. */
function wereSentAgain(moments: Float64Array, { from, to, expected }: Omit<SalesGap, 'chance'>): boolean {
  let [mostBefore, mostAfter] = [0, 0];
  for (let [first, last] = [0, 0]; last < moments.length; last += 1) {
    const moment = moments[last] ?? 0;
    while ((moments[first] ?? 0) <= moment - hourMs) first += 1;
    const count = last - first + 1;
    if (moment <= from) mostBefore = Math.max(mostBefore, count);
    else if (moment >= to && moment <= to + daysUntilSent * dayMs) mostAfter = Math.max(mostAfter, count);
  }
  return mostAfter > mostBefore && mostAfter >= partOfLate * expected;
}

/** Of the sales since a gap at least this part come as soon after their clicks as half of those before it. Fewer show nothing. */
const [minQuick, minSince] = [0.25, 5];

/** When a sale came in, and when its visit did; null if that is not known. */
interface SaleMoments {
  readonly bookedAt: number | null;
  readonly visitedAt: number | null;
}

/** Whether those that come in since a gap are later after their visits than before it: what came in then is late, too, and not lost. */
export function areHeldBack({ from, to }: TimeSpan, sales: readonly SaleMoments[]): boolean {
  const [before, since]: [number[], number[]] = [[], []];
  for (const { bookedAt, visitedAt } of sales) {
    if (bookedAt === null || visitedAt === null) continue;
    if (bookedAt <= from) before.push(bookedAt - visitedAt);
    else if (bookedAt >= to) since.push(bookedAt - visitedAt);
  }
  const usual = before.sort((one, other) => one - other)[Math.floor(before.length / 2)];
  if (usual === undefined || since.length < minSince) return false;
  return since.filter((delay) => delay <= usual).length < minQuick * since.length;
}

/** Sales come within so many days of their clicks, most of them. With fewer clicks than this part of the usual ones, fewer sales are due. */
const [daysOfClicks, minPartOfClicks] = [3, 0.5];

/**
 * Whether sales of a gap were due, since clicks went on before it and in it.
 * @param clicks when there were clicks that sell, in any order
 * @param known the time whose clicks are known; by default from the first to the last
 */
export function wereSalesDue(gap: TimeSpan, clicks: readonly number[], known?: TimeSpan): boolean {
  const moments = Float64Array.from(clicks)
    .filter((moment) => !known || (moment >= known.from && moment < known.to))
    .sort();
  const [first = gap.to, last = gap.from] = [moments[0], moments.at(-1)];
  const [from, to] = known ? [Math.max(gap.from, known.from), Math.min(gap.to, known.to)] : [gap.from, gap.to];
  const start = Math.max(from - daysOfClicks * dayMs, known?.from ?? Number.NEGATIVE_INFINITY);
  // Clicks may be known to the hour.
  if (moments.length < minSales || (!known && first > start) || last < to - 2 * hourMs) return false;
  const usual = usualOf(moments);
  const isUsual = (first: number, last: number) =>
    countIn(moments, first, last) >= minPartOfClicks * usual(first, last);
  return isUsual(start, from) && isUsual(from, to);
}

/** How many are usual between two moments: by the hour of the day, and by the days around them without what is between. */
function usualOf(moments: Float64Array): (from: number, to: number) => number {
  const [first = 0, last = 0] = [moments[0], moments.at(-1)];
  const byHour = new Float64Array(24);
  for (const moment of moments) byHour[hourOf(moment)] = (byHour[hourOf(moment)] ?? 0) + 1;
  // A few sales may leave out an hour by chance.
  const weights = byHour.map((count) => (24 * (count + 1)) / (moments.length + 24));
  // The time since the first one in usual hours, which count more where more come in; at the beginning of each hour.
  const firstHour = Math.floor(first / hourMs);
  const until = new Float64Array(Math.floor(last / hourMs) - firstHour + 2);
  for (let hour = 1; hour < until.length; hour += 1)
    until[hour] = (until[hour - 1] ?? 0) + (weights[(firstHour + hour - 1) % 24] ?? 1);
  const lengthTo = (moment: number) => {
    const known = Math.min(Math.max(moment, first), last);
    const hour = Math.floor(known / hourMs);
    const part = known / hourMs - hour;
    return (until[hour - firstHour] ?? 0) + part * (weights[hour % 24] ?? 1);
  };
  const lengthOf = (from: number, to: number) => lengthTo(to) - lengthTo(from);
  return (from, to) => {
    const [start, end] = [Math.max(from - daysAround * dayMs, first), Math.min(to + daysAround * dayMs, last)];
    const around = countIn(moments, start, from) + countIn(moments, to, end);
    return (around / Math.max(lengthOf(start, from) + lengthOf(to, end), 1)) * lengthOf(from, to);
  };
}

const hourOf = (moment: number): number => Math.floor(moment / hourMs) % 24;

/** How many are from one moment to another. */
function countIn(moments: Float64Array, from: number, to: number): number {
  const countUntil = (moment: number) => countInFront(moments.length, (index) => (moments[index] ?? 0) <= moment);
  return countUntil(to) - countUntil(from);
}

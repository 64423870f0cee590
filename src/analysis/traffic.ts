import { dayMs } from '../api/durations.ts';
import { at, groupBy, sum } from './statistics/history.ts';
import { dayIndex, type Listed, learnedMs, maxDays, type TimedSale } from './timed-sales.ts';

/** The visits of a day, and those up to the present hour if visits have times. */
export interface DayVisits {
  readonly whole: number;
  readonly soFar?: number | undefined;
}

/** The traffic of each day as a part of what is usual, by days before today; the last one is that of all days before. */
export interface TrafficLevels {
  readonly levels: readonly number[];
  /** Whether visits show it, or bookings alone. */
  readonly isSeen: boolean;
  /** The relative deviation of those of the last days. */
  readonly deviation: number;
}

/** Smaller changes are left to the sales, so that answers with visits and without them have the same numbers. */
const minTimes = 1.35;

/** A change must be so many deviations off. */
const minDeviations = 3;

/** How days usually scatter, relative to their square, and for how many days that counts. */
const usualScatter = { variance: 0.03, days: 4 };

/** A jump must fit better than slow growth does, which bookings show. */
const better = 0.7;

const minDaysBefore = 2;

const meanOf = (some: readonly number[]) => sum(some) / some.length;

/**
 * How traffic changed on the last days, if it changed by more than sales can show.
 * @param days by days before today; undefined where they are not known
 */
export function trafficLevelsOf([today, ...earlier]: readonly (DayVisits | undefined)[]): TrafficLevels | undefined {
  const gap = earlier.indexOf(undefined);
  const before = (gap < 0 ? earlier : earlier.slice(0, gap)) as readonly DayVisits[];
  const daily = before.map(({ whole }) => whole);
  let best = { deviations: minDeviations, older: [] as readonly number[], newer: [] as readonly number[] };
  const usualSoFar = before.every(({ soFar }) => soFar !== undefined)
    ? before.map(({ soFar = 0 }) => soFar)
    : undefined;
  // A day that is not over counts as a whole one by its part up to now.
  const partOver = usualSoFar ? sum(usualSoFar) / sum(daily) : 0;
  const current = today?.soFar !== undefined && partOver > 0 ? today.soFar / partOver : undefined;
  const all = [...(current === undefined ? [] : [current]), ...daily];
  const aroundTrend = squaresAroundTrend(all);
  for (let split = 1; split <= all.length - minDaysBefore; split += 1) {
    const [newer, older] = [all.slice(0, split), all.slice(split)];
    const [mean, usual] = [meanOf(newer), meanOf(older)];
    const larger = Math.max(mean, usual);
    const squares = (some: readonly number[], middle: number) => some.map((one) => (one - middle) ** 2 / larger ** 2);
    const moved = sum([...squares(newer, mean), ...squares(older, usual)]);
    if (moved > (better * aroundTrend) / larger ** 2) continue;
    const variance = (usualScatter.variance * usualScatter.days + moved) / (usualScatter.days + all.length);
    const log = Math.log((mean + 1) / (usual + 1));
    const chance = variance * (1 / newer.length + 1 / older.length) + 1 / (sum(newer) + 1) + 1 / (sum(older) + 1);
    const deviations = Math.abs(log) / Math.sqrt(chance);
    if (Math.abs(log) > Math.log(minTimes) && deviations > best.deviations) best = { deviations, older, newer };
  }
  if (best.newer.length === 0) return undefined;
  const [newer, older] = [meanOf(best.newer), meanOf(best.older)];
  const usual = Math.max(newer, older);
  const levels = daily.map((visits) => visits / usual);
  return { levels: [(current ?? daily[0] ?? 0) / usual, ...levels, older / usual], isSeen: true, deviation: 0 };
}

/** The squares of the distances of counts from a straight line. */
function squaresAroundTrend(counts: readonly number[]): number {
  const [middle, mean] = [(counts.length - 1) / 2, meanOf(counts)];
  const slope =
    sum(counts.map((count, day) => (day - middle) * count)) / sum(counts.map((_, day) => (day - middle) ** 2));
  return sum(counts.map((count, day) => (count - mean - slope * (day - middle)) ** 2));
}

/** How much traffic usually grows in a day, and how far bookings of a day scatter, relative to their square. */
const usualTrend = { growth: 0.02, scatter: 0.025 };

/** Fewer days show no trend, and sales must be older than the first of them. */
const [minTrendDays, startMs] = [14, 3 * dayMs];

/** How traffic grew or fell slowly: sales are booked by as much more a day. */
export function trendOf(sales: readonly TimedSale[], { from, until, now }: Listed): TrafficLevels | undefined {
  // Of a campaign that began within these days, the first late sales would look like growth.
  const days = Math.min(learnedMs, until - from - startMs) / dayMs;
  const booked = sales.filter((sale) => sale.booked > until - days * dayMs && sale.booked <= until);
  const first = sales.reduce((least, { visited }) => Math.min(least, visited), now);
  if (days < minTrendDays || first >= until - days * dayMs || booked.length === 0) return undefined;
  const moments = booked.map((sale) => (until - sale.booked) / dayMs - days / 2);
  const squares = days ** 3 / 12;
  const perDay = booked.length / days;
  const slope = -sum(moments) / perDay / squares;
  const variance = (1 / perDay + usualTrend.scatter) / squares;
  const growth = slope / (1 + variance / usualTrend.growth ** 2);
  const deviation = (Math.sqrt(1 / (1 / variance + 1 / usualTrend.growth ** 2)) * days) / 3;
  const levels = Array.from({ length: Math.ceil(days * 1.7) + 1 }, (_, age) => Math.exp(growth * (days / 2 - age)));
  return { levels, isSeen: false, deviation };
}

const even: TrafficLevels = { levels: [1], isSeen: false, deviation: 0 };

/** The traffic that some sales are of, as a part of what is usual. */
export class Traffic {
  readonly isSeen: boolean;
  readonly deviation: number;
  readonly #levels: readonly number[];
  readonly #today: number;
  /** The sum of the levels of the days before each one. */
  readonly #until: readonly number[];

  /** @param levelsOf by campaign; undefined if its traffic did not change */
  constructor(sales: readonly TimedSale[], levelsOf: ReadonlyMap<string, TrafficLevels | undefined>, now: number) {
    const parts = [...groupBy(sales, ({ campaign }) => campaign)].map(([campaign, { length }]) => {
      const traffic = levelsOf.get(campaign) ?? even;
      const on = (age: number) => traffic.levels[Math.min(age, traffic.levels.length - 1)] ?? 1;
      const usual = sum(Array.from({ length: learnedMs / dayMs }, (_, age) => on(age)));
      return { ...traffic, on, weight: length / Math.max(usual, 1) };
    });
    this.isSeen = parts.some(({ isSeen }) => isSeen);
    this.deviation = Math.max(0, ...parts.map(({ deviation }) => deviation));
    const isEven = parts.every(({ levels }) => levels.length === 1);
    const all = sum(parts.map(({ weight }) => weight));
    this.#today = dayIndex(now);
    this.#levels = Array.from({ length: isEven ? 1 : maxDays + 1 }, (_, age) =>
      isEven ? 1 : sum(parts.map(({ on, weight }) => on(age) * weight)) / all,
    );
    let until = 0;
    this.#until = this.#levels
      .map((_, index) => {
        const before = until;
        until += at(this.#levels, this.#levels.length - 1 - index);
        return before;
      })
      .reverse();
  }

  on(age: number): number {
    return at(this.#levels, Math.min(age, this.#levels.length - 1));
  }

  /** The usual time that has as much traffic as some time has. */
  between(from: number, to: number): number {
    return to > from ? this.#before(to) - this.#before(from) : 0;
  }

  #before(moment: number): number {
    const age = this.#today - dayIndex(moment);
    const oldest = Math.min(age, this.#levels.length - 1);
    const start = (this.#today - oldest) * dayMs;
    return at(this.#until, oldest) * dayMs + (moment - start) * this.on(age);
  }
}

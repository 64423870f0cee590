import type { History } from './history.ts';
import { assumedScatter, logAverage, type Scatter, scatterOf } from './scatter.ts';
import { betOn, expectedGrowth, type Pair, pairUp, sufficientLogWealth, unseenPayoutOf } from './wealth.ts';

export interface Evidence {
  readonly pair: Pair;
  readonly scatter: Scatter;
  readonly byLift: readonly number[];
  /** The logarithm of the wealth that a bet on the leader has brought. */
  readonly log: number;
  /** Days on which both had traffic; undefined if days are not known. */
  readonly commonDays: number | undefined;
}

export interface Forecast {
  readonly views: number;
  readonly days: number;
}

/**
 * @param rates conversions per seasonal view of the two
 * @param dayCount how many days they had, whether or not these are known one by one
 */
export function evidenceFor(
  leader: History,
  rival: History,
  rates: readonly [leader: number, rival: number],
  dayCount: number,
): Evidence {
  const pair = pairUp(leader, rival, unseenPayoutOf(leader, rival));
  const areDaysKnown = leader.days.length > 1;
  const scatter = areDaysKnown ? scatterOf([leader, rival], rates) : assumedScatter([leader, rival], rates, dayCount);
  const byLift = betOn(pair);
  const isCommon = (views: number, day: number) => views > 0 && (rival.days[day]?.views ?? 0) > 0;
  return {
    pair,
    scatter,
    byLift,
    log: logAverage(byLift, scatter),
    commonDays: areDaysKnown ? leader.days.filter(({ views }, day) => isCommon(views, day)).length : undefined,
  };
}

/** Ratios of earnings that are looked at, as logarithms, and how often the range is halved. */
const maxLogRatio = 5;
const halvings = 12;

/**
 * The leads, in percent, that the evidence does not rule out: each is supposed to be the true one, and a bet against it is
 * looked at. It holds the true lead with a chance of 95% at least, however often one looks.
 *
 * @returns high is null if there is no bound
 */
export function leadInterval({ pair, scatter }: Evidence): { readonly low: number; readonly high: number | null } {
  const reversed = { ...pair, leader: pair.rival, rival: pair.leader };
  const isRuledOut = (bet: Pair, logRatio: number) =>
    logAverage(betOn(bet, Math.exp(logRatio)), scatter) >= sufficientLogWealth;
  const isTooLow = (logRatio: number) => isRuledOut(pair, logRatio);
  const isTooHigh = (logRatio: number) => isRuledOut(reversed, -logRatio);
  const low = isTooLow(-maxLogRatio) ? edgeBetween(-maxLogRatio, maxLogRatio, isTooLow) : Number.NEGATIVE_INFINITY;
  const high = isTooHigh(maxLogRatio) ? edgeBetween(maxLogRatio, -maxLogRatio, isTooHigh) : undefined;
  return { low: (Math.exp(low) - 1) * 100, high: high === undefined ? null : (Math.exp(high) - 1) * 100 };
}

/** Where a condition that holds at `from` ends on the way to `to`. */
function edgeBetween(from: number, to: number, holds: (value: number) => boolean): number {
  let [inside, outside] = [from, to];
  for (let halving = 0; halving < halvings; halving += 1) {
    const middle = (inside + outside) / 2;
    if (holds(middle)) inside = middle;
    else outside = middle;
  }
  return outside;
}

const maxForecastDays = 90;

/**
 * What it takes until the evidence suffices, if traffic goes on as it has been. It is of the order of magnitude: luck brings a
 * verdict sooner or later.
 *
 * @param ratio what the leader truly earns for each unit of the rival's
 * @param viewsPerDay of all pages
 * @returns null beyond 90 days
 */
export function forecast(
  { pair, scatter, byLift }: Evidence,
  ratio: number,
  viewsPerDay: number,
  minFurtherDays: number,
  dayCount: number,
): Forecast | null {
  const pairViewsPerDay = (pair.leader.views + pair.rival.views) / dayCount;
  const growth = expectedGrowth(pair, ratio).map((perView) => perView * pairViewsPerDay);
  for (let days = Math.max(minFurtherDays, 1); days <= maxForecastDays; days += 1) {
    const byThen = byLift.map((log, lift) => log + (growth[lift] ?? 0) * days);
    const longer = 1 + days / dayCount;
    const scatterByThen = { chiSquare: scatter.chiSquare * longer, days: scatter.days * longer };
    if (logAverage(byThen, scatterByThen) >= sufficientLogWealth) return { views: days * viewsPerDay, days };
  }
  return null;
}

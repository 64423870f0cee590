import { type History, viewsOf, worthsOf } from './history.ts';
import { dispersionOf } from './seasons.ts';
import { unseenPayoutOf } from './shapes.ts';
import { betOn, expectedGrowth, logWealth, type Pair, pairUp, sufficientLogWealth } from './wealth.ts';

/** What there is for one page earning more than another. */
export interface Evidence {
  readonly pair: Pair;
  /** How much more the days of the two scatter than chance has them. */
  readonly dispersion: number;
  readonly byLift: readonly number[];
  /** The logarithm of the wealth that a bet on the leader has brought. */
  readonly log: number;
  /** Days on which both had traffic; undefined where days are not known. */
  readonly commonDays: number | undefined;
}

/** What a lead takes until it is clear. */
export interface Forecast {
  readonly views: number;
  readonly days: number;
}

/** @param rates conversions per seasonal view of the two */
export function evidenceFor(
  leader: History,
  rival: History,
  rates: readonly [leader: number, rival: number],
): Evidence {
  const pair = pairUp(leader, rival, unseenPayoutOf(worthsOf(leader), worthsOf(rival)));
  const dispersion = dispersionOf([leader, rival], rates);
  const byLift = betOn(pair);
  return {
    pair,
    dispersion,
    byLift,
    log: logWealth(byLift, dispersion),
    commonDays:
      leader.length === 1
        ? undefined
        : leader.filter((day, index) => day.views > 0 && (rival[index]?.views ?? 0) > 0).length,
  };
}

/** Ratios of earnings that are looked at, as logarithms, and how often the range is halved. */
const maxLogRatio = 5;
const halvings = 12;

/**
 * The leads, in percent, that the evidence does not rule out: each is supposed to be the true one, and a bet against it is
 * looked at. It holds the true lead with a chance of 95% at least, however often one looks.
 *
 * @returns high is null where there is no bound
 */
export function leadInterval({ pair, dispersion }: Evidence): { readonly low: number; readonly high: number | null } {
  const reversed = { ...pair, leader: pair.rival, rival: pair.leader };
  const isTooLow = (logRatio: number) => logWealth(betOn(pair, Math.exp(logRatio)), dispersion) >= sufficientLogWealth;
  const isTooHigh = (logRatio: number) =>
    logWealth(betOn(reversed, Math.exp(-logRatio)), dispersion) >= sufficientLogWealth;
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

/** Nobody waits longer, and pages are seldom the same by then. */
const maxForecastDays = 90;

/**
 * What it takes until the evidence suffices, if traffic goes on as it has been. It is of the order of magnitude: luck brings a
 * verdict sooner or later.
 *
 * @param ratio what the leader truly earns for each unit of the rival's
 * @param viewsPerDay of all pages
 * @param part the part of these that the two get
 * @returns null beyond 90 days
 */
export function forecast(
  { pair, dispersion, byLift }: Evidence,
  ratio: number,
  viewsPerDay: number,
  minFurtherDays: number,
  dayCount: number,
): Forecast | null {
  const pairViewsPerDay = (viewsOf(pair.leader) + viewsOf(pair.rival)) / dayCount;
  const growth = expectedGrowth(pair, ratio).map((perView) => perView * pairViewsPerDay);
  for (let days = Math.max(minFurtherDays, 1); days <= maxForecastDays; days += 1) {
    const byThen = byLift.map((log, lift) => log + (growth[lift] ?? 0) * days);
    if (logWealth(byThen, dispersion) >= sufficientLogWealth) return { views: days * viewsPerDay, days };
  }
  return null;
}

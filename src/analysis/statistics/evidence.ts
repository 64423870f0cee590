import { normalCumulative } from './chances.ts';
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

/** What a verdict takes, of the order of magnitude; of ten such cases eight arrive between the days `low` and `high`. */
export interface Forecast {
  readonly views: number;
  readonly days: number;
  readonly low: number;
  readonly high: number;
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
  // Either side of no lead is searched on its own, so that the range rules it out exactly if the evidence does.
  const [from, to] = isTooLow(0) ? [0, maxLogRatio] : [-maxLogRatio, 0];
  const low = isTooLow(from) ? edgeBetween(from, to, isTooLow) : Number.NEGATIVE_INFINITY;
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

/** Nobody waits longer; beyond it a lead is taken for none. */
const maxForecastDays = 36_500;

/**
 * What it takes until the evidence suffices, if traffic goes on as it has been. Luck brings a verdict sooner or later: what is left of
 * the evidence is a walk with drift, whose variance is twice the drift (that of a logarithm of a likelihood ratio), and the time
 * until it arrives has the distribution of Wald (Chhikara and Folks, The Inverse Gaussian Distribution, 1989).
 *
 * @param ratio what the leader truly earns for each unit of the rival's
 * @param viewsPerDay of all pages
 * @returns null if it never suffices
 */
export function forecast(
  { pair, scatter, byLift, log }: Evidence,
  ratio: number,
  viewsPerDay: number,
  minFurtherDays: number,
  dayCount: number,
): Forecast | null {
  const pairViewsPerDay = (pair.leader.views + pair.rival.views) / dayCount;
  const growth = expectedGrowth(pair, ratio).map((perView) => perView * pairViewsPerDay);
  const isEnoughBy = (days: number) => {
    const byThen = byLift.map((log, lift) => log + (growth[lift] ?? 0) * days);
    const longer = 1 + days / dayCount;
    const scatterByThen = { chiSquare: scatter.chiSquare * longer, days: scatter.days * longer };
    return logAverage(byThen, scatterByThen) >= sufficientLogWealth;
  };
  if (!isEnoughBy(maxForecastDays)) return null;
  const min = Math.max(minFurtherDays, 1);
  const days = firstDay(min, maxForecastDays, isEnoughBy);
  const left = Math.max(sufficientLogWealth - log, 0);
  const dayBy = (chance: number) =>
    left === 0 ? days : firstDay(min, maxForecastDays, (day) => arrivedBy(day, days, left) >= chance);
  return { views: days * viewsPerDay, days, low: dayBy(0.1), high: dayBy(0.9) };
}

/** The chance that a walk has come so far by a day, if it is expected to on the day `expected`. */
function arrivedBy(day: number, expected: number, left: number): number {
  const root = Math.sqrt((left * expected) / 2 / day);
  const ratio = day / expected;
  return normalCumulative(root * (ratio - 1)) + Math.exp(left) * normalCumulative(-root * (ratio + 1));
}

/** The first day from which on a condition holds, which holds on the last one. */
function firstDay(first: number, last: number, holds: (day: number) => boolean): number {
  let [from, to] = [first, last];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (holds(middle)) to = middle;
    else from = middle + 1;
  }
  return to;
}

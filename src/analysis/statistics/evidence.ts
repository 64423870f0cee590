import type { History } from './history.ts';
import { normalCdf } from './posteriors.ts';
import { assumedScatter, logAverage, type Scatter, scatterOf } from './scatter.ts';
import { betOn, expectedGrowth, type Pair, pairUp, sufficientLogWealth, unseenPayoutOf } from './wealth.ts';

/** How strong the evidence is that one page earns more than another. */
export interface Evidence {
  readonly pair: Pair;
  readonly scatter: Scatter;
  /** Log wealth by lift, before scatter is allowed for. */
  readonly byLift: readonly number[];
  /** Log wealth of a bet on the leader. */
  readonly log: number;
  /** Days on which both had traffic; undefined if single days are unknown. */
  readonly commonDays: number | undefined;
}

/**
 * @param rates conversions per seasonal view of the two
 * @param dayCount the days of the period, whether or not single days are known
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

/** The search range for log ratios of earnings, and how often it is halved. */
const maxLogRatio = 5;
const halvings = 12;

/**
 * The leads, in percent, that the evidence does not rule out: for each a bet is made that the true lead differs. The interval holds the
 * true lead with a chance of at least 95%, however often one looks.
 *
 * @returns high is null if it has no bound
 */
export function leadInterval({ pair, scatter }: Evidence): { readonly low: number; readonly high: number | null } {
  const reversed = { ...pair, leader: pair.rival, rival: pair.leader };
  const isRuledOut = (bet: Pair, logRatio: number) =>
    logAverage(betOn(bet, Math.exp(logRatio)), scatter) >= sufficientLogWealth;
  const isTooLow = (logRatio: number) => isRuledOut(pair, logRatio);
  const isTooHigh = (logRatio: number) => isRuledOut(reversed, -logRatio);
  // Each side of no lead is searched separately, so that the interval excludes it exactly if the evidence suffices.
  const [from, to] = isTooLow(0) ? [0, maxLogRatio] : [-maxLogRatio, 0];
  const low = isTooLow(from) ? edgeBetween(from, to, isTooLow) : Number.NEGATIVE_INFINITY;
  const high = isTooHigh(maxLogRatio) ? edgeBetween(maxLogRatio, -maxLogRatio, isTooHigh) : undefined;
  return { low: (Math.exp(low) - 1) * 100, high: high === undefined ? null : (Math.exp(high) - 1) * 100 };
}

/** Where a condition that holds at `from` stops holding on the way to `to`. */
function edgeBetween(from: number, to: number, holds: (value: number) => boolean): number {
  let [inside, outside] = [from, to];
  for (let halving = 0; halving < halvings; halving += 1) {
    const middle = (inside + outside) / 2;
    if (holds(middle)) inside = middle;
    else outside = middle;
  }
  return outside;
}

/** What a verdict takes, as an order of magnitude; 8 in 10 such cases take between `low` and `high` days. */
export interface Forecast {
  readonly views: number;
  readonly days: number;
  readonly low: number;
  readonly high: number;
}

/** No test runs longer: a lead that takes more is treated as none. */
const maxForecastDays = 36_500;

/**
 * The time until the evidence suffices at today's traffic. Luck brings a verdict sooner or later: the missing evidence is a walk with
 * drift whose variance is twice the drift (that of a log likelihood ratio), so the time to arrive has Wald's distribution
 * (Chhikara and Folks, The Inverse Gaussian Distribution, 1989).
 *
 * @param ratio the leader's true earnings per unit of the rival's
 * @param viewsPerDay of all pages
 * @param rivals how many rivals like this one must all be beaten
 * @returns null if it never suffices
 */
export function forecast(
  { pair, scatter, byLift, log }: Evidence,
  ratio: number,
  viewsPerDay: number,
  minFurtherDays: number,
  dayCount: number,
  rivals = 1,
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
  const expected = firstDay(min, maxForecastDays, isEnoughBy);
  const missing = Math.max(sufficientLogWealth - log, 0);
  const dayBy = (chance: number) =>
    missing === 0
      ? expected
      : firstDay(min, maxForecastDays, (day) => arrivedBy(day, expected, missing) ** rivals >= chance);
  const days = rivals > 1 ? Math.max(expected, dayBy(0.5)) : expected;
  return { views: days * viewsPerDay, days, low: dayBy(0.1), high: dayBy(0.9) };
}

/** The chance that the walk has covered `missing` by a day, if it is expected to on the day `expected`. */
function arrivedBy(day: number, expected: number, missing: number): number {
  const root = Math.sqrt((missing * expected) / 2 / day);
  const ratio = day / expected;
  return normalCdf(root * (ratio - 1)) + Math.exp(missing) * normalCdf(-root * (ratio + 1));
}

/** The first day from which a condition holds; it holds on the last one. */
function firstDay(first: number, last: number, holds: (day: number) => boolean): number {
  let [from, to] = [first, last];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (holds(middle)) to = middle;
    else from = middle + 1;
  }
  return to;
}

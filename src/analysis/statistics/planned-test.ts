import { type Forecast, forecast } from './evidence.ts';
import { historyOf, sum, type Worth } from './history.ts';
import type { Scatter } from './scatter.ts';
import { minDays } from './verdict.ts';
import { liftWeights, pairUp } from './wealth.ts';

/** What is known before a test is begun. */
export interface PlannedTest {
  /** Of all pages. */
  readonly viewsPerDay: number;
  /** The part of the traffic of each page; they add up to 1. */
  readonly parts: readonly number[];
  /** Conversions per view. */
  readonly rate: number;
  /** What conversions pay, or 1 each. */
  readonly worths: readonly Worth[];
  /** How days scatter, per day of the period that shows it. */
  readonly scatterPerDay: Scatter;
}

/**
 * How long it takes until `comparePages` has a clear leader, if one page is better by a part and nothing is known yet. It waits for the
 * pair of pages with the least traffic, whichever of them is better.
 *
 * @param lead 0.2 is 20%
 * @returns null if it never suffices
 */
export function planTest(
  { viewsPerDay, parts, rate, worths, scatterPerDay }: PlannedTest,
  lead: number,
): Forecast | null {
  const [least = 0, next = 0] = parts.toSorted((one, other) => one - other);
  const listed = sum(worths.map(({ count }) => count));
  const aDayOf = (part: number) => {
    const views = viewsPerDay * part;
    return historyOf([
      { views, conversions: worths.map(({ value, count }) => ({ value, count: (count / listed) * views * rate })) },
    ]);
  };
  const forecasts = [
    [least, next],
    [next, least],
  ].map(([leader = 0, rival = 0]) => {
    const pair = pairUp(aDayOf(leader), aDayOf(rival), 0);
    const nothing = { pair, scatter: scatterPerDay, byLift: liftWeights.map(() => 0), log: 0, commonDays: undefined };
    return forecast(nothing, 1 + lead, viewsPerDay, minDays, 1, parts.length - 1);
  });
  return forecasts.reduce<Forecast | null>(
    (slowest, one) => (slowest && one && one.days > slowest.days ? one : one === null ? null : slowest),
    forecasts[0] ?? null,
  );
}

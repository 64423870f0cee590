import { type Draws, meanEarnings } from './earnings.ts';
import type { Sums } from './evidence.ts';
import { expectedDifference, isSureLead } from './lead.ts';
import type { Posterior } from './posterior.ts';

/** How many more views (or clicks), all pages together, a decision takes; null where that cannot be foreseen. */
export interface ViewsNeeded {
  /** In half of the futures no more than these. */
  readonly median: number | null;
  /** In nine of ten futures no more than these. */
  readonly likely: number | null;
}

/** Futures that are played through. */
const futures = 300;

/** So many times the views until now, or at least so many, are looked ahead. */
const horizon = { times: 1_000, least: 1_000_000 };

/** The fewest views that are tried, and the ratio of one number tried to the next: a forecast is no finer than that. */
const fewest = 100;
const step = 1.2;

/**
 * Plays the campaign on from what is believed now: each draw is a possible truth, under which every page goes on to earn what was
 * drawn, by the given shares, until the best of that truth is a sure lead over all others. Where a decision hangs on luck it
 * comes sooner or later than that; the forecast is of the order of magnitude.
 *
 * @param shares percentages, as recommended
 */
export function viewsNeeded(
  pages: readonly Sums[],
  posteriors: readonly Posterior[],
  draws: Draws,
  shares: readonly number[],
): ViewsNeeded {
  // Without a single conversion the rate may be anything, and so may the future.
  if (pages.every((page) => page.conversions === 0)) return { median: null, likely: null };
  const until = pages.reduce((sum, page) => sum + page.exposures, 0);
  const most = Math.max(until * horizon.times, horizon.least);
  const truths = possibleTruths(posteriors, draws);
  const needed = truths
    .map((truth) => {
      const best = truth.indexOf(Math.max(...truth));
      for (let more = fewest; more <= most; more *= step) {
        const later = pages.map((page, index) => {
          const views = (more * (shares[index] ?? 0)) / 100;
          return playOn(page, posteriors[index], (truth[index] ?? 0) * views, views);
        });
        const leader = later[best];
        if (leader && later.every((rival) => rival === leader || isSureLead(leader, rival))) return more;
      }
      return Number.POSITIVE_INFINITY;
    })
    .sort((one, other) => one - other);
  return { median: quantile(needed, 0.5), likely: quantile(needed, 0.9) };
}

/**
 * What every page may truly earn, one list a future. Posteriors of single pages lie further apart than pages do: they are drawn
 * together by the prior of the test, differences of `expectedDifference` between two pages (normal shrinkage, Efron and Morris,
 * JASA 70, 1975).
 */
function possibleTruths(posteriors: readonly Posterior[], draws: Draws): number[][] {
  const means = posteriors.map(meanEarnings);
  const center = means.reduce((sum, mean) => sum + mean, 0) / means.length;
  const prior = (expectedDifference * center) ** 2 / 2;
  const shrunk = means.map((mean, page) => {
    const drawn = draws[page] ?? new Float64Array();
    const variance = drawn.reduce((sum, value) => sum + (value - mean) ** 2, 0) / drawn.length;
    const weight = prior / (prior + variance);
    const middle = center + weight * (mean - center);
    return Array.from(drawn.subarray(0, futures), (value) => Math.max(middle + Math.sqrt(weight) * (value - mean), 0));
  });
  return Array.from({ length: shrunk[0]?.length ?? 0 }, (_, draw) => shrunk.map((page) => page[draw] ?? 0));
}

/** A page's sums after more views and revenue: its payouts stay what they are believed to be. */
function playOn(page: Sums, posterior: Posterior | undefined, revenue: number, views: number): Sums {
  const { mean, meanSquare } = posterior?.payout ?? { mean: 1, meanSquare: 1 };
  const conversions = revenue / mean;
  return {
    exposures: page.exposures + views,
    conversions: page.conversions + conversions,
    revenue: page.revenue + revenue,
    squares: page.squares + conversions * meanSquare,
  };
}

/** Two digits are all that a forecast is good for. */
function quantile(sorted: readonly number[], part: number): number | null {
  const value = sorted[Math.ceil(part * sorted.length) - 1] ?? Number.POSITIVE_INFINITY;
  return value === Number.POSITIVE_INFINITY ? null : Number(value.toPrecision(2));
}

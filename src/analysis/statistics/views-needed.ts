import type { Draws } from './earnings.ts';
import type { Sums } from './evidence.ts';
import { isSureLead } from './lead.ts';
import type { Posterior } from './posterior.ts';

/** How many more views (or clicks), all pages together, a decision takes; null where that cannot be foreseen. */
export interface ViewsNeeded {
  /** In half of the cases no more than these. */
  readonly median: number | null;
  /** In four of five cases no more than these. */
  readonly likely: number | null;
}

/** Futures that are played through. */
const futures = 500;

/** So many times the views until now, or at least so many, are looked ahead. */
const horizon = { times: 1_000, least: 1_000_000 };

/** From one number of views that is tried to the next; what is found is as coarse as this. */
const step = 1.1;

/**
 * Plays the campaign on from what is believed now: each draw from the posterior is a possible truth, under which every page goes
 * on to earn at its drawn rate, by the given shares, until the best of that truth is a sure lead over all others.
 *
 * @param shares percentages, as recommended
 */
export function viewsNeeded(
  pages: readonly Sums[],
  posteriors: readonly Posterior[],
  draws: Draws,
  shares: readonly number[],
): ViewsNeeded {
  const until = pages.reduce((sum, page) => sum + page.exposures, 0);
  const most = Math.max(until * horizon.times, horizon.least);
  const count = Math.min(futures, draws[0]?.length ?? 0);
  const needed = Array.from({ length: count }, (_, draw) => {
    const truth = draws.map((page) => page[draw] ?? 0);
    const best = truth.indexOf(Math.max(...truth));
    for (let more = 100; more <= most; more *= step) {
      const future = (page: number) =>
        playOn(pages[page], posteriors[page], truth[page] ?? 0, (more * (shares[page] ?? 0)) / 100);
      const leader = future(best);
      if (truth.every((_, page) => page === best || isSureLead(leader, future(page)))) return more;
    }
    return Number.POSITIVE_INFINITY;
  }).sort((one, other) => one - other);
  return { median: quantile(needed, 0.5), likely: quantile(needed, 0.8) };
}

/** A page's sums after more views at given earnings: its payouts stay what they are believed to be, the rate makes the difference. */
function playOn(page: Sums | undefined, posterior: Posterior | undefined, earnings: number, more: number): Sums {
  if (!page || !posterior) throw new RangeError('Every page needs its posterior.');
  const { mean, meanSquare } = posterior.payout;
  const conversions = (earnings * more) / mean;
  return {
    exposures: page.exposures + more,
    conversions: page.conversions + conversions,
    revenue: page.revenue + earnings * more,
    squares: page.squares + conversions * meanSquare,
  };
}

/** Two digits are all that a forecast is good for. */
function quantile(sorted: readonly number[], part: number): number | null {
  const value = sorted[Math.ceil(part * sorted.length) - 1] ?? Number.POSITIVE_INFINITY;
  return value === Number.POSITIVE_INFINITY ? null : Number(value.toPrecision(2));
}

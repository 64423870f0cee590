import { at, sum } from './history.ts';
import { deviationOf } from './scatter.ts';

/** Where views are split differently from the shares that are set, by more than chance. */
export interface OffShare {
  readonly page: number;
  /** The part of the views that it got, and should get, in percent. */
  readonly got: number;
  readonly due: number;
}

/** The quantile of the standard normal distribution whose square only one in a thousand exceeds. */
const deviations = 3.2905;
/** The same on one side. */
const deviationsAbove = 3.0902;

/** A smaller part of the traffic in the wrong place changes no decision. */
const minMoved = 0.01;

/** Chi-square is not exact with fewer views of a page. */
const minDue = 5;

/**
 * A sample-ratio test at one in a thousand: whether pages got the views that their shares give them. A cap, a redirect, a page that
 * fails, or shares that were changed elsewhere show here.
 *
 * @param shares weights; null is unknown
 * @returns the pages, those that are furthest off first; empty if they fit, or that cannot be told
 */
export function pagesOffShares(views: readonly number[], shares: readonly (number | null)[]): readonly OffShare[] {
  const weights = shares.map((share) => share ?? Number.NaN);
  const [allViews, allWeights] = [sum(views), sum(weights)];
  if (!(allViews > 0 && allWeights > 0) || views.length < 2) return [];
  const pages = views.map((seen, page) => ({ page, seen, due: (at(weights, page) / allWeights) * allViews }));
  if (pages.some(({ due }) => due < minDue)) return [];
  const chiSquare = sum(pages.map(({ seen, due }) => (seen - due) ** 2 / due));
  const moved = sum(pages.map(({ seen, due }) => Math.abs(seen - due))) / 2 / allViews;
  if (isByChance(chiSquare, pages.length - 1) || moved < minMoved) return [];
  return pages
    .map(({ page, seen, due }) => ({ page, got: (seen / allViews) * 100, due: (due / allViews) * 100 }))
    .sort((one, other) => Math.abs(other.got - other.due) - Math.abs(one.got - one.due));
}

/** Exact for two pages. */
function isByChance(chiSquare: number, freedom: number): boolean {
  return freedom === 1 ? chiSquare <= deviations ** 2 : deviationOf(chiSquare, freedom) <= deviationsAbove;
}

import { sum } from './statistics/history.ts';

/** A page that gets traffic of its group, or could. */
export interface WishedPage {
  /** Its share now; known if the page has no `percent`. */
  readonly share: number | null;
  /** The percentage of the group's traffic that it should get; absent: its part of what is left. */
  readonly percent?: number | undefined;
}

const maxShare = 100;

/** Percentages are shown with one decimal, so what differs by less is the same. */
const resolution = 0.05;

/**
 * The percentage of the traffic that each page should get. Pages without a wish divide what is left as they divide the traffic now;
 * the wishes for all pages with traffic may miss 100 by their rounding.
 */
export function targetsOf(pages: readonly WishedPage[]): readonly number[] {
  const wished = sum(pages.map(({ percent }) => percent ?? 0));
  const others = sum(pages.map(({ percent, share }) => (percent === undefined ? (share ?? 0) : 0)));
  return pages.map(({ percent, share }) => {
    if (others === 0) return ((percent ?? 0) / wished) * 100;
    return percent ?? (Math.max(100 - wished, 0) * (share ?? 0)) / others;
  });
}

/**
 * The shares that come nearest to a wish: first for the pages with a percentage, then for the proportions of the others. Of equal ones
 * those that leave the other pages alone, then those with a sum near 100. A share that changes is whole, 0 to 100, and not 0 unless
 * its page is to get nothing. If the present shares are as near, they stay.
 *
 * @returns a share for each page; undefined if more than `maxChanges` would change
 */
export function wholeShares(pages: readonly WishedPage[], maxChanges: number): readonly number[] | undefined {
  const targets = targetsOf(pages);
  const present = pages.map(({ share }) => share ?? Number.NaN);
  const isWished = pages.map(({ percent }) => percent !== undefined);
  const rank = (shares: readonly number[]): Rank => {
    const total = sum(shares);
    const misses = shares.map((share, page) => Math.abs((share / total) * 100 - (targets[page] ?? 0)));
    const wished = Math.max(...misses.filter((_, page) => isWished[page]));
    const others = sum(misses.filter((_, page) => !isWished[page]));
    const isTouching = shares.some((share, page) => !isWished[page] && share !== present[page]);
    return [inSteps(wished, resolution), inSteps(others, 1e-6), Number(isTouching), Math.abs(total - 100)];
  };
  const hasTraffic = (share: number, page: number) => share > 0 === (targets[page] ?? 0) > 0;
  const kept = keepOthers(present, targets, isWished);
  const mayAllChange = pages.filter(({ share, percent }) => percent !== undefined || share !== 0).length <= maxChanges;
  const [best] = [...(kept ? [kept] : []), ...(mayAllChange ? ofEachSum(present, targets, isWished) : [])]
    .map((shares) => ({ shares, rank: rank(shares) }))
    .sort((one, other) => compare(one.rank, other.rank));
  const isFine = present.every(hasTraffic) && rank(present)[0] <= (best?.rank[0] ?? 0);
  return isFine ? present : best?.shares;
}

/** What is compared first comes first. */
type Rank = readonly [wished: number, others: number, touching: number, distance: number];

function compare(one: Rank, other: Rank): number {
  const differences = one.map((value, index) => value - (other[index] ?? 0));
  return differences.find((difference) => difference !== 0) ?? 0;
}

/** Floating-point noise must not decide. */
function inSteps(value: number, step: number): number {
  return Math.floor(value / step + 1e-6);
}

/** The other pages keep their shares; undefined if one of the wished pages would need more than the largest share. */
function keepOthers(
  present: readonly number[],
  targets: readonly number[],
  isWished: readonly boolean[],
): readonly number[] | undefined {
  const isOther = (_: number, page: number) => !isWished[page];
  const rest = sum(targets.filter(isOther));
  if (rest <= 0) return undefined;
  const total = (sum(present.filter(isOther)) / rest) * 100;
  const shares = present.map((share, page) => (isWished[page] ? roundShare(targets[page] ?? 0, total) : share));
  return shares.some((share, page) => isWished[page] && share > maxShare) ? undefined : shares;
}

/** The nearest shares for each sum that shares can have, as far as none is nearer for the wished pages. */
function ofEachSum(
  present: readonly number[],
  targets: readonly number[],
  isWished: readonly boolean[],
): (readonly number[])[] {
  const withTraffic = targets.map((target, page) => ({ target, page })).filter(({ target }) => target > 0);
  const others = withTraffic.filter(({ page }) => !isWished[page]);
  // Without others the wished pages must have the sum among themselves.
  const free = others.length > 0 ? others : withTraffic;
  const fixed = withTraffic.filter((part) => !free.includes(part));
  const weights = free.map(({ target, page }) => (others.length > 0 ? (present[page] ?? 0) : target));
  // Beyond it the largest share would have to be over 100. Each page may need up to 1 more than its part.
  const largest = (maxShare / Math.max(...targets)) * 100 + withTraffic.length;
  let nearest = Number.POSITIVE_INFINITY;
  let found: (readonly number[])[] = [];
  for (let total = 1; total <= largest; total += 1) {
    const shares = present.map(() => 0);
    for (const { target, page } of fixed) shares[page] = Math.min(roundShare(target, total), maxShare);
    const left = total - sum(shares);
    if (left < free.length || left > maxShare * free.length) continue;
    const misses = fixed.map(({ target, page }) => Math.abs(((shares[page] ?? 0) / total) * 100 - target));
    const miss = inSteps(Math.max(0, ...misses), resolution);
    if (miss > nearest) continue;
    if (miss < nearest) found = [];
    nearest = miss;
    divide(left, weights).forEach((share, index) => {
      shares[free[index]?.page ?? 0] = share;
    });
    found.push(shares);
  }
  return found;
}

/** The whole share for a percentage of a total, at least 1 unless nothing is wished. */
function roundShare(percent: number, total: number): number {
  return percent > 0 ? Math.max(Math.round((percent * total) / 100), 1) : 0;
}

/** Divides a total into whole shares from 1 to 100, near the proportions of the weights. */
function divide(total: number, weights: readonly number[]): readonly number[] {
  const all = sum(weights);
  const exact = weights.map((weight) => (weight / all) * total);
  const shares = exact.map((share) => Math.min(Math.max(Math.round(share), 1), maxShare));
  for (let left = total - sum(shares); left !== 0; left -= Math.sign(left)) {
    const step = Math.sign(left);
    const isOpen = (share: number) => (step > 0 ? share < maxShare : share > 1);
    const gain = (index: number) => ((exact[index] ?? 0) - (shares[index] ?? 0)) * step;
    let furthest = -1;
    for (const [index, share] of shares.entries()) {
      if (isOpen(share) && (furthest < 0 || gain(index) > gain(furthest))) furthest = index;
    }
    shares[furthest] = (shares[furthest] ?? 0) + step;
  }
  return shares;
}

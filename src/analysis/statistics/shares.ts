import { at, sum } from './history.ts';

/** The traffic that all pages but the best keep at least, in percent: without it nothing could change the verdict any more. */
const minOthers = { ifOpen: 10, ifSure: 4 } as const;

/** Below this chance of the best page everything is open. */
const openChance = 0.8;

/**
 * The share of the traffic that each page should get: Thompson sampling (Thompson, Biometrika 25, 1933; Scott, "A modern
 * Bayesian look at the multi-armed bandit", 2010), the chance to be best, above a floor. The floor shrinks with the number of pages
 * and with certainty: a floor of 10% for each of four pages alone lost 6% of the possible earnings.
 *
 * @param chances to be best, by page, above 0
 * @returns whole percentages that sum to 100
 */
export function thompsonShares(chances: readonly number[]): number[] {
  const total = sum(chances);
  const doubt = (1 - Math.max(...chances) / total) / (1 - openChance);
  const others = Math.min(Math.max(minOthers.ifOpen * doubt, minOthers.ifSure), minOthers.ifOpen);
  const floor = floorOf(others, chances.length);
  const free = Math.max(100 - floor * chances.length, 0);
  const exact = chances.map((chance) => (free * chance) / total);
  return byLargestRemainder(exact, free).map((share) => floor + share);
}

const floorOf = (others: number, pageCount: number) => Math.max(Math.round(others / (pageCount - 1)), 1);

/**
 * Moves traffic from pages that are surely behind, down to a floor, to the others, whose split stays the same.
 *
 * @param present whole percentages that sum to 100
 */
export function takeFromBehind(present: readonly number[], isBehind: readonly boolean[]): readonly number[] {
  const floor = floorOf(minOthers.ifSure, present.length);
  const left = present.map((part, page) => (isBehind[page] ? Math.min(part, floor) : 0));
  const others = sum(present.filter((_, page) => !isBehind[page]));
  if (!(others > 0)) return present;
  const free = 100 - sum(left);
  return byLargestRemainder(
    present.map((part, page) => (isBehind[page] ? (left[page] ?? 0) : (part * free) / others)),
    100,
  );
}

/**
 * The shares on the way to the recommended ones: a page gives up traffic only as far as the evidence against it goes, and the others
 * get what is given up in proportion to what they lack.
 *
 * @param present whole percentages that sum to 100
 * @param recommended likewise
 * @param carried by page, the part of the evidence for a verdict against it, 0 to 1
 */
export function stepTowards(
  present: readonly number[],
  recommended: readonly number[],
  carried: readonly number[],
): readonly number[] {
  const lacking = present.map((part, page) => Math.max(at(recommended, page) - part, 0));
  const given = present.map((part, page) => Math.max(part - at(recommended, page), 0) * at(carried, page));
  const [allLacking, allGiven] = [sum(lacking), sum(given)];
  if (!(allLacking > 0)) return present;
  return byLargestRemainder(
    present.map((part, page) => part - at(given, page) + (at(lacking, page) / allLacking) * allGiven),
    100,
  );
}

/** Whole numbers near the exact ones that sum to `total`; of equal remainders the first is rounded up. */
export function byLargestRemainder(exact: readonly number[], total: number): number[] {
  const whole = exact.map(Math.floor);
  const byRemainder = exact
    .map((value, index) => ({ index, remainder: value - Math.floor(value) }))
    .sort((one, other) => other.remainder - one.remainder);
  const left = total - sum(whole);
  for (const { index } of byRemainder.slice(0, left)) whole[index] = (whole[index] ?? 0) + 1;
  return whole;
}

/** Steps per percent of a share: a tracker takes decimals. */
const stepsOfShare = 100;

/**
 * Splits the present shares of the compared pages as recommended. Shares are weights among all pages that get the same traffic, so
 * pages outside the comparison keep their part.
 *
 * @param present the shares of the compared pages
 * @param recommended percentages of the compared traffic, in the same order, that sum to 100
 * @returns shares with the sum of the present ones; undefined if those are unknown, or if one would exceed 100
 */
export function splitShares(
  present: readonly (number | null)[],
  recommended: readonly number[],
): readonly number[] | undefined {
  const knownShares = present.filter((share) => share !== null);
  const all = sum(knownShares);
  if (knownShares.length < present.length || !(all > 0)) return undefined;
  const steps = Math.round(all * stepsOfShare);
  const exact = recommended.map((percentage) => (steps * percentage) / 100);
  const shares = byLargestRemainder(exact, steps).map((share) => share / stepsOfShare);
  return shares.some((share) => share > 100) ? undefined : shares;
}

/** The part of the traffic that each page gets by its present share, in whole percent; undefined if shares are unknown. */
export function presentParts(shares: readonly (number | null)[]): readonly number[] | undefined {
  const all = sum(shares.map((share) => share ?? Number.NaN));
  if (!(all > 0)) return undefined;
  return byLargestRemainder(
    shares.map((share) => ((share ?? 0) / all) * 100),
    100,
  );
}

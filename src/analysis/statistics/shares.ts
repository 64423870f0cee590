/** No page gets less until there is a decision, percent: its results would dry up, and the decision with them. */
const explorationFloor = 10;

/** At most this much of the traffic is bound by floors, percent. */
const maxExploration = 50;

/**
 * The share of the traffic each page should get until there is a decision: Thompson sampling (Thompson, Biometrika 25, 1933;
 * Scott, "A modern Bayesian look at the multi-armed bandit", 2010), the probability to be best, above a floor.
 *
 * @param probabilities to be best, one a page, summing to 1
 * @returns whole percentages that sum to 100
 */
export function explorationShares(probabilities: readonly number[]): number[] {
  const floor = Math.min(explorationFloor, Math.floor(maxExploration / probabilities.length));
  const free = 100 - floor * probabilities.length;
  const exact = probabilities.map((probability) => free * probability);
  return byLargestRemainder(exact, free).map((share) => floor + share);
}

/** Whole numbers near the exact ones that sum to `total`; the first gets what is left where remainders are equal. */
function byLargestRemainder(exact: readonly number[], total: number): number[] {
  const whole = exact.map(Math.floor);
  const byRemainder = exact
    .map((value, place) => ({ place, remainder: value - Math.floor(value) }))
    .sort((one, other) => other.remainder - one.remainder);
  const left = total - whole.reduce((sum, value) => sum + value, 0);
  for (const { place } of byRemainder.slice(0, left)) whole[place] = (whole[place] ?? 0) + 1;
  return whole;
}

/** The steps in which shares are given: a tracker takes a percentage with decimals. */
const stepsOfShare = 100;

/**
 * Shares are weights among all pages that get the same traffic. Splits what the compared pages have now as recommended, so that
 * pages outside the comparison keep their part.
 *
 * @param present the shares of the compared pages
 * @param recommended percentages of the compared traffic, in the same order, that sum to 100
 * @returns shares with the sum of the present ones; undefined where they have none, or where one would be above 100
 */
export function splitShares(
  present: readonly (number | null)[],
  recommended: readonly number[],
): readonly number[] | undefined {
  const known = present.filter((share) => share !== null);
  const sum = known.reduce((total, share) => total + share, 0);
  if (known.length < present.length || !(sum > 0)) return undefined;
  const steps = Math.round(sum * stepsOfShare);
  const exact = recommended.map((percentage) => (steps * percentage) / 100);
  const shares = byLargestRemainder(exact, steps).map((share) => share / stepsOfShare);
  return shares.some((share) => share > 100) ? undefined : shares;
}

/** What the others keep once a page is known to be best, percent: markets move, and a page without traffic cannot show it. */
const watchingFloor = 5;

/** The shares once a page is known to be best: all to it, above a small floor for the others. */
export function leaderShares(pages: number, leader: number): number[] {
  const floor = Math.min(watchingFloor, Math.floor(maxExploration / pages));
  return Array.from({ length: pages }, (_, page) => (page === leader ? 100 - floor * (pages - 1) : floor));
}

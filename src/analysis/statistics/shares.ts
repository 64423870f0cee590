/** No page gets less until there is a decision, percent: its results would dry up, and the decision with them. */
const explorationFloor = 10;

/** At most this much of the traffic is bound by floors, percent. */
const mostExploration = 50;

/**
 * The share of the traffic each page should get until there is a decision: Thompson sampling (Thompson, Biometrika 25, 1933;
 * Scott, "A modern Bayesian look at the multi-armed bandit", 2010), the probability to be best, above a floor.
 *
 * @param probabilities to be best, one a page, summing to 1
 * @returns whole percentages that sum to 100
 */
export function explorationShares(probabilities: readonly number[]): number[] {
  const floor = Math.min(explorationFloor, Math.floor(mostExploration / probabilities.length));
  const free = 100 - floor * probabilities.length;
  const exact = probabilities.map((probability) => free * probability);
  const shares = exact.map((share) => floor + Math.floor(share));
  // Largest remainders get the points that rounding down has left, the first page where they are equal.
  const byRemainder = exact
    .map((share, page) => ({ page, remainder: share - Math.floor(share) }))
    .sort((one, other) => other.remainder - one.remainder);
  const left = 100 - shares.reduce((sum, share) => sum + share, 0);
  for (const { page } of byRemainder.slice(0, left)) shares[page] = (shares[page] ?? 0) + 1;
  return shares;
}

/** What the others keep once a page is known to be best, percent: markets move, and a page without traffic cannot show it. */
const watchingFloor = 5;

/** The shares once a page is known to be best: all to it, above a small floor for the others. */
export function leaderShares(pages: number, leader: number): number[] {
  const floor = Math.min(watchingFloor, Math.floor(mostExploration / pages));
  return Array.from({ length: pages }, (_, page) => (page === leader ? 100 - floor * (pages - 1) : floor));
}

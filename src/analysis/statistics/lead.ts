import type { Sums } from './evidence.ts';

/** A mixture likelihood ratio this high is reached by two equal pages, ever, with a probability of at most 1 in 50. */
const sufficientLogRatio = Math.log(50);

/** The differences to look for, as a share of what the two pages earn: the test is at its fastest around these. */
export const expectedDifference = 0.3;

/** So many effective conversions each of two pages would have, if both earned the same. */
const minConversions = 20;

/** Two pages that are supposed to earn the same: what a view of either earns, and what is known of their payouts. */
interface EqualPair {
  readonly earnings: number;
  readonly leaderPayout: Payout;
  readonly rivalPayout: Payout;
}

interface Payout {
  readonly mean: number;
  readonly meanSquare: number;
}

/**
 * Whether there is enough to judge by. Sums of very few conversions are not yet normal, and those of payouts that vary much need
 * more of them: counted are effective conversions, squared sum over sum of squares (Kish, Survey Sampling, 1965), as many as there
 * are where payouts never vary. What counts is how many there would be at equal earnings: a page of rare, large payouts needs
 * more views before its silence says something.
 */
export function isEnoughEvidence(leader: Sums, rival: Sums): boolean {
  const { earnings, leaderPayout, rivalPayout } = supposeEqual(leader, rival);
  const effective = (exposures: number, { mean, meanSquare }: Payout) => (exposures * earnings * mean) / meanSquare;
  return (
    effective(leader.exposures, leaderPayout) >= minConversions &&
    effective(rival.exposures, rivalPayout) >= minConversions
  );
}

/**
 * Whether one page earns more than another, in a way that may be asked every day without being fooled: under the mixture
 * sequential probability ratio test the chance of ever calling one of two equal pages the leader stays below 2%, however
 * often one looks (Robbins, Annals of Mathematical Statistics 41, 1970; Johari, Koomen, Pekelis and Walsh, "Always valid
 * inference", Operations Research 70, 2022). The ratio compares a normal prior on the difference, of mean 0, with no
 * difference; the sums are taken to be normal, which is why few conversions are not enough.
 */
export function isSureLead(leader: Sums, rival: Sums): boolean {
  return isEnoughEvidence(leader, rival) && logLikelihoodRatio(leader, rival) >= sufficientLogRatio;
}

/** The logarithm of the mixture likelihood ratio of a lead; minus infinity where the page does not lead. */
export function logLikelihoodRatio(leader: Sums, rival: Sums): number {
  const difference = leader.revenue / leader.exposures - rival.revenue / rival.exposures;
  if (!(difference > 0)) return Number.NEGATIVE_INFINITY;
  const equal = supposeEqual(leader, rival);
  const variance = differenceVariance(leader, rival, equal);
  const mixture = (expectedDifference * equal.earnings) ** 2;
  const weight = mixture / (variance + mixture);
  return 0.5 * (Math.log1p(-weight) + (weight * difference ** 2) / variance);
}

function supposeEqual(leader: Sums, rival: Sums): EqualPair {
  const earnings = (leader.revenue + rival.revenue) / (leader.exposures + rival.exposures);
  return {
    earnings,
    leaderPayout: payoutOf(leader) ?? payoutOf(rival) ?? unknown,
    rivalPayout: payoutOf(rival) ?? payoutOf(leader) ?? unknown,
  };
}

const unknown: Payout = { mean: 1, meanSquare: 1 };

function payoutOf({ conversions, revenue, squares }: Sums): Payout | undefined {
  return revenue > 0 ? { mean: revenue / conversions, meanSquare: squares / conversions } : undefined;
}

/**
 * The variance of the difference of two means, the greater of two estimates: as the pages are, and as they would be if they earned
 * the same. The first alone is 0 for a page that has not converted, and small for one that has yet to see its large payouts.
 */
function differenceVariance(leader: Sums, rival: Sums, { earnings, leaderPayout, rivalPayout }: EqualPair): number {
  const seen =
    varianceOf(leader.revenue / leader.exposures, leaderPayout) / leader.exposures +
    varianceOf(rival.revenue / rival.exposures, rivalPayout) / rival.exposures;
  const supposed =
    varianceOf(earnings, leaderPayout) / leader.exposures + varianceOf(earnings, rivalPayout) / rival.exposures;
  return Math.max(seen, supposed, Number.MIN_VALUE);
}

/** The variance of the revenue of single views that earn so much on average, in conversions of such payouts. */
function varianceOf(earnings: number, { mean, meanSquare }: Payout): number {
  return Math.max((earnings * meanSquare) / mean - earnings ** 2, 0);
}

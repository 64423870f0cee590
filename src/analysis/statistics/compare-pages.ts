import { drawEarnings, earningsEstimates, oddsOf } from './earnings.ts';
import { type Assumption, type Currency, gatherEvidence, type PageResult, type Per } from './evidence.ts';
import { isEnoughEvidence, isSureLead } from './lead.ts';
import { type Estimate, posteriorOf, rateEstimate } from './posterior.ts';
import { explorationShares, leaderShares } from './shares.ts';
import { type ViewsNeeded, viewsNeeded } from './views-needed.ts';

export interface ComparePagesOptions {
  /** What earnings are divided by; views without it. */
  readonly per?: Per;
  /** Another seed draws other random numbers; the same one gives the same answer, always. */
  readonly seed?: number;
  /** Monte Carlo draws a page; 20,000 leave a standard error of 0.0015 on a probability of 95%, fewer are faster. */
  readonly draws?: number;
}

export interface PageComparison {
  /** Conversions per view (or click), 0 to 1. */
  readonly rate: Estimate;
  /** Earnings per view (or click), in the comparison's currency. */
  readonly earnings: Estimate;
  readonly probabilityBest: number;
  /** What choosing this page is expected to give away per 1,000 views (or clicks), against the best. */
  readonly expectedLoss: number;
  /** The recommended share of the traffic, a whole percentage; all shares sum to 100. */
  readonly share: number;
}

/** What a decision still lacks. */
export type Requirement = 'evidence' | 'probability' | 'loss' | 'sure lead';

export type Decision =
  | { readonly kind: 'leader'; readonly page: number }
  | {
      readonly kind: 'no decision yet';
      /** The page that has the highest expected earnings so far. */
      readonly page: number;
      readonly missing: readonly Requirement[];
      /** At the recommended shares. */
      readonly viewsNeeded: ViewsNeeded;
    };

export interface Comparison {
  readonly per: Per;
  readonly currency: Currency;
  /** In the order of the results. */
  readonly pages: readonly PageComparison[];
  readonly decision: Decision;
  readonly assumptions: readonly Assumption[];
}

/** What a leader has to show. */
export const thresholds = {
  /** The least probability to be best. */
  probability: 0.95,
  /** The most that choosing it may be expected to give away, as a part of its own expected earnings. */
  loss: 0.01,
} as const;

const defaultDraws = 20_000;
const defaultSeed = 20_260_101;

/**
 * Which of a campaign's pages earns most, and how sure that is.
 *
 * A leader is named when it is best with a probability of at least 95%, when choosing it is expected to give away at most 1% of
 * its earnings, and when its lead over every other page is sure in the sense of `isSureLead`. The first two speak of the
 * results as they are, and would in time name a leader among equal pages to one who asks every day; the last does so in at most
 * 5% of such campaigns. Pages must have had their traffic side by side: shares that changed while the traffic itself changed
 * (a weekend, a new source) make one page look better than it is.
 *
 * @param results two or more pages, in any order
 * @throws RangeError for fewer than two pages, for numbers that are negative or not finite, and for missing clicks
 */
export function comparePages(results: readonly PageResult[], options: ComparePagesOptions = {}): Comparison {
  const { per = 'view', seed = defaultSeed, draws = defaultDraws } = options;
  const { pages, pooled, currency, assumptions } = gatherEvidence(results, per);
  const posteriors = pages.map((page) => posteriorOf(page, pooled));
  const earningsDraws = drawEarnings(posteriors, draws, seed);
  const estimates = earningsEstimates(posteriors, earningsDraws);
  const odds = oddsOf(earningsDraws);

  const best = estimates.reduce((top, { mean }, page) => (mean > (estimates[top]?.mean ?? 0) ? page : top), 0);
  const rivals = pages.filter((_, page) => page !== best);
  const leader = pages[best] ?? pooled;
  const { probabilityBest = 0, expectedLoss = 0 } = odds[best] ?? {};
  const isMet: Record<Requirement, boolean> = {
    evidence: rivals.every((rival) => isEnoughEvidence(leader, rival)),
    probability: probabilityBest >= thresholds.probability,
    loss: expectedLoss <= thresholds.loss * (estimates[best]?.mean ?? 0),
    'sure lead': rivals.every((rival) => isSureLead(leader, rival)),
  };
  const missing = (Object.keys(isMet) as Requirement[]).filter((requirement) => !isMet[requirement]);

  const isDecided = missing.length === 0;
  const shares = isDecided
    ? leaderShares(pages.length, best)
    : explorationShares(odds.map((page) => page.probabilityBest));
  return {
    per,
    currency,
    pages: posteriors.map((posterior, page) => ({
      rate: rateEstimate(posterior),
      earnings: estimates[page] ?? { mean: 0, low: 0, high: 0 },
      probabilityBest: odds[page]?.probabilityBest ?? 0,
      expectedLoss: (odds[page]?.expectedLoss ?? 0) * 1_000,
      share: shares[page] ?? 0,
    })),
    decision: isDecided
      ? { kind: 'leader', page: best }
      : {
          kind: 'no decision yet',
          page: best,
          missing,
          viewsNeeded: viewsNeeded(pages, posteriors, earningsDraws, shares),
        },
    assumptions,
  };
}

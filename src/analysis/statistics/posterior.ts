import betaQuantile from '@stdlib/stats-base-dists-beta-quantile';
import type { Sums } from './evidence.ts';

/** A value with the range that holds it with a probability of 95%. */
export interface Estimate {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/** What is believed about a page after its results. */
export interface Posterior {
  /** The conversion rate: Beta(alpha, beta). */
  readonly rate: { readonly alpha: number; readonly beta: number };
  /** The mean payout of a conversion: a gamma of this mean; shape is Infinity where payouts never vary. */
  readonly payout: { readonly mean: number; readonly shape: number; readonly meanSquare: number };
}

/** How many conversions the prior is worth: one result of the page's own weighs as much as what is known of the others. */
const priorConversions = 1;

/** The edges of a central credible interval of 95%. */
export const credibleEdges = [0.025, 0.975] as const;

/**
 * The posterior of one page. Earnings per view are conversion rate times mean payout, believed independently.
 *
 * Rate: Beta-Binomial (Gelman et al., Bayesian Data Analysis, 3rd ed. 2013, section 2.4). The prior is Beta(1, 1/m - 1),
 * of mean m, the pooled rate of all pages, and worth one conversion (a unit-information prior, Kass and Wasserman, JASA 90,
 * 1995): pages of one campaign resemble each other, a flat prior would credit a page that converts at 0.2% with
 * rates of 50%, and one conversion is soon outweighed. Without any data it is the uniform Beta(1, 1).
 *
 * Payout: no shape is presumed. Payouts come from an unknown distribution under a Dirichlet process prior (Ferguson, Annals of
 * Statistics 1, 1973) around the payouts of all pages, again worth one conversion; without it this is the Bayesian bootstrap
 * (Rubin, Annals of Statistics 9, 1981). Of the posterior of the mean, n + 1 payouts with mean x and variance v, expectation
 * and variance are exact, x and v / (n + 2); between them it is taken to be a gamma, positive and skewed as means of payouts are.
 */
export function posteriorOf(page: Sums, pooled: Sums): Posterior {
  const rate = (pooled.conversions + 0.5) / (pooled.exposures + 1);
  const prior =
    pooled.conversions > 0
      ? { mean: pooled.revenue / pooled.conversions, square: pooled.squares / pooled.conversions }
      : { mean: 1, square: 1 };
  const count = page.conversions + priorConversions;
  const mean = (page.revenue + priorConversions * prior.mean) / count;
  const meanSquare = (page.squares + priorConversions * prior.square) / count;
  const variance = meanSquare - mean ** 2;
  // Payouts that never vary leave a variance of rounding errors.
  const isCertain = variance <= mean ** 2 * 1e-12;
  return {
    rate: {
      alpha: priorConversions + page.conversions,
      beta: priorConversions / rate - priorConversions + page.exposures - page.conversions,
    },
    payout: { mean, shape: isCertain ? Number.POSITIVE_INFINITY : (mean ** 2 * (count + 1)) / variance, meanSquare },
  };
}

/** The conversion rate with its credible interval, from the quantiles of the beta distribution. */
export function rateEstimate({ rate: { alpha, beta } }: Posterior): Estimate {
  const [low, high] = credibleEdges;
  return { mean: alpha / (alpha + beta), low: betaQuantile(low, alpha, beta), high: betaQuantile(high, alpha, beta) };
}

import { credibleEdges, type Estimate, type Posterior } from './posterior.ts';
import { drawBeta, drawGamma, seededRandom } from './random.ts';

/** Draws of earnings per view (or click), one array a page; entries of the same index belong together. */
export type Draws = readonly Float64Array[];

/** The odds of a page against all others. */
export interface Odds {
  /** The probability that no other page earns more. */
  readonly probabilityBest: number;
  /** What choosing the page is expected to give away per view, against the best page. */
  readonly expectedLoss: number;
}

/**
 * Monte Carlo draws from the posteriors of earnings per view.
 *
 * @param count draws a page
 */
export function drawEarnings(posteriors: readonly Posterior[], count: number, seed: number): Draws {
  const random = seededRandom(seed);
  return posteriors.map(({ rate, payout }) => {
    const isFixed = payout.shape === Number.POSITIVE_INFINITY;
    const scale = payout.mean / payout.shape;
    return Float64Array.from({ length: count }, () => {
      const converting = drawBeta(rate.alpha, rate.beta, random);
      return converting * (isFixed ? payout.mean : drawGamma(payout.shape, random) * scale);
    });
  });
}

/** Mean and credible interval of each page's earnings; the mean is exact, the edges are those of the draws. */
export function earningsEstimates(posteriors: readonly Posterior[], draws: Draws): Estimate[] {
  return posteriors.map((posterior, index) => {
    const sorted = Float64Array.from(draws[index] ?? []).sort();
    const [low = 0, high = 0] = credibleEdges.map((edge) => sorted[Math.floor(edge * (sorted.length - 1))] ?? 0);
    return { mean: meanEarnings(posterior), low, high };
  });
}

/** Expected earnings per view: of independent factors the expectation of the product is the product. */
export function meanEarnings({ rate, payout }: Posterior): number {
  return (rate.alpha / (rate.alpha + rate.beta)) * payout.mean;
}

/** Probability to be best and expected loss (Stucchio, "Bayesian A/B Testing at VWO", 2015), over the draws. */
export function oddsOf(draws: Draws): Odds[] {
  const count = draws[0]?.length ?? 0;
  const wins = new Float64Array(draws.length);
  const losses = new Float64Array(draws.length);
  for (let draw = 0; draw < count; draw += 1) {
    let best = 0;
    let most = Number.NEGATIVE_INFINITY;
    for (let page = 0; page < draws.length; page += 1) {
      const earnings = draws[page]?.[draw] ?? 0;
      if (earnings > most) [best, most] = [page, earnings];
    }
    wins[best] = (wins[best] ?? 0) + 1;
    for (let page = 0; page < draws.length; page += 1) {
      losses[page] = (losses[page] ?? 0) + most - (draws[page]?.[draw] ?? 0);
    }
  }
  return draws.map((_, page) => ({
    probabilityBest: (wins[page] ?? 0) / count,
    expectedLoss: (losses[page] ?? 0) / count,
  }));
}

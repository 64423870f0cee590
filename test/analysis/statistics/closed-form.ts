/** Exact results on two betas, to hold Monte Carlo against. Stirling's series serves for the logarithm of gamma. */
export interface Beta {
  readonly alpha: number;
  readonly beta: number;
}

/**
 * The probability that the second exceeds the first: Miller, "Formulas for Bayesian A/B testing" (2014), for a whole number as
 * the second's alpha (the same sum is in Cook, "Exact calculation of beta inequalities", 2005).
 */
export function probabilitySecondExceeds(first: Beta, second: Beta): number {
  let sum = 0;
  for (let index = 0; index < second.alpha; index += 1) {
    sum += Math.exp(
      logBeta(first.alpha + index, first.beta + second.beta) -
        Math.log(second.beta + index) -
        logBeta(1 + index, second.beta) -
        logBeta(first.alpha, first.beta),
    );
  }
  return sum;
}

/** The expectation of max(second - first, 0), the loss of choosing the first: Stucchio, "Bayesian A/B Testing at VWO" (2015). */
export function expectedLossOfFirst(first: Beta, second: Beta): number {
  const grown = ({ alpha, beta }: Beta): Beta => ({ alpha: alpha + 1, beta });
  const mean = ({ alpha, beta }: Beta) => alpha / (alpha + beta);
  return (
    mean(second) * probabilitySecondExceeds(first, grown(second)) -
    mean(first) * probabilitySecondExceeds(grown(first), second)
  );
}

function logBeta(a: number, b: number): number {
  return logGamma(a) + logGamma(b) - logGamma(a + b);
}

function logGamma(x: number): number {
  if (x < 10) return logGamma(x + 1) - Math.log(x);
  const square = x * x;
  const series = (1 / 12 - (1 / 360 - (1 / 1_260 - 1 / (1_680 * square)) / square) / square) / x;
  return (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + series;
}

/**
 * Counts that scatter more than chance: a Poisson count whose mean varies as a gamma variable does (negative binomial).
 * Its variance is mean + scatter * mean ** 2.
 */

/** How likely so small a count is, 0 to 1. */
export function chanceOfAtMost(count: number, mean: number, scatter: number): number {
  if (mean <= 0) return 1;
  let term = Math.exp(-Math.log1p(scatter * mean) / scatter);
  let sum = term;
  for (let index = 0; index < Math.floor(count) && sum < 1; index += 1) {
    term *= ((1 / scatter + index) / (index + 1)) * ((scatter * mean) / (1 + scatter * mean));
    sum += term;
  }
  return Math.min(sum, 1);
}

/** How much more than chance the counts of equal days scatter: (variance - mean) / mean ** 2, at least `least`. */
export function scatterOfCounts(counts: readonly number[], least: number): number {
  const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  if (counts.length < 3 || mean === 0) return least;
  const variance = counts.reduce((sum, count) => sum + (count - mean) ** 2, 0) / (counts.length - 1);
  return Math.max((variance - mean) / mean ** 2, least);
}

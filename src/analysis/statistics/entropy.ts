/** What a count adds to a log-likelihood: 0 if it is as expected. */
export function entropy(count: number, expected: number): number {
  return count === 0 ? 0 : count * Math.log(count / expected);
}

/** The log-likelihood of the share that fits best: that of `count` in `all`. */
export function likelihoodOfShare(count: number, all: number): number {
  return entropy(count, all) + entropy(all - count, all);
}

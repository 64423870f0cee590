import type { Day } from '../../src/analysis/statistics/history.ts';

/**
 * An e-process for two streams of yes and no, as an outside oracle: R. Turner, A. Ly and P. Grünwald, "Generic E-variables for exact
 * sequential k-sample tests that allow for optional stopping" (2024). Each day is a block whose likelihood under rates learned from the
 * days before is divided by that under their mean. If both pages convert alike it ever exceeds 1/alpha with a chance of at most alpha.
 */
export class EProcess {
  /** Beta priors as in the paper. */
  readonly #prior = 0.18;
  readonly #seen = [0, 0];
  readonly #sold = [0, 0];
  log = 0;

  /** @param day with two pages */
  add({ pages }: Pick<Day, 'pages'>): void {
    const [one, other] = pages;
    if (!one || !other) return;
    const rates = [0, 1].map(
      (page) => ((this.#sold[page] ?? 0) + this.#prior) / ((this.#seen[page] ?? 0) + 2 * this.#prior),
    );
    const views = one.views + other.views;
    const mean = views === 0 ? 0.5 : (one.views * (rates[0] ?? 0) + other.views * (rates[1] ?? 0)) / views;
    for (const [page, { views: seen, conversions }] of [one, other].entries()) {
      const rate = rates[page] ?? 0;
      this.log += conversions * Math.log(rate / mean) + (seen - conversions) * Math.log((1 - rate) / (1 - mean));
      this.#seen[page] = (this.#seen[page] ?? 0) + seen;
      this.#sold[page] = (this.#sold[page] ?? 0) + conversions;
    }
  }
}

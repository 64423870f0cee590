import { addSamples, type Effect, effectOfShares, type PageSample, type TooFew } from './effects.ts';

/** What shares that moved bring a day: what was earned with them against what it would have been with those of before. */
export type MoneyOfMove = Readonly<Pick<Effect, 'difference' | 'low' | 'high'>> | TooFew;

const none: PageSample = { visits: 0, sales: 0, revenue: 0, squares: 0 };

/** The visits of pages that compete for visitors, before and since their split moved. */
export class MovedVisits {
  readonly #since: number;
  readonly #partIn: (days: number) => number;
  readonly #before = new Map<string, PageSample>();
  readonly #after = new Map<string, PageSample>();
  /** The visits since, as far as their sales are in. */
  #settled = 0;

  /**
   * @param since hours since the split moved
   * @param partIn the part of the sales that are in, by the age of their visits in days
   */
  constructor(since: number, partIn: (days: number) => number) {
    this.#since = since;
    this.#partIn = partIn;
  }

  /** @param age hours since the visit */
  add(page: string, age: number, sales: number, revenue: number): void {
    const isAfter = age < this.#since;
    if (isAfter) this.#settled += this.#partIn(Math.floor(age / 24));
    const pages = isAfter ? this.#after : this.#before;
    pages.set(page, addSamples([pages.get(page) ?? none, { visits: 1, sales, revenue, squares: revenue ** 2 }]));
  }

  perDay(): MoneyOfMove {
    const [before, after] = [[...this.#before.values()], [...this.#after.values()]].map(addSamples);
    if (!before?.visits || !after?.visits) return { why: 'few-days' };
    const pages = [...new Set([...this.#before.keys(), ...this.#after.keys()])];
    const parts = pages.map((page) => (this.#before.get(page)?.visits ?? 0) / before.visits);
    const own = pages.map((page) => this.#after.get(page) ?? none);
    const effect = effectOfShares(own, parts, before.visits, addSamples([before, after]));
    if ('why' in effect) return effect;
    // Late sales of both splits are as late.
    const scale = after.visits / this.#settled / (this.#since / 24);
    const { difference, low, high } = effect;
    return { difference: difference * scale, low: low * scale, high: high * scale };
  }
}

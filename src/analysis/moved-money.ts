import { addSamples, type Effect, effectOfShares, type PageSample, rangeDeviations, type TooFew } from './effects.ts';
import { scatterOver } from './review/looks.ts';
import { at, sum } from './statistics/history.ts';

/** What shares that moved bring a day: what was earned with them against what it would have been with those of before. */
export type MoneyOfMove = Readonly<Pick<Effect, 'difference' | 'low' | 'high'>> | TooFew;

const none: PageSample = { visits: 0, sales: 0, revenue: 0, squares: 0 };

/** The pages of some visits, and how many of these would have as many sales, were all of them in. */
class SideVisits {
  readonly pages = new Map<string, PageSample>();
  settled = 0;
  /** The days that they are from. */
  days = 1;

  add(page: string, sales: number, revenue: number, partIn: number): void {
    this.settled += partIn;
    const visit = { visits: 1, sales, revenue, squares: revenue ** 2 };
    this.pages.set(page, addSamples([this.pages.get(page) ?? none, visit]));
  }

  get all(): PageSample {
    return addSamples([...this.pages.values()]);
  }

  partOf(page: string): number {
    return (this.pages.get(page)?.visits ?? 0) / this.all.visits;
  }

  /** What a visit earned more than by the split of others. */
  against(others: SideVisits): MoneyOfMove {
    const pages = [...new Set([...this.pages.keys(), ...others.pages.keys()])];
    const own = pages.map((page) => this.pages.get(page) ?? none);
    const parts = pages.map((page) => others.partOf(page));
    const effect = effectOfShares(own, parts, others.all.visits, addSamples([this.all, others.all]));
    return 'why' in effect ? effect : timesMoney(effect, 1 / this.settled);
  }

  /** The same as it would be on the days of others: pages do not sell the same on all days. */
  onDaysOf(others: SideVisits): MoneyOfMove {
    const effect = this.against(others);
    if ('why' in effect) return effect;
    const moved = [...this.pages].map(([page, { revenue }]) => {
      const earned = revenue / (this.settled * this.partOf(page));
      return earned * (this.partOf(page) - others.partOf(page));
    });
    const variance = sum(moved.map((money) => money ** 2)) * (scatterOver(this.days) + scatterOver(others.days));
    const half = Math.hypot((effect.high - effect.low) / 2, rangeDeviations * Math.sqrt(variance));
    return { ...effect, low: effect.difference - half, high: effect.difference + half };
  }
}

/** The visits of pages that compete for visitors, before and since their split moved. */
export class MovedVisits {
  readonly #before = new SideVisits();
  readonly #after = new SideVisits();
  readonly #since: number;
  readonly #partIn: (days: number) => number;

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
    const side = age < this.#since ? this.#after : this.#before;
    side.add(page, sales, revenue, this.#partIn(Math.floor(age / 24)));
    side.days = Math.max(side.days, (age - (side === this.#before ? this.#since : 0)) / 24);
  }

  /** From the visits since, and from those before, which show what the new split would have earned. Soon after, only these may tell. */
  perDay(): MoneyOfMove {
    const { visits } = this.#after.all;
    if (visits === 0 || this.#before.all.visits === 0) return { why: 'few-days' };
    const after = this.#after.against(this.#before);
    const before = this.#before.onDaysOf(this.#after);
    const lost = 'why' in before ? [] : [timesMoney(before, -1)];
    const effects = [...('why' in after ? [] : [after]), ...lost];
    if ('why' in after && effects.length === 0) return after;
    return timesMoney(meanOf(effects), visits / (this.#since / 24));
  }
}

type Money = Exclude<MoneyOfMove, TooFew>;

const timesMoney = ({ difference, low, high }: Money, factor: number): Money => ({
  difference: difference * factor,
  low: Math.min(low * factor, high * factor),
  high: Math.max(low * factor, high * factor),
});

/** The mean of estimates, by the inverse of their variances. */
function meanOf(effects: readonly Money[]): Money {
  const precisions = effects.map(({ low, high }) => ((high - low) / 2) ** -2);
  const all = sum(precisions);
  const difference = sum(effects.map((effect, index) => effect.difference * at(precisions, index))) / all;
  const half = all ** -0.5;
  return { difference, low: difference - half, high: difference + half };
}

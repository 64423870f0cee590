import { noVisits } from '../change/span-visits.ts';
import type { GroupFigures, ListedVisit } from '../visit-groups.ts';

/** One visit as a review needs it. */
export interface ReviewedVisit extends ListedVisit {
  /** Hours ago, by the clock of the tracker. */
  readonly age: number;
}

/** How many stretches of 24 hours a review looks back: the last one, and two weeks before it. */
export const reviewedDays = 15;

export interface Sale {
  readonly age: number;
  readonly revenue: number;
  readonly offer: string | null;
}

/** What happened to some visits, a stretch of 24 hours each; the first ends now. */
export class History {
  readonly days: readonly GroupFigures[] = Array.from({ length: reviewedDays }, noVisits);
  /** Hours since the last visit and the last sale; infinite without one. */
  lastVisit = Number.POSITIVE_INFINITY;
  lastSale = Number.POSITIVE_INFINITY;

  add({ age, clicks, conversions, cost, revenue }: ReviewedVisit): void {
    const day = this.days[Math.floor(Math.max(age, 0) / 24)];
    if (!day) return;
    day.views += 1;
    day.clicks += clicks;
    day.conversions += conversions;
    day.cost += cost;
    day.revenue += revenue;
    this.lastVisit = Math.min(this.lastVisit, age);
    if (conversions > 0) this.lastSale = Math.min(this.lastSale, age);
  }

  /** The sums of the stretches from one to another, the second not included. */
  sum(from: number, to: number = reviewedDays): GroupFigures {
    const all = noVisits();
    for (const day of this.days.slice(from, to)) {
      for (const measure of Object.keys(all) as (keyof GroupFigures)[]) all[measure] += day[measure];
    }
    return all;
  }

  /** How many stretches before the last there are since the first visit. */
  get pastDays(): number {
    return Math.max(
      this.days.findLastIndex(({ views }) => views > 0),
      0,
    );
  }
}

/** The visits of a campaign, as a whole and by each value of each dimension. */
export class CampaignHistory extends History {
  readonly groups: ReadonlyMap<string, Map<string, History>>;
  readonly sales: Sale[] = [];
  readonly #offerAt: number;

  /** @param dimensions what visits are looked at by, such as `landing_page` and `offer` */
  constructor(dimensions: readonly string[]) {
    super();
    this.groups = new Map(dimensions.map((dimension) => [dimension, new Map<string, History>()]));
    this.#offerAt = dimensions.indexOf('offer');
  }

  override add(visit: ReviewedVisit): void {
    super.add(visit);
    const { age, conversions, revenue, values: own } = visit;
    for (const [index, values] of [...this.groups.values()].entries()) {
      const value = own[index] ?? null;
      if (value === null) continue;
      const history = values.get(value) ?? new History();
      values.set(value, history);
      history.add(visit);
    }
    if (conversions > 0) this.sales.push({ age, revenue, offer: own[this.#offerAt] ?? null });
  }
}

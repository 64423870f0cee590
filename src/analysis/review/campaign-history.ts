import { noVisits } from '../change/span-visits.ts';
import type { GroupFigures, ListedVisit } from '../visit-groups.ts';

/** One visit as a review needs it. */
export interface ReviewedVisit extends ListedVisit {
  /** Hours ago, by the clock of the tracker. */
  readonly age: number;
}

/** How many stretches of 24 hours a review looks back: the last one, and two weeks before it. */
export const reviewedDays = 15;

/** What is looked at of each stretch of 24 hours: all of it, or its last hours, which are those of the same time of day. */
export const partsOfDay = [3, 6, 12, 24] as const;

export type PartOfDay = (typeof partsOfDay)[number];

/** A visit that sold. */
export interface Sale {
  readonly age: number;
  readonly conversions: number;
  readonly revenue: number;
  readonly offer: string | null;
}

/** What happened to some visits, a stretch of 24 hours each; the first ends now. */
export class History {
  /** Hours since the last visit, click and sale; infinite without one. */
  lastVisit = Number.POSITIVE_INFINITY;
  lastClick = Number.POSITIVE_INFINITY;
  lastSale = Number.POSITIVE_INFINITY;
  /** Hours since the first visit. */
  firstVisit = 0;
  readonly #parts: readonly (readonly [PartOfDay, readonly GroupFigures[]])[];

  constructor(parts: readonly PartOfDay[] = [24]) {
    this.#parts = parts.map((part) => [part, Array.from({ length: reviewedDays }, noVisits)]);
  }

  add({ age, clicks, conversions, cost, revenue }: ReviewedVisit): void {
    const index = Math.floor(Math.max(age, 0) / 24);
    if (index >= reviewedDays) return;
    for (const [hours, days] of this.#parts) {
      const day = days[index];
      if (!day || age - index * 24 >= hours) continue;
      day.views += 1;
      day.clicks += clicks;
      day.conversions += conversions;
      day.cost += cost;
      day.revenue += revenue;
    }
    this.firstVisit = Math.max(this.firstVisit, age);
    this.lastVisit = Math.min(this.lastVisit, age);
    if (clicks > 0) this.lastClick = Math.min(this.lastClick, age);
    if (conversions > 0) this.lastSale = Math.min(this.lastSale, age);
  }

  /** The last hours of each stretch, as far as they are kept. */
  lastHours(hours: PartOfDay): readonly GroupFigures[] {
    return this.#parts.find(([own]) => own === hours)?.[1] ?? [];
  }

  get days(): readonly GroupFigures[] {
    return this.lastHours(24);
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

/** The dimensions whose last hours are kept: of many keywords they would be too many. */
const keptByHour: ReadonlySet<string> = new Set(['landing_page', 'offer']);

/** The visits of a campaign, as a whole and by each value of each dimension. */
export class CampaignHistory extends History {
  readonly groups: ReadonlyMap<string, Map<string, History>>;
  readonly sales: Sale[] = [];
  readonly #offerAt: number;

  /** @param dimensions what visits are looked at by, such as `landing_page` and `offer` */
  constructor(dimensions: readonly string[]) {
    super(partsOfDay);
    this.groups = new Map(dimensions.map((dimension) => [dimension, new Map<string, History>()]));
    this.#offerAt = dimensions.indexOf('offer');
  }

  override add(visit: ReviewedVisit): void {
    super.add(visit);
    const { age, conversions, revenue, values: own } = visit;
    let index = 0;
    for (const [dimension, values] of this.groups) {
      const value = own[index] ?? null;
      index += 1;
      if (value === null) continue;
      const history = values.get(value) ?? new History(keptByHour.has(dimension) ? partsOfDay : [24]);
      values.set(value, history);
      history.add(visit);
    }
    if (conversions > 0) this.sales.push({ age, conversions, revenue, offer: own[this.#offerAt] ?? null });
  }
}

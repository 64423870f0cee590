import { type GroupFigures, noVisits } from '../visit-groups.ts';

/** One visit of a review. */
export interface ReviewedVisit extends Readonly<Omit<GroupFigures, 'views'>> {
  /** Hours ago, by the tracker's clock. */
  readonly age: number;
  /** Whether its sale was rejected: what it paid is no payout. */
  readonly isUnpaid?: boolean;
}

/** How many periods of 24 hours a review covers: the last one and two weeks before it. */
export const reviewedDays = 15;

/** The hours at the end of each period of 24 hours that are compared with each other: the same time of day. */
export const partsOfDay = [3, 6, 12, 24] as const;

export type PartOfDay = (typeof partsOfDay)[number];

/** A visit that sold. */
export interface Sale {
  readonly age: number;
  readonly conversions: number;
  readonly revenue: number;
  readonly offer: string | null;
}

/** The figures of some visits by periods of 24 hours, called days here. The first ends now. */
export class History {
  /** Hours since the last visit, click and sale; infinite if there was none. */
  lastVisit = Number.POSITIVE_INFINITY;
  lastClick = Number.POSITIVE_INFINITY;
  lastSale = Number.POSITIVE_INFINITY;
  /** Hours since the first visit. */
  firstVisit = 0;
  readonly #parts: readonly (readonly [PartOfDay, GroupFigures[]])[];

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

  /** The last hours of each day; empty if they are not kept. */
  lastHours(hours: PartOfDay): readonly GroupFigures[] {
    return this.#parts.find(([part]) => part === hours)?.[1] ?? [];
  }

  get days(): readonly GroupFigures[] {
    return this.lastHours(24);
  }

  /** The sums of some days, without the one at `to`. */
  sum(from: number, to: number = reviewedDays): GroupFigures {
    const sums = noVisits();
    for (const { views, clicks, conversions, cost, revenue } of this.days.slice(from, to)) {
      sums.views += views;
      sums.clicks += clicks;
      sums.conversions += conversions;
      sums.cost += cost;
      sums.revenue += revenue;
    }
    return sums;
  }

  /** Takes over the figures of a history, less those of a part of its visits in the last days. */
  takeOver(whole: History, part: History, days: number): void {
    for (const [hours, figures] of this.#parts) {
      const taken = part.lastHours(hours);
      for (const [index, kept] of whole.lastHours(hours).entries())
        figures[index] = index < days ? less(kept, taken[index]) : kept;
    }
    const { lastVisit, lastClick, lastSale, firstVisit } = whole;
    Object.assign(this, { lastVisit, lastClick, lastSale, firstVisit });
  }

  /** The number of days before the last one, since the first visit. */
  get pastDays(): number {
    return Math.max(
      this.days.findLastIndex(({ views }) => views > 0),
      0,
    );
  }
}

function less(whole: GroupFigures, part: GroupFigures = noVisits()): GroupFigures {
  return {
    views: whole.views - part.views,
    clicks: whole.clicks - part.clicks,
    conversions: whole.conversions - part.conversions,
    cost: whole.cost - part.cost,
    revenue: whole.revenue - part.revenue,
  };
}

/** A page with a part of its visitors: a dimension of its own, since a page may be dead there alone. */
export interface Pair {
  readonly name: string;
  readonly page: 'landing_page' | 'offer';
  readonly within: 'device' | 'os' | 'browser' | 'country';
}

const pairOf = (page: Pair['page'], within: Pair['within']): Pair => ({ name: `${page}_on_${within}`, page, within });

/** A landing page works or not by device; an offer may also be closed to a country. */
export const pairs: readonly Pair[] = [
  ...(['device', 'os', 'browser'] as const).map((within) => pairOf('landing_page', within)),
  ...(['country', 'device', 'os', 'browser'] as const).map((within) => pairOf('offer', within)),
];

const pairByName: ReadonlyMap<string, Pair> = new Map(pairs.map((pair) => [pair.name, pair]));

/** The pair that a dimension is; undefined if it is none. */
export const pairNamed = (dimension = ''): Pair | undefined => pairByName.get(dimension);

export const pairsOf = (page: Pair['page']): string[] =>
  pairs.filter((pair) => pair.page === page).map(({ name }) => name);

/** Both values of a pair as one. A line break is in no name. */
export const joinPair = (page: string, within: string): string => `${page}\n${within}`;

export function splitPair(value: string): readonly [page: string, within: string] {
  const end = value.lastIndexOf('\n');
  return [value.slice(0, end), value.slice(end + 1)];
}

/** Dimensions whose last hours are kept. Others, such as keywords, have too many values. */
const dimensionsByHour: ReadonlySet<string> = new Set(['landing_page', 'offer']);

/** The visits of a campaign, as a whole and by each value of each dimension. */
export class CampaignHistory extends History {
  readonly groups: ReadonlyMap<string, Map<string, History>>;
  readonly sales: Sale[] = [];

  /** @param dimensions the dimensions of the visits' values, such as `landing_page` and `offer` */
  constructor(dimensions: readonly string[]) {
    super(partsOfDay);
    this.groups = new Map(dimensions.map((dimension) => [dimension, new Map<string, History>()]));
  }

  /** The visits with a value of a dimension. */
  historyOf(dimension: string, value: string): History {
    const histories = this.groups.get(dimension);
    const known = histories?.get(value);
    if (known) return known;
    const history = new History(dimensionsByHour.has(dimension) ? partsOfDay : [24]);
    histories?.set(value, history);
    return history;
  }

  /** @param ofValues the histories of its values */
  addVisit(visit: ReviewedVisit, ofValues: readonly History[], offer: string | null): void {
    this.add(visit);
    for (const history of ofValues) history.add(visit);
    const { age, conversions, revenue, isUnpaid } = visit;
    if (conversions > 0 && !isUnpaid) this.sales.push({ age, conversions, revenue, offer });
  }

  /** The campaign as if a page had had no visits in the last days. Only the figures of the campaign and of that page follow. */
  without(dimension: string, value: string, days: number): CampaignHistory {
    const rest = new CampaignHistory([...this.groups.keys()]);
    const page = this.groups.get(dimension)?.get(value) ?? new History(partsOfDay);
    rest.takeOver(this, page, days);
    for (const [name, histories] of this.groups)
      for (const [other, history] of histories) rest.groups.get(name)?.set(other, history);
    const restOfPage = new History(partsOfDay);
    restOfPage.takeOver(page, page, days);
    rest.groups.get(dimension)?.set(value, restOfPage);
    rest.sales.push(...this.sales);
    return rest;
  }
}

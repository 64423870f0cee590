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
  readonly #parts: readonly PartOfDay[];
  /** All measures of each day, for one part of the day after the other: there are many histories with few visits. */
  readonly #sums: Float64Array;
  /** The same as objects, once they are asked for. */
  #days: Map<PartOfDay, readonly GroupFigures[]> | undefined;

  constructor(parts: readonly PartOfDay[] = [24]) {
    this.#parts = parts;
    this.#sums = roomFor(parts.length * reviewedDays * width);
  }

  add({ age, clicks, conversions, cost, revenue }: ReviewedVisit): void {
    const index = Math.floor(Math.max(age, 0) / 24);
    if (index >= reviewedDays) return;
    const sums = this.#sums;
    for (let part = 0; part < this.#parts.length; part += 1) {
      if (age - index * 24 >= (this.#parts[part] ?? 0)) continue;
      const start = (part * reviewedDays + index) * width;
      sums[start] = (sums[start] ?? 0) + 1;
      sums[start + 1] = (sums[start + 1] ?? 0) + clicks;
      sums[start + 2] = (sums[start + 2] ?? 0) + conversions;
      sums[start + 3] = (sums[start + 3] ?? 0) + cost;
      sums[start + 4] = (sums[start + 4] ?? 0) + revenue;
    }
    this.#days = undefined;
    this.firstVisit = Math.max(this.firstVisit, age);
    this.lastVisit = Math.min(this.lastVisit, age);
    if (clicks > 0) this.lastClick = Math.min(this.lastClick, age);
    if (conversions > 0) this.lastSale = Math.min(this.lastSale, age);
  }

  /** The last hours of each day; empty if they are not kept. */
  lastHours(hours: PartOfDay): readonly GroupFigures[] {
    const part = this.#parts.indexOf(hours);
    if (part < 0) return [];
    this.#days ??= new Map();
    const known = this.#days.get(hours);
    if (known) return known;
    const first = part * reviewedDays;
    const days = Array.from({ length: reviewedDays }, (_, day) => this.#sumOf(first + day, first + day + 1));
    this.#days.set(hours, days);
    return days;
  }

  get days(): readonly GroupFigures[] {
    return this.lastHours(24);
  }

  /** The sums of some days, without the one at `to`. */
  sum(from: number, to: number = reviewedDays): GroupFigures {
    const first = this.#parts.indexOf(24) * reviewedDays;
    return this.#sumOf(first + from, first + Math.min(to, reviewedDays));
  }

  #sumOf(from: number, to: number): GroupFigures {
    const figures = noVisits();
    const sums = this.#sums;
    for (let start = from * width; start < to * width; start += width) {
      figures.views += sums[start] ?? 0;
      figures.clicks += sums[start + 1] ?? 0;
      figures.conversions += sums[start + 2] ?? 0;
      figures.cost += sums[start + 3] ?? 0;
      figures.revenue += sums[start + 4] ?? 0;
    }
    return figures;
  }

  /** Takes over the figures of a history, less those of a part of its visits in the last days. */
  takeOver(whole: History, part: History, days: number): void {
    for (const [index, hours] of this.#parts.entries())
      for (let day = 0; day < reviewedDays; day += 1)
        for (let measure = 0; measure < width; measure += 1) {
          const less = day < days ? part.#amount(hours, day, measure) : 0;
          this.#sums[(index * reviewedDays + day) * width + measure] = whole.#amount(hours, day, measure) - less;
        }
    const { lastVisit, lastClick, lastSale, firstVisit } = whole;
    Object.assign(this, { lastVisit, lastClick, lastSale, firstVisit });
  }

  #amount(hours: PartOfDay, day: number, measure: number): number {
    const part = this.#parts.indexOf(hours);
    return part < 0 ? 0 : (this.#sums[(part * reviewedDays + day) * width + measure] ?? 0);
  }

  /** The number of days before the last one, since the first visit. */
  get pastDays(): number {
    const first = this.#parts.indexOf(24) * reviewedDays;
    for (let day = reviewedDays - 1; day > 0; day -= 1) if ((this.#sums[(first + day) * width] ?? 0) > 0) return day;
    return 0;
  }
}

/** Histories share their memory: to allocate a typed array of its own for each would take longer than to fill it. */
const sharedRoom = 40_000;
let [room, taken] = [new Float64Array(0), 0];

function roomFor(length: number): Float64Array {
  if (taken + length > room.length) [room, taken] = [new Float64Array(Math.max(sharedRoom, length)), 0];
  taken += length;
  return room.subarray(taken - length, taken);
}

/** The number of measures: views, clicks, conversions, cost and revenue. */
const width = 5;

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

import { type GroupFigures, noVisits } from '../visit-groups.ts';

export interface ReviewedVisit extends Readonly<Omit<GroupFigures, 'views'>> {
  /** Hours ago, by the tracker's clock. */
  readonly age: number;
  /** Whether its sale was rejected: what it paid is no payout. */
  readonly isUnpaid?: boolean;
  /** Hours since its sale came in, if the list tells. */
  readonly soldAge?: number | undefined;
}

/** How many periods of 24 hours a review covers: the last one and two weeks before it. */
export const reviewedDays = 15;

/** The hours at the end of each period of 24 hours that are compared with each other: the same time of day. */
export const partsOfDay = [3, 6, 12, 24] as const;

export type PartOfDay = (typeof partsOfDay)[number];

const wholeDay = [24] as const;

/** A visit that sold. */
export interface Sale {
  readonly age: number;
  readonly soldAge: number | undefined;
  readonly conversions: number;
  readonly revenue: number;
  readonly offer: string | null;
}

/** Room for the numbers of many histories: most have few visits, and an array for each would cost more than what is in it. */
class Room {
  #numbers = new Float64Array(0);
  #end = 0;

  take(length: number): { readonly numbers: Float64Array; readonly start: number } {
    if (this.#end + length > this.#numbers.length) {
      this.#numbers = new Float64Array(Math.max(Math.min(this.#numbers.length * 2, maxRoom), length));
      this.#end = 0;
    }
    this.#end += length;
    return { numbers: this.#numbers, start: this.#end - length };
  }
}

/** 1 MB. */
const maxRoom = 131_072;

/** The measures of a day, in their places: views, clicks, conversions, cost and revenue. */
const width = 5;

/** The ages that are kept: of the last visit, click, sale and cost, in their places. That of the first visit follows them. */
const lastAges = 4;

/** The figures of some visits by periods of 24 hours, called days here. The first ends now. */
export class History {
  readonly #parts: readonly PartOfDay[];
  /** All measures of each day, for one part of the day after the other; then the ages. */
  readonly #numbers: Float64Array;
  readonly #start: number;
  readonly #ages: number;
  /** A bit for each day that has visits. */
  #daysWithVisits = 0;
  /** The days as objects, once they are asked for. */
  #days: Map<PartOfDay, readonly GroupFigures[]> | undefined;

  constructor(parts: readonly PartOfDay[] = wholeDay, room = new Room()) {
    this.#parts = parts;
    const length = parts.length * reviewedDays * width;
    const { numbers, start } = room.take(length + lastAges + 1);
    this.#numbers = numbers;
    this.#start = start;
    this.#ages = start + length;
    numbers.fill(Number.POSITIVE_INFINITY, this.#ages, this.#ages + lastAges);
  }

  /** Hours since the last visit, click and sale; infinite if there was none. */
  get lastVisit(): number {
    return this.#numbers[this.#ages] ?? 0;
  }

  get lastClick(): number {
    return this.#numbers[this.#ages + 1] ?? 0;
  }

  get lastSale(): number {
    return this.#numbers[this.#ages + 2] ?? 0;
  }

  /** Hours since the last visit that cost something; infinite if there was none. */
  get lastCost(): number {
    return this.#numbers[this.#ages + 3] ?? 0;
  }

  /** Hours since the first visit. */
  get firstVisit(): number {
    return this.#numbers[this.#ages + lastAges] ?? 0;
  }

  add({ age, clicks, conversions, cost, revenue }: ReviewedVisit): void {
    const index = Math.floor(Math.max(age, 0) / 24);
    if (index >= reviewedDays) return;
    const numbers = this.#numbers;
    for (let part = 0; part < this.#parts.length; part += 1) {
      if (age - index * 24 >= (this.#parts[part] ?? 0)) continue;
      const start = this.#start + (part * reviewedDays + index) * width;
      numbers[start] = (numbers[start] ?? 0) + 1;
      numbers[start + 1] = (numbers[start + 1] ?? 0) + clicks;
      numbers[start + 2] = (numbers[start + 2] ?? 0) + conversions;
      numbers[start + 3] = (numbers[start + 3] ?? 0) + cost;
      numbers[start + 4] = (numbers[start + 4] ?? 0) + revenue;
    }
    this.#days = undefined;
    this.#daysWithVisits |= 1 << index;
    const ages = this.#ages;
    numbers[ages] = Math.min(numbers[ages] ?? 0, age);
    if (clicks > 0) numbers[ages + 1] = Math.min(numbers[ages + 1] ?? 0, age);
    if (conversions > 0) numbers[ages + 2] = Math.min(numbers[ages + 2] ?? 0, age);
    if (cost > 0) numbers[ages + 3] = Math.min(numbers[ages + 3] ?? 0, age);
    numbers[ages + lastAges] = Math.max(numbers[ages + lastAges] ?? 0, age);
  }

  /** The last hours of each day; empty if they are not kept. */
  lastHours(hours: PartOfDay): readonly GroupFigures[] {
    const part = this.#parts.indexOf(hours);
    if (part < 0) return [];
    const known = this.#days?.get(hours);
    if (known) return known;
    const days = Array.from({ length: reviewedDays }, (_, day) => this.#sumOf(part, day, day + 1));
    this.#days ??= new Map();
    this.#days.set(hours, days);
    return days;
  }

  get days(): readonly GroupFigures[] {
    return this.lastHours(24);
  }

  /** The sums of some days, without the one at `to`. */
  sum(from: number, to: number = reviewedDays): GroupFigures {
    return this.#sumOf(this.#parts.length - 1, from, Math.min(to, reviewedDays));
  }

  #sumOf(part: number, from: number, to: number): GroupFigures {
    const figures = noVisits();
    const numbers = this.#numbers;
    for (let day = from; day < to; day += 1) {
      // Most values have visits on few days.
      if (((this.#daysWithVisits >> day) & 1) === 0) continue;
      const start = this.#start + (part * reviewedDays + day) * width;
      figures.views += numbers[start] ?? 0;
      figures.clicks += numbers[start + 1] ?? 0;
      figures.conversions += numbers[start + 2] ?? 0;
      figures.cost += numbers[start + 3] ?? 0;
      figures.revenue += numbers[start + 4] ?? 0;
    }
    return figures;
  }

  /** Adds the figures of another history. */
  addAll(other: History): void {
    for (const [index, hours] of this.#parts.entries())
      for (let day = 0; day < reviewedDays; day += 1)
        for (let measure = 0; measure < width; measure += 1) {
          const place = this.#start + (index * reviewedDays + day) * width + measure;
          this.#numbers[place] = (this.#numbers[place] ?? 0) + other.#amount(hours, day, measure);
        }
    this.#days = undefined;
    this.#daysWithVisits |= other.#daysWithVisits;
    for (let place = 0; place <= lastAges; place += 1) {
      const [own, added] = [this.#numbers[this.#ages + place] ?? 0, other.#numbers[other.#ages + place] ?? 0];
      this.#numbers[this.#ages + place] = place < lastAges ? Math.min(own, added) : Math.max(own, added);
    }
  }

  /** Takes over the figures of a history, less those of a part of its visits in the last days. */
  takeOver(whole: History, part: History, days: number): void {
    for (const [index, hours] of this.#parts.entries())
      for (let day = 0; day < reviewedDays; day += 1)
        for (let measure = 0; measure < width; measure += 1) {
          const less = day < days ? part.#amount(hours, day, measure) : 0;
          const place = this.#start + (index * reviewedDays + day) * width + measure;
          this.#numbers[place] = whole.#amount(hours, day, measure) - less;
        }
    this.#daysWithVisits = whole.#daysWithVisits;
    this.#numbers.set(whole.#numbers.subarray(whole.#ages, whole.#ages + lastAges + 1), this.#ages);
  }

  #amount(hours: PartOfDay, day: number, measure: number): number {
    const part = this.#parts.indexOf(hours);
    return part < 0 ? 0 : (this.#numbers[this.#start + (part * reviewedDays + day) * width + measure] ?? 0);
  }

  /** The number of days before the last one, since the first visit. */
  get pastDays(): number {
    const views = this.#start + (this.#parts.length - 1) * reviewedDays * width;
    for (let day = reviewedDays - 1; day > 0; day -= 1) if ((this.#numbers[views + day * width] ?? 0) > 0) return day;
    return 0;
  }
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
  readonly #room = new Room();

  /** @param dimensions the dimensions of the visits' values, such as `landing_page` and `offer` */
  constructor(dimensions: readonly string[]) {
    super(partsOfDay);
    this.groups = new Map(dimensions.map((dimension) => [dimension, new Map<string, History>()]));
  }

  historyOf(dimension: string, value: string): History {
    const histories = this.groups.get(dimension);
    const known = histories?.get(value);
    if (known) return known;
    const history = new History(dimensionsByHour.has(dimension) ? partsOfDay : wholeDay, this.#room);
    histories?.set(value, history);
    return history;
  }

  /** @param ofValues the histories of its values */
  addVisit(visit: ReviewedVisit, ofValues: readonly History[], offer: string | null): void {
    this.add(visit);
    for (const history of ofValues) history.add(visit);
    const { age, soldAge, conversions, revenue, isUnpaid } = visit;
    if (conversions > 0 && !isUnpaid) this.sales.push({ age, soldAge, conversions, revenue, offer });
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

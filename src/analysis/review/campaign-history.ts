import type { GroupFigures } from '../visit-groups.ts';

/** How many periods of 24 hours a review covers: the last one and two weeks before it. */
export const reviewedDays = 15;

/** Without clicks for so many days, something did not stop to sell: it is gone. */
export const stopDays = 3;

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
  /** Its offer and country as a pair; absent if they are not known. */
  readonly offerInCountry?: string | null | undefined;
}

/** Visits by columns. A number that is passed alone becomes an object of its own. */
export type AgedVisits = Readonly<Record<'age' | 'clicks' | 'conversions' | 'cost' | 'revenue', ArrayLike<number>>>;

/** The measures of a day, in their places: views, clicks, conversions, cost and revenue. */
const width = 5;
const placeOf = { views: 0, clicks: 1, cost: 3 };

/** The figures of some visits by periods of 24 hours, called days here. The first ends now. */
export class History {
  readonly #parts: readonly PartOfDay[];
  /** All measures of each day, for one part of the day after the other. */
  readonly #numbers: Float64Array;
  /** The days as objects, once they are asked for. */
  #days: Map<PartOfDay, readonly GroupFigures[]> | undefined;
  /** Hours since the last visit, click, sale, and visit that cost something; infinite if there was none. */
  lastVisit = Number.POSITIVE_INFINITY;
  lastClick = Number.POSITIVE_INFINITY;
  lastSale = Number.POSITIVE_INFINITY;
  lastCost = Number.POSITIVE_INFINITY;
  /** Hours since the first visit. */
  firstVisit = 0;

  constructor(parts: readonly PartOfDay[] = wholeDay) {
    this.#parts = parts;
    this.#numbers = new Float64Array(parts.length * reviewedDays * width);
  }

  add(visits: AgedVisits, visit: number): void {
    const age = visits.age[visit] ?? 0;
    const clicks = visits.clicks[visit] ?? 0;
    const conversions = visits.conversions[visit] ?? 0;
    const cost = visits.cost[visit] ?? 0;
    const revenue = visits.revenue[visit] ?? 0;
    const index = Math.floor(Math.max(age, 0) / 24);
    if (index >= reviewedDays) return;
    const numbers = this.#numbers;
    for (let part = 0; part < this.#parts.length; part += 1) {
      if (age - index * 24 >= (this.#parts[part] ?? 0)) continue;
      const start = (part * reviewedDays + index) * width;
      numbers[start] = (numbers[start] ?? 0) + 1;
      numbers[start + 1] = (numbers[start + 1] ?? 0) + clicks;
      numbers[start + 2] = (numbers[start + 2] ?? 0) + conversions;
      numbers[start + 3] = (numbers[start + 3] ?? 0) + cost;
      numbers[start + 4] = (numbers[start + 4] ?? 0) + revenue;
    }
    this.#days = undefined;
    if (age < this.lastVisit) this.lastVisit = age;
    if (clicks > 0 && age < this.lastClick) this.lastClick = age;
    if (conversions > 0 && age < this.lastSale) this.lastSale = age;
    if (cost > 0 && age < this.lastCost) this.lastCost = age;
    if (age > this.firstVisit) this.firstVisit = age;
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

  /** The last hours up to now; undefined if they are not kept. */
  recent(hours: PartOfDay): GroupFigures | undefined {
    const part = this.#parts.indexOf(hours);
    return part < 0 ? undefined : this.#sumOf(part, 0, 1);
  }

  get days(): readonly GroupFigures[] {
    return this.lastHours(24);
  }

  /** The visits, clicks or cost of a day. */
  on(day: number, measure: keyof typeof placeOf): number {
    return this.#numbers[((this.#parts.length - 1) * reviewedDays + day) * width + placeOf[measure]] ?? 0;
  }

  /** The sums of some days, without the one at `to`. */
  sum(from: number, to: number = reviewedDays): GroupFigures {
    return this.#sumOf(this.#parts.length - 1, from, Math.min(to, reviewedDays));
  }

  #sumOf(part: number, from: number, to: number): GroupFigures {
    let [views, clicks, conversions, cost, revenue] = [0, 0, 0, 0, 0];
    const numbers = this.#numbers;
    for (let start = (part * reviewedDays + from) * width; start < (part * reviewedDays + to) * width; start += width) {
      views += numbers[start] ?? 0;
      clicks += numbers[start + 1] ?? 0;
      conversions += numbers[start + 2] ?? 0;
      cost += numbers[start + 3] ?? 0;
      revenue += numbers[start + 4] ?? 0;
    }
    return { views, clicks, conversions, cost, revenue };
  }

  /** Adds the figures of another history, of the hours that both keep. */
  addAll(other: History): void {
    this.#addTimes(other, 1, reviewedDays);
    for (const last of ['lastVisit', 'lastClick', 'lastSale', 'lastCost'] as const)
      this[last] = Math.min(this[last], other[last]);
    this.firstVisit = Math.max(this.firstVisit, other.firstVisit);
  }

  /** Takes away the figures that another history has in the last days, of the hours that both keep. */
  takeAway(other: History, days: number): void {
    this.#addTimes(other, -1, days);
  }

  /** @param parts what remains of the cost of each day */
  scaleCost(parts: readonly number[]): void {
    const numbers = this.#numbers;
    for (let place = placeOf.cost; place < numbers.length; place += width)
      numbers[place] = (numbers[place] ?? 0) * (parts[Math.floor(place / width) % reviewedDays] ?? 1);
    this.#days = undefined;
  }

  #addTimes(other: History, times: number, days: number): void {
    for (const [part, hours] of this.#parts.entries()) {
      const partOfOther = other.#parts.indexOf(hours);
      if (partOfOther < 0) continue;
      const [start, startOfOther] = [part, partOfOther].map((one) => one * reviewedDays * width) as [number, number];
      for (let place = 0; place < days * width; place += 1)
        this.#numbers[start + place] =
          (this.#numbers[start + place] ?? 0) + times * (other.#numbers[startOfOther + place] ?? 0);
    }
    this.#days = undefined;
  }

  /** The number of days before the last one, since the first visit. */
  get pastDays(): number {
    for (let day = reviewedDays - 1; day > 0; day -= 1) if (this.on(day, 'views') > 0) return day;
    return 0;
  }
}

/** The figures of a page or campaign, and its visits, clicks and sales by days and hours of the day. */
export class HourlyHistory extends History {
  /** The hour of the day now, with its part: 9.5 at half past nine. */
  readonly hourOfNow: number;
  readonly #views = new Float64Array(reviewedDays * 24);
  readonly #clicks = new Float64Array(reviewedDays * 24);
  readonly #sales = new Float64Array(reviewedDays * 24);

  constructor(hourOfNow: number) {
    super(partsOfDay);
    this.hourOfNow = hourOfNow;
  }

  override add(visits: AgedVisits, visit: number): void {
    super.add(visits, visit);
    const age = visits.age[visit] ?? 0;
    const hour = Math.floor((((this.hourOfNow - age) % 24) + 24) % 24);
    const place = Math.floor(Math.max(age, 0) / 24) * 24 + hour;
    this.#views[place] = (this.#views[place] ?? 0) + 1;
    this.#clicks[place] = (this.#clicks[place] ?? 0) + (visits.clicks[visit] ?? 0);
    this.#sales[place] = (this.#sales[place] ?? 0) + (visits.conversions[visit] ?? 0);
  }

  /** The visits, clicks or sales of a day in each hour of the day. */
  byHour(what: 'views' | 'clicks' | 'sales', day: number): Float64Array {
    const counts = { views: this.#views, clicks: this.#clicks, sales: this.#sales }[what];
    return counts.subarray(day * 24, (day + 1) * 24);
  }
}

/** What parts visitors, whatever they are shown. */
export const traits = ['device', 'os', 'browser', 'country'] as const;

/** Two dimensions as one of its own: a page may be dead for a part of its visitors alone, and a device in one country. */
export interface Pair {
  readonly name: string;
  readonly dimension: 'landing_page' | 'offer' | 'device';
  readonly within: (typeof traits)[number] | 'isp' | 'hour';
}

/** A page with a part of its visitors. */
export type PairOfPage = Pair & { readonly dimension: 'landing_page' | 'offer' };

const pairOf = <Of extends Pair['dimension']>(dimension: Of, within: Pair['within']) => ({
  ...{ name: `${dimension}_on_${within}`, dimension, within },
});

/** An offer in a country, where it may pay another amount than in others. */
export const offerInCountry = pairOf('offer', 'country');

const deviceInCountry = pairOf('device', 'country');

/** A landing page works or not by device; an offer may also be closed to a country or a carrier. */
export const pairs: readonly Pair[] = [
  ...(['device', 'os', 'browser'] as const).map((within) => pairOf('landing_page', within)),
  offerInCountry,
  ...(['device', 'os', 'browser', 'isp'] as const).map((within) => pairOf('offer', within)),
  deviceInCountry,
];

/** The dimensions of parts of the visitors. */
export const partsOfVisitors: readonly string[] = [...traits, deviceInCountry.name];

/** A page, or a whole campaign, in some hours of each day, which are found and not read. */
export const inHours = { landing_page: pairOf('landing_page', 'hour'), offer: pairOf('offer', 'hour') } as const;
export const hoursOfDay = 'hour';

const pairByName: ReadonlyMap<string, Pair> = new Map(
  [...pairs, ...Object.values(inHours)].map((pair) => [pair.name, pair]),
);

/** Whether a finding is about some hours of each day. */
export const isInHours = (dimension: string | undefined): boolean =>
  dimension === hoursOfDay || pairNamed(dimension)?.within === 'hour';

/** The pair that a dimension is; undefined if it is none. */
export const pairNamed = (dimension = ''): Pair | undefined => pairByName.get(dimension);

export const pairsOf = (page: PairOfPage['dimension']): string[] =>
  pairs.filter(({ dimension }) => dimension === page).map(({ name }) => name);

/** Both values of a pair as one. A line break is in no name. */
export const joinPair = (value: string, within: string): string => `${value}\n${within}`;

export function splitPair(value: string): readonly [value: string, within: string] {
  const end = value.lastIndexOf('\n');
  return [value.slice(0, end), value.slice(end + 1)];
}

/** What some hours have of visits or cost by hours of the clock. */
export const sumOfHours = (byHour: Float64Array, from: number, to: number): number =>
  byHour.subarray(from, to).reduce((all, one) => all + one, 0);

/** The visits of a campaign, as a whole and by each value of each dimension. */
export class CampaignHistory extends HourlyHistory {
  readonly groups: ReadonlyMap<string, Map<string, History>>;
  /** By dimension, the values that are too small to be judged, as one. */
  readonly small = new Map<string, History>();
  readonly sales: Sale[] = [];
  /** The sum of the squares of what each visit cost. */
  costSquares = 0;
  /** The visits and their cost by hours of the clock, backwards from the present one. */
  readonly visitsByHour = new Float64Array(reviewedDays * 24 + 1);
  readonly costByHour = new Float64Array(reviewedDays * 24 + 1);

  /** @param dimensions the dimensions of the visits' values, such as `landing_page` and `offer` */
  constructor(dimensions: readonly string[], hourOfNow = 0) {
    super(hourOfNow);
    this.groups = new Map(dimensions.map((dimension) => [dimension, new Map<string, History>()]));
  }

  override add(visits: AgedVisits, visit: number): void {
    super.add(visits, visit);
    const [age = 0, cost = 0] = [visits.age[visit], visits.cost[visit]];
    this.costSquares += cost ** 2;
    const hour = Math.max(Math.ceil(age - (this.hourOfNow % 1)), 0);
    this.visitsByHour[hour] = (this.visitsByHour[hour] ?? 0) + 1;
    this.costByHour[hour] = (this.costByHour[hour] ?? 0) + cost;
  }

  historyOf(dimension: string, value: string): History {
    const histories = this.groups.get(dimension);
    const known = histories?.get(value);
    if (known) return known;
    const history = Object.hasOwn(inHours, dimension) ? new HourlyHistory(this.hourOfNow) : new History();
    histories?.set(value, history);
    return history;
  }

  smallOf(dimension: string): History {
    const small = this.small.get(dimension) ?? new History();
    this.small.set(dimension, small);
    return small;
  }

  /** The campaign as if a page or placement had had no visits in the last days. Only the figures of the campaign and of that value follow. */
  without(dimension: string, value: string, days: number): CampaignHistory {
    const page = this.groups.get(dimension)?.get(value) ?? new History(partsOfDay);
    return this.#changed(dimension, value, (history) => history.takeAway(page, days));
  }

  /** The campaign as if its visits had cost only a part of what they did, by day. Only the figures of the campaign and of a value follow. */
  withCost(parts: readonly number[], dimension: string, value: string): CampaignHistory {
    return this.#changed(dimension, value, (history) => history.scaleCost(parts));
  }

  #changed(dimension: string, value: string, change: (history: History) => void): CampaignHistory {
    const rest = new CampaignHistory([...this.groups.keys()], this.hourOfNow);
    const page = this.groups.get(dimension)?.get(value) ?? new History(partsOfDay);
    for (const [name, histories] of this.groups)
      for (const [other, history] of histories) rest.groups.get(name)?.set(other, history);
    for (const [name, history] of this.small) rest.small.set(name, history);
    const restOfPage = new History(partsOfDay);
    rest.groups.get(dimension)?.set(value, restOfPage);
    for (const [one, whole] of [
      [rest, this],
      [restOfPage, page],
    ] as const) {
      one.addAll(whole);
      change(one);
    }
    rest.sales.push(...this.sales);
    rest.costSquares = this.costSquares;
    return rest;
  }
}

import { type Growth, growthOf, type SaleTimes, steady } from './delay-growth.ts';
import { chanceOfJump, Jump } from './level-jump.ts';
import { at, groupBy, sum } from './statistics/history.ts';

/** A sale with its times in milliseconds, on the tracker's clock as if that were UTC, and what it is of; empty if unknown. */
export interface TimedSale extends SaleTimes {
  readonly value: number;
  readonly campaign: string;
  readonly offer: string;
  readonly network: string;
}

/** The time of which a list has all sales: it ends now, unless the last days could not be read. */
export interface Listed {
  readonly from: number;
  readonly until: number;
  readonly now: number;
}

/** Sales of some days' visits: those that are in, those still to come with a range that holds in 9 of 10 cases, and their worth. */
export interface ExpectedSales {
  readonly seen: number;
  readonly count: number;
  readonly low: number;
  readonly high: number;
  readonly revenue: number;
}

const dayMs = 86_400_000;
const weekMs = 7 * dayMs;

/** Delays are learned from sales booked in the last four weeks. */
const learnedMs = 4 * weekMs;

/** So many sales of a network weigh as much as those of an offer itself. */
const priorSales = 12;

/** The relative deviation of what is learned from other offers, and of what is learned from days that are too few for late sales. */
const unlikeness = { ofOthers: 0.8, young: 0.35, most: 0.5, ofDays: 2.5 };

/** How much the sales of the day before or after count for the level of a day. */
const nextDay = 0.7;

/** The oldest visits whose sales may be to come. */
const maxDays = 92;

const dayIndex = (moment: number) => Math.floor(moment / dayMs);

/** What is expected of each visit day. */
interface DayParts {
  /** Sales of a day's visits, and those of them to come, if all goes on as in the last weeks; by days before today. */
  readonly usual: Float64Array;
  readonly toCome: Float64Array;
}

/**
 * Expects the sales that are still to come, from those booked in the last four weeks. Each of them is moved forward by whole days, with
 * its delay: where its visit falls on a day asked about, one such sale is usual, and if it would not be in by now, it is to come. Where
 * a network does not report on each weekday, it is moved by whole weeks, so that the past looks back on the same weekend.
 *
 * This is done for each offer of a campaign. Its delays are drawn towards those of its network and of the account, its level follows
 * the sales of the last days as far as they are in, and delays that changed lately stretch those of before. The range adds up what
 * is uncertain: chance, which sales were seen, the level, and delays that were learned from others or have changed.
 */
export class ExpectedSalesOf {
  readonly #groups: readonly Group[];
  readonly #now: number;
  readonly #partsIn: number[] = [];

  constructor(sales: readonly TimedSale[], listed: Listed) {
    this.#now = listed.now;
    const known = sales.filter(({ booked, visited }) => booked <= listed.now && visited <= booked);
    const step = hasWeeklyPattern(known, listed) ? weekMs : dayMs;
    const learn = (some: readonly TimedSale[], parent?: Learned) =>
      parent?.of === some.length ? parent : new Learned(some, listed, step, parent);
    const account = learn(known);
    this.#groups = [...groupBy(known, ({ network }) => network).values()].flatMap((ofNetwork) => {
      const network = learn(ofNetwork, account);
      const offers = groupBy(ofNetwork, ({ campaign, offer }) => `${campaign}\n${offer}`);
      return [...offers.values()].map((ofOffer) => new Group(ofOffer, learn(ofOffer, network), listed));
    });
  }

  /** @param days YYYY-MM-DD, both included */
  expect(
    days: { readonly start: string; readonly end: string },
    isChosen = (_campaign: string) => true,
  ): ExpectedSales {
    const today = dayIndex(this.#now);
    const [oldest, newest] = [days.start, days.end].map((day) => today - Math.round(Date.parse(day) / dayMs));
    const span = { oldest: Math.min(oldest ?? 0, maxDays), newest: Math.max(newest ?? 0, 0) };
    const chosen = this.#groups.filter(({ campaign }) => isChosen(campaign));
    const expected = chosen.map((group) => group.expect(span));
    const count = sum(expected.map((one) => one.count));
    const variance = sum(expected.map((one) => one.variance));
    return {
      seen: sum(chosen.map((group) => group.seenIn(span))),
      count,
      ...rangeOf(count, variance),
      revenue: sum(expected.map((one) => one.revenue)),
    };
  }

  /** The part of a day's sales that is usually in by now, by its days before today. */
  usualPartIn(age: number): number {
    const known = this.#partsIn[age];
    if (known !== undefined || age > maxDays) return known ?? 1;
    const toCome = sum(this.#groups.map((group) => group.toComeOn(age)));
    const all = sum(this.#groups.map((group) => group.usualOn(age)));
    const part = all > 0 ? 1 - toCome / all : 1;
    this.#partsIn[age] = part;
    return part;
  }
}

interface AgeSpan {
  readonly oldest: number;
  readonly newest: number;
}

/** How late some sales come. */
class Learned {
  readonly sales: readonly TimedSale[];
  /** The number of sales of all ages. */
  readonly of: number;
  readonly parts: DayParts;
  /** The part of the own sales in what is known of the delays, 0 to 1. */
  readonly own: number;
  readonly growth: Growth;
  readonly #weights: Float64Array;
  readonly #delays: Float64Array;
  readonly #isYoung: boolean;
  readonly #age: number;
  readonly #step: number;
  readonly #now: number;
  readonly #parent: Learned | undefined;

  constructor(all: readonly TimedSale[], { from, until, now }: Listed, step: number, parent: Learned | undefined) {
    this.of = all.length;
    this.#step = step;
    this.#now = now;
    this.#parent = parent;
    const window = Math.min(learnedMs, Math.floor((until - from) / step) * step);
    this.sales = all.filter(({ booked }) => booked > until - window && booked <= until);
    const isUpToDate = until === now;
    const first = this.sales.reduce((least, { visited }) => Math.min(least, visited), now);
    const start = first - (now - first) / Math.max(this.sales.length, 1);
    this.#age = now - start;
    this.#isYoung = isUpToDate && first > now - window + 2 * dayMs;
    // Parts of a week are not alike where weekdays are not.
    const canShowGrowth = isUpToDate && step === dayMs && !this.#isYoung;
    this.growth = (canShowGrowth && growthOf(this.sales, until - window, now)) || (parent?.growth ?? steady);
    const { since, times } = this.growth;
    const recent = Math.max(now - Math.max(since, now - window), 0);
    // Of what began lately, late sales could be seen for a shorter time.
    const seenFor = (delay: number) =>
      this.#isYoung
        ? Math.max(Math.min(window, now - start - delay), dayMs / 2)
        : window - recent + Math.min(delay / times, recent) + Math.max(recent - delay, 0);
    this.#delays = Float64Array.from(
      this.sales,
      ({ visited, booked }) => (booked - visited) * (visited < since ? times : 1),
    );
    this.#weights = Float64Array.from(this.#delays, (delay) => step / seenFor(delay));
    this.own = this.sales.length / (this.sales.length + priorSales);
    this.parts = this.#countParts(this.#isYoung ? dayIndex(now) - dayIndex(start) : maxDays);
  }

  /** What began lately has no usual level to jump from. */
  get chanceOfJump(): number {
    return chanceOfJump[this.#isYoung ? 'ofYoung' : this.#step > dayMs ? 'ofWeeks' : 'ofDays'];
  }

  /** The relative deviation of the sales to come, because delays are learned from others or few days. */
  get unlikeness(): number {
    const ofOthers = (1 - this.own) * unlikeness.ofOthers;
    if (!this.#isYoung) return ofOthers;
    const isAllYoung = this.#parent === undefined || this.#parent.#isYoung;
    const ofAge = Math.min((unlikeness.ofDays * dayMs) / this.#age, unlikeness.most);
    return Math.max(ofOthers, isAllYoung ? ofAge : unlikeness.young);
  }

  /** The part of the sales of a day's visits that is still to come. */
  partToCome(age: number): number {
    const usual = this.parts.usual[age] ?? 0;
    const own = usual > 0 ? (this.parts.toCome[age] ?? 0) / usual : undefined;
    if (!this.#parent) return own ?? 0;
    const weight = own === undefined ? 0 : this.own;
    return weight * (own ?? 0) + (1 - weight) * this.#parent.partToCome(age);
  }

  /** The squared error of the sales to come by chance of which sales were seen. */
  sampleVariance({ oldest, newest }: AgeSpan, levels: Float64Array): number {
    let variance = 0;
    for (let index = 0; index < this.sales.length; index += 1) {
      let count = 0;
      this.#eachPending(index, (age) => {
        if (age <= oldest && age >= newest) count += levels[age] ?? 0;
      });
      variance += (count * (this.#weights[index] ?? 0)) ** 2;
    }
    return variance;
  }

  #countParts(oldest: number): DayParts {
    const [usual, toCome] = [new Float64Array(maxDays + 1), new Float64Array(maxDays + 1)];
    const today = dayIndex(this.#now);
    for (let index = 0; index < this.sales.length; index += 1) {
      const weight = this.#weights[index] ?? 0;
      const age = today - dayIndex(this.#lastVisit(index));
      if (age <= oldest) usual[age] = (usual[age] ?? 0) + weight;
      this.#eachPending(index, (age) => {
        if (age <= oldest) toCome[age] = (toCome[age] ?? 0) + weight;
      });
    }
    const step = this.#step / dayMs;
    for (let age = step; age <= Math.min(oldest, maxDays); age += 1)
      usual[age] = (usual[age] ?? 0) + (usual[age - step] ?? 0);
    return { usual, toCome };
  }

  /** The last moment to which a visit can be moved. */
  #lastVisit(index: number): number {
    const { visited } = at(this.sales, index);
    return visited + Math.floor((this.#now - visited) / this.#step) * this.#step;
  }

  /** The days, counted back from today, on which a visit would still be without this sale. */
  #eachPending(index: number, take: (age: number) => void): void {
    const delay = this.#delays[index] ?? 0;
    const today = dayIndex(this.#now);
    for (let visit = this.#lastVisit(index); this.#now - visit < delay; visit -= this.#step) {
      const age = today - dayIndex(visit);
      if (age > maxDays) return;
      take(age);
    }
  }
}

/** The sales of an offer in a campaign. */
class Group {
  readonly campaign: string;
  readonly #learned: Learned;
  readonly #seen: Float64Array;
  readonly #levels: Float64Array;
  readonly #levelSales: Float64Array;
  readonly #jump: Jump;
  readonly #meanValue: number;

  constructor(sales: readonly TimedSale[], learned: Learned, { until, now }: Listed) {
    this.campaign = sales[0]?.campaign ?? '';
    this.#learned = learned;
    const usual = Float64Array.from(
      { length: maxDays + 1 },
      (_, age) => (learned.parts.usual[age] ?? 0) * (1 - learned.partToCome(age)),
    );
    // What was booked on days that could not be read is assumed to be as usual.
    this.#seen = until === now ? countByAge(sales, now) : usual;
    const variance = varianceOf(this.#seen, usual);
    const prior = 1 / variance;
    this.#jump = new Jump(this.#seen, usual, variance, learned.chanceOfJump);
    const [near, nearUsual] = [this.#seen, usual].map((by) => smooth(by, nextDay)) as [Float64Array, Float64Array];
    this.#levelSales = near.map((seen) => prior + seen);
    this.#levels = near.map((seen, age) => (prior + seen) / (prior + (nearUsual[age] ?? 0)));
    this.#meanValue = sum(sales.map(({ value }) => value)) / sales.length;
  }

  seenIn(span: AgeSpan): number {
    return sumOver(span, (age) => this.#seen[age] ?? 0);
  }

  /** All sales of a day's visits, those to come included. */
  usualOn(age: number): number {
    return this.#jump.levelOn(age, this.#levels[age] ?? 0) * (this.#learned.parts.usual[age] ?? 0);
  }

  toComeOn(age: number): number {
    return this.usualOn(age) * this.#learned.partToCome(age);
  }

  expect(span: AgeSpan): { readonly count: number; readonly variance: number; readonly revenue: number } {
    const learned = this.#learned;
    const usual = (age: number) => (learned.parts.usual[age] ?? 0) * learned.partToCome(age);
    const toCome = (age: number) => (this.#levels[age] ?? 0) * usual(age);
    const { mean: count, variance: ofJump } = this.#jump.spread(
      (until) => sumOver({ ...span, oldest: Math.min(span.oldest, until - 1) }, usual),
      (since) => sumOver({ ...span, newest: Math.max(span.newest, since) }, toCome),
    );
    const errors = this.#levelSales.map((sales, age) =>
      age >= span.newest && age <= span.oldest ? toCome(age) / Math.sqrt(sales) : 0,
    );
    const nearErrors = smooth(errors, nextDay);
    const ofLevels = sumOver(span, (age) => (errors[age] ?? 0) * (nearErrors[age] ?? 0)) * this.#jump.chanceOfNone;
    const sample = learned.own ** 2 * learned.sampleVariance(span, this.#levels);
    const unlike = (count * learned.unlikeness) ** 2;
    const grown = (count * learned.growth.deviation) ** 2;
    return { count, variance: count + ofLevels + ofJump + sample + unlike + grown, revenue: count * this.#meanValue };
  }
}

/** How much levels moved in the past beyond chance. The last days do not tell what is usual. */
function varianceOf(seen: Float64Array, usual: Float64Array): number {
  let [moved, all] = [assumed.variance * assumed.weight, assumed.weight];
  for (let newest = Jump.maxDays; newest + 2 < 28; newest += 3) {
    const days = { oldest: newest + 2, newest };
    const [count, expected] = [seen, usual].map((by) => sumOver(days, (age) => by[age] ?? 0)) as [number, number];
    moved += (count - expected) ** 2 - expected;
    all += expected ** 2;
  }
  return Math.max(Math.min(moved / all, 0.1), 0.008);
}

const assumed = { variance: 0.03, weight: 300 };

/** For each day, its own count and those of the days around it, the less the farther they are. */
function smooth(counts: Float64Array, nextDay: number): Float64Array {
  const sums = Float64Array.from(counts);
  for (let age = 1, before = counts[0] ?? 0; age < counts.length; age += 1) {
    sums[age] = (sums[age] ?? 0) + before * nextDay;
    before = before * nextDay + (counts[age] ?? 0);
  }
  for (let age = counts.length - 2, before = counts.at(-1) ?? 0; age >= 0; age -= 1) {
    sums[age] = (sums[age] ?? 0) + before * nextDay;
    before = before * nextDay + (counts[age] ?? 0);
  }
  return sums;
}

function countByAge(sales: readonly TimedSale[], now: number): Float64Array {
  const counts = new Float64Array(maxDays + 1);
  for (const { visited } of sales) {
    const age = dayIndex(now) - dayIndex(visited);
    if (age <= maxDays) counts[age] = (counts[age] ?? 0) + 1;
  }
  return counts;
}

function sumOver({ oldest, newest }: AgeSpan, of: (age: number) => number): number {
  let sum = 0;
  for (let age = newest; age <= oldest; age += 1) sum += of(age);
  return sum;
}

/** Whether some weekdays have more bookings than chance gives. */
function hasWeeklyPattern(sales: readonly TimedSale[], { from, until }: Listed): boolean {
  const first = sales.reduce((least, { booked }) => Math.min(least, booked), until);
  const weeks = Math.min(Math.floor((until - Math.max(from, first)) / weekMs), learnedMs / weekMs);
  if (weeks < 2) return false;
  const counts = Array<number>(7).fill(0);
  for (const { booked } of sales)
    if (booked > until - weeks * weekMs && booked <= until) {
      const weekday = Math.floor((until - booked) / dayMs) % 7;
      counts[weekday] = at(counts, weekday) + 1;
    }
  const mean = sum(counts) / 7;
  // Chi-square with six degrees of freedom exceeds this in 1 of 1,000 cases.
  return Math.min(...counts) < mean / 2 && sum(counts.map((count) => (count - mean) ** 2 / mean)) > 22.5;
}

/** The range of a count that holds in 9 of 10 cases: by the negative binomial distribution. */
function rangeOf(mean: number, variance: number): { readonly low: number; readonly high: number } {
  if (!(mean > 0)) return { low: 0, high: 0 };
  if (mean > 200) {
    const half = 1.645 * Math.sqrt(variance);
    return { low: Math.max(Math.round(mean - half), 0), high: Math.round(mean + half) };
  }
  const size = mean ** 2 / Math.max(variance - mean, mean / 1000);
  let chance = Math.exp(-size * Math.log1p(mean / size));
  let low: number | undefined;
  let count = 0;
  for (let below = chance; ; count += 1) {
    if (below > 0.05) low ??= count;
    if (below >= 0.95 || count > 2000) return { low: low ?? 0, high: count };
    chance *= ((count + size) / (count + 1)) * (mean / (size + mean));
    below += chance;
  }
}

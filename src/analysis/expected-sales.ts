import { dayMs, hourMs } from '../api/durations.ts';
import type { Steps } from '../api/steps.ts';
import type { Growth } from './delay-growth.ts';
import { Learned } from './learned-delays.ts';
import { type CausedJump, Jump } from './level-jump.ts';
import { at, groupBy, sum } from './statistics/history.ts';
import { type AgeSpan, dayIndex, type Listed, learnedMs, maxDays, type SoldOf, type TimedSale } from './timed-sales.ts';
import { Traffic, type TrafficLevels, trendOf } from './traffic.ts';

export type { TimedSale } from './timed-sales.ts';

/** Sales of some days' visits: those that are in, those still to come with a range that holds in 9 of 10 cases, and their worth. */
export interface ExpectedSales {
  readonly seen: number;
  readonly count: number;
  readonly low: number;
  readonly high: number;
  readonly revenue: number;
}

/** YYYY-MM-DD, both included. */
interface Days {
  readonly start: string;
  readonly end: string;
}

const weekMs = 7 * dayMs;

/** How much the sales of the day before or after count for the level of a day. */
const nextDay = 0.7;

/**
 * Expects the sales that are still to come, from those booked in the last four weeks. Each of them is moved forward by whole days, with
 * its delay: where its visit falls on a day asked about, one such sale is usual, and if it would not be in by now, it is to come. Where
 * a network does not report on each weekday, its sales are moved by whole weeks, so that the past looks back on the same weekend.
 *
 * This is done for each offer of a campaign. Its delays are drawn towards those of its network and of the account, its level follows
 * the sales of the last days as far as they are in, and delays that changed lately stretch those of before. The range adds up what
 * is uncertain: chance, which sales were seen, the level, and delays that were learned from others or have changed.
 */
export class ExpectedSalesOf {
  readonly #groups: readonly Group[];
  readonly #now: number;
  /** Since when each sale of the account comes so many hours later than before, if it does. */
  readonly heldBack: { readonly since: number; readonly hours: number } | undefined;
  /** Those of each campaign, and of each of its offers. */
  readonly #ownGroups: ReadonlyMap<string, readonly Group[]>;
  /** By campaign and offer, then by age. */
  readonly #partsIn = new Map<string, number[]>();

  private constructor(groups: readonly Group[], { since, later }: Growth, now: number) {
    this.#groups = groups;
    this.#now = now;
    this.heldBack = later > 0 ? { since, hours: Math.round(later / hourMs) } : undefined;
    this.#ownGroups = new Map([
      ...groupBy(groups, ({ of }) => keyOf(of.campaign)),
      ...groupBy(groups, ({ of }) => keyOf(of.campaign, of.offer)),
    ]);
  }

  /** @param trafficOf how the traffic of a campaign changed on the last days; undefined if it did not, or is not known */
  static *learn(
    sales: readonly TimedSale[],
    listed: Listed,
    trafficOf: (campaign: string) => TrafficLevels | undefined = () => undefined,
  ): Steps<ExpectedSalesOf> {
    const known = sales.filter(({ booked, visited }) => booked <= listed.now && visited <= booked);
    const stepOf = (some: readonly TimedSale[]) => (hasWeeklyPattern(some, listed) ? weekMs : dayMs);
    const stepOfAll = stepOf(known);
    const [ofTraffic, ofTrend] = [
      new Map<string, TrafficLevels | undefined>(),
      new Map<string, TrafficLevels | undefined>(),
    ];
    for (const [campaign, own] of groupBy(known, (sale) => sale.campaign)) {
      const levels = trafficOf(campaign);
      ofTraffic.set(campaign, levels);
      ofTrend.set(campaign, levels ?? (stepOfAll === dayMs ? trendOf(own, listed) : undefined));
      yield;
    }
    const learn = (some: readonly TimedSale[], step: number, parent?: Learned) => {
      if (parent?.of === some.length && parent.step === step) return parent;
      const levels = step === dayMs ? ofTrend : ofTraffic;
      return new Learned(some, listed, step, parent, new Traffic(some, levels, listed.now));
    };
    const networks = [...groupBy(known, (sale) => sale.network).values()].map((own) => ({
      sales: own,
      step: stepOfAll === dayMs ? stepOf(own) : stepOfAll,
    }));
    // A network with weekdays of its own does not show how late others report.
    const alike = networks.filter(({ step }) => step === stepOfAll).flatMap((network) => network.sales);
    const account = learn(alike.length > 0 ? alike : known, stepOfAll);
    const offers: { readonly sales: readonly TimedSale[]; readonly learned: Learned }[] = [];
    for (const { sales: ofNetwork, step } of networks) {
      yield;
      const network = learn(ofNetwork, step, account);
      for (const ofOffer of groupBy(ofNetwork, ({ campaign, offer }) => keyOf(campaign, offer)).values()) {
        yield;
        offers.push({ sales: ofOffer, learned: learn(ofOffer, step, network) });
      }
    }
    const groups: Group[] = [];
    for (const ofCampaign of groupBy(offers, ({ sales: [sale] }) => sale?.campaign ?? '').values()) {
      const jump = jumpByNewOffer(ofCampaign.map(({ learned }) => learned));
      for (const { sales: own, learned } of ofCampaign) {
        yield;
        groups.push(new Group(own, learned, listed, learned.isYoung ? undefined : jump));
      }
    }
    return new ExpectedSalesOf(groups, account.growth, listed.now);
  }

  expect(days: Days, isChosen?: (campaign: string) => boolean): ExpectedSales {
    return this.expectParts(days, () => undefined, isChosen).whole;
  }

  /** The same, and the parts of each value of what sales are of; sales of which it is undefined are in none. */
  expectParts(days: Days, readValue: (of: SoldOf) => string | undefined, isChosen?: (campaign: string) => boolean) {
    const expected = this.expectEach(days, isChosen);
    const byValue = groupBy(expected, ({ of }) => readValue(of));
    const parts = [...byValue].flatMap(([value, some]) => (value === undefined ? [] : [{ value, ...addUp(some) }]));
    return { whole: addUp(expected), parts };
  }

  /** Those of each offer in each campaign. */
  expectEach({ start, end }: Days, isChosen = (_: string) => true) {
    const today = dayIndex(this.#now);
    const [oldest, newest] = [start, end].map((day) => today - Math.round(Date.parse(day) / dayMs));
    const span = { oldest: Math.min(oldest ?? 0, maxDays), newest: Math.max(newest ?? 0, 0) };
    const chosen = this.#groups.filter(({ of }) => isChosen(of.campaign));
    return chosen.map((group) => ({ of: group.of, ...group.expect(span) }));
  }

  /**
   * The part of the sales of 24 hours that is usually in by now.
   * @param age the days between their end and now: the first ones end now
   * @param campaign its ID; without it, or if nothing is known of its sales, of the whole account
   * @param offer the name of one of its offers; without it, or if nothing is known of its sales, of the whole campaign
   */
  usualPartIn(age: number, campaign?: string, offer?: string): number {
    if (age > maxDays) return 1;
    const key = keyOf(campaign, offer);
    const parts = this.#partsIn.get(key) ?? [];
    this.#partsIn.set(key, parts);
    parts[age] ??= this.#partIn(age, campaign, offer);
    return parts[age];
  }

  #partIn(age: number, campaign?: string, offer?: string): number {
    const own = campaign === undefined ? this.#groups : (this.#ownGroups.get(keyOf(campaign, offer)) ?? []);
    const toCome = sum(own.map((group) => group.toComeIn(age)));
    const all = sum(own.map((group) => group.usualIn(age)));
    if (all > 0) return 1 - toCome / all;
    if (campaign === undefined) return 1;
    return offer === undefined ? this.usualPartIn(age) : this.usualPartIn(age, campaign);
  }
}

const keyOf = (campaign = '', offer = '') => `${campaign}\n${offer}`;

/** The sales of an offer in a campaign. */
class Group {
  readonly of: SoldOf;
  readonly #learned: Learned;
  readonly #seen: Float64Array;
  readonly #levels: Float64Array;
  readonly #levelSales: Float64Array;
  readonly #jump: Jump;
  readonly #meanValue: number;

  constructor(sales: readonly TimedSale[], learned: Learned, { until, now }: Listed, caused: CausedJump | undefined) {
    this.of = sales[0] ?? { campaign: '', offer: '', network: '' };
    this.#learned = learned;
    const usual = Float64Array.from(
      { length: maxDays + 1 },
      (_, age) => learned.usualOn(age) * (1 - learned.partToCome(age)),
    );
    // What was booked on days that could not be read is assumed to be as usual.
    this.#seen = until === now ? countByAge(sales, now) : usual;
    const variance = varianceOf(this.#seen, usual);
    const prior = 1 / variance;
    this.#jump = new Jump(this.#seen, usual, variance, learned.chanceOfJump, caused);
    const [near, nearUsual] = [this.#seen, usual].map((by) => smooth(by, nextDay)) as [Float64Array, Float64Array];
    this.#levelSales = near.map((seen) => prior + seen);
    this.#levels = near.map((seen, age) => (prior + seen) / (prior + (nearUsual[age] ?? 0)));
    this.#meanValue = sum(sales.map(({ value }) => value)) / sales.length;
  }

  #seenIn(span: AgeSpan): number {
    return sumOver(span, (age) => this.#seen[age] ?? 0);
  }

  /** All sales of the visits of 24 hours, those to come included. */
  usualIn(age: number): number {
    return this.#jump.levelOn(age, this.#levels[age] ?? 0) * this.#learned.usualOn(age, 'hours');
  }

  toComeIn(age: number): number {
    return this.usualIn(age) * this.#learned.partToCome(age, 'hours');
  }

  expect(span: AgeSpan): Expected {
    const learned = this.#learned;
    // A jump on any of ten days adds up the same days.
    const usual = new Float64Array(maxDays + 1);
    for (let age = span.newest; age <= span.oldest; age += 1)
      usual[age] = learned.usualOn(age) * learned.partToCome(age);
    const toCome = usual.map((count, age) => (this.#levels[age] ?? 0) * count);
    const { mean: count, variance: ofJump } = this.#jump.spread(
      (until) => sumOver({ ...span, oldest: Math.min(span.oldest, until - 1) }, (age) => usual[age] ?? 0),
      (since) => sumOver({ ...span, newest: Math.max(span.newest, since) }, (age) => toCome[age] ?? 0),
    );
    const errors = toCome.map((sales, age) => sales / Math.sqrt(this.#levelSales[age] ?? 0));
    const nearErrors = smooth(errors, nextDay);
    const ofLevels = sumOver(span, (age) => (errors[age] ?? 0) * (nearErrors[age] ?? 0)) * this.#jump.chanceOfNone;
    const sample = learned.own ** 2 * learned.sampleVariance(span, this.#levels);
    const unlike = count ** 2 * (learned.unlikeness ** 2 + learned.traffic.deviation ** 2);
    const grown = (count * learned.growth.deviation) ** 2;
    const variance = count + ofLevels + ofJump + sample + unlike + grown;
    return { seen: this.#seenIn(span), count, variance, revenue: count * this.#meanValue };
  }
}

type Expected = Pick<ExpectedSales, 'seen' | 'count' | 'revenue'> & { readonly variance: number };

function addUp(expected: readonly Expected[]): ExpectedSales {
  const count = sum(expected.map((one) => one.count));
  return {
    seen: sum(expected.map((one) => one.seen)),
    count,
    ...rangeOf(count, sum(expected.map((one) => one.variance))),
    revenue: sum(expected.map((one) => one.revenue)),
  };
}

/** A new offer has its traffic from the others of its campaign. */
function jumpByNewOffer(offers: readonly Learned[]): CausedJump | undefined {
  const [young, old] = [true, false].map((isYoung) => offers.filter((offer) => offer.isYoung === isYoung)) as [
    Learned[],
    Learned[],
  ];
  if (young.length === 0 || old.length === 0) return undefined;
  const [ofYoung, ofOld] = [young, old].map((some) => sum(some.map((offer) => offer.usualOn(1)))) as [number, number];
  // Where traffic ended, offers have nothing to share.
  if (ofOld === 0) return undefined;
  return { age: Math.max(...young.map(({ daysOld }) => daysOld)), factor: Math.max(1 - ofYoung / ofOld, 0.2) };
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

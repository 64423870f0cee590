import { dayMs } from '../api/durations.ts';
import { type Growth, growthOf, steady } from './delay-growth.ts';
import { chanceOfJump } from './level-jump.ts';
import { at } from './statistics/history.ts';
import { type AgeSpan, dayIndex, type Listed, learnedMs, maxDays, type TimedSale } from './timed-sales.ts';
import type { Traffic } from './traffic.ts';

/** So many sales of a network weigh as much as those of an offer itself. */
const priorSales = 12;

/** The relative deviation of what is learned from other offers, and of what is learned from days that are too few for late sales. */
const unlikeness = { ofOthers: 1.5, mostOfOthers: 0.8, most: 0.5, ofDays: 2.5 };

/** Delays up to this part of the age of what began lately have been seen often enough. */
const shownPart = 0.6;

/** Days are dates, or 24 hours each of which the first end now. */
export type DaysOf = 'dates' | 'hours';

/** What is expected of each visit day. */
interface DayParts {
  /** Sales of a day's visits, and those of them to come, if all goes on as in the last weeks; by days before this one. */
  readonly usual: Float64Array;
  readonly toCome: Float64Array;
}

/** How late some sales come. */
export class Learned {
  sales: readonly TimedSale[];
  /** The number of sales of all ages. */
  readonly of: number;
  readonly parts: DayParts;
  /** The same of days of 24 hours, once they are asked for. */
  #hourParts: DayParts | undefined;
  /** The part of the own sales in what is known of the delays, 0 to 1. */
  readonly own: number;
  readonly growth: Growth;
  readonly traffic: Traffic;
  #weights: Float64Array;
  #delays: Float64Array;
  readonly isYoung: boolean;
  /** Sales are moved forward by this: a day, or a week where weekdays differ. */
  readonly step: number;
  readonly #age: number;
  readonly #now: number;
  readonly #parent: Learned | undefined;

  constructor(
    all: readonly TimedSale[],
    { from, until, now }: Listed,
    step: number,
    parent: Learned | undefined,
    traffic: Traffic,
  ) {
    this.of = all.length;
    this.traffic = traffic;
    this.step = step;
    this.#now = now;
    this.#parent = parent;
    const window = Math.min(learnedMs, Math.floor((until - from) / step) * step);
    this.sales = all.filter(({ booked }) => booked > until - window && booked <= until);
    const isUpToDate = until === now;
    const first = this.sales.reduce((least, { visited }) => Math.min(least, visited), now);
    const start = first - (now - first) / Math.max(this.sales.length, 1);
    this.#age = now - start;
    this.isYoung = isUpToDate && first > now - window + 2 * dayMs;
    const earliest = this.isYoung ? start : Number.NEGATIVE_INFINITY;
    const trafficBetween = (from: number, to: number) => traffic.between(Math.max(from, earliest), to);
    // Parts of a week are not alike where weekdays are not.
    this.growth =
      step > dayMs
        ? steady
        : (isUpToDate && growthOf(this.sales, until - window, now, trafficBetween, !this.isYoung)) ||
          (parent?.growth ?? steady);
    const { since, times, later } = this.growth;
    // Late sales could be seen of earlier visits; of what began lately, or of delays that grew, for a shorter time.
    const seenFor = (delay: number) => {
      const before = Math.max(delay - later, 0) / times;
      const ofOld = trafficBetween(until - window - before, Math.min(until - before, since));
      return ofOld + trafficBetween(Math.max(until - window - delay, since), until - delay);
    };
    this.#delays = Float64Array.from(this.sales, ({ visited, booked }) =>
      visited < since ? (booked - visited) * times + later : booked - visited,
    );
    this.#weights = Float64Array.from(this.#delays, (delay) => step / Math.max(seenFor(delay), dayMs / 2));
    this.own = this.sales.length / (this.sales.length + priorSales);
    if (this.isYoung && parent) this.#takeLateSalesOf(parent);
    const today = dayIndex(now);
    this.parts = this.#countParts((visit) => today - dayIndex(visit));
  }

  /** The days since it began. */
  get daysOld(): number {
    return Math.ceil(this.#age / dayMs);
  }

  /** What began lately has no usual level to jump from. */
  get chanceOfJump(): number {
    const kind = this.isYoung ? 'ofYoung' : this.step > dayMs ? 'ofWeeks' : 'ofDays';
    return chanceOfJump[kind] * (this.traffic.isSeen ? chanceOfJump.ofRate : 1);
  }

  /** The relative deviation of the sales to come, because delays are learned from others or few days. */
  get unlikeness(): number {
    const ofOthers = Math.min((1 - this.own) ** 2 * unlikeness.ofOthers, unlikeness.mostOfOthers);
    if (!this.isYoung) return ofOthers;
    const isAllYoung = this.#parent === undefined || this.#parent.isYoung;
    const ofAge = Math.min((unlikeness.ofDays * dayMs) / this.#age, unlikeness.most);
    if (isAllYoung) return Math.max(ofOthers, ofAge);
    // How many sales there are in all is known by the few early ones.
    return Math.hypot(ofOthers, 1 / Math.sqrt(Math.max(this.of, 1)));
  }

  /** All sales of a day's visits, by its traffic. */
  usualOn(age: number, days: DaysOf = 'dates'): number {
    return (this.#partsOf(days).usual[age] ?? 0) * this.traffic.on(age);
  }

  /** The part of the sales of a day's visits that is still to come. */
  partToCome(age: number, days: DaysOf = 'dates'): number {
    const parts = this.#partsOf(days);
    const usual = parts.usual[age] ?? 0;
    const own = usual > 0 ? (parts.toCome[age] ?? 0) / usual : undefined;
    if (!this.#parent) return own ?? 0;
    const weight = own === undefined ? 0 : this.own;
    return weight * (own ?? 0) + (1 - weight) * this.#parent.partToCome(age, days);
  }

  #partsOf(days: DaysOf): DayParts {
    if (days === 'dates') return this.parts;
    this.#hourParts ??= this.#countParts((visit) => Math.floor((this.#now - visit) / dayMs));
    return this.#hourParts;
  }

  /** The squared error of the sales to come by chance of which sales were seen. */
  sampleVariance({ oldest, newest }: AgeSpan, levels: Float64Array): number {
    const today = dayIndex(this.#now);
    let variance = 0;
    for (let index = 0; index < this.sales.length; index += 1) {
      let count = 0;
      this.#eachPending(index, (visit) => {
        const age = today - dayIndex(visit);
        if (age <= oldest && age >= newest) count += (levels[age] ?? 0) * this.traffic.on(age);
      });
      variance += (count * (this.#weights[index] ?? 0)) ** 2;
    }
    return variance;
  }

  /** What began lately cannot have shown its late sales: as many are added as others have by their early ones. */
  #takeLateSalesOf(parent: Learned): void {
    const cut = this.#age * shownPart;
    const [own, others] = [this.#splitAt(cut), parent.#splitAt(cut)];
    const times = own.weight / others.weight;
    if (!Number.isFinite(times)) return;
    const [sales, weights, delays] = [parent.sales, parent.#weights, parent.#delays];
    this.sales = [...own.early.map((index) => at(this.sales, index)), ...others.late.map((index) => at(sales, index))];
    const joined = (some: Float64Array, late: (index: number) => number) =>
      Float64Array.from([...own.early.map((index) => some[index] ?? 0), ...others.late.map(late)]);
    this.#weights = joined(this.#weights, (index) => (weights[index] ?? 0) * times);
    this.#delays = joined(this.#delays, (index) => delays[index] ?? 0);
  }

  /** The sales with delays up to one, with their weight, and those beyond it. Hundreds of offers ask a network for it. */
  #splitAt(delay: number) {
    const [early, late]: [number[], number[]] = [[], []];
    let weight = 0;
    const delays = this.#delays;
    for (let index = 0; index < delays.length; index += 1) {
      const isEarly = (delays[index] ?? 0) <= delay;
      (isEarly ? early : late).push(index);
      if (isEarly) weight += this.#weights[index] ?? 0;
    }
    return { early, late, weight };
  }

  /** @param ageOf the days of a visit before this one */
  #countParts(ageOf: (visit: number) => number): DayParts {
    const oldest = this.isYoung ? ageOf(this.#now - this.#age) : maxDays;
    const [usual, toCome] = [new Float64Array(maxDays + 1), new Float64Array(maxDays + 1)];
    for (let index = 0; index < this.sales.length; index += 1) {
      const weight = this.#weights[index] ?? 0;
      const age = ageOf(this.#lastVisit(index));
      if (age <= oldest) usual[age] = (usual[age] ?? 0) + weight;
      this.#eachPending(index, (visit) => {
        const pending = ageOf(visit);
        if (pending <= Math.min(oldest, maxDays)) toCome[pending] = (toCome[pending] ?? 0) + weight;
      });
    }
    const step = this.step / dayMs;
    for (let age = step; age <= Math.min(oldest, maxDays); age += 1)
      usual[age] = (usual[age] ?? 0) + (usual[age - step] ?? 0);
    return { usual, toCome };
  }

  /** The last moment to which a visit can be moved. */
  #lastVisit(index: number): number {
    const { visited } = at(this.sales, index);
    return visited + Math.floor((this.#now - visited) / this.step) * this.step;
  }

  /** The visits, counted back from now, that would still be without this sale. */
  #eachPending(index: number, take: (visit: number) => void): void {
    const delay = Math.min(this.#delays[index] ?? 0, (maxDays + 1) * dayMs);
    for (let visit = this.#lastVisit(index); this.#now - visit < delay; visit -= this.step) take(visit);
  }
}

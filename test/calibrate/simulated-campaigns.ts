import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { agreesWithReport, type ComparedPage, type ListedConversion } from '../../src/analysis/statistics/basis.ts';
import type { Comparison } from '../../src/analysis/statistics/compare-pages.ts';
import { comparePages } from '../../src/analysis/statistics/compare-pages.ts';
import type { Day, PageSums } from '../../src/analysis/statistics/history.ts';

type Random = () => number;

/** Seeded numbers between 0 and 1, both excluded. */
function seeded(seed: number): Random {
  const generator = xoroshiro128plus(seed);
  return () => uniformFloat64(generator) || Number.EPSILON;
}

/** Box and Muller, "A note on the generation of random normal deviates" (1958). */
function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
}

/** Arrivals of a Poisson process within one unit of time. */
function poisson(mean: number, random: Random): number {
  const next = () => -Math.log(random());
  let count = 0;
  for (let time = next(); time < mean; time += next()) count += 1;
  return count;
}

/** How single payouts vary: each law has the mean 10. */
export const laws = {
  fixed: () => 10,
  exponential: (random) => -10 * Math.log(random()),
  'lognormal (2)': (random) => 10 * Math.exp(2 * normal(random) - 2),
  'Pareto (1.5)': (random) => (10 / 3) * random() ** (-1 / 1.5),
  'one in 100 pays 1,000': (random) => (random() < 0.01 ? 1000 : 0),
} satisfies Record<string, (random: Random) => number>;

export type Law = keyof typeof laws;

/** What the tracker lists of single conversions: all, none, or others than it counts. */
export type Listing = 'listed' | 'missing' | 'contradicting';

export interface Setting {
  readonly law: Law;
  readonly listing: Listing;
  readonly pages: number;
  /** How much more the first page converts than the others: 0.3 is 30%. */
  readonly lead: number;
  /** The parts of the traffic by day; equal ones without. */
  readonly split?: (day: number) => readonly number[];
  /** How all pages convert on a day, as a factor. */
  readonly season?: (day: number) => number;
  /** The standard deviation of what each page converts on a day, as a part of it. */
  readonly noise?: number;
  readonly viewsPerDay?: number;
  /** How much traffic a day has, as a factor. */
  readonly traffic?: (day: number) => number;
}

/** What came of asking once a day. */
export interface Outcome {
  /** The day on which a page was first called the clear leader. */
  readonly clearOn: number | undefined;
  readonly page: number | undefined;
  /** Whether the interval of the lead held the true one on every day. */
  readonly isCovered: boolean;
}

const rate = 0.02;

/** Plays a campaign over some days, and asks on each of them which page earns most. */
export function askDaily(setting: Setting, dayCount: number, seed: number, lookEvery = 1): Outcome {
  const random = seeded(seed);
  const days: Day[] = [];
  const listed: ListedConversion[][] = Array.from({ length: setting.pages }, () => []);
  let outcome: Outcome = { clearOn: undefined, page: undefined, isCovered: true };
  for (let day = 1; day <= dayCount; day += 1) {
    days.push(playDay(setting, day, listed, random));
    if (day % lookEvery > 0) continue;
    const comparison = look(setting, days, listed);
    if (!comparison) continue;
    outcome = { ...outcome, isCovered: outcome.isCovered && holdsTruth(comparison, setting) };
    if (comparison.verdict === 'clear' && outcome.clearOn === undefined) {
      outcome = { ...outcome, clearOn: day, page: comparison.leader };
    }
  }
  return outcome;
}

function playDay(setting: Setting, day: number, listed: ListedConversion[][], random: Random): Day {
  const { law, pages, lead, split, season, traffic, noise = 0, viewsPerDay = 2000 } = setting;
  const date = dateOf(day);
  const parts = split?.(day) ?? Array.from({ length: pages }, () => 1 / pages);
  const sums = parts.map((part, page): PageSums => {
    const views = poisson(viewsPerDay * (traffic?.(day) ?? 1) * part, random);
    const factor = Math.exp(noise * normal(random) - noise ** 2 / 2) * (season?.(day) ?? 1);
    const conversions = poisson(views * rate * factor * (page === 0 ? 1 + lead : 1), random);
    const payouts = Array.from({ length: conversions }, () => Math.round(laws[law](random) * 100) / 100);
    listed[page]?.push(...payouts.map((value) => ({ value, date })));
    return { views, conversions, revenue: payouts.reduce((sum, value) => sum + value, 0) };
  });
  return { date, pages: sums };
}

function look(setting: Setting, days: readonly Day[], listed: readonly ListedConversion[][]): Comparison | undefined {
  const lastSplit = setting.split?.(days.length);
  const pages = listed.map((conversions, page): ComparedPage => {
    const sums = days.reduce((total, day) => add(total, day.pages[page]), none);
    const shown = showList(conversions, setting.listing);
    const share = lastSplit?.[page] ?? 1 / setting.pages;
    return { ...sums, share, listed: agreesWithReport(shown, sums) ? shown : undefined };
  });
  if (pages.some(({ views }) => views === 0)) return undefined;
  return comparePages(pages, { days: [...days], dayCount: days.length });
}

/** A list that contradicts shows every fifth conversion of what was sold, at its list price. */
function showList(conversions: readonly ListedConversion[], listing: Listing): readonly ListedConversion[] {
  if (listing === 'listed') return conversions;
  if (listing === 'missing') return [];
  return conversions.filter((_, index) => index % 5 === 0).map(({ date }) => ({ date, value: 10 }));
}

function holdsTruth({ leader, rival, lead }: Comparison, setting: Setting): boolean {
  const earns = (page: number) => (page === 0 ? 1 + setting.lead : 1);
  const truth = (earns(leader) / earns(rival) - 1) * 100;
  return lead.low <= truth && truth <= (lead.high ?? Number.POSITIVE_INFINITY);
}

const none: PageSums = { views: 0, conversions: 0, revenue: 0 };

function add(one: PageSums, other: PageSums = none): PageSums {
  return {
    views: one.views + other.views,
    conversions: one.conversions + other.conversions,
    revenue: one.revenue + other.revenue,
  };
}

function dateOf(day: number): string {
  return new Date(Date.UTC(2026, 0, day)).toISOString().slice(0, 10);
}

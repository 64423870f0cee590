import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { type ListedSale, settleSales } from '../../src/analysis/listed-conversions.ts';
import type { ComparedPage } from '../../src/analysis/statistics/basis.ts';
import { type Comparison, comparePages } from '../../src/analysis/statistics/compare-pages.ts';
import { type Day, groupBy, type PageSums, sum } from '../../src/analysis/statistics/history.ts';
import { daysAfterChange } from '../../src/analysis/statistics/usable-days.ts';
import { EProcess } from './e-process.ts';

export type Random = () => number;

/** Seeded numbers between 0 and 1, both exclusive. */
export function seeded(seed: number): Random {
  const generator = xoroshiro128plus(seed);
  return () => uniformFloat64(generator) || Number.EPSILON;
}

/** Box and Muller, "A note on the generation of random normal deviates" (1958). */
export function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
}

/** Arrivals of a Poisson process within one unit of time. */
export function poisson(mean: number, random: Random): number {
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

/** The single conversions that the tracker lists: all, none, or different ones than it counts. */
export type Listing = 'listed' | 'missing' | 'contradicting';

export interface Setting {
  readonly law: Law;
  readonly listing: Listing;
  readonly pages: number;
  /** How much more the first page converts than the others: 0.3 is 30%. */
  readonly lead: number;
  /** By page, in place of `lead`: how much more each converts than the usual rate. */
  readonly leads?: readonly number[];
  /** The payout of the first page as a part of the others'. */
  readonly pays?: number;
  /** The parts of the traffic by day; default equal. */
  readonly split?: (day: number) => readonly number[];
  /** A factor for the conversion rate of all pages on a day. */
  readonly season?: (day: number) => number;
  /** The relative standard deviation of a page's conversion rate from day to day. */
  readonly noise?: number;
  /** The part of a page's luck that lasts until the next day, 0 to 1. */
  readonly lasting?: number;
  /** Views of robots on the first page, as a part of its real views. */
  readonly robots?: number;
  readonly viewsPerDay?: number;
  /** A factor for the traffic of a day. */
  readonly traffic?: (day: number) => number;
  /** Days from a visit to its sale; default 0. */
  readonly delay?: (page: number, random: Random) => number;
  /** The day on which reports count a sale; default visit. */
  readonly booking?: 'visit' | 'sale';
  /** The first day of a look, by its last one; default the first of all. */
  readonly since?: (today: number) => number;
  /** Whether single days can be read; default true. */
  readonly hasDays?: boolean;
}

/** The outcome of asking once a day. */
export interface Outcome {
  /** The first day with a clear leader, and that leader. */
  readonly clearOn: number | undefined;
  readonly page: number | undefined;
  /** Whether a page was ever leaned to. */
  readonly hasLeaned: boolean;
  /** Whether the interval of the lead held the true one on every day. */
  readonly isCovered: boolean;
  /** The first day on which the outside oracle decides at the same level, for two pages by conversions; it does not say which. */
  readonly oracleOn: number | undefined;
  /** The oracle's log wealth by day. */
  readonly oracleLogs: readonly number[];
}

interface Sale extends Omit<ListedSale<number>, 'visited' | 'date'> {
  readonly visited: number;
  readonly booked: number;
}

interface Campaign {
  readonly views: number[][];
  readonly sales: Sale[];
  readonly luck: number[];
}

const rate = 0.02;

/** A verdict errs in 1 of 40 cases on each side, the oracle in 1 of 20 on either. */
const oracleLevel = Math.log(20);

/** Plays a campaign, to its last day or until a leader is clear, and asks every `lookEvery` days which page earns most. */
export function askDaily(
  setting: Setting,
  dayCount: number,
  seed: number,
  lookEvery = 1,
  end: 'last day' | 'clear' = 'last day',
): Outcome {
  const random = seeded(seed);
  const luck = Array.from({ length: setting.pages }, () => (setting.noise ? normal(random) : 0));
  const campaign: Campaign = { views: [], sales: [], luck };
  let outcome: Outcome = {
    ...{ clearOn: undefined, page: undefined, hasLeaned: false, isCovered: true, oracleOn: undefined },
    oracleLogs: [],
  };
  const oracle = new EProcess();
  for (let day = 1; day <= dayCount; day += 1) {
    playDay(setting, day, campaign, random);
    if (setting.pages === 2)
      oracle.add(
        dayOf(
          setting,
          day,
          campaign,
          groupBy(campaign.sales, ({ booked }) => booked),
        ),
      );
    outcome = { ...outcome, oracleLogs: [...outcome.oracleLogs, oracle.log] };
    if (oracle.log >= oracleLevel && outcome.oracleOn === undefined) outcome = { ...outcome, oracleOn: day };
    const first = setting.since?.(day) ?? 1;
    if (day % lookEvery > 0 || first > day) continue;
    const comparison = look(setting, first, day, campaign);
    if (!comparison) continue;
    outcome = {
      ...outcome,
      isCovered: outcome.isCovered && holdsTruth(comparison, setting),
      hasLeaned: outcome.hasLeaned || comparison.verdict !== 'too early',
    };
    if (comparison.verdict === 'clear' && outcome.clearOn === undefined) {
      outcome = { ...outcome, clearOn: day, page: comparison.leader };
      if (end === 'clear') return outcome;
    }
  }
  return outcome;
}

/**
 * Plays a campaign whose shares are set each day as recommended.
 *
 * @returns by day, the part of what the best page alone would have earned that is lost
 */
export function followDaily(setting: Setting, dayCount: number, seed: number): readonly number[] {
  const random = seeded(seed);
  const campaign: Campaign = { views: [], sales: [], luck: Array.from({ length: setting.pages }, () => 0) };
  let shares: readonly number[] = Array.from({ length: setting.pages }, () => 1 / setting.pages);
  const followed: Setting = { ...setting, split: () => shares };
  const best = Math.max(...shares.map((_, page) => leadOf(page, setting)));
  return Array.from({ length: dayCount }, (_, index) => {
    playDay(followed, index + 1, campaign, random);
    const earned = sum(shares.map((share, page) => share * (1 + leadOf(page, setting))));
    const comparison = look(followed, 1, index + 1, campaign);
    if (comparison && comparison.verdict !== 'too early') shares = comparison.pages.map(({ share = 0 }) => share / 100);
    return 1 - earned / (1 + best);
  });
}

const leadOf = (page: number, { lead, leads }: { lead: number; leads?: readonly number[] | undefined }) =>
  leads?.[page] ?? (page === 0 ? lead : 0);

function playDay(setting: Setting, day: number, { views, sales, luck }: Campaign, random: Random): void {
  const {
    law,
    pages,
    lead,
    leads,
    split,
    season,
    traffic,
    noise = 0,
    viewsPerDay = 2000,
    lasting = 0,
    robots = 0,
  } = setting;
  const parts = split?.(day) ?? Array.from({ length: pages }, () => 1 / pages);
  const seen = parts.map((part, page) => {
    const people = poisson(viewsPerDay * (traffic?.(day) ?? 1) * part, random);
    if (noise > 0) luck[page] = lasting * (luck[page] ?? 0) + Math.sqrt(1 - lasting ** 2) * normal(random);
    const factor = Math.exp(noise * (luck[page] ?? 0) - noise ** 2 / 2) * (season?.(day) ?? 1);
    const conversions = poisson(people * rate * factor * (1 + leadOf(page, { lead, leads })), random);
    for (let sale = 0; sale < conversions; sale += 1) {
      const value = Math.round(laws[law](random) * (page === 0 ? (setting.pays ?? 1) : 1) * 100) / 100;
      sales.push({ page, value, visited: day, booked: day + (setting.delay?.(page, random) ?? 0) });
    }
    return people + (page === 0 && robots > 0 ? poisson(people * robots, random) : 0);
  });
  views.push(seen);
}

function look(setting: Setting, first: number, today: number, campaign: Campaign): Comparison | undefined {
  const known = campaign.sales.filter(({ booked }) => booked <= today);
  const bookedOn = ({ visited, booked }: Sale) => (setting.booking === 'sale' ? booked : visited);
  const byDay = groupBy(known, bookedOn);
  const days = Array.from({ length: today - first + 1 }, (_, index) => dayOf(setting, first + index, campaign, byDay));
  const rows = Array.from({ length: setting.pages }, (_, page): PageSums => {
    const total = (measure: keyof PageSums) => sum(days.map((day) => day.pages[page]?.[measure] ?? 0));
    return { views: total('views'), conversions: total('conversions'), revenue: total('revenue') };
  });
  if (rows.some(({ views }) => views === 0)) return undefined;
  const listed = known.flatMap((sale) => {
    const row = rows[sale.page];
    if (!row || sale.booked < first) return [];
    return [{ page: row, value: sale.value, date: dateOf(sale.booked), visited: dateOf(sale.visited) }];
  });
  const span = { start: dateOf(first), end: dateOf(today), asOf: dateOf(today) };
  const readable = setting.hasDays === false ? undefined : days;
  const settled = settleSales(showList(listed, setting.listing), rows, span, rows, readable);
  const lastSplit = setting.split?.(today);
  const pages = rows.map((row, page): ComparedPage => {
    const share = lastSplit?.[page] ?? 1 / setting.pages;
    return { ...row, share, listed: settled.byPage.get(row) };
  });
  const lead = daysAfterChange(settled.lateness);
  const viewsBefore = rows.map((_, page) =>
    sum(Array.from({ length: Math.min(lead, first - 1) }, (_, ago) => campaign.views[first - 2 - ago]?.[page] ?? 0)),
  );
  return comparePages(pages, {
    days: settled.days,
    dayCount: days.length,
    lateness: settled.lateness,
    viewsBefore: lead > 0 ? viewsBefore : undefined,
  });
}

function dayOf(setting: Setting, day: number, { views }: Campaign, byDay: ReadonlyMap<number, readonly Sale[]>): Day {
  const pages = Array.from({ length: setting.pages }, (_, page): PageSums => {
    const sold = (byDay.get(day) ?? []).filter((sale) => sale.page === page);
    return {
      views: views[day - 1]?.[page] ?? 0,
      conversions: sold.length,
      revenue: sum(sold.map(({ value }) => value)),
    };
  });
  return { date: dateOf(day), pages };
}

/** A contradicting list has every fifth conversion, at the mean payout. */
function showList<Page>(listed: readonly ListedSale<Page>[], listing: Listing): readonly ListedSale<Page>[] {
  if (listing === 'listed') return listed;
  if (listing === 'missing') return [];
  return listed.filter((_, index) => index % 5 === 0).map((sale) => ({ ...sale, value: 10 }));
}

function holdsTruth({ leader, runnerUp, lead, basis }: Comparison, setting: Setting): boolean {
  const factor = (1 + setting.lead) * (basis === 'money' ? (setting.pays ?? 1) : 1);
  const earns = (page: number) => (page === 0 ? factor : 1);
  const truth = (earns(leader) / earns(runnerUp) - 1) * 100;
  return (lead.low ?? Number.NEGATIVE_INFINITY) <= truth && truth <= (lead.high ?? Number.POSITIVE_INFINITY);
}

/** Dates by day, which are asked for millions of times. */
const dates: string[] = [];

function dateOf(day: number): string {
  dates[day] ??= new Date(Date.UTC(2026, 0, day)).toISOString().slice(0, 10);
  return dates[day];
}

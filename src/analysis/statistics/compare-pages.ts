import { asIfFixed, type Basis, byConversions, type ComparedPage, type Material, materialOf } from './basis.ts';
import {
  type Belief,
  believe,
  chancesOf,
  expectationOf,
  type PageFigures,
  type Range,
  rangeOf,
  rangeOfProduct,
} from './chances.ts';
import { type Evidence, evidenceFor, type Forecast, forecast, leadInterval } from './evidence.ts';
import { countOf, type Day, type History, squaresOf, sumOf, viewsOf, worthsOf } from './history.ts';
import { type BreakEven, breakEvenOf, doesMoneyDisagree, meanPayoutOf } from './money.ts';
import { dispersionOf, seasonalViews } from './seasons.ts';
import { presentParts, thompsonShares } from './shares.ts';
import { datesOfChange, fitShares } from './splits.ts';
import { sufficientLogWealth } from './wealth.ts';

/** How far the evidence goes: enough for a decision, enough to lean on, or neither. */
export type Verdict = 'clear' | 'leaning' | 'too early';

/** What a clear verdict still lacks. */
export type Lack = 'evidence' | 'days' | 'common days' | 'steady shares' | 'agreement of money';

/** What is known beside the pages' sums. */
export interface Circumstances {
  /** The days of the period, which add up to the sums; without them the sums are all there is. */
  readonly days?: readonly Day[] | undefined;
  /** How many days the sums are of. */
  readonly dayCount: number;
  /** The mean time from a visit to the booking of its conversion, in days, where conversions are booked on a day of their own. */
  readonly delay?: number | undefined;
}

export interface Comparison {
  readonly basis: Basis;
  readonly verdict: Verdict;
  /** The page that is ahead, by what is expected of it. */
  readonly leader: number;
  /** The page against which the evidence of its lead is weakest. */
  readonly rival: number;
  /** How many days the verdict rests on. */
  readonly dayCount: number;
  /** The lead over the rival in percent, with the range that withstands being looked at every day; null where it has no bound. */
  readonly lead: { readonly percent: number | null; readonly low: number; readonly high: number | null };
  /** Of a clear verdict, 0 to 100. */
  readonly evidencePercent: number;
  readonly lacks: readonly Lack[];
  /** What it takes until the verdict is clear. */
  readonly needed: { readonly ifLeadStays: Forecast | null; readonly ifLeadHalves: Forecast | null };
  /** What today's split is expected to earn less a day than the leader alone; in money or conversions. */
  readonly waitingCostPerDay: number;
  /** What giving the leader all the traffic is expected to give away a day, since another may be better. */
  readonly riskPerDay: number;
  /** Where conversions are compared though money is earned: how much less the leader's may pay. */
  readonly breakEven: BreakEven | undefined;
  /** Mean square over squared mean of what a page's conversions are worth: 1 where that never varies. */
  readonly spread: number;
  /** In the order of the pages given. */
  readonly pages: readonly PageEstimate[];
  /** The pages that matter, the likeliest to be best first; the others are behind them all. */
  readonly shown: readonly number[];
  /** Dates that were left out since shares had just changed. */
  readonly leftOut: readonly string[];
}

export interface PageEstimate {
  /** Per view: money, or conversions. */
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** The range of money per view, which is that of conversions times payouts where conversions are compared. */
  readonly earnings: Range;
  /** To be the best. */
  readonly chance: number;
  /** Of the traffic of the pages shown, in percent; undefined for the others. */
  readonly share: number | undefined;
}

/** Pages beyond these are neither listed nor given a share, and only looked at once all of these are beaten. */
const maxShown = 20;

const minDays = 5;
const leaningChance = 0.8;
const leaningConversions = 10;

/**
 * Whether days are worth asking for: where sums alone would say more than too early, by whatever pages may be compared on, or where
 * shares must have changed within the period.
 */
export function areDaysWorthReading(pages: readonly ComparedPage[], dayCount: number): boolean {
  if (!hasSteadyShares(pages)) return true;
  const known = materialOf(pages, undefined);
  const materials: readonly Material[] = [
    known,
    ...(known.basis === 'money'
      ? [{ basis: 'conversions' as const, histories: byConversions(pages, undefined) }]
      : [{ basis: 'money' as const, histories: asIfFixed(pages) }]),
  ];
  return materials.some((material) => compare(pages, material, { dayCount }, []).verdict !== 'too early');
}

/**
 * Which of a campaign's pages earns most, and how sure that is.
 *
 * Equal pages have a leader named in at most 5% of campaigns, however often one asks and whatever payouts, seasons and changes of
 * shares there are: `npm run calibrate` measures it. Pages are compared by money where all single payouts are known, and else by
 * conversions.
 *
 * @param pages two or more that had views, in any order
 */
export function comparePages(pages: readonly ComparedPage[], circumstances: Circumstances): Comparison {
  const { days, delay = 0 } = circumstances;
  const leftOut = days ? datesOfChange(days, delay) : [];
  const steady = days?.filter(({ date }) => !leftOut.includes(date));
  // Where shares change every day there are no other days.
  const used = steady && steady.length > 0 ? steady : days;
  const dayCount = used?.length ?? circumstances.dayCount;
  return compare(pages, materialOf(pages, days, used), { days: used, dayCount }, leftOut);
}

/** The same by the count of conversions alone. */
export function compareConversions(pages: readonly ComparedPage[], circumstances: Circumstances): Comparison {
  const unpaid = pages.map((page) => ({ ...page, revenue: 0, listed: undefined }));
  return comparePages(unpaid, circumstances);
}

function compare(
  pages: readonly ComparedPage[],
  { basis, histories }: Material,
  { days, dayCount }: Circumstances,
  leftOut: readonly string[],
): Comparison {
  const seasonal = seasonalViews(histories);
  const figures = histories.map((history, page): PageFigures => {
    const worths = worthsOf(history);
    return { views: seasonal[page] ?? 0, conversions: countOf(worths), worth: sumOf(worths) };
  });
  const rates = figures.map(({ conversions, views }) => (views > 0 ? conversions / views : 0));
  const spread = spreadOf(histories);
  const beliefs = believe(figures, spread, dispersionOf(histories, rates));
  const expected = beliefs.map(expectationOf);
  const leader = expected.indexOf(Math.max(...expected));
  const { chances, loss } = chancesOf(beliefs, leader);
  const [shown, behind] = rank(beliefs, leader);
  const viewsPerDay = histories.reduce((sum, history) => sum + viewsOf(history), 0) / dayCount;

  const ratesOf = (rival: number) => [rates[leader] ?? 0, rates[rival] ?? 0] as const;
  const over = (rival: number) => ({
    rival,
    ...evidenceFor(histories[leader] ?? [], histories[rival] ?? [], ratesOf(rival)),
  });
  const near = shown.slice(1).map(over);
  // Those far behind are looked at only where nobody nearer stands between the leader and its verdict.
  const evidence = near.every(({ log }) => log >= sufficientLogWealth) ? [...near, ...behind.map(over)] : near;
  const weakest = evidence.reduce((min, one) => (one.log < min.log ? one : min));
  const { rival } = weakest;

  const payouts = pages.map((page, index) =>
    meanPayoutOf(
      page,
      days?.flatMap((day) => day.pages[index] ?? []),
    ),
  );
  const disagrees = (other: number) =>
    other !== leader && doesMoneyDisagree([at(payouts, leader), at(payouts, other)], ratesOf(other));
  const lacks = lacksOf(evidence, dayCount, {
    'steady shares': days !== undefined || hasSteadyShares(pages),
    'agreement of money': basis === 'money' || !pages.some((_, other) => disagrees(other)),
  });
  const verdict = verdictOf(lacks, chances[leader] ?? 0, figures[leader]?.conversions ?? 0);
  const ratio = at(figures, rival).worth > 0 ? earned(at(figures, leader)) / earned(at(figures, rival)) : undefined;
  const daysLeft = minDays - (weakest.commonDays ?? dayCount);
  const future = (lead: number) => forecast(weakest, 1 + lead, viewsPerDay, daysLeft, dayCount);
  const lead = (ratio ?? (expected[leader] ?? 0) / (expected[rival] ?? 1)) - 1;
  const parts = presentParts(pages.map(({ share }) => share)) ?? pages.map(({ views }) => views);
  const shares = thompsonShares(shown.map((page) => chances[page] ?? 0));
  return {
    basis,
    verdict,
    leader,
    rival,
    dayCount,
    lead: { percent: ratio === undefined ? null : lead * 100, ...leadInterval(weakest) },
    evidencePercent: Math.min(Math.max((weakest.log / sufficientLogWealth) * 100, 0), 100),
    lacks,
    needed: { ifLeadStays: future(lead), ifLeadHalves: future(lead / 2) },
    waitingCostPerDay: viewsPerDay * (at(expected, leader) - weightedMean(expected, parts)),
    riskPerDay: viewsPerDay * loss,
    breakEven:
      basis === 'conversions' && pages.some(({ revenue }) => revenue !== 0)
        ? breakEvenOf([at(pages, leader), at(pages, rival)], ratesOf(rival))
        : undefined,
    spread,
    pages: beliefs.map((belief, page) => ({
      value: expectationOf(belief),
      ...rangeOf(belief),
      earnings: basis === 'money' ? rangeOf(belief) : rangeOfProduct(belief, at(payouts, page)),
      chance: chances[page] ?? 0,
      share: shares[shown.indexOf(page)],
    })),
    shown,
    leftOut,
  };
}

function hasSteadyShares(pages: readonly ComparedPage[]): boolean {
  return fitShares(
    pages.map(({ views }) => views),
    pages.map(({ share }) => share),
  );
}

/** The leader and those closest to it, closest first; and all others. */
function rank(beliefs: readonly Belief[], leader: number): [near: number[], far: number[]] {
  const own = at(beliefs, leader);
  const distances = beliefs.map(({ mean, deviation }) => (own.mean - mean) / Math.hypot(own.deviation, deviation));
  const rivals = [...beliefs.keys()].filter((page) => page !== leader);
  rivals.sort((one, other) => at(distances, one) - at(distances, other));
  return [[leader, ...rivals.slice(0, maxShown - 1)], rivals.slice(maxShown - 1)];
}

/** What a clear verdict lacks, beside what is said to be met or not. */
function lacksOf(
  evidence: readonly Evidence[],
  dayCount: number,
  isMet: Readonly<Record<'steady shares' | 'agreement of money', boolean>>,
): readonly Lack[] {
  const commonDays = evidence.map((one) => one.commonDays ?? dayCount);
  const conditions: Readonly<Record<Lack, boolean>> = {
    evidence: evidence.every(({ log }) => log >= sufficientLogWealth),
    'common days': commonDays.every((days) => days > 0),
    days: commonDays.every((days) => days === 0 || days >= minDays),
    ...isMet,
  };
  return (Object.keys(conditions) as Lack[]).filter((lack) => !conditions[lack]);
}

function verdictOf(lacks: readonly Lack[], chance: number, conversions: number): Verdict {
  if (lacks.length === 0) return 'clear';
  const isLeaning = chance >= leaningChance && conversions >= leaningConversions;
  return isLeaning && !lacks.includes('agreement of money') ? 'leaning' : 'too early';
}

/** How much what single conversions are worth varies within pages. */
function spreadOf(histories: readonly History[]): number {
  let weighted = 0;
  let counts = 0;
  for (const worths of histories.map(worthsOf)) {
    const [count, sum] = [countOf(worths), sumOf(worths)];
    if (!(sum > 0)) continue;
    weighted += count * ((count * squaresOf(worths)) / sum ** 2);
    counts += count;
  }
  return counts > 0 ? weighted / counts : 1;
}

function earned({ worth, views }: PageFigures): number {
  return worth / views;
}

function weightedMean(values: readonly number[], weights: readonly number[]): number {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return values.reduce((sum, value, index) => sum + (value * (weights[index] ?? 0)) / total, 0);
}

/** An element that is there: pages are counted by the length of what is given. */
function at<Element>(list: readonly Element[], index: number): Element {
  return list[index] as Element;
}

import { asIfFixed, type Basis, byConversions, type ComparedPage, type Material, materialOf } from './basis.ts';
import { expectationOf, type PageFigures, type Range, rangeOf, rangeOfProduct } from './chances.ts';
import { type Forecast, forecast, leadInterval } from './evidence.ts';
import { at, type Day, sum } from './history.ts';
import { hasSteadyShares, judge, type Lack, minDays, type Verdict } from './judge.ts';
import { type BreakEven, breakEvenOf, type MeanPayout, meanPayoutOf } from './money.ts';
import { presentParts, thompsonShares } from './shares.ts';
import { datesOfChange } from './splits.ts';
import { sufficientLogWealth } from './wealth.ts';

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
  /** The page against which the evidence of its lead is weakest; of a clear verdict, the best of the other pages. */
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
  return materials.some(
    (material) => judge(material, dayCount, true, payoutsOf(pages, material)).verdict !== 'too early',
  );
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
  const material = materialOf(pages, days, used);
  const payouts = payoutsOf(pages, material, used);
  const judgement = judge(material, dayCount, days !== undefined || hasSteadyShares(pages), payouts);
  const { basis, histories } = material;
  const { leader, told, lacks, figures, beliefs, chances, shown } = judgement;
  const { rival } = told;
  const viewsPerDay = sum(histories.map(({ views }) => views)) / dayCount;
  const expected = beliefs.map(expectationOf);
  const ratio = at(figures, rival).worth > 0 ? earned(at(figures, leader)) / earned(at(figures, rival)) : undefined;
  const lead = (ratio ?? at(expected, leader) / at(expected, rival)) - 1;
  const daysLeft = minDays - (told.commonDays ?? dayCount);
  const future = (lead: number) => forecast(told, 1 + lead, viewsPerDay, daysLeft, dayCount);
  const parts = presentParts(pages.map(({ share }) => share)) ?? pages.map(({ views }) => views);
  const shares = thompsonShares(shown.map((page) => at(chances, page)));
  return {
    basis,
    verdict: judgement.verdict,
    leader,
    rival,
    dayCount,
    lead: { percent: ratio === undefined ? null : lead * 100, ...leadInterval(told) },
    evidencePercent: Math.min(Math.max((told.log / sufficientLogWealth) * 100, 0), 100),
    lacks,
    needed: { ifLeadStays: future(lead), ifLeadHalves: future(lead / 2) },
    waitingCostPerDay: viewsPerDay * (at(expected, leader) - weightedMean(expected, parts)),
    riskPerDay: viewsPerDay * judgement.loss,
    breakEven:
      basis === 'conversions' && pages.some(({ revenue }) => revenue !== 0)
        ? breakEvenOf([at(pages, leader), at(pages, rival)], [at(judgement.rates, leader), at(judgement.rates, rival)])
        : undefined,
    spread: judgement.spread,
    pages: beliefs.map((belief, page) => ({
      value: at(expected, page),
      ...rangeOf(belief),
      earnings: basis === 'money' ? rangeOf(belief) : rangeOfProduct(belief, at(payouts, page)),
      chance: at(chances, page),
      share: shares[shown.indexOf(page)],
    })),
    shown,
    leftOut,
  };
}

/** The same by the count of conversions alone. */
export function compareConversions(pages: readonly ComparedPage[], circumstances: Circumstances): Comparison {
  const unpaid = pages.map((page) => ({ ...page, revenue: 0, listed: undefined }));
  return comparePages(unpaid, circumstances);
}

/** What conversions of each page pay on average, where they are counted and not summed. */
function payoutsOf(
  pages: readonly ComparedPage[],
  { basis }: Material,
  days: readonly Day[] = [],
): readonly MeanPayout[] {
  if (basis === 'money') return [];
  return pages.map((page, index) =>
    meanPayoutOf(
      page,
      days.map((day) => at(day.pages, index)),
    ),
  );
}

function earned({ worth, views }: PageFigures): number {
  return worth / views;
}

function weightedMean(values: readonly number[], weights: readonly number[]): number {
  return sum(values.map((value, index) => value * at(weights, index))) / sum(weights);
}

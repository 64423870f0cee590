import {
  asIfFixed,
  type Basis,
  type BreakEven,
  breakEvenOf,
  type ComparedPage,
  conversionsOf,
  type DecisiveSale,
  decisiveSaleOf,
  type MeanPayout,
  meanPayoutOf,
  type Sample,
  sampleOf,
} from './basis.ts';
import { type Forecast, forecast, leadInterval } from './evidence.ts';
import { at, type Day, sum } from './history.ts';
import { isSplitAnew } from './moved-shares.ts';
import { chancesWithin, expectationOf, type Range, rangeOf, rangeOfProduct } from './posteriors.ts';
import { presentParts, stepTowards, thompsonShares } from './shares.ts';
import { daysLeftOut, daysToCome, type Lateness, type LeftOut } from './usable-days.ts';
import {
  type Conditions,
  hasSteadyShares,
  minDays,
  minForPercent,
  partOfVerdict,
  rankPages,
  type Standing,
} from './verdict.ts';

export interface Circumstances {
  /** The days of the period, which add up to the sums; undefined if only the sums are known. */
  readonly days?: readonly Day[] | undefined;
  readonly dayCount: number;
  /** Undefined if sales come on the day of their visit. */
  readonly lateness?: Lateness | undefined;
  /** The pages' views shortly before the first day, whose sales may still have come in; undefined if unknown. */
  readonly viewsBefore?: readonly number[] | undefined;
}

export interface Comparison extends Standing {
  readonly basis: Basis;
  /** The page that is expected to earn most after the leader, of those with five conversions if there are any. */
  readonly runnerUp: number;
  /** The page against which the evidence is weakest: a verdict waits for it. */
  readonly weakest: number;
  readonly dayCount: number;
  /**
   * The lead over the runner-up in percent, with the range that holds under daily looks. The percentage is null if either has fewer
   * than five conversions; a bound is null if there is none, and both are if the leader has fewer than five.
   */
  readonly lead: { readonly percent: number | null; readonly low: number | null; readonly high: number | null };
  /** The weakest evidence so far, as a percentage of the evidence for a clear verdict: 0 to 100. */
  readonly evidencePercent: number;
  /** What a clear verdict takes. */
  readonly needed: {
    /** Null if it cannot be computed, or nothing suffices. */
    readonly ifLeadStays: Forecast | null;
    readonly ifLeadHalves: Forecast | null;
    readonly obstacle: Obstacle | undefined;
  };
  /** If money is compared: a single sale that makes the lead. */
  readonly decisiveSale: DecisiveSale | undefined;
  /** The expected daily loss of today's split against the leader alone; in money or conversions. */
  readonly waitingCostPerDay: number;
  /** The expected daily loss of giving the leader all the traffic, because another page may be better. */
  readonly riskPerDay: number;
  /** If conversions are compared and money is earned: how much less the leader's conversions may pay. */
  readonly breakEven: BreakEven | undefined;
  readonly pages: readonly PageEstimate[];
  readonly leftOut: LeftOut;
  /** Why no chance can be given: shares changed and single days are unknown, or the leader has fewer than five conversions. */
  readonly whyNoChance: 'steady shares' | 'few conversions' | undefined;
}

export type Obstacle = 'steady shares' | 'common days' | 'no sales' | 'no lead' | 'money behind' | 'small lead';

export interface PageEstimate {
  /** Per view: money, or conversions. */
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** The range of money per view; if conversions are compared, the range of conversions times payouts. */
  readonly earnings: Range;
  readonly chance: number;
  /** The share of the traffic of the shown pages that is recommended by today's evidence, in percent; undefined for the others. */
  readonly share: number | undefined;
}

/**
 * Whether single days are worth a request: if the sums alone give a verdict on either basis, or show that a page may be behind, or if
 * shares changed within the period.
 */
export function areDaysWorthReading(pages: readonly ComparedPage[], dayCount: number): boolean {
  if (!hasSteadyShares(pages)) return true;
  const sample = sampleOf(pages, undefined);
  const other = sample.basis === 'money' ? conversionsOf(pages, undefined) : asIfFixed(pages);
  return [sample, other].some((one) => {
    const { standing, mayShowBehind } = rankPages(one, dayCount, allMet, payoutsOf(pages, one));
    return standing.verdict !== 'too early' || mayShowBehind;
  });
}

const allMet: Conditions = { 'steady shares': true, 'late sales': true };

const onTheDay: Lateness = { booking: 'visit', delay: undefined, asOf: '' };

/**
 * Which page of a campaign earns most, and how sure that is.
 *
 * Of equal pages one is called the clear leader in at most 5% of campaigns, however often one asks and whatever payouts, seasons, late
 * sales and changes of shares there are; in 10 to 25% if the luck of a page lasts for days (`npm run calibrate`).
 *
 * @param pages two or more that had views, in any order
 */
export function comparePages(pages: readonly ComparedPage[], circumstances: Circumstances): Comparison {
  const { days, lateness = onTheDay, viewsBefore } = circumstances;
  const leftOut = days ? daysLeftOut(days, lateness, viewsBefore) : { changed: [], late: [] };
  const usable = days?.filter(({ date }) => !leftOut.changed.includes(date) && !leftOut.late.includes(date));
  // If shares change daily, a page is new, or all sales are still to come, no usable days are left.
  const areEnough = usable && pages.every((_, page) => usable.some((day) => at(day.pages, page).views > 0));
  const used = areEnough ? usable : days;
  const dayCount = used?.length ?? circumstances.dayCount;
  const sample = sampleOf(pages, days, used);
  const payouts = payoutsOf(pages, sample, used);
  const conditions = conditionsOf(pages, circumstances, used === usable);
  const ranking = rankPages(sample, dayCount, conditions, payouts);
  const { basis, histories } = sample;
  const { standing, overRunnerUp, weakest, figures, posteriors } = ranking;
  const { leader, shown } = standing;
  const { rival: runnerUp } = overRunnerUp;
  const viewsPerDay = sum(histories.map(({ views }) => views)) / dayCount;
  const expected = posteriors.map(expectationOf);
  const earned = (page: number) => at(figures, page).worth / at(figures, page).views;
  const ratioOver = (page: number) => (at(figures, page).worth > 0 ? earned(leader) / earned(page) : undefined);
  const ratio = ratioOver(runnerUp);
  const isEnoughOf = (page: number) => at(figures, page).conversions >= minForPercent;
  const parts = presentParts(pages.map(({ share }) => share)) ?? pages.map(({ views }) => views);
  const isSure = !standing.lacks.includes('evidence') && !standing.lacks.includes('agreement of money');
  const chances = chancesWithin(ranking.chances, isSure ? leader : undefined);
  const shares = recommendedShares(pages, ranking, chances);
  return {
    ...standing,
    basis,
    runnerUp,
    weakest: weakest.rival,
    dayCount,
    lead: {
      percent: ratio === undefined || ![leader, runnerUp].every(isEnoughOf) ? null : (ratio - 1) * 100,
      ...(isEnoughOf(leader) ? leadInterval(overRunnerUp) : { low: null, high: null }),
    },
    evidencePercent: partOfVerdict(weakest.log) * 100,
    needed: neededFor(
      ranking,
      (ratioOver(weakest.rival) ?? at(expected, leader) / at(expected, weakest.rival)) - 1,
      viewsPerDay,
      dayCount,
    ),
    decisiveSale: basis === 'money' ? decisiveSaleOf(at(histories, leader), at(histories, runnerUp), ratio) : undefined,
    waitingCostPerDay:
      viewsPerDay * (at(expected, leader) - sum(parts.map((part, page) => part * at(expected, page))) / sum(parts)),
    riskPerDay: viewsPerDay * ranking.loss,
    breakEven:
      basis === 'conversions' && pages.some(({ revenue }) => revenue !== 0) && [leader, runnerUp].every(isEnoughOf)
        ? breakEvenOf(
            [at(pages, leader), at(pages, runnerUp)],
            [at(ranking.rates, leader), at(ranking.rates, runnerUp)],
          )
        : undefined,
    pages: posteriors.map((posterior, page) => ({
      value: at(expected, page),
      ...rangeOf(posterior),
      earnings: basis === 'money' ? rangeOf(posterior) : rangeOfProduct(posterior, at(payouts, page)),
      chance: at(chances, page),
      share: shares[shown.indexOf(page)],
    })),
    leftOut,
    whyNoChance: conditions['steady shares'] ? (isEnoughOf(leader) ? undefined : 'few conversions') : 'steady shares',
  };
}

/** By Thompson sampling; without a verdict, only as far on the way there as the evidence against each page goes. */
function recommendedShares(
  pages: readonly ComparedPage[],
  { standing: { shown, verdict }, carried }: ReturnType<typeof rankPages>,
  chances: readonly number[],
): readonly number[] {
  const shares = thompsonShares(shown.map((page) => at(chances, page)));
  if (verdict === 'clear') return shares;
  const listed = shown.map((page) => at(pages, page));
  const present = presentParts(listed.map(({ share }) => share)) ?? presentParts(listed.map(({ views }) => views));
  return present
    ? stepTowards(
        present,
        shares,
        shown.map((page) => at(carried, page)),
      )
    : shares;
}

/** The same by the number of conversions alone. */
export function compareConversions(pages: readonly ComparedPage[], circumstances: Circumstances): Comparison {
  const unpaid = pages.map((page) => ({ ...page, revenue: 0, listed: undefined }));
  return comparePages(unpaid, circumstances);
}

const minLead = 0.001;

/** What a clear verdict takes, if the lead over the page with the weakest evidence stays or halves. */
function neededFor(
  { standing, weakest, aheadBy }: ReturnType<typeof rankPages>,
  lead: number,
  viewsPerDay: number,
  dayCount: number,
): Comparison['needed'] {
  const unknown = (obstacle: Obstacle) => ({ ifLeadStays: null, ifLeadHalves: null, obstacle });
  const { lacks } = standing;
  if (lacks.includes('steady shares')) return unknown('steady shares');
  if (lacks.includes('common days')) return unknown('common days');
  if (weakest.pair.leader.conversions + weakest.pair.rival.conversions === 0) return unknown('no sales');
  if (lead < minLead) return unknown('no lead');
  const ahead = Math.min(...aheadBy);
  if (ahead <= 0) return unknown('money behind');
  // Standard errors shrink with the square root of the days.
  const daysOfMoney = ahead < 1 ? Math.ceil(dayCount * (ahead ** -2 - 1)) : 0;
  const minFurtherDays = Math.max(minDays - (weakest.commonDays ?? dayCount), daysOfMoney);
  const future = (part: number) => forecast(weakest, 1 + part, viewsPerDay, minFurtherDays, dayCount);
  const ifLeadStays = future(lead);
  return { ifLeadStays, ifLeadHalves: future(lead / 2), obstacle: ifLeadStays ? undefined : 'small lead' };
}

/** The part of a period that may be days whose sales are still to come, if single days are unknown. */
const maxLatePart = 0.05;

function conditionsOf(
  pages: readonly ComparedPage[],
  { days, dayCount, lateness = onTheDay, viewsBefore }: Circumstances,
  areDaysUsable: boolean,
): Conditions {
  if (days) return { 'steady shares': true, 'late sales': areDaysUsable };
  const views = pages.map((page) => page.views);
  return {
    'steady shares': hasSteadyShares(pages) && !(viewsBefore && isSplitAnew(views, viewsBefore, 'views before')),
    'late sales': daysToCome(lateness) <= maxLatePart * dayCount,
  };
}

/** The mean payout of each page, if conversions are counted; empty if money is summed. */
function payoutsOf(
  pages: readonly ComparedPage[],
  { basis }: Sample,
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

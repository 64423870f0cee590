import {
  asIfFixed,
  type Basis,
  type BreakEven,
  breakEvenOf,
  byConversions,
  type ComparedPage,
  type DecisiveSale,
  decisiveSaleOf,
  type Material,
  type MeanPayout,
  materialOf,
  meanPayoutOf,
} from './basis.ts';
import { chancesWithin, expectationOf, type Range, rangeOf, rangeOfProduct } from './chances.ts';
import { type Forecast, forecast, leadInterval } from './evidence.ts';
import { at, type Day, sum } from './history.ts';
import { presentParts, thompsonShares } from './shares.ts';
import { areSharesMoved, daysLeftOut, type Lateness, type LeftOut } from './usable-days.ts';
import { type Conditions, hasSteadyShares, minDays, rankPages, type Standing } from './verdict.ts';
import { sufficientLogWealth } from './wealth.ts';

export interface Circumstances {
  /** The days of the period, which add up to the sums; without them the sums are all there is. */
  readonly days?: readonly Day[] | undefined;
  /** How many days the sums are of. */
  readonly dayCount: number;
  /** Undefined if sales are known to come on the day of their visit. */
  readonly lateness?: Lateness | undefined;
  /** The views of the pages shortly before the first day, whose sales may still have come in; undefined if they are not known. */
  readonly viewsBefore?: readonly number[] | undefined;
}

export interface Comparison extends Standing {
  readonly basis: Basis;
  /** The page against which the evidence of its lead is weakest; of a clear verdict, the best of the other pages. */
  readonly rival: number;
  /** How many days the verdict rests on. */
  readonly dayCount: number;
  /** The lead over the rival in percent, with the range that withstands being looked at every day; null if it has no bound. */
  readonly lead: { readonly percent: number | null; readonly low: number; readonly high: number | null };
  /** Of a clear verdict, 0 to 100. */
  readonly evidencePercent: number;
  /** What a clear verdict takes. */
  readonly needed: {
    /** Null if it cannot be computed, or nothing suffices. */
    readonly ifLeadStays: Forecast | null;
    readonly ifLeadHalves: Forecast | null;
    /** Why the first is null. */
    readonly obstacle: Obstacle | undefined;
  };
  /** If money is compared: a single sale that makes the lead. */
  readonly decisiveSale: DecisiveSale | undefined;
  /** What today's split is expected to earn less a day than the leader alone; in money or conversions. */
  readonly waitingCostPerDay: number;
  /** What giving the leader all the traffic is expected to give away a day, since another may be better. */
  readonly riskPerDay: number;
  /** If conversions are compared though money is earned: how much less the leader's may pay. */
  readonly breakEven: BreakEven | undefined;
  /** In the order of the pages given. */
  readonly pages: readonly PageEstimate[];
  /** Dates that were left out. */
  readonly leftOut: LeftOut;
  /** Whether anything can be said of how likely a page is to be best: not if shares changed and single days are not known. */
  readonly areChancesKnown: boolean;
}

/** Why it cannot be said what a verdict takes. */
export type Obstacle = 'steady shares' | 'common days' | 'no sales' | 'no lead' | 'money behind' | 'small lead';

export interface PageEstimate {
  /** Per view: money, or conversions. */
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** The range of money per view, which is that of conversions times payouts if conversions are compared. */
  readonly earnings: Range;
  /** To be the best. */
  readonly chance: number;
  /** Of the traffic of the pages shown, in percent; undefined for the others. */
  readonly share: number | undefined;
}

/**
 * Whether days are worth asking for: if sums alone would say more than too early, on either basis, or that a page may be behind, or if
 * shares must have changed within the period.
 */
export function areDaysWorthReading(pages: readonly ComparedPage[], dayCount: number): boolean {
  if (!hasSteadyShares(pages)) return true;
  const known = materialOf(pages, undefined);
  const other: Material =
    known.basis === 'money'
      ? { basis: 'conversions', histories: byConversions(pages, undefined) }
      : { basis: 'money', histories: asIfFixed(pages) };
  return [known, other].some((material) => {
    const { standing, mayShowBehind } = rankPages(material, dayCount, allMet, payoutsOf(pages, material));
    return standing.verdict !== 'too early' || mayShowBehind;
  });
}

/**
 * Which of a campaign's pages earns most, and how sure that is.
 *
 * Equal pages have a leader named in at most 5% of campaigns, however often one asks and whatever payouts, seasons, late sales and
 * changes of shares there are; in 10 to 25% if the luck of a page lasts for days (`npm run calibrate`).
 *
 * @param pages two or more that had views, in any order
 */
export function comparePages(pages: readonly ComparedPage[], circumstances: Circumstances): Comparison {
  const { days, lateness = onTheDay, viewsBefore } = circumstances;
  const leftOut = days ? daysLeftOut(days, lateness, viewsBefore) : { changed: [], late: [] };
  const steady = days?.filter(({ date }) => !leftOut.changed.includes(date) && !leftOut.late.includes(date));
  // If shares change every day, a page is new, or all sales are still to come, there are no other days.
  const areEnough = steady && pages.every((_, page) => steady.some((day) => at(day.pages, page).views > 0));
  const used = areEnough ? steady : days;
  const dayCount = used?.length ?? circumstances.dayCount;
  const material = materialOf(pages, days, used);
  const payouts = payoutsOf(pages, material, used);
  const conditions = conditionsOf(pages, circumstances, used !== steady);
  const ranking = rankPages(material, dayCount, conditions, payouts);
  const { basis, histories } = material;
  const { standing, shownEvidence, figures, beliefs } = ranking;
  const { leader, shown } = standing;
  const { rival } = shownEvidence;
  const viewsPerDay = sum(histories.map(({ views }) => views)) / dayCount;
  const expected = beliefs.map(expectationOf);
  const earned = (page: number) => at(figures, page).worth / at(figures, page).views;
  const ratio = at(figures, rival).worth > 0 ? earned(leader) / earned(rival) : undefined;
  const lead = (ratio ?? at(expected, leader) / at(expected, rival)) - 1;
  const parts = presentParts(pages.map(({ share }) => share)) ?? pages.map(({ views }) => views);
  const isSure = !standing.lacks.includes('evidence') && !standing.lacks.includes('agreement of money');
  const chances = chancesWithin(ranking.chances, isSure ? leader : undefined);
  const shares = thompsonShares(shown.map((page) => at(chances, page)));
  return {
    ...standing,
    basis,
    rival,
    dayCount,
    lead: { percent: ratio === undefined ? null : lead * 100, ...leadInterval(shownEvidence) },
    evidencePercent: Math.min(Math.max((shownEvidence.log / sufficientLogWealth) * 100, 0), 100),
    needed: neededFor(ranking, lead, viewsPerDay, dayCount),
    decisiveSale: basis === 'money' ? decisiveSaleOf(at(histories, leader), at(histories, rival), ratio) : undefined,
    waitingCostPerDay:
      viewsPerDay * (at(expected, leader) - sum(parts.map((part, page) => part * at(expected, page))) / sum(parts)),
    riskPerDay: viewsPerDay * ranking.loss,
    breakEven:
      basis === 'conversions' && pages.some(({ revenue }) => revenue !== 0)
        ? breakEvenOf([at(pages, leader), at(pages, rival)], [at(ranking.rates, leader), at(ranking.rates, rival)])
        : undefined,
    pages: beliefs.map((belief, page) => ({
      value: at(expected, page),
      ...rangeOf(belief),
      earnings: basis === 'money' ? rangeOf(belief) : rangeOfProduct(belief, at(payouts, page)),
      chance: at(chances, page),
      share: shares[shown.indexOf(page)],
    })),
    leftOut,
    areChancesKnown: conditions['steady shares'],
  };
}

/** What a clear verdict takes, if the lead stays as it is or halves. */
function neededFor(
  { standing, shownEvidence, aheadBy }: ReturnType<typeof rankPages>,
  lead: number,
  viewsPerDay: number,
  dayCount: number,
): Comparison['needed'] {
  const none = (obstacle: Obstacle) => ({ ifLeadStays: null, ifLeadHalves: null, obstacle });
  const { lacks } = standing;
  if (lacks.includes('steady shares')) return none('steady shares');
  if (lacks.includes('common days')) return none('common days');
  if (shownEvidence.pair.leader.conversions + shownEvidence.pair.rival.conversions === 0) return none('no sales');
  if (lead < minLead) return none('no lead');
  const ahead = Math.min(...aheadBy);
  if (ahead <= 0) return none('money behind');
  // Standard errors shrink with the root of the days.
  const daysOfMoney = ahead < 1 ? Math.ceil(dayCount * (ahead ** -2 - 1)) : 0;
  const daysLeft = Math.max(minDays - (shownEvidence.commonDays ?? dayCount), daysOfMoney);
  const future = (part: number) => forecast(shownEvidence, 1 + part, viewsPerDay, daysLeft, dayCount);
  const ifLeadStays = future(lead);
  return { ifLeadStays, ifLeadHalves: future(lead / 2), obstacle: ifLeadStays ? undefined : 'small lead' };
}

/** A lead below a thousandth is none. */
const minLead = 0.001;

const allMet: Conditions = { 'steady shares': true, 'late sales': true };

const onTheDay: Lateness = { booking: 'visit', delay: undefined, asOf: '' };

function conditionsOf(
  pages: readonly ComparedPage[],
  { days, dayCount, lateness = onTheDay, viewsBefore }: Circumstances,
  isNoDayUsable: boolean,
): Conditions {
  if (days) return { 'steady shares': true, 'late sales': !isNoDayUsable };
  const views = pages.map((page) => page.views);
  const daysToCome = lateness.booking === 'sale' ? 0 : (lateness.delay?.daysUntilIn ?? 0);
  return {
    'steady shares': hasSteadyShares(pages) && !(viewsBefore && areSharesMoved(views, viewsBefore)),
    'late sales': daysToCome <= maxLatePart * dayCount,
  };
}

/** The same by the count of conversions alone. */
export function compareConversions(pages: readonly ComparedPage[], circumstances: Circumstances): Comparison {
  const unpaid = pages.map((page) => ({ ...page, revenue: 0, listed: undefined }));
  return comparePages(unpaid, circumstances);
}

/** So much of a period may be days whose sales are still to come, if days cannot be distinguished. */
const maxLatePart = 0.05;

/** What conversions of each page pay on average, if they are counted and not summed. */
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

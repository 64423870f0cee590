import { type ComparedPage, type MeanPayout, moneyAhead, type Sample } from './basis.ts';
import { type Evidence, evidenceFor } from './evidence.ts';
import { at, pool, seasonalViews, sum } from './history.ts';
import { isSplitAnew } from './moved-shares.ts';
import {
  chancesOf,
  earningsPosteriors,
  expectationOf,
  type PageFigures,
  type Posterior,
  posteriorsOf,
} from './posteriors.ts';
import { chanceAlone, dispersionOf, logAverage, scatterOf } from './scatter.ts';
import { sufficientLogWealth } from './wealth.ts';

/** Whether the evidence suffices for a decision, suffices to lean on, or neither. */
export type Verdict = 'clear' | 'leaning' | 'too early';

export type Lack =
  | 'evidence'
  | 'days'
  | 'common days'
  | 'steady shares'
  | 'agreement of money'
  | 'late sales'
  | 'one order in all parts';

/** Without these there is no leaning verdict either. */
const disqualifying: readonly Lack[] = ['steady shares', 'agreement of money', 'late sales'];

/** The outcome of a ranking; pages by their index. */
export interface Standing {
  readonly verdict: Verdict;
  readonly lacks: readonly Lack[];
  /** The page with the highest expected earnings. */
  readonly leader: number;
  /** The pages that matter, the leader first, then the closest. All others are worse than these. */
  readonly shown: readonly number[];
  /** Pages that surely are not the best, while it is open which one is. */
  readonly behind: readonly number[];
  /** Mean square over squared mean of what a page's conversions are worth: 1 if that never varies. */
  readonly spread: number;
}

type RivalEvidence = Evidence & { readonly rival: number };

/** A standing and its numbers. */
interface Ranking {
  readonly standing: Standing;
  /** The evidence against the page that is expected to earn most after the leader, of those with enough conversions if there are any. */
  readonly overRunnerUp: RivalEvidence;
  /** The weakest evidence: what a verdict waits for. */
  readonly weakest: RivalEvidence;
  /** By page, the part of the evidence for a verdict that it earns less than the leader: 0 to 1, 0 for the leader. */
  readonly carried: readonly number[];
  /** By page, how far the leader of conversions also leads in money: enough from 1 on, infinite without money. */
  readonly aheadBy: readonly number[];
  /** Whether some page would surely be behind if days scattered by chance alone. */
  readonly mayShowBehind: boolean;
  readonly figures: readonly PageFigures[];
  /** Conversions per seasonal view. */
  readonly rates: readonly number[];
  readonly posteriors: readonly Posterior[];
  /** The chance of each page to be the best. */
  readonly chances: readonly number[];
  /** The expected loss per view of choosing the leader instead of the best. */
  readonly loss: number;
}

/** Max pages that are listed and given a share. */
const maxShown = 20;

export const minDays = 5;
/** Fewer conversions make no percentage: one more or less would change it by a quarter or more. */
export const minForPercent = 5;
const leaningChance = 0.8;
const leaningConversions = 10;

/** What a verdict needs besides evidence: shares that did not change unseen, and sales that are in. */
export type Conditions = Readonly<Record<'steady shares' | 'late sales', boolean>>;

/**
 * @param dayCount the days of the period, whether or not single days are known
 * @param payouts mean payouts by page, if conversions are compared and money may disagree; otherwise empty
 */
export function rankPages(
  { histories }: Sample,
  dayCount: number,
  conditions: Conditions,
  payouts: readonly MeanPayout[],
): Ranking {
  const seasonal = seasonalViews(histories);
  const figures = histories.map(
    ({ conversions, worth }, page): PageFigures => ({ views: at(seasonal, page), conversions, worth }),
  );
  const rates = figures.map(({ conversions, views }) => (views > 0 ? conversions / views : 0));
  const spread = spreadOf(histories);
  const posteriors = posteriorsOf(figures, spread, dispersionOf(scatterOf(histories, rates)));
  const expected = posteriors.map(expectationOf);
  const leader = expected.indexOf(Math.max(...expected));
  const { chances, loss } = chancesOf(earningsPosteriors(posteriors, payouts), leader);
  const [shown, far] = byDistance(posteriors, leader);

  const over = (rival: number): RivalEvidence => ({
    rival,
    ...evidenceFor(at(histories, leader), at(histories, rival), [at(rates, leader), at(rates, rival)], dayCount),
  });
  const near = shown.slice(1).map(over);
  // Far rivals matter only if all nearer ones are beaten.
  const evidence = near.every(({ log }) => log >= sufficientLogWealth) ? [...near, ...far.map(over)] : near;
  const weakest = evidence.reduce((min, one) => (one.log < min.log ? one : min));
  const aheadBy = histories.map((_, other) => {
    const payout = payouts[other];
    const isOpen = payout && other !== leader;
    return isOpen ? moneyAhead([at(payouts, leader), payout], at(rates, leader) / at(rates, other)) : Infinity;
  });
  const lacks = lacksOf(evidence, dayCount, { ...conditions, 'agreement of money': Math.min(...aheadBy) >= 1 });
  const verdict = verdictOf(lacks, at(chances, leader), at(figures, leader).conversions);

  /** The best page earns no less than all others together, so a page that surely earns less than these is not the best. */
  const othersOver = (page: number): Evidence => {
    const others = shown.filter((other) => other !== page);
    const total = (measure: 'views' | 'conversions') => sum(others.map((other) => at(figures, other)[measure]));
    const pooled = pool(others.map((other) => at(histories, other)));
    return evidenceFor(pooled, at(histories, page), [total('conversions') / total('views'), at(rates, page)], dayCount);
  };
  const isBehind = (one: RivalEvidence) =>
    at(aheadBy, one.rival) >= 1 &&
    [one, othersOver(one.rival)].some(
      ({ log, commonDays = dayCount }) => log >= behindLogWealth(shown.length) && commonDays >= minDays,
    );
  const isOpen = verdict !== 'clear' && conditions['steady shares'] && conditions['late sales'];
  const behind = isOpen && shown.length > 2 ? near.filter(isBehind).map(({ rival }) => rival) : [];
  const mayShowBehind =
    shown.length > 2 && near.some(({ byLift }) => logAverage(byLift, chanceAlone) >= behindLogWealth(shown.length));
  const enough = evidence.filter(({ rival }) => at(figures, rival).conversions >= minForPercent);
  const overRunnerUp = (enough.length > 0 ? enough : evidence).reduce((best, one) =>
    at(expected, one.rival) > at(expected, best.rival) ? one : best,
  );
  return {
    standing: { verdict, lacks, leader, shown, behind, spread },
    overRunnerUp,
    weakest,
    carried: histories.map((_, page) => partOfVerdict(evidence.find(({ rival }) => rival === page)?.log ?? 0)),
    aheadBy,
    mayShowBehind,
    figures,
    rates,
    posteriors,
    chances,
    loss,
  };
}

/**
 * The log wealth that shows that one of several pages is not the best. Less than for a verdict, because traffic taken from a page can
 * be given back: at most 1 campaign in 20 names a page that is as good as the others (measured, asked daily).
 */
function behindLogWealth(pageCount: number): number {
  return Math.log(10 * (pageCount - 1));
}

/** Whether the views of a period are split as today’s shares say. */
export function hasSteadyShares(pages: readonly ComparedPage[]): boolean {
  return !isSplitAnew(
    pages.map(({ views }) => views),
    pages.map(({ share }) => share),
    'shares',
  );
}

/** Log wealth as a part of what a clear verdict takes: 0 to 1. */
export function partOfVerdict(log: number): number {
  return Math.min(Math.max(log / sufficientLogWealth, 0), 1);
}

/** The leader and the pages closest to it, closest first; and all others. */
function byDistance(posteriors: readonly Posterior[], leader: number): [near: number[], far: number[]] {
  const first = at(posteriors, leader);
  const distances = posteriors.map(
    ({ mean, deviation }) => (first.mean - mean) / Math.hypot(first.deviation, deviation),
  );
  const rivals = [...posteriors.keys()].filter((page) => page !== leader);
  rivals.sort((one, other) => at(distances, one) - at(distances, other));
  return [[leader, ...rivals.slice(0, maxShown - 1)], rivals.slice(maxShown - 1)];
}

function lacksOf(
  evidence: readonly Evidence[],
  dayCount: number,
  isMet: Conditions & Readonly<Record<'agreement of money', boolean>>,
): readonly Lack[] {
  const commonDays = evidence.map((one) => one.commonDays ?? dayCount);
  const conditions: Readonly<Partial<Record<Lack, boolean>>> = {
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
  return isLeaning && !disqualifying.some((lack) => lacks.includes(lack)) ? 'leaning' : 'too early';
}

/** How much the worth of single conversions varies within pages. */
function spreadOf(histories: Sample['histories']): number {
  const paid = histories.filter(({ worth }) => worth > 0);
  const weighted = paid.map(({ conversions, worth, squares }) => (conversions ** 2 * squares) / worth ** 2);
  return paid.length > 0 ? sum(weighted) / sum(paid.map(({ conversions }) => conversions)) : 1;
}

import { type ComparedPage, type Material, type MeanPayout, moneyAhead } from './basis.ts';
import { type Belief, believe, believeEarnings, chancesOf, expectationOf, type PageFigures } from './chances.ts';
import { type Evidence, evidenceFor } from './evidence.ts';
import { at, type History, pool, seasonalViews, sum } from './history.ts';
import { chanceAlone, dispersionOf, logAverage, scatterOf } from './scatter.ts';
import { fitShares } from './usable-days.ts';
import { sufficientLogWealth } from './wealth.ts';

/** How far the evidence goes: enough for a decision, enough to lean on, or neither. */
export type Verdict = 'clear' | 'leaning' | 'too early';

/** What a clear verdict still lacks. */
export type Lack =
  | 'evidence'
  | 'days'
  | 'common days'
  | 'steady shares'
  | 'agreement of money'
  | 'late sales'
  | 'one order in all parts';

/** What leaves no lean either. */
const disqualifying: readonly Lack[] = ['steady shares', 'agreement of money', 'late sales'];

/** What is said of a ranking as it is; pages by their index. */
export interface Standing {
  readonly verdict: Verdict;
  readonly lacks: readonly Lack[];
  /** The page that is ahead, by what is expected of it. */
  readonly leader: number;
  /** The pages that matter, the likeliest to be best first; the others are behind them all. */
  readonly shown: readonly number[];
  /** Pages that surely are not the best, though it is open which one is. */
  readonly behind: readonly number[];
  /** Mean square over squared mean of what a page's conversions are worth: 1 if that never varies. */
  readonly spread: number;
}

/** Who leads, how sure that is, and what it rests on. */
interface Ranking {
  readonly standing: Standing;
  /** The weakest evidence or, if all of it suffices, that against the best of the other pages. */
  readonly shownEvidence: Evidence & { readonly rival: number };
  /** How far it also leads each page in money, if conversions are compared: enough from 1 on, infinite without money. */
  readonly aheadBy: readonly number[];
  /** Whether some page would surely be behind if days scattered by chance alone. */
  readonly mayShowBehind: boolean;
  readonly figures: readonly PageFigures[];
  /** Conversions per seasonal view. */
  readonly rates: readonly number[];
  readonly beliefs: readonly Belief[];
  /** To be the best. */
  readonly chances: readonly number[];
  /** What the leader is expected to give away per view against the best. */
  readonly loss: number;
}

/** Pages beyond these are neither listed nor given a share. */
const maxShown = 20;

export const minDays = 5;
const leaningChance = 0.8;
const leaningConversions = 10;

/** What a verdict needs beside its evidence: shares that did not change unseen, and sales that are in. */
export type Conditions = Readonly<Record<'steady shares' | 'late sales', boolean>>;

/**
 * @param dayCount how many days the pages had, whether or not these are known one by one
 * @param payouts the mean payouts, one a page, if conversions are compared though money may say otherwise
 */
export function rankPages(
  { histories }: Material,
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
  const beliefs = believe(figures, spread, dispersionOf(scatterOf(histories, rates)));
  const expected = beliefs.map(expectationOf);
  const leader = expected.indexOf(Math.max(...expected));
  const { chances, loss } = chancesOf(believeEarnings(beliefs, payouts), leader);
  const [shown, behind] = rank(beliefs, leader);

  const ratesOf = (rival: number) => [at(rates, leader), at(rates, rival)] as const;
  const over = (rival: number) => ({
    rival,
    ...evidenceFor(at(histories, leader), at(histories, rival), ratesOf(rival), dayCount),
  });
  const near = shown.slice(1).map(over);
  // Those far behind matter only if all nearer ones are beaten.
  const evidence = near.every(({ log }) => log >= sufficientLogWealth) ? [...near, ...behind.map(over)] : near;
  const weakest = evidence.reduce((min, one) => (one.log < min.log ? one : min));
  const aheadBy = histories.map((_, other) => {
    const payout = payouts[other];
    const isOpen = payout && other !== leader;
    return isOpen ? moneyAhead([at(payouts, leader), payout], at(rates, leader) / at(rates, other)) : Infinity;
  });
  const lacks = lacksOf(evidence, dayCount, { ...conditions, 'agreement of money': Math.min(...aheadBy) >= 1 });
  const verdict = verdictOf(lacks, at(chances, leader), at(figures, leader).conversions);
  const isOpen = verdict !== 'clear' && conditions['steady shares'] && conditions['late sales'];
  const ranked = { histories, figures, rates };
  const isBehind = (one: Evidence & { readonly rival: number }) =>
    at(aheadBy, one.rival) >= 1 &&
    [one, overByOthers(one.rival, shown, ranked, dayCount)].some(
      ({ log, commonDays = dayCount }) => log >= behindLogWealth(shown.length) && commonDays >= minDays,
    );
  const beaten = isOpen && shown.length > 2 ? near.filter(isBehind) : [];
  const nextBest = evidence.reduce((best, one) => (at(expected, one.rival) > at(expected, best.rival) ? one : best));
  const shownEvidence = verdict === 'clear' ? nextBest : weakest;
  const standing = { verdict, lacks, leader, shown, behind: beaten.map(({ rival }) => rival), spread };
  const mayShowBehind =
    shown.length > 2 && near.some(({ byLift }) => logAverage(byLift, chanceAlone) >= behindLogWealth(shown.length));
  return { standing, shownEvidence, aheadBy, mayShowBehind, figures, rates, beliefs, chances, loss };
}

/**
 * The best page earns no less than all others together, so that one that surely earns less than these is not the best: the evidence
 * for that, which grows with the traffic of all.
 */
function overByOthers(
  page: number,
  shown: readonly number[],
  { histories, figures, rates }: Pick<Ranking, 'figures' | 'rates'> & Pick<Material, 'histories'>,
  dayCount: number,
): Evidence {
  const others = shown.filter((other) => other !== page);
  const total = (measure: 'views' | 'conversions') => sum(others.map((other) => at(figures, other)[measure]));
  const pooled = pool(others.map((other) => at(histories, other)));
  return evidenceFor(pooled, at(histories, page), [total('conversions') / total('views'), at(rates, page)], dayCount);
}

/**
 * What shows that one of several pages is not the best. Traffic that is taken from a page can be given back, so that less is asked
 * than of a verdict: over all pages, 1 campaign in 20 at most names one that is as good as the others (measured, asked daily).
 */
function behindLogWealth(pageCount: number): number {
  return Math.log(10 * (pageCount - 1));
}

/** Whether the views of a period are spread as today’s shares say. */
export function hasSteadyShares(pages: readonly ComparedPage[]): boolean {
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

/** How much what single conversions are worth varies within pages. */
function spreadOf(histories: readonly History[]): number {
  const paid = histories.filter(({ worth }) => worth > 0);
  const weighted = paid.map(({ conversions, worth, squares }) => (conversions ** 2 * squares) / worth ** 2);
  return paid.length > 0 ? sum(weighted) / sum(paid.map(({ conversions }) => conversions)) : 1;
}

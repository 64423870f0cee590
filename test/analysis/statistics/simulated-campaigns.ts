import { comparePages } from '../../../src/analysis/statistics/compare-pages.ts';
import { drawEarnings, oddsOf } from '../../../src/analysis/statistics/earnings.ts';
import { gatherEvidence, type PageResult } from '../../../src/analysis/statistics/evidence.ts';
import { isSureLead } from '../../../src/analysis/statistics/lead.ts';
import { posteriorOf } from '../../../src/analysis/statistics/posterior.ts';
import { drawGamma, drawNormal, type Random, seededRandom } from '../../../src/analysis/statistics/random.ts';
import { explorationShares } from '../../../src/analysis/statistics/shares.ts';
import { at } from './at.ts';

/** The truth about a page, which only the simulation knows. */
export interface TruePage {
  readonly rate: number;
  readonly payout: number;
}

/** How single payouts vary around their mean: each is a factor of mean 1. */
export type PayoutKind = (random: Random) => number;

export const payoutKinds = {
  fixed: () => 1,
  exponential: (random) => -Math.log(random()),
  /** Standard deviation 1.3 times the mean: a few large orders make the sum. */
  lognormal: (random) => Math.exp(drawNormal(random) - 0.5),
  /** Nine small ones for each ten times as large. */
  twoPlans: (random) => (random() < 0.9 ? 1 : 10) / 1.9,
} satisfies Record<string, PayoutKind>;

export interface Scenario {
  readonly name: string;
  readonly pages: (random: Random) => readonly TruePage[];
  readonly payouts: PayoutKind;
  readonly viewsPerDay: number;
  /** Which columns the report has beside the sums. */
  readonly known: 'squares' | 'sums';
  /** Even shares, or those recommended, set anew each day. */
  readonly shares: 'even' | 'recommended';
}

export interface Outcome {
  /** The page claimed to be best, if any was. */
  readonly claim: number | undefined;
  /** Undefined where the best pages earn exactly the same. */
  readonly best: number | undefined;
  readonly views: number;
}

/** What a report counts for a page. */
export interface Tally {
  views: number;
  conversions: number;
  revenue: number;
  revenueSquares: number;
}

export const emptyTally = (): Tally => ({ views: 0, conversions: 0, revenue: 0, revenueSquares: 0 });

/** A campaign that is asked about every day until it claims a leader or its days are over. */
export function runCampaign(scenario: Scenario, days: number, seed: number): Outcome {
  const random = seededRandom(seed);
  const truth = scenario.pages(random);
  const results = truth.map(emptyTally);
  let shares: readonly number[] = truth.map(() => 100 / truth.length);
  for (let day = 0; day < days; day += 1) {
    for (const [index, tally] of results.entries()) {
      const views = (scenario.viewsPerDay * at(shares, index)) / 100;
      addVisitors(tally, at(truth, index), scenario.payouts, views, random);
    }
    const seen = results.map((result) => reported(result, scenario.known));
    const claim = claimOf(seen);
    if (claim !== undefined) return { claim, best: bestOf(truth), views: viewsOf(results) };
    if (scenario.shares === 'recommended') shares = recommended(seen, seed + day);
  }
  return { claim: undefined, best: bestOf(truth), views: viewsOf(results) };
}

/** A leader has a sure lead, so only where there is one the whole comparison is asked, and with fewer draws than usual. */
export function claimOf(seen: readonly PageResult[]): number | undefined {
  const { pages } = gatherEvidence(seen, 'view');
  const isPossible = pages.some((leader) => pages.every((rival) => rival === leader || isSureLead(leader, rival)));
  if (!isPossible) return undefined;
  const { decision } = comparePages(seen, { draws: 4_000 });
  return decision.kind === 'leader' ? decision.page : undefined;
}

/** The shares that comparePages recommends, from fewer draws. */
function recommended(seen: readonly PageResult[], seed: number): number[] {
  const { pages, pooled } = gatherEvidence(seen, 'view');
  const draws = drawEarnings(
    pages.map((page) => posteriorOf(page, pooled)),
    400,
    seed,
  );
  return explorationShares(oddsOf(draws).map(({ probabilityBest }) => probabilityBest));
}

/** Visitors come, convert and pay, as by the truth. */
export function addVisitors(
  tally: Tally,
  page: TruePage,
  payouts: PayoutKind,
  expectedViews: number,
  random: Random,
): void {
  const views = drawPoisson(expectedViews, random);
  const conversions = Math.min(drawPoisson(views * page.rate, random), views);
  tally.views += views;
  tally.conversions += conversions;
  for (let conversion = 0; conversion < conversions; conversion += 1) {
    const payout = page.payout * payouts(random);
    tally.revenue += payout;
    tally.revenueSquares += payout * payout;
  }
}

function reported({ views, conversions, revenue, revenueSquares }: Tally, known: Scenario['known']): PageResult {
  return known === 'squares' ? { views, conversions, revenue, revenueSquares } : { views, conversions, revenue };
}

function bestOf(truth: readonly TruePage[]): number | undefined {
  const earnings = truth.map(({ rate, payout }) => rate * payout);
  const most = Math.max(...earnings);
  const best = earnings.flatMap((value, page) => (most - value <= most * 1e-9 ? [page] : []));
  return best.length === 1 ? best[0] : undefined;
}

const viewsOf = (results: readonly Tally[]) => results.reduce((sum, { views }) => sum + views, 0);

/** Large means by halving: a Poisson is the sum of a gamma's arrivals (Ahrens and Dieter, Computing 12, 1974). */
function drawPoisson(mean: number, random: Random): number {
  let left = mean;
  let count = 0;
  while (left > 30) {
    const arrivals = Math.floor(left * 0.875);
    const time = drawGamma(arrivals, random);
    if (time > left) return count + drawBinomial(arrivals - 1, left / time, random);
    count += arrivals;
    left -= time;
  }
  let product = random();
  const limit = Math.exp(-left);
  while (product > limit) {
    count += 1;
    product *= random();
  }
  return count;
}

function drawBinomial(trials: number, chance: number, random: Random): number {
  let left = trials;
  let probability = chance;
  let count = 0;
  while (left > 30) {
    const middle = 1 + Math.floor(left / 2);
    const below = drawGamma(middle, random);
    const quantile = below / (below + drawGamma(left + 1 - middle, random));
    if (quantile <= probability) {
      count += middle;
      left -= middle;
      probability = (probability - quantile) / (1 - quantile);
    } else {
      left = middle - 1;
      probability /= quantile;
    }
  }
  for (let trial = 0; trial < left; trial += 1) if (random() < probability) count += 1;
  return count;
}

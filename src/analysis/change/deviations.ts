import type { GroupFigures } from '../visit-groups.ts';
import { type Factor, factorEffects, profitOf } from './factors.ts';
import { measures, type Spans, type Stretches, type Sums } from './visit-columns.ts';

/** A cause is sure if chance produces one like it in any of the groups at most this often: by a bound, in truth far more seldom. */
const maxFalse = 0.05;

/** A group that moved by fewer standard deviations is not named. Chance produces some that moved more. */
const minDeviation = 3.7;

/** Pairs are so many that one is named only if chance produces at most so many like it by that bound. */
const maxFalsePair = 1;

/** What a boundary adds to the tests of the one a day before: by chance both stand out (K. J. Worsley, Biometrika 69, 1982). */
const ofNextDay = 0.6;

/** How far a group's factor usually moves, compared with the same factor of the rest. */
const usualMove: Readonly<Record<Factor, number>> = {
  visits: 0.2,
  cost_per_visit: 0.05,
  clicks_per_visit: 0.1,
  sales_per_click: 0.1,
  revenue_per_sale: 0.05,
};

/** How a group moved compared with the rest. */
export interface Deviation {
  /** Its profit beyond what it would be if the group had moved like the rest; negative if less. */
  readonly money: number;
  readonly moved: readonly Factor[];
  /** Whether chance is excluded. If not, the numbers are small for the number of groups that were tested. */
  readonly isSure: boolean;
  /** Money times standard deviations. If one group is within another, the one that fits the change better has more. */
  readonly weight: number;
}

/**
 * @param testedGroups how many groups are tested: the more, the further chance moves one of them
 * @param sureFactor a factor that is known to have moved, whatever its sums show
 * @param even both with the same mix of campaigns in each span, by which ratios are compared
 * @returns undefined if nothing in the group moved by more than chance
 */
export function findDeviation(
  group: Stretches,
  rest: Stretches,
  testedGroups: number,
  sureFactor?: Factor,
  arePairs = false,
  even: { readonly group: Stretches; readonly rest: Stretches } = { group, rest },
): Deviation | undefined {
  if (rest.before.views === 0 || rest.after.views === 0) return undefined;
  const testCount = testedGroups * tests.length * (1 + ofNextDay * group.splits.length);
  // The deviance of none at all is twice the logarithm of its exact chance.
  const sizeOf = (chance: number) => Math.sqrt(2 * Math.log(Math.max(testCount, 1) / chance));
  const sureSize = sizeOf(maxFalse);
  const minSize = arePairs ? sizeOf(maxFalsePair) : minDeviation;
  const moved = tests
    .map((test) => {
      const [own, others] = test.factor === 'visits' ? [group, rest] : [even.group, even.rest];
      return {
        factor: test.factor,
        size: Math.max(test.factor === sureFactor ? sureSize : 0, largestOf(test, own, others)),
      };
    })
    .filter(({ size }) => size > minSize);
  if (moved.length === 0) return undefined;
  const movedFactors = new Set(moved.map(({ factor }) => factor));
  const expected = expectedSums(group, rest, movedFactors);
  const effects = factorEffects(expected, group.after).filter(({ factor }) => movedFactors.has(factor));
  const money = profitOf(group.after) - profitOf(expected);
  return {
    money,
    weight: Math.abs(money) * Math.max(...moved.map(({ size }) => size)),
    moved: effects.sort((a, b) => Math.abs(b.effect) - Math.abs(a.effect)).map(({ factor }) => factor),
    isSure: moved.some(({ size }) => size >= sureSize),
  };
}

/** How far a factor moved with the best of all days as the boundary. */
function largestOf({ deviation }: Test, group: Stretches, rest: Stretches): number {
  let size = Math.abs(deviation(group, rest));
  for (let index = 0; index < group.splits.length; index += 1)
    size = Math.max(size, Math.abs(deviation(group.splits[index] ?? group, rest.splits[index] ?? rest)));
  return size;
}

/**
 * The sums of several campaigns with the same mix of them in each span: else a ratio of all would move with the mix, though it moved in
 * none. Their weights are those of N. Mantel and W. Haenszel, "Statistical aspects of the analysis of data", 1959: a campaign that
 * has visits in one span alone counts in neither.
 */
export function withEvenMix(campaigns: readonly Stretches[]): Stretches {
  const splits = campaigns[0]?.splits.map((_, index) =>
    withEvenSpans(campaigns.map((campaign) => campaign.splits[index] ?? campaign)),
  );
  return { ...withEvenSpans(campaigns), splits: splits ?? [] };
}

function withEvenSpans(campaigns: readonly Spans[]): Spans {
  const [before, after] = [{ ...noSums }, { ...noSums }];
  const viewsIn = (span: 'before' | 'after') => campaigns.reduce((all, campaign) => all + campaign[span].views, 0);
  const [allBefore, allAfter] = [viewsIn('before'), viewsIn('after')];
  for (const campaign of campaigns) {
    const [earlier, later] = [campaign.before.views / allBefore, campaign.after.views / allAfter];
    if (!(earlier > 0 && later > 0)) continue;
    const [ofBefore, ofAfter] = [(2 * later) / (earlier + later), (2 * earlier) / (earlier + later)];
    for (const measure of measures) {
      before[measure] += campaign.before[measure] * ofBefore;
      after[measure] += campaign.after[measure] * ofAfter;
    }
  }
  return { before, after, days: campaigns[0]?.days ?? [0, 0] };
}

/** A factor of all visits that moved by fewer standard deviations counts as steady. */
const minMove = 2;

/** The factors that moved by more than chance between two spans of the same length. */
export function movedFactors(spans: Pick<Spans, 'before' | 'after'>): ReadonlySet<Factor> {
  const days = [1, 1] as const;
  const steady: Spans = { before: steadySums, after: steadySums, days };
  const moved = tests.filter(({ deviation }) => Math.abs(deviation({ ...spans, days }, steady)) > minMove);
  return new Set(moved.map(({ factor }) => factor));
}

/** The profit of a group beyond what it would be if all its factors had moved like the rest; negative if less. */
export function excessOf(group: Spans, rest: Spans): number {
  return profitOf(group.after) - profitOf(expectedSums(group, rest, new Set(tests.map(({ factor }) => factor))));
}

/** The figures of a group in the later span if these factors had moved like the rest. */
function expectedSums({ before, after }: Spans, rest: Spans, moved: ReadonlySet<Factor>): GroupFigures {
  const expectedFactor = (factor: Factor, part: keyof GroupFigures, whole?: keyof GroupFigures) => {
    const factorIn = (sums: GroupFigures) => (whole === undefined ? sums[part] : ratioOf(sums[part], sums[whole]));
    if (!moved.has(factor)) return factorIn(after) ?? factorIn(before) ?? 0;
    const change = ratioOf(factorIn(rest.after) ?? 1, factorIn(rest.before) ?? 1) ?? 1;
    return (factorIn(before) ?? 0) * change;
  };
  const views = expectedFactor('visits', 'views');
  const clicks = views * expectedFactor('clicks_per_visit', 'clicks', 'views');
  const conversions = clicks * expectedFactor('sales_per_click', 'conversions', 'clicks');
  const revenue = conversions * expectedFactor('revenue_per_sale', 'revenue', 'conversions');
  return { views, clicks, conversions, revenue, cost: views * expectedFactor('cost_per_visit', 'cost', 'views') };
}

function ratioOf(part: number, whole: number): number | undefined {
  return whole === 0 ? undefined : part / whole;
}

interface Test {
  readonly factor: Factor;
  /** How far a group's factor moved compared with the rest's, in standard deviations; 0 if the rest moved more. */
  readonly deviation: (group: Spans, rest: Spans) => number;
}

const tests: readonly Test[] = [
  countTest('visits', 'views'),
  countTest('clicks_per_visit', 'clicks', 'views'),
  countTest('sales_per_click', 'conversions', 'clicks'),
  meanTest('revenue_per_sale', 'revenue', 'revenueSquares', 'conversions'),
  meanTest('cost_per_visit', 'cost', 'costSquares', 'views'),
];

/**
 * Compares the counts of two spans, each divided by its base: the signed root of the deviance of a Poisson rate from the rate that
 * the rest predicts, reduced by the uncertainty of the rest and by usual moves.
 */
function countTest(factor: Factor, count: keyof GroupFigures, base?: keyof GroupFigures): Test {
  const sizesOf = ({ before, after, days }: Spans) => (base === undefined ? days : [before[base], after[base]]);
  /** The logarithm of how the rate changed. */
  const changeOf = (spans: Spans) => {
    const [before = 0, after = 0] = sizesOf(spans);
    const added = base === undefined ? 0 : 1;
    return (
      Math.log((spans.after[count] + 0.5) / (after + added)) - Math.log((spans.before[count] + 0.5) / (before + added))
    );
  };
  const uncertaintyOf = ({ before, after }: Spans) =>
    1 / (before[count] + 0.5) + 1 / (after[count] + 0.5) + usualMove[factor] ** 2;
  const deviation = (group: Spans, rest: Spans) => {
    const [before, after] = [group.before[count], group.after[count]];
    const all = before + after;
    const [sizeBefore = 0, sizeAfter = 0] = sizesOf(group);
    if (all === 0 || sizeBefore === 0 || sizeAfter === 0) return 0;
    const [inside, outside] = [changeOf(group), changeOf(rest)];
    if (!movedMore(inside, outside)) return 0;
    const size = sizeAfter * Math.exp(outside);
    const predicted = size / (size + sizeBefore);
    const deviance = 2 * (entropy(after, all * predicted) + entropy(before, all * (1 - predicted)));
    const spread = 1 + uncertaintyOf(rest) * all * predicted * (1 - predicted);
    return Math.sign(inside - outside) * Math.sqrt(Math.max(deviance, 0) / spread);
  };
  return { factor, deviation };
}

export function entropy(count: number, expected: number): number {
  return count === 0 ? 0 : count * Math.log(count / expected);
}

/**
 * Compares the mean amounts of two spans: Welch's test on their ratio, compared with the ratio of the rest, as standard deviations of a
 * normal variable (Wallace, "Bounds on normal approximations to Student's", 1959), because a few payouts that vary prove little.
 */
function meanTest(factor: Factor, amount: keyof Sums, squares: keyof Sums, count: keyof Sums): Test {
  const minCount = 5;
  const meanOf = (sums: Sums) => sums[amount] / sums[count];
  const relativeVarianceOf = (sums: Sums) => {
    const mean = meanOf(sums);
    const variance = Math.max(sums[squares] / sums[count] - mean ** 2, 0);
    return (variance / mean ** 2 + usualMove[factor] ** 2) / sums[count];
  };
  /** The logarithm of the change of the mean, and its variance; undefined if there are too few amounts. */
  const changeOf = ({ before, after }: Spans) => {
    if (!(Math.min(before[count], after[count]) >= minCount && before[amount] > 0 && after[amount] > 0))
      return undefined;
    return {
      log: Math.log(meanOf(after) / meanOf(before)),
      variance: relativeVarianceOf(before) + relativeVarianceOf(after),
    };
  };
  const deviation = (group: Spans, rest: Spans) => {
    const inside = changeOf(group);
    const outside = changeOf(rest) ?? { log: 0, variance: 0 };
    if (!inside || !movedMore(inside.log, outside.log)) return 0;
    const t = (inside.log - outside.log) / Math.sqrt(inside.variance + outside.variance);
    const freedom = Math.min(group.before[count], group.after[count]) - 1;
    return Math.sign(t) * Math.sqrt(freedom * Math.log1p(t ** 2 / freedom));
  };
  return { factor, deviation };
}

const steadySums = Object.fromEntries(measures.map((measure) => [measure, 1e9])) as Sums;
const noSums = Object.fromEntries(measures.map((measure) => [measure, 0])) as Sums;

/** Two parts of a whole always differ from each other. Only the part that moved is a cause. */
function movedMore(inside: number, outside: number): boolean {
  return Math.abs(inside) > Math.abs(outside) && Math.sign(inside) === Math.sign(inside - outside);
}

import { at, sum } from '../statistics/history.ts';
import type { GroupFigures } from '../visit-groups.ts';
import { type Factor, factorEffects, profitOf } from './factors.ts';
import { measures, type Spans, type Stretches, type Sums } from './group-sums.ts';

/** A cause is sure if chance makes one like it, over all that is looked at, once in so many times. */
const maxFalse = 0.01;

/** Standard deviations from which on a group is named at all; chance makes some of these. */
const minDeviation = 3.7;

/** How far a ratio of a group may move beside that of the rest though nothing happened, as a part of it. */
const usualMove: Readonly<Record<Factor, number>> = {
  visits: 0.2,
  cost_per_visit: 0.05,
  clicks_per_visit: 0.1,
  sales_per_click: 0.1,
  revenue_per_sale: 0.05,
};

/** How a group moved beside the rest. */
export interface Deviation {
  /** What it earned more than if it had moved as the rest did; below 0 if less. */
  readonly money: number;
  readonly moved: readonly Factor[];
  /** Whether chance can be left out; else the numbers are small for all that was looked at. */
  readonly isSure: boolean;
  /** Its money, weighed by how far it is from chance: of a group and one within it, that which is more to the point. */
  readonly weight: number;
}

/**
 * @param looks how many groups are looked at: the more, the further chance takes one of them
 * @param known a factor that moved for sure, whatever its sums say
 * @returns undefined if nothing in the group moved by more than chance
 */
export function findDeviation(own: Stretches, rest: Stretches, looks: number, known?: Factor): Deviation | undefined {
  const isComparable = rest.before.views > 0 && rest.after.views > 0;
  if (!isComparable) return undefined;
  const sureDeviation = Math.sqrt(2 * Math.log(Math.max(looks * tests.length * (own.splits.length + 1), 1) / maxFalse));
  const deviations = tests.map(({ factor, deviation }) => {
    const ofSplits = own.splits.map((split, index) => deviation(split, rest.splits[index] ?? rest));
    const least = factor === known ? sureDeviation : 0;
    return { factor, by: Math.max(least, ...[deviation(own, rest), ...ofSplits].map(Math.abs)) };
  });
  const moved = deviations.filter(({ by }) => by > minDeviation);
  if (moved.length === 0) return undefined;
  const expected = expectedSums(own, rest, new Set(moved.map(({ factor }) => factor)));
  const effects = factorEffects(expected, own.after).filter(({ factor }) =>
    moved.some((test) => test.factor === factor),
  );
  const sorted = effects.sort((a, b) => Math.abs(b.effect) - Math.abs(a.effect));
  const money = profitOf(own.after) - profitOf(expected);
  return {
    money,
    weight: Math.abs(money) * Math.max(...moved.map(({ by }) => by)),
    moved: sorted.map(({ factor }) => factor),
    isSure: moved.some(({ by }) => by >= sureDeviation),
  };
}

/** Standard deviations from which on a factor of all visits moved. */
const minMove = 2;

/** The factors that moved by more than chance between two spans of as many days. */
export function movedFactors(spans: Pick<Spans, 'before' | 'after'>): ReadonlySet<Factor> {
  const days = [1, 1] as const;
  const steady: Spans = { before: steadySums, after: steadySums, days };
  const moved = tests.filter(({ deviation }) => Math.abs(deviation({ ...spans, days }, steady)) > minMove);
  return new Set(moved.map(({ factor }) => factor));
}

/** What a group earned more than if all of it had moved as the rest did; below 0 if less. */
export function excessOf(own: Spans, rest: Spans): number {
  return profitOf(own.after) - profitOf(expectedSums(own, rest, new Set(tests.map(({ factor }) => factor))));
}

/** What the group would have come to in the second span, had these factors of it moved as the rest did. */
function expectedSums({ before, after }: Spans, rest: Spans, moved: ReadonlySet<Factor>): GroupFigures {
  const of = (factor: Factor, part: keyof GroupFigures, whole?: keyof GroupFigures) => {
    const over = (sums: GroupFigures) => (whole === undefined ? sums[part] : ratioOf(sums[part], sums[whole]));
    const own = over(after) ?? over(before) ?? 0;
    if (!moved.has(factor)) return own;
    const change = ratioOf(over(rest.after) ?? 1, over(rest.before) ?? 1) ?? 1;
    return (over(before) ?? 0) * change;
  };
  const views = of('visits', 'views');
  const clicks = views * of('clicks_per_visit', 'clicks', 'views');
  const conversions = clicks * of('sales_per_click', 'conversions', 'clicks');
  const revenue = conversions * of('revenue_per_sale', 'revenue', 'conversions');
  return { views, clicks, conversions, revenue, cost: views * of('cost_per_visit', 'cost', 'views') };
}

function ratioOf(part: number, whole: number): number | undefined {
  return whole === 0 ? undefined : part / whole;
}

interface Test {
  readonly factor: Factor;
  /** How far the factor of a group moved beside that of the rest, in standard deviations; 0 if the rest moved more than it. */
  readonly deviation: (own: Spans, rest: Spans) => number;
}

const tests: readonly Test[] = [
  countTest('visits', 'views'),
  countTest('clicks_per_visit', 'clicks', 'views'),
  countTest('sales_per_click', 'conversions', 'clicks'),
  meanTest('revenue_per_sale', 'revenue', 'revenueSquares', 'conversions'),
  meanTest('cost_per_visit', 'cost', 'costSquares', 'views'),
];

/**
 * Counts of two spans, each over what it is counted of: the signed root of the deviance of a Poisson rate from the one that the
 * rest predicts, less what is not known of the rest and what moves anyway.
 */
function countTest(factor: Factor, count: keyof GroupFigures, base?: keyof GroupFigures): Test {
  const sizesOf = ({ before, after, days }: Spans) => (base === undefined ? days : [before[base], after[base]]);
  /** The logarithm of how the rate changed. */
  const changeOf = (spans: Spans) => {
    const [before = 0, after = 0] = sizesOf(spans);
    const rest = base === undefined ? 0 : 1;
    return (
      Math.log((spans.after[count] + 0.5) / (after + rest)) - Math.log((spans.before[count] + 0.5) / (before + rest))
    );
  };
  const unknownOf = ({ before, after }: Spans) =>
    1 / (before[count] + 0.5) + 1 / (after[count] + 0.5) + usualMove[factor] ** 2;
  const deviation = (own: Spans, rest: Spans) => {
    const [before, after] = [own.before[count], own.after[count]];
    const all = before + after;
    const [sizeBefore = 0, sizeAfter = 0] = sizesOf(own);
    if (all === 0 || sizeBefore === 0 || sizeAfter === 0) return 0;
    const [inside, outside] = [changeOf(own), changeOf(rest)];
    if (!movedMore(inside, outside)) return 0;
    const size = sizeAfter * Math.exp(outside);
    const predicted = size / (size + sizeBefore);
    const deviance = 2 * (entropy(after, all * predicted) + entropy(before, all * (1 - predicted)));
    const spread = 1 + unknownOf(rest) * all * predicted * (1 - predicted);
    return Math.sign(inside - outside) * Math.sqrt(Math.max(deviance, 0) / spread);
  };
  return { factor, deviation };
}

export function entropy(count: number, expected: number): number {
  return count === 0 ? 0 : count * Math.log(count / expected);
}

/**
 * Mean amounts of two spans: Welch's test on the ratio, beside that of the rest, as standard deviations of a normal variable
 * (Wallace, "Bounds on normal approximations to Student's", 1959), since payouts that vary say little by a few.
 */
function meanTest(factor: Factor, amount: keyof Sums, squares: keyof Sums, count: keyof Sums): Test {
  const least = 5;
  /** The logarithm of the change of the mean, and its variance; undefined of too few amounts. */
  const changeOf = ({ before, after }: Spans) => {
    if (!(Math.min(before[count], after[count]) >= least && before[amount] > 0 && after[amount] > 0)) return undefined;
    const spans = [before, after].map((sums) => {
      const mean = sums[amount] / sums[count];
      const variance = Math.max(sums[squares] / sums[count] - mean ** 2, 0);
      return { mean, relative: (variance / mean ** 2 + usualMove[factor] ** 2) / sums[count] };
    });
    return {
      log: Math.log(at(spans, 1).mean / at(spans, 0).mean),
      variance: sum(spans.map(({ relative }) => relative)),
    };
  };
  const deviation = (own: Spans, rest: Spans) => {
    const inside = changeOf(own);
    const outside = changeOf(rest) ?? { log: 0, variance: 0 };
    if (!inside || !movedMore(inside.log, outside.log)) return 0;
    const deviation = (inside.log - outside.log) / Math.sqrt(inside.variance + outside.variance);
    const freedom = Math.min(own.before[count], own.after[count]) - 1;
    return Math.sign(deviation) * Math.sqrt(freedom * Math.log1p(deviation ** 2 / freedom));
  };
  return { factor, deviation };
}

const steadySums = Object.fromEntries(measures.map((measure) => [measure, 1e9])) as Sums;

/** Of two parts of a whole, both differ from the other: the one that moved is named, and not the one that stayed. */
function movedMore(inside: number, outside: number): boolean {
  return Math.abs(inside) > Math.abs(outside) && Math.sign(inside) === Math.sign(inside - outside);
}

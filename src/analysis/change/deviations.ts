import { entropy } from '../statistics/entropy.ts';
import type { GroupFigures } from '../visit-groups.ts';
import { type Factor, factorEffects, profitOf, ratioByFactor } from './factors.ts';
import { type Boundaries, type Measure, placeOf, spansOf, width } from './sums.ts';

/**
 * A cause is sure if chance produces one like it in any of the groups of a search at most this often: by a bound. In truth 1 of 100 quiet
 * accounts has one.
 */
const maxFalse = 0.1;

/** The same for one that is named at all, and for a guess. In truth chance produces one far more seldom than this. */
const [maxFalseNamed, maxFalseGuessed] = [2, 8];

/**
 * A single group that moved by so many standard deviations is named, however many are tested. Chance moves some as far, but a placement
 * that is dead for some days of an account often moves no further.
 */
const namedAnyway = 3.7;

/** A factor of a group that surely moved by another one moved as well from here on. */
export const minBeside = 3.4;

/** What a boundary adds to the tests of the one a day or hour before: by chance both stand out (K. J. Worsley, Biometrika 69, 1982). */
const ofNext = 0.6;

/** For how many tests so many boundaries in a row count. */
export const testsInRow = (boundaries: number): number => 1 + ofNext * (boundaries - 1);

/** How far a group's factor usually moves, compared with the same factor of the rest. */
export const usualMove: Readonly<Record<Factor, number>> = {
  visits: 0.2,
  cost_per_visit: 0.05,
  clicks_per_visit: 0.07,
  sales_per_click: 0.1,
  revenue_per_sale: 0.05,
};

/** What of the square of that lasts, besides what each day brings anew: visits come and go for weeks, rates less so. */
const lastingPart = 0.25;

/** How far a rate of all visits usually moves: few others show it less well than this does. */
const usualOfAll = 0.2;

/** Others that moved by more standard deviations than this show it themselves. */
const maxSteady = 2;

/** How a group moved compared with the rest. */
export interface Deviation {
  /** Its profit beyond what it would be if the group had moved like the rest; negative if less. */
  readonly money: number;
  /** How much money it is about, at least 0. */
  readonly worth: number;
  readonly moved: readonly Factor[];
  /** Whether chance is excluded. If not, the numbers are small for the number of groups that were tested. */
  readonly isSure: boolean;
  /** Whether it would not be named besides others. */
  readonly isGuess: boolean;
  /** Money times standard deviations. If one group is within another, the one that fits the change better has more. */
  readonly weight: number;
  /** Twice the logarithm of how much seldomer than a sure one chance produces it: below 0 if it is not sure. */
  readonly margin: number;
}

/** How many standard deviations a factor must move for its group to be a guess, to be named, and for it to be sure. */
export interface Limits {
  readonly guessed: number;
  readonly named: number;
  readonly sure: number;
  /** The factors that may prove it. */
  readonly tests: readonly Test[];
  /** One that does not count, whatever its sums show. */
  readonly ignored?: Factor | undefined;
}

/**
 * The budget of false causes is shared equally by dimensions, and within one by what its groups have of the visits: a phone is no more
 * often wrong for all the cities that are looked at (C. R. Genovese, K. Roeder and L. Wasserman, Biometrika 93, 2006).
 */
export class LimitsOfGroups {
  readonly #tests: readonly Test[];
  readonly #onlySales: boolean;
  readonly #testCount: number;

  /**
   * @param searches how many share the budget
   * @param dimensions how many are tested at each boundary
   * @param all the sums of all visits
   * @param onlySales whether only sales are compared, in dimensions that differ as little as boundaries; only what is sure counts then
   */
  constructor(searches: number, dimensions: number, all: Boundaries, onlySales = false) {
    this.#onlySales = onlySales;
    const asked = hasUnpaid(all) ? tests : tests.filter((test) => test !== approvals);
    this.#tests = onlySales ? asked.filter(({ factor }) => factor === 'sales_per_click') : asked;
    const boundaries = testsInRow(all.before.length / width);
    this.#testCount = searches * this.#tests.length * (onlySales ? testsInRow(dimensions) : dimensions) * boundaries;
  }

  /**
   * The limits of a group.
   * @param part what it has of the visits, 0 to 1
   * @param isPair of these there are too many to name one anyway
   */
  of(part: number, isPair: boolean): Limits {
    const sure = this.#sizeOf(part, maxFalse);
    if (this.#onlySales) return { guessed: sure, named: sure, sure, tests: this.#tests };
    const named = Math.min(this.#sizeOf(part, maxFalseNamed), isPair ? Number.POSITIVE_INFINITY : namedAnyway);
    const guessed = Math.min(this.#sizeOf(part, maxFalseGuessed), named);
    return { guessed, named, sure, tests: this.#tests };
  }

  /** The deviance of none at all is twice the logarithm of its exact chance. */
  #sizeOf(part: number, chance: number): number {
    return Math.sqrt(2 * Math.log(Math.max(this.#testCount / part / chance, 1)));
  }
}

/**
 * @param sureFactor a factor that is known to have moved, whatever its sums show
 * @returns undefined if nothing in the group moved by more than chance
 */
export function findDeviation(
  group: Boundaries,
  rest: Boundaries,
  { guessed, named, sure, tests: asked, ignored }: Limits,
  sureFactor?: Factor,
): Deviation | undefined {
  const hasRest = rest.before[placeOf.views] !== 0 && rest.after[placeOf.views] !== 0;
  if (!hasRest && sureFactor === undefined) return undefined;
  let largest = sureFactor === undefined ? 0 : sure;
  for (const { factor, sizeOf } of asked)
    if (factor !== ignored) largest = Math.max(largest, sizeOf(group, rest, Math.max(largest, guessed)));
  if (largest <= guessed) return undefined;
  const isSure = largest >= sure;
  // That the group moved needs no more proof, so that its other factors are few tests.
  const least = isSure ? Math.min(minBeside, named) : largest > named ? named : guessed;
  const judged = sizesOf(group, rest, least);
  const moved = new Set(
    tests.flatMap(({ factor }, index) =>
      factor === sureFactor || (factor !== ignored && (judged[index] ?? 0) > least) ? factor : [],
    ),
  );
  const { after } = spansOf(group);
  const expected = expectedSums(group, rest, moved);
  const effects = factorEffects(expected, after).filter(({ factor }) => moved.has(factor));
  const money = profitOf(after) - profitOf(expected);
  const worth = Math.max(Math.abs(money), isSure ? Math.abs(usualWorth(after, expected, rest, moved)) : 0);
  return {
    money,
    worth,
    weight: worth * largest,
    margin: largest ** 2 - sure ** 2,
    moved: effects.sort((a, b) => Math.abs(b.effect) - Math.abs(a.effect)).map(({ factor }) => factor),
    isSure,
    isGuess: largest <= named,
  };
}

/**
 * How far each factor moved with the best of all days as the boundary, in standard deviations.
 * @param least what surely moved no further may be 0
 */
export function sizesOf(group: Boundaries, rest: Boundaries, least: number): readonly number[] {
  return tests.map(({ sizeOf }) => sizeOf(group, rest, least));
}

export const sizeOfFactor = (factor: Factor, group: Boundaries, rest: Boundaries): number =>
  Math.max(0, ...tests.map((test) => (test.factor === factor ? test.sizeOf(group, rest, 0) : 0)));

/** A factor of all visits that moved by fewer standard deviations counts as steady. */
const minMove = 2;

/** The factors that moved by more than chance between two spans of the same length. */
export function movedFactors({ before, after }: Boundaries): ReadonlySet<Factor> {
  const [days, steady] = [[1, 1] as const, new Float64Array(width).fill(1e9)];
  const all = { before: before.subarray(0, width), after: after.subarray(0, width), days };
  const sizes = sizesOf(all, { before: steady, after: steady, days }, 0);
  return new Set(tests.flatMap(({ factor }, index) => ((sizes[index] ?? 0) > minMove ? factor : [])));
}

/** The profit of a group beyond what it would be if all its factors had moved like the rest; negative if less. */
export function excessOf(group: Boundaries, rest: Boundaries): number {
  const profit = (group.after[placeOf.revenue] ?? 0) - (group.after[placeOf.cost] ?? 0);
  return profit - profitOf(expectedSums(group, rest, allFactors));
}

/** What missing clicks or sales bring elsewhere: a group of few visits may have sold nothing before, and loses all the same. */
function usualWorth(after: GroupFigures, expected: GroupFigures, rest: Boundaries, moved: ReadonlySet<Factor>): number {
  const count = moved.has('clicks_per_visit') ? 'clicks' : moved.has('sales_per_click') ? 'conversions' : undefined;
  if (count === undefined) return 0;
  const sumOf = (measure: Measure) => (rest.before[placeOf[measure]] ?? 0) + (rest.after[placeOf[measure]] ?? 0);
  return (after[count] - expected[count]) * (ratioOf(sumOf('revenue'), sumOf(count)) ?? 0);
}

/** The figures of a group in the later span if these factors had moved like the rest. */
function expectedSums(group: Boundaries, rest: Boundaries, moved: ReadonlySet<Factor>): GroupFigures {
  const views = expectedFactor('visits', group, rest, moved);
  const clicks = views * expectedFactor('clicks_per_visit', group, rest, moved);
  const conversions = clicks * expectedFactor('sales_per_click', group, rest, moved);
  const revenue = conversions * expectedFactor('revenue_per_sale', group, rest, moved);
  return { views, clicks, conversions, revenue, cost: views * expectedFactor('cost_per_visit', group, rest, moved) };
}

function expectedFactor(factor: Factor, group: Boundaries, rest: Boundaries, moved: ReadonlySet<Factor>): number {
  if (!moved.has(factor)) return factorIn(group.after, factor) ?? factorIn(group.before, factor) ?? 0;
  const change = ratioOf(factorIn(rest.after, factor) ?? 1, factorIn(rest.before, factor) ?? 1) ?? 1;
  return (factorIn(group.before, factor) ?? 0) * change;
}

function factorIn(sums: Float64Array, factor: Factor): number | undefined {
  const [part, whole] = ratioByFactor[factor];
  const amount = sums[placeOf[part]] ?? 0;
  return whole === undefined ? amount : ratioOf(amount, sums[placeOf[whole]] ?? 0);
}

function ratioOf(part: number, whole: number): number | undefined {
  return whole === 0 ? undefined : part / whole;
}

interface Test {
  readonly factor: Factor;
  /**
   * How far a group's factor moved compared with the rest's, with the best of all days as the boundary, in standard deviations; 0 if the
   * rest moved more, or if it surely moved no further than `least`. It is computed for each group, so nothing is allocated on the way.
   */
  readonly sizeOf: (group: Boundaries, rest: Boundaries, least: number) => number;
}

/** What is rejected pays nothing: that more of it is shows better than that a sale brought less. */
const approvals = countTest('revenue_per_sale', 'paid', 'conversions');

export const tests: readonly Test[] = [
  countTest('visits', 'views'),
  countTest('clicks_per_visit', 'clicks', 'views'),
  countTest('sales_per_click', 'conversions', 'clicks'),
  approvals,
  meanTest('revenue_per_sale', 'revenue', 'revenueSquares', 'conversions'),
  meanTest('cost_per_visit', 'cost', 'costSquares', 'views'),
];

const allFactors: ReadonlySet<Factor> = new Set(tests.map(({ factor }) => factor));

/** Whether some sales are not paid, in the first pair of spans. */
const hasUnpaid = ({ before, after }: Boundaries): boolean =>
  [before, after].some((sums) => sums[placeOf.paid] !== sums[placeOf.conversions]);

/** Whether a square is surely below that of `least`, however both were rounded. */
const isBelow = (square: number, least: number) => square * (1 + 1e-9) + 1e-9 < least ** 2;

/**
 * Compares the counts of two spans, each divided by its base: the root of the deviance of a rate from the one that the rest predicts,
 * reduced by the uncertainty of the rest and by usual moves. Counts are Poisson; clicks of visits and sales of clicks binomial.
 */
function countTest(factor: Factor, count: Measure, base?: Measure): Test {
  const [part, whole] = [placeOf[count], base === undefined ? undefined : placeOf[base]];
  const added = base === undefined ? 0 : 1;
  const [usualSquare, lasting] = [usualMove[factor] ** 2, factor === 'visits' ? 1 : lastingPart];
  const sizeOf = (group: Boundaries, rest: Boundaries, least: number) => {
    const all = (group.before[part] ?? 0) + (group.after[part] ?? 0);
    let size = 0;
    for (let start = 0; start < group.before.length && all > 0; start += width) {
      const before = group.before[start + part] ?? 0;
      const after = group.after[start + part] ?? 0;
      const restBefore = (rest.before[start + part] ?? 0) + 0.5;
      const restAfter = (rest.after[start + part] ?? 0) + 0.5;
      const days = start / width;
      const usual = usualSquare * (lasting + 1 / (group.days[0] + days) + 1 / (group.days[1] - days));
      const sizeBefore = whole === undefined ? group.days[0] + days : (group.before[start + whole] ?? 0);
      const sizeAfter = whole === undefined ? group.days[1] - days : (group.after[start + whole] ?? 0);
      const restSizeBefore = (whole === undefined ? sizeBefore : (rest.before[start + whole] ?? 0)) + added;
      const restSizeAfter = (whole === undefined ? sizeAfter : (rest.after[start + whole] ?? 0)) + added;
      if (sizeBefore === 0 || sizeAfter === 0) continue;
      const othersBefore = sizeBefore - before;
      const othersAfter = sizeAfter - after;
      // Clicks are some of the visits, if none has several: what did not click counts as well, and a rate scatters less than a count.
      const isRate = whole !== undefined && Math.min(othersBefore, othersAfter) >= 0 && othersBefore + othersAfter > 0;
      const allOthers = isRate ? othersBefore + othersAfter : 0;
      const restChange = (restAfter * restSizeBefore) / (restSizeAfter * restBefore);
      // What is predicted is between no change and that of the rest, and the deviance is convex.
      const most = Math.max(size, least);
      if (
        isBelow(maxDeviance(all, after, allOthers, othersAfter, partAfter(sizeBefore, sizeAfter, restChange)), most) &&
        isBelow(maxDeviance(all, after, allOthers, othersAfter, partAfter(sizeBefore, sizeAfter, 1)), most)
      )
        continue;
      const partOfRest = (restBefore + restAfter) / (restSizeBefore + restSizeAfter);
      const ofRest = (1 / restBefore + 1 / restAfter) * (isRate ? Math.max(1 - partOfRest, 0) : 1);
      // What few others seem to have moved by is mostly chance, so that it is shrunk: the mean of the normal posterior.
      const isSteady = isRate && (restChange - 1) ** 2 < maxSteady ** 2 * ofRest * restChange;
      const shrunk = isSteady ? usualOfAll ** 2 / (usualOfAll ** 2 + ofRest) : 1;
      const outside = Math.log(restChange) * shrunk;
      const inside = Math.log(((after + 0.5) * (sizeBefore + added)) / ((sizeAfter + added) * (before + 0.5)));
      if (!movedMore(inside, outside)) continue;
      const predicted = partAfter(sizeBefore, sizeAfter, Math.exp(outside));
      // A rate above 1 is none: then nothing is expected of the others.
      const others = sizeAfter - all * predicted;
      const partOfOthers = isRate ? allOthers / (sizeBefore + sizeAfter) : 1;
      const spread = 1 + ((ofRest * shrunk + usual) * all * predicted * (1 - predicted)) / partOfOthers;
      const deviance =
        devianceOf(after, before, all * predicted) +
        (isInside(others, allOthers) ? devianceOf(othersAfter, othersBefore, others) : 0);
      size = Math.max(size, Math.sqrt(Math.max(deviance, 0) / spread));
    }
    return size;
  };
  return { factor, sizeOf };
}

/** The part of a count that falls on the later span if the rate changes by a factor. */
function partAfter(sizeBefore: number, sizeAfter: number, change: number): number {
  const size = sizeAfter * change;
  return size / (size + sizeBefore);
}

const isInside = (number: number, max: number) => number > 0 && number < max;

/** The deviance of two counts, of which one is expected. */
export function devianceOf(one: number, other: number, expected: number): number {
  return 2 * (entropy(one, expected) + entropy(other, one + other - expected));
}

/**
 * The most that the deviance of a count and of the others can be, without logarithms: each adds 2 * (x log(x / e) - x + e), which is at
 * most (x - e)^2 times 2 / e, since log(y) <= y - 1.
 */
function maxDeviance(all: number, after: number, allOthers: number, othersAfter: number, predicted: number): number {
  const expected = all * predicted;
  const ofCount = ((after - expected) ** 2 * all) / (expected * (all - expected));
  if (allOthers === 0) return 2 * ofCount;
  const others = othersAfter + after - expected;
  if (!isInside(others, allOthers)) return Number.POSITIVE_INFINITY;
  return 2 * (ofCount + ((othersAfter - others) ** 2 * allOthers) / (others * (allOthers - others)));
}

/**
 * Compares the mean amounts of two spans: Welch's test on their ratio, compared with the ratio of the rest, as standard deviations of a
 * normal variable (Wallace, "Bounds on normal approximations to Student's", 1959), because a few payouts that vary prove little.
 */
function meanTest(factor: Factor, amount: Measure, square: Measure, count: Measure): Test {
  const minCount = 5;
  const [amounts, squares, counts] = [placeOf[amount], placeOf[square], placeOf[count]];
  const usual = usualMove[factor] ** 2;
  const meanOf = (sums: Float64Array, start: number) => (sums[start + amounts] ?? 0) / (sums[start + counts] ?? 0);
  const relativeVarianceOf = (sums: Float64Array, start: number, mean: number) => {
    const number = sums[start + counts] ?? 0;
    const variance = Math.max((sums[start + squares] ?? 0) / number - mean ** 2, 0);
    return (variance / mean ** 2 + usual) / number;
  };
  const areEnough = ({ before, after }: Boundaries, start: number) =>
    Math.min(before[start + counts] ?? 0, after[start + counts] ?? 0) >= minCount &&
    (before[start + amounts] ?? 0) > 0 &&
    (after[start + amounts] ?? 0) > 0;
  /** How surely there is none where there was some, or the other way round: none is a count whose chance is known. */
  const sizeOfNone = (group: Boundaries, rest: Boundaries, start: number) => {
    const isLost = group.after[start + amounts] === 0;
    const [none, some] = isLost ? [group.after, group.before] : [group.before, group.after];
    const amount = some[start + amounts] ?? 0;
    if (none[start + amounts] !== 0 || (none[start + counts] ?? 0) < minCount || amount <= 0) return 0;
    const change = meanOf(rest.after, start) / meanOf(rest.before, start);
    const each = amount ** 2 / ((some[start + squares] ?? 0) * (some[start + counts] ?? 0));
    return Math.sqrt(2 * (none[start + counts] ?? 0) * each * Math.min(isLost ? change : 1 / change, 1));
  };
  const sizeOf = (group: Boundaries, rest: Boundaries, least: number) => {
    const all = (group.before[counts] ?? 0) + (group.after[counts] ?? 0);
    let size = 0;
    for (let start = 0; start < group.before.length && all > minCount; start += width) {
      if (!areEnough(group, start)) {
        if (areEnough(rest, start)) size = Math.max(size, sizeOfNone(group, rest, start));
        continue;
      }
      const before = meanOf(group.before, start);
      const after = meanOf(group.after, start);
      const hasRest = areEnough(rest, start);
      const restBefore = hasRest ? meanOf(rest.before, start) : 1;
      const restAfter = hasRest ? meanOf(rest.after, start) : 1;
      let variance = relativeVarianceOf(group.before, start, before) + relativeVarianceOf(group.after, start, after);
      // |log(x)| <= |x - 1| / sqrt(x), and the variance of the rest only adds to that of the group.
      const ratio = (after * restBefore) / (before * restAfter);
      if (isBelow((ratio - 1) ** 2 / ratio / variance, Math.max(size, least))) continue;
      if (hasRest)
        variance +=
          relativeVarianceOf(rest.before, start, restBefore) + relativeVarianceOf(rest.after, start, restAfter);
      const [inside, outside] = [Math.log(after / before), Math.log(restAfter / restBefore)];
      if (!movedMore(inside, outside)) continue;
      const square = (inside - outside) ** 2 / variance;
      const freedom = Math.min(group.before[start + counts] ?? 0, group.after[start + counts] ?? 0) - 1;
      size = Math.max(size, Math.sqrt(freedom * Math.log1p(square / freedom)));
    }
    return size;
  };
  return { factor, sizeOf };
}

/** Two parts of a whole always differ from each other. Only the part that moved is a cause. */
function movedMore(inside: number, outside: number): boolean {
  return Math.abs(inside) > Math.abs(outside) && Math.sign(inside) === Math.sign(inside - outside);
}

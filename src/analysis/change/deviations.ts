import type { GroupFigures } from '../visit-groups.ts';
import { approvals, type Test, tests } from './factor-tests.ts';
import { type Factor, factorEffects, largestFirst, profitOf, ratioByFactor } from './factors.ts';
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
  const areSure = new Set([
    sureFactor,
    ...tests.flatMap(({ factor }, index) => ((judged[index] ?? 0) >= sure ? factor : [])),
  ]);
  const rankOf = ({ factor }: { readonly factor: Factor }) => Number(areSure.has(factor));
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
    // What is told first is what is sure.
    moved: effects
      .sort((one, other) => rankOf(other) - rankOf(one) || largestFirst(one, other))
      .map(({ factor }) => factor),
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

const allFactors: ReadonlySet<Factor> = new Set(tests.map(({ factor }) => factor));

/** Whether some sales are not paid, in the first pair of spans. */
const hasUnpaid = ({ before, after }: Boundaries): boolean =>
  [before, after].some((sums) => sums[placeOf.paid] !== sums[placeOf.conversions]);

import type { Factor } from '../../answer/profit-change.ts';
import { at, sum } from '../statistics/history.ts';
import type { GroupFigures } from '../visit-groups.ts';

/** The factors of profit: visits, their cost, and the steps from a visit to revenue. */
export type { Factor };

export interface FactorEffect {
  readonly factor: Factor;
  /** Its value in each span: visits, money, or a share of 1; null if its divisor is 0. */
  readonly before: number | null;
  readonly after: number | null;
  /** Its part of the change of profit, in money. */
  readonly effect: number;
}

/** The two measures of a factor; visits are compared with the visits of the rest. */
export const ratioByFactor: Readonly<Record<Factor, readonly [measure: keyof GroupFigures, per?: keyof GroupFigures]>> =
  {
    visits: ['views'],
    cost_per_visit: ['cost', 'views'],
    clicks_per_visit: ['clicks', 'views'],
    sales_per_click: ['conversions', 'clicks'],
    revenue_per_sale: ['revenue', 'conversions'],
  };

/** The steps from a visit to money. Each factor is a step divided by the one before. */
const steps = ['views', 'clicks', 'conversions', 'revenue'] as const;

const stepFactors: readonly Factor[] = ['visits', 'clicks_per_visit', 'sales_per_click', 'revenue_per_sale'];

export function profitOf({ revenue, cost }: GroupFigures): number {
  return revenue - cost;
}

/** In the order of their size, whichever way they go. */
export const largestFirst = (one: Pick<FactorEffect, 'effect'>, other: Pick<FactorEffect, 'effect'>): number =>
  Math.abs(other.effect) - Math.abs(one.effect);

/** Where so few of the visits, clicks or sales are left, what they did is chance: that they are few is all that moved. */
const maxPartOfFew = 0.05;

/**
 * Splits a change of profit into its factors by their Shapley values: the effect of a factor is its mean change over all orders in
 * which the factors could have moved one by one. So the effects add up to the change, and no order is preferred (Shapley, "A value
 * for n-person games", 1953).
 *
 * A step that is skipped, such as a sale without a click, is not a factor: the next step is divided by the one before it.
 */
export function factorEffects(before: GroupFigures, after: GroupFigures): FactorEffect[] {
  const factors = factorsOf(before, after);
  const values = factors.map(({ before: one, after: other, isFew }): FactorValues[number] => {
    const known = isFew ? one : other;
    return [one ?? known ?? 0, known ?? one ?? 0];
  });
  const costAt = factors.findIndex(({ factor }) => factor === 'cost_per_visit');
  const profits = Array.from({ length: 1 << factors.length }, (_, moved) => profitAt(moved, values, costAt));
  const effects = factors.map((_, index) => shapleyValue(index, factors.length, profits));
  // A report may have money without visits, which no ratio contains.
  const rest = profitOf(after) - profitOf(before) - sum(effects);
  return factors.map(({ isFew: _, ...factor }, index) => ({
    ...factor,
    effect: at(effects, index) + (index === 0 ? rest : 0),
  }));
}

type FactorValues = readonly (readonly [before: number, after: number])[];

/** The profit if some factors have moved, by the bits of `moved`. @param costAt the index of the cost of a visit */
function profitAt(moved: number, values: FactorValues, costAt: number): number {
  let money = 1;
  for (let index = 0; index < values.length; index += 1)
    if (index !== costAt) money *= values[index]?.[(moved >> index) & 1] ?? 0;
  return money - (values[costAt]?.[(moved >> costAt) & 1] ?? 0) * (values[0]?.[moved & 1] ?? 0);
}

/** @param profits by the factors that have moved */
function shapleyValue(index: number, count: number, profits: readonly number[]): number {
  let value = 0;
  for (let moved = 0; moved < profits.length; moved += 1)
    if (((moved >> index) & 1) === 0)
      value += weightOf(bitsIn(moved), count) * ((profits[moved | (1 << index)] ?? 0) - (profits[moved] ?? 0));
  return value;
}

/** A factor that moved is worth a word if it has this part of the effect of the first one. */
const minPartOfFirst = 0.2;

/** So many times the visits are worth one where they sell worse, however much visits scatter; as are sales that make up for so much of them. */
const [minTimesVisits, minPartAgainst] = [1.5, 0.5];

/** The factors that are told, the first of those that moved first: visits or clicks that grow and sell no more are one cause. */
export function worthTelling(moved: readonly Factor[], effects: readonly FactorEffect[]): readonly Factor[] {
  const first = carriedTogether(effects, moved.slice(0, 1));
  const others = effects.filter(({ factor, before, after, effect }) => {
    if (moved.includes(factor)) return Math.abs(effect) >= minPartOfFirst * Math.abs(first);
    const times = (after ?? 0) / (before ?? 0);
    return factor === 'visits'
      ? (first < 0 ? times : 1 / times) >= minTimesVisits
      : (moved[0] === 'visits' || (moved[0] === 'clicks_per_visit' && first > 0 && factor === 'sales_per_click')) &&
          effect / first <= -minPartAgainst;
  });
  return [...moved.slice(0, 1), ...others.map(({ factor }) => factor).filter((factor) => factor !== moved[0])];
}

/** The part of a change of profit that some factors have. */
export const carriedTogether = (effects: readonly FactorEffect[], factors: readonly Factor[]): number =>
  sum(effects.flatMap(({ factor, effect }) => (factors.includes(factor) ? effect : [])));

/** @returns the factors with their values, and whether what they are measured by is nearly gone */
function factorsOf(before: GroupFigures, after: GroupFigures) {
  const isSkipped = (step: number) =>
    step > 0 &&
    [before, after].some(
      (sums) => sums[steps[step] ?? 'views'] === 0 && steps.slice(step + 1).some((next) => sums[next] > 0),
    );
  const keptSteps = steps.map((_, step) => step).filter((step) => !isSkipped(step));
  const over = (sums: GroupFigures, part: keyof GroupFigures, whole: keyof GroupFigures) =>
    sums[whole] === 0 ? null : sums[part] / sums[whole];
  const ratioOf = (factor: Factor, part: keyof GroupFigures, whole: keyof GroupFigures) => ({
    ...{ factor, before: over(before, part, whole), after: over(after, part, whole) },
    isFew: before[whole] > 0 && after[whole] <= maxPartOfFew * before[whole],
  });
  const earning = keptSteps.map((step, index) => {
    const factor = stepFactors[step] ?? 'visits';
    const [part, whole] = [steps[step] ?? 'views', steps[keptSteps[index - 1] ?? -1]];
    return whole === undefined
      ? { factor, before: before[part], after: after[part], isFew: false }
      : ratioOf(factor, part, whole);
  });
  return [...earning.slice(0, 1), ratioOf('cost_per_visit', 'cost', 'views'), ...earning.slice(1)];
}

/** The share of all orders in which this many factors come before a factor. */
function weightOf(before: number, all: number): number {
  return (factorial(before) * factorial(all - before - 1)) / factorial(all);
}

function factorial(count: number): number {
  return count < 2 ? 1 : count * factorial(count - 1);
}

function bitsIn(number: number): number {
  return number === 0 ? 0 : (number & 1) + bitsIn(number >> 1);
}

/**
 * Rounds amounts to cents so that they add up to the rounded total. The rounding error goes to the largest amount.
 * @param whole the total of the amounts, apart from rounding
 */
export function toCents(amounts: readonly number[], whole: number): number[] {
  const cents = amounts.map((amount) => Math.round(amount * 100));
  const total = Math.round(whole * 100);
  const largest = cents.reduce((best, cent, index) => (Math.abs(cent) > Math.abs(cents[best] ?? 0) ? index : best), 0);
  const rest = total - sum(cents);
  return cents.map((cent, index) => ((index === largest ? cent + rest : cent) || 0) / 100);
}

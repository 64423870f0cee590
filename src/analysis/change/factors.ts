import { at, sum } from '../statistics/history.ts';
import type { GroupFigures } from '../visit-groups.ts';

/** What profit is made of: the visits and, of each, what it costs and what it brings, step by step. */
export type Factor = 'visits' | 'cost_per_visit' | 'clicks_per_visit' | 'sales_per_click' | 'revenue_per_sale';

export interface FactorEffect {
  readonly factor: Factor;
  /** The factor in each span: visits, money, or a share of 1; null if there was nothing to divide by. */
  readonly before: number | null;
  readonly after: number | null;
  /** How much of the change of profit it carries, in money. */
  readonly effect: number;
}

/** The steps from a visit to money; each factor is one over the one before. */
const steps = ['views', 'clicks', 'conversions', 'revenue'] as const;

const stepFactors: readonly Factor[] = ['visits', 'clicks_per_visit', 'sales_per_click', 'revenue_per_sale'];

export function profitOf({ revenue, cost }: GroupFigures): number {
  return revenue - cost;
}

/**
 * Takes a change of profit apart into its factors by their Shapley values: the effect of a factor is the mean of what it
 * changes over all orders in which the factors could have moved one by one. Hence the effects add up to the change, and no
 * order is preferred (Shapley, "A value for n-person games", 1953).
 *
 * A step that is skipped, such as a sale without a click, is no factor: the next one is taken over the step before it.
 */
export function factorEffects(before: GroupFigures, after: GroupFigures): FactorEffect[] {
  const factors = factorsOf(before, after);
  const known = factors.map(({ before, after }) => [before ?? after ?? 0, after ?? before ?? 0] as const);
  const profitAt = (moved: number) => {
    const factorAt = (index: number) => known[index]?.[(moved >> index) & 1] ?? 0;
    let money = 1;
    let cost = 0;
    for (const [index, { factor }] of factors.entries()) {
      if (factor === 'cost_per_visit') cost = factorAt(index) * factorAt(0);
      else money *= factorAt(index);
    }
    return money - cost;
  };
  const profits = Array.from({ length: 1 << factors.length }, (_, moved) => profitAt(moved));
  const effects = factors.map((_, index) =>
    sum(
      profits.map((profit, moved) =>
        (moved >> index) & 1
          ? 0
          : weightOf(bitsIn(moved), factors.length) * ((profits[moved | (1 << index)] ?? 0) - profit),
      ),
    ),
  );
  // Money without visits, as a report may have it, is in no ratio.
  const rest = profitOf(after) - profitOf(before) - sum(effects);
  return factors.map((factor, index) => ({ ...factor, effect: at(effects, index) + (index === 0 ? rest : 0) }));
}

function factorsOf(before: GroupFigures, after: GroupFigures): Omit<FactorEffect, 'effect'>[] {
  const isSkipped = (step: number) =>
    step > 0 &&
    [before, after].some(
      (sums) => sums[steps[step] ?? 'views'] === 0 && steps.slice(step + 1).some((next) => sums[next] > 0),
    );
  const kept = steps.map((_, step) => step).filter((step) => !isSkipped(step));
  const over = (sums: GroupFigures, part: keyof GroupFigures, whole: keyof GroupFigures) =>
    sums[whole] === 0 ? null : sums[part] / sums[whole];
  const earning = kept.map((step, index) => {
    const factor = stepFactors[step] ?? 'visits';
    const [part, whole] = [steps[step] ?? 'views', steps[kept[index - 1] ?? -1]];
    if (whole === undefined) return { factor, before: before[part], after: after[part] };
    return { factor, before: over(before, part, whole), after: over(after, part, whole) };
  });
  const cost = {
    factor: 'cost_per_visit' as const,
    before: over(before, 'cost', 'views'),
    after: over(after, 'cost', 'views'),
  };
  return [...earning.slice(0, 1), cost, ...earning.slice(1)];
}

/** How many of all orders have these before it and those behind it. */
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
 * Amounts to the cent that add up to the cent to a total: what rounding leaves over goes where it is least seen.
 * @param whole the total, which the amounts themselves add up to but for rounding
 */
export function toCents(amounts: readonly number[], whole: number): number[] {
  const cents = amounts.map((amount) => Math.round(amount * 100));
  const total = Math.round(whole * 100);
  const largest = cents.reduce((best, cent, index) => (Math.abs(cent) > Math.abs(cents[best] ?? 0) ? index : best), 0);
  const rest = total - sum(cents);
  return cents.map((cent, index) => ((index === largest ? cent + rest : cent) || 0) / 100);
}

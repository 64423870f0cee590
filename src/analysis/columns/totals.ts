import type { NumberColumn } from './columns.ts';
import { formulas, isAdditive, type Measure, measureOf } from './measures.ts';

/** A column of numbers with its name in the table. */
export interface NamedNumbers {
  readonly name: string;
  readonly numbers: NumberColumn;
}

/** How far a tracker's rounding may take a ratio from its formula before the formula is not the one it used. */
const tolerance = 0.02;

/** That many rows show whether a formula is the tracker's. */
const maxChecked = 200;

/**
 * Totals of a table: sums of what adds up (views, cost, ...), and ratios (CTR, EPV, ...) recomputed from the sums of their
 * parts where the parts are there. A ratio that the tracker computes by another formula, or whose parts are missing, has no
 * total, and neither has anything else that does not add up, such as an ID or a payout.
 *
 * @param alsoSums names of columns that add up, besides those that are known to
 * @param exact sums that the tracker has itself, by column name
 * @returns the totals by column name, rounded to the digits the tracker shows
 */
export function totalsOf(
  columns: readonly NamedNumbers[],
  alsoSums: readonly string[] = [],
  exact: ReadonlyMap<string, number> = new Map(),
): Record<string, number> {
  const sums = new Map<Measure, number>();
  const byMeasure = new Map<Measure, NumberColumn>();
  const totals: [string, number][] = [];
  for (const { name, numbers } of columns) {
    const measure = measureOf(name);
    if (measure && !byMeasure.has(measure)) byMeasure.set(measure, numbers);
    const isSum = alsoSums.includes(name) || (measure !== undefined && isAdditive(measure) && numbers.unit !== '%');
    if (!isSum) continue;
    const sum = exact.get(name) ?? numbers.sum;
    if (measure && !sums.has(measure)) sums.set(measure, sum);
    totals.push([name, round(sum, numbers.decimals)]);
  }
  for (const { name, numbers } of columns) {
    const measure = measureOf(name);
    const formula = measure && formulas.get(measure);
    const parts = formula?.parts.map((part) => byMeasure.get(part)) ?? [];
    if (!formula || !parts.every((part) => part !== undefined)) continue;
    const partSums = formula.parts.map((part) => sums.get(part));
    if (!partSums.every((sum) => sum !== undefined) || !holds(formula.compute, numbers, parts)) continue;
    // The tracker may know the parts of a single row to more digits than it shows.
    const [only = Number.NaN] = numbers.values.length === 1 ? numbers.values : [];
    const total = Number.isNaN(only) ? formula.compute(partSums) : only;
    // Over nothing there is no ratio.
    if (!Number.isNaN(total)) totals.push([name, round(total, Math.max(numbers.decimals, 2))]);
  }
  // In the order of the columns, so that a reader finds them.
  const order = new Map(columns.map(({ name }, index) => [name, index]));
  return Object.fromEntries(totals.sort(([one], [other]) => (order.get(one) ?? 0) - (order.get(other) ?? 0)));
}

/** Whether the rows agree with a formula, up to the digits the tracker shows. */
function holds(
  compute: (parts: readonly number[]) => number,
  ratio: NumberColumn,
  parts: readonly NumberColumn[],
): boolean {
  const step = 10 ** -ratio.decimals;
  const last = Math.min(ratio.values.length, maxChecked);
  const ofRow: number[] = [];
  for (let row = 0; row < last; row += 1) {
    const shown = ratio.values[row] ?? Number.NaN;
    for (let index = 0; index < parts.length; index += 1) ofRow[index] = parts[index]?.values[row] ?? Number.NaN;
    const computed = compute(ofRow);
    if (Number.isNaN(shown) || Number.isNaN(computed)) continue;
    if (Math.abs(shown - computed) > step + Math.abs(computed) * tolerance) return false;
  }
  return true;
}

/** Sums of cents as doubles drift behind the last digit; the column's own digits bring them back. */
function round(value: number, decimals: number): number {
  return Number(value.toFixed(Math.min(decimals, 6)));
}

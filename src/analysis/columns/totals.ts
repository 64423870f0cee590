import type { Table } from '../../api/table.ts';
import { fromTracker, rawText } from '../../api/text/tracker-text.ts';
import { type NumberColumn, readNumberColumns } from './columns.ts';
import { type Formula, formulas, isAdditive, type Measure, measureOf } from './measures.ts';
import type { TrackerTotal } from './tracker-total.ts';

export interface NamedNumbers {
  readonly name: string;
  readonly numbers: NumberColumn;
}

/** How far a tracker's rounding may take a ratio from its formula before the formula is not the one it used. */
const tolerance = 0.02;

const maxChecked = 200;

/**
 * Totals by column name: sums of what adds up, and ratios recomputed from the sums of their parts. A ratio has none if its parts
 * are missing or the tracker uses another formula. Rounded to the digits that the tracker shows.
 * @param alsoSums names of columns that add up, besides those that are known to
 * @param exact sums that the tracker has itself, by column name
 */
export function totalsOf(
  columns: readonly NamedNumbers[],
  alsoSums: readonly string[] = [],
  exact: ReadonlyMap<string, number> = new Map(),
): Map<string, number> {
  const sumOf = ({ name, numbers }: NamedNumbers): number | undefined => {
    const measure = measureOf(name);
    const adds = alsoSums.includes(name) || (measure !== undefined && isAdditive(measure) && numbers.unit !== '%');
    return adds ? (exact.get(name) ?? numbers.sum) : undefined;
  };
  const parts = new Map<Measure, Part>();
  for (const column of columns) {
    const measure = measureOf(column.name);
    if (!measure) continue;
    const known = parts.get(measure);
    parts.set(measure, { numbers: known?.numbers ?? column.numbers, sum: known?.sum ?? sumOf(column) });
  }
  const totals = new Map<string, number>();
  for (const column of columns) {
    const { name, numbers } = column;
    const ratio = ratioOf(column, parts);
    const sum = sumOf(column);
    if (ratio !== undefined) totals.set(name, round(ratio, Math.max(numbers.decimals, 2)));
    else if (sum !== undefined) totals.set(name, round(sum, numbers.decimals));
  }
  return totals;
}

interface Part {
  readonly numbers: NumberColumn;
  readonly sum: number | undefined;
}

/** A ratio of sums; undefined if the column is none, a part is missing, or the tracker has another formula. */
function ratioOf({ name, numbers }: NamedNumbers, known: ReadonlyMap<Measure, Part>): number | undefined {
  const measure = measureOf(name);
  const formula = measure && formulas.get(measure);
  if (!formula) return undefined;
  const columns: NumberColumn[] = [];
  const sums: number[] = [];
  for (const part of formula.parts) {
    const { numbers: column, sum } = known.get(part) ?? {};
    if (column === undefined || sum === undefined) return undefined;
    columns.push(column);
    sums.push(sum);
  }
  if (!holds(formula.compute, numbers, columns)) return undefined;
  // The tracker may know the parts of a single row to more digits than it shows.
  const only = numbers.values.length === 1 ? numbers.values[0] : undefined;
  const total = only === undefined || Number.isNaN(only) ? formula.compute(...sums) : only;
  // Over nothing there is no ratio.
  return Number.isNaN(total) ? undefined : total;
}

/** Whether the rows agree with a formula, up to the digits the tracker shows. */
function holds(compute: Formula['compute'], ratio: NumberColumn, parts: readonly NumberColumn[]): boolean {
  const step = 10 ** -ratio.decimals;
  const last = Math.min(ratio.values.length, maxChecked);
  const [first, second, third] = parts;
  for (let row = 0; row < last; row += 1) {
    const shown = ratio.values[row] ?? Number.NaN;
    const computed = compute(first?.values[row], second?.values[row], third?.values[row]);
    if (Number.isNaN(shown) || Number.isNaN(computed)) continue;
    if (Math.abs(shown - computed) > step + Math.abs(computed) * tolerance) return false;
  }
  return true;
}

/** Sums of cents as doubles drift behind the last digit; the column's own digits bring them back. */
function round(value: number, decimals: number): number {
  if (Number.isInteger(value)) return value;
  return Number(value.toFixed(Math.min(decimals, 6)));
}

/** Money is rounded in every row; the counts that show whether two reports are about the same visitors are not. */
const countsBehind: Partial<Readonly<Record<Measure, readonly Measure[]>>> = {
  revenue: ['conversions'],
  cost: ['views'],
  profit: ['conversions', 'views'],
};

/** Roundings of many rows seldom add up to more than this many of their standard deviations. */
const deviations = 4;

/**
 * Sums by column name as the tracker has them, in the place of sums of rounded rows: from its own total row, else from the
 * campaign report, if that is about the same visitors.
 */
export function exactSums(
  table: Table,
  total: TrackerTotal | undefined,
  campaign: Table | undefined,
): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const [index, column] of readNumberColumns(table)) {
    const name = rawText(table.columns[index] ?? fromTracker(''));
    const measure = measureOf(name);
    if (!measure || !isAdditive(measure)) continue;
    const shown = total ? column.values[total.index] : campaignSum(measure, column, table, campaign);
    if (shown !== undefined && !Number.isNaN(shown)) sums.set(name, shown);
  }
  return sums;
}

function campaignSum(
  measure: Measure,
  { values, decimals }: NumberColumn,
  report: Table,
  campaign: Table | undefined,
): number | undefined {
  const counts = countsBehind[measure];
  if (!counts || !campaign) return undefined;
  const exact = sumOf(campaign, measure);
  const sum = sumOf(report, measure);
  if (exact === undefined || sum === undefined) return undefined;
  const isSame = counts.every((count) => {
    const counted = sumOf(report, count);
    return counted !== undefined && counted === sumOf(campaign, count);
  });
  const rounding = 10 ** -decimals * deviations * Math.sqrt(values.length / 12);
  return isSame && Math.abs(sum - exact) <= rounding ? exact : undefined;
}

function sumOf(table: Table, measure: Measure): number | undefined {
  const index = table.columns.findIndex((column) => measureOf(rawText(column)) === measure);
  return readNumberColumns(table).get(index)?.sum;
}

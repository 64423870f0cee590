import type { Table } from '../api/replies.ts';
import type { NumberColumn } from './columns.ts';
import { isAdditive, type Measure, measureOf } from './measures.ts';
import type { TrackerTotal } from './tracker-total.ts';

/** A report with its columns of numbers, by their place. */
export interface NumberedTable {
  readonly table: Table;
  readonly numbers: ReadonlyMap<number, NumberColumn>;
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
 * Sums as the tracker itself has them, where the sum of rows is one of rounded amounts: from its own total row, else from the
 * campaign report, where that is about the same visitors.
 *
 * @returns sums by the name of the column
 */
export function exactSums(
  { table, numbers }: NumberedTable,
  total: TrackerTotal | undefined,
  campaign: NumberedTable | undefined,
): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const [place, column] of numbers) {
    const name = table.columns[place] ?? '';
    const measure = measureOf(name);
    if (!measure || !isAdditive(measure)) continue;
    const shown = total ? column.values[total.place] : campaignSum(measure, column, { table, numbers }, campaign);
    if (shown !== undefined && !Number.isNaN(shown)) sums.set(name, shown);
  }
  return sums;
}

function campaignSum(
  measure: Measure,
  { values, decimals }: NumberColumn,
  report: NumberedTable,
  campaign: NumberedTable | undefined,
): number | undefined {
  const counts = countsBehind[measure];
  const exact = campaign && sumOf(campaign, measure);
  const sum = sumOf(report, measure);
  if (!counts || !campaign || exact === undefined || sum === undefined) return undefined;
  const isSame = counts.every((count) => {
    const counted = sumOf(report, count);
    return counted !== undefined && counted === sumOf(campaign, count);
  });
  const rounding = 10 ** -decimals * deviations * Math.sqrt(values.length / 12);
  return isSame && Math.abs(sum - exact) <= rounding ? exact : undefined;
}

function sumOf({ table, numbers }: NumberedTable, measure: Measure): number | undefined {
  const place = table.columns.findIndex((column) => measureOf(column) === measure);
  return numbers.get(place)?.values.reduce((sum, value) => (Number.isNaN(value) ? sum : sum + value), 0);
}

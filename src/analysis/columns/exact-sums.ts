import type { Table } from '../../api/table.ts';
import { fromTracker, rawText } from '../../api/text/tracker-text.ts';
import { type NumberColumn, readNumberColumns } from './columns.ts';
import { isAdditive, type Measure, measureOf } from './measures.ts';
import type { TrackerTotal } from './tracker-total.ts';

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

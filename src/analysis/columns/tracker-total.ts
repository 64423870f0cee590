import type { Table } from '../../api/table.ts';
import { fromTracker, rawText, type TrackerText } from '../../api/text/tracker-text.ts';
import { memoizePerTable } from './column-reader.ts';
import { type NumberColumn, nameOf, readNumberColumns } from './columns.ts';
import { isAdditive, measureOf } from './measures.ts';

/** What trackers and networks write in the row that adds the others up. */
export const totalWords = /^(grand )?totals?:?$|^(sum|all|overall|summary):?$/i;

const blank = /^[-–—\s]*$/;

/** Measures that are counted, so that their sums are exact; money may be rounded in every row. */
const counted = new Set(['views', 'clicks', 'subscribers', 'conversions', 'engaged']);

export interface TrackerTotal {
  readonly index: number;
  /** What the tracker calls it, such as Total. */
  readonly name: TrackerText;
}

/**
 * The first or last row, if it is the tracker's own total: its texts are words such as Total, and each number that adds up is the
 * sum of the others. A campaign that is called Total has other sums.
 */
export const findTotal = memoizePerTable((table): TrackerTotal | undefined => {
  const last = table.rowCount - 1;
  if (last < 1) return undefined;
  const numbers = readNumberColumns(table);
  for (const index of [last, 0]) {
    const name = wordOfTotal(table, index, numbers);
    if (name !== undefined && isSumOfAll(table, index, numbers)) return { index, name: fromTracker(name) };
  }
  return undefined;
});

function wordOfTotal(table: Table, row: number, numbers: ReadonlyMap<number, NumberColumn>): string | undefined {
  let first: string | undefined;
  for (const index of table.columns.keys()) {
    const cell = numbers.has(index) ? null : table.text(row, index);
    if (cell === null || blank.test(rawText(cell))) continue;
    const word = rawText(cell).trim();
    if (!totalWords.test(word)) return undefined;
    first ??= word;
  }
  return first;
}

/** Whether a row has something in columns that add up, and in each of them the sum of the others. */
function isSumOfAll(table: Table, row: number, numbers: ReadonlyMap<number, NumberColumn>): boolean {
  let isFilled = false;
  for (const [index, column] of numbers) {
    const measure = measureOf(nameOf(table, index));
    if (!measure || !isAdditive(measure) || column.unit === '%') continue;
    if (!isSumOfOthers(column, row, counted.has(measure))) return false;
    isFilled ||= Math.abs(column.values[row] ?? 0) > 0;
  }
  return isFilled;
}

function isSumOfOthers({ values, decimals }: NumberColumn, row: number, isCounted: boolean): boolean {
  const shown = values[row] ?? Number.NaN;
  if (Number.isNaN(shown)) return true;
  let sum = 0;
  for (const [index, value] of values.entries()) if (index !== row && !Number.isNaN(value)) sum += value;
  // Each row, and the total, may be half a step off.
  const rounding = isCounted ? 0 : (values.length * 10 ** -decimals) / 2;
  return Math.abs(shown - sum) <= rounding + Math.abs(sum) * 1e-9;
}

import type { Table } from '../../api/table.ts';
import { fromTracker, rawText, type TrackerText } from '../../api/text/tracker-text.ts';
import { type NumberColumn, nameOf, readNumberColumns } from './columns.ts';
import { keptWithTable } from './kept.ts';
import { isAdditive, measureOf } from './measures.ts';

const totalWords = /^(grand )?totals?:?$|^(sum|all|overall|summary):?$/i;

/** What trackers write where a total has nothing to say. */
const blank = /^[-–—\s]*$/;

/** Measures that are counted, so that their sums are exact; money may be rounded in every row. */
const counted = new Set(['views', 'clicks', 'subscribers', 'conversions', 'engaged']);

/** A row that is no record but the sum of the others. */
export interface TrackerTotal {
  readonly index: number;
  /** What the tracker calls it, such as Total. */
  readonly name: TrackerText;
}

/**
 * The row that is the tracker's own total, where the first or last row is one: its texts are words such as Total,
 * and each column that adds up, as far as the row fills it, is the sum of the others. A campaign may be called Total; that its
 * numbers are those sums too is no accident. Kept with the table.
 */
export const findTotal = keptWithTable((table): TrackerTotal | undefined => {
  const last = table.rowCount - 1;
  if (last < 1) return undefined;
  const numbers = readNumberColumns(table);
  const sums = [...numbers].flatMap(([index, column]) => {
    const measure = measureOf(nameOf(table, index));
    return measure && isAdditive(measure) && column.unit !== '%' ? [{ column, isCounted: counted.has(measure) }] : [];
  });
  const isTotal = (row: number) =>
    sums.some(({ column }) => Math.abs(column.values[row] ?? 0) > 0) &&
    sums.every(({ column, isCounted }) => isSumOfOthers(column, row, isCounted));
  return [last, 0].flatMap((index) => {
    const texts = textsOf(table, index, numbers);
    const [name] = texts;
    return name !== undefined && texts.every((text) => totalWords.test(text)) && isTotal(index)
      ? [{ index, name: fromTracker(name) }]
      : [];
  })[0];
});

/** What a row says in words. */
function textsOf(table: Table, row: number, numbers: ReadonlyMap<number, NumberColumn>): string[] {
  return [...table.columns.keys()].flatMap((index) => {
    const cell = numbers.has(index) ? null : table.text(row, index);
    return cell === null || blank.test(rawText(cell)) ? [] : [rawText(cell).trim()];
  });
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

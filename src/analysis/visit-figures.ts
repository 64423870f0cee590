import type { Table } from '../api/table.ts';
import { rawCell } from '../api/text/tracker-text.ts';
import { yesOrNo } from '../api/yes-no.ts';
import { isBlank, readerOfAmounts, readLooseColumn, readNumbers } from './columns/columns.ts';
import { refuseUnread, requireOneCurrency, UnreadFailure } from './columns/unread.ts';

/** Reads the figures of a column of visits, one for each. */

/**
 * The number in each cell; 1 for a yes or a date, 0 for a no. Another word is a yes where other cells have none.
 * @throws UnreadFailure if all cells have one
 */
export function countsIn(table: Table, column: number): Float64Array {
  const numbers = wholeNumbers(table, column);
  if (numbers) return withoutBlanks(numbers);
  const read = readerOfAmounts(table, column);
  const { codes, values } = table.coded(column);
  const counts = values.map((cell) => (isBlank(cell) || yesOrNo(cell) === false ? 0 : Number(read(cell) ?? 1)));
  const word = values.find((cell) => !isBlank(cell) && yesOrNo(cell) === undefined && !/\d/.test(rawCell(cell) ?? ''));
  if (word && !counts.includes(0))
    throw new UnreadFailure(table, column, { why: 'text', cells: [rawCell(word) ?? ''] });
  const all = new Float64Array(codes.length);
  for (let row = 0; row < all.length; row += 1) all[row] = counts[codes[row] ?? 0] ?? 0;
  return all;
}

/** The cells of a column that can only be numbers; NaN for an empty one. */
export function wholeNumbers(table: Table, column: number | undefined): Float64Array | undefined {
  const plain = column === undefined ? undefined : table.numbers(column);
  return plain?.decimals === 0 ? plain.values : undefined;
}

const filledColumns = new WeakMap<Float64Array, Float64Array>();

/** Numbers with 0 for those that are missing; made once. */
function withoutBlanks(numbers: Float64Array): Float64Array {
  const known = filledColumns.get(numbers);
  if (known) return known;
  const filled = numbers.includes(Number.NaN) ? numbers.map((number) => number || 0) : numbers;
  filledColumns.set(numbers, filled);
  return filled;
}

/**
 * Amounts, with or without a currency; undefined if some cell cannot be read.
 * @throws UnreadFailure if nothing shows how to read them
 */
export function moneyIn(table: Table, column: number): Float64Array | undefined {
  requireOneCurrency(table);
  const numbers = readNumbers(table, column)?.values;
  if (numbers) return withoutBlanks(numbers);
  const { values, texts } = readLooseColumn(table, column);
  const isRead = (row: number) => values[row] !== undefined || isBlank(table.text(row, column));
  refuseUnread(table, column, texts > 0 ? 'open' : 'units');
  const isReadable = texts === 0 || Array.from({ length: table.rowCount }, (_, row) => row).every(isRead);
  return isReadable ? Float64Array.from(values, (value) => Number(value ?? 0)) : undefined;
}

import { fromOutside, quoted } from '../../api/text/tracker-text.ts';
import type { ReadColumn } from '../columns/times.ts';

/** The cells of the columns of a statement, by which their meaning is found. */

/** The minimum part of a column's filled cells that must fit a meaning; a column of another has no cells that fit. */
export const [mostCells, halfOfCells, someCells] = [0.8, 0.5, 0.2];

export type CellsOf = (index: number) => readonly string[];

/** More cells of a column add nothing. */
const maxSampled = 2000;

/** Makes a check whether enough of a column's filled cells are of a kind, and match a pattern. */
export function holderOf(cellsOf: CellsOf, read: (cells: readonly string[]) => ReadColumn) {
  return (index: number, part: number, pattern = /./): boolean => {
    const sample = cellsOf(index)
      .filter((cell) => cell !== '')
      .slice(0, maxSampled);
    const { values } = read(sample);
    const readable = sample.filter((cell, row) => values[row] !== undefined && pattern.test(cell));
    return sample.length > 0 && readable.length >= sample.length * part;
  };
}

/** The first cell of some columns that is filled and cannot be read. */
export function firstUnread(
  indexes: readonly number[],
  columns: readonly string[],
  cellsOf: CellsOf,
  read: (cells: readonly string[]) => ReadColumn,
): { readonly column: string; readonly cell: string } | undefined {
  for (const index of indexes) {
    const cells = cellsOf(index);
    const { isUnreadable } = read(cells);
    const cell = cells.find((_, row) => isUnreadable(row));
    if (cell !== undefined) return { column: columns[index] ?? '', cell };
  }
  return undefined;
}

/** A cell or heading of a statement in a sentence. */
export function quoteText(text: string, maxLength = 60): string {
  return quoted(fromOutside(text), maxLength);
}

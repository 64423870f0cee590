import type { Table } from '../../api/table.ts';
import { memoize, plainName } from '../../api/text/plain-name.ts';
import { rawText } from '../../api/text/tracker-text.ts';
import { ColumnReader, type NumberColumn } from './column-reader.ts';
import { keptWithTable } from './kept.ts';

export type { NumberColumn };

/** Words that say a column holds names or marks, even where they happen to look like numbers. */
const textWords = new Set(
  'keyword search term placement utm referrer referer agent url note notes name names phone zip postal version ip custom extra token tokens transaction external'.split(
    ' ',
  ),
);

/** The same in names that run together, such as `clickid` or `UserAgent`. */
const textNames = /subid|clickid|advalue|transactionid|externalid|useragent|referr?er|keyword|extra\d|custom\d/;

/** Whether a column holds names or marks, by its name. */
export const holdsNames = memoize((column) => {
  const words = column
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
  return words.some((word) => textWords.has(word)) || textNames.test(column.toLowerCase().replace(/[^a-z\d]/g, ''));
});

/** The index of the column that goes by one of these plain names, the first of them that is there. */
export function indexOfColumn(table: Table, names: readonly string[]): number | undefined {
  return names
    .map((name) => table.columns.findIndex((column) => plainName(rawText(column)) === name))
    .find((found) => found >= 0);
}

/** The name of a column as the tracker wrote it; empty where there is no such column. */
export function nameOf(table: Table, column: number): string {
  const name = table.columns[column];
  return name === undefined ? '' : rawText(name);
}

/** Whether every cell of a column is empty. */
export function isEmptyColumn(table: Table, column: number): boolean {
  return readColumn(table, column) === 'empty';
}

/**
 * A column as numbers, if every cell is one and none loses anything by it; "12.5%" and "$1,234.50" are numbers with
 * a unit, and 0 needs none.
 *
 * @returns undefined where the column is text
 */
export function readNumbers(table: Table, column: number): NumberColumn | undefined {
  const read = readColumn(table, column);
  return typeof read === 'object' ? read : undefined;
}

/** Tables with fewer rows are read in a moment. */
const minRowsInSteps = 10_000;

/** Reads large tables ahead of their use, in steps between which whoever takes them can let others have their turn. */
export function* readInSteps(tables: readonly Table[]): Generator<void, void, void> {
  for (const table of tables) {
    if (table.rowCount < minRowsInSteps || known.has(table)) continue;
    known.set(table, yield* readColumns(table));
  }
}

/** The columns of numbers of a table, by their index. */
export const readNumberColumns = keptWithTable((table): ReadonlyMap<number, NumberColumn> => {
  const numbers = new Map<number, NumberColumn>();
  for (const index of table.columns.keys()) {
    const column = readNumbers(table, index);
    if (column) numbers.set(index, column);
  }
  return numbers;
});

/** What the columns of a table are. They are read once, and known as long as the table is kept. */
const known = new WeakMap<Table, readonly ColumnReader[]>();

function readColumn(table: Table, column: number): NumberColumn | 'text' | 'empty' | undefined {
  const columns = known.get(table) ?? wholly(readColumns(table));
  known.set(table, columns);
  return columns[column]?.result;
}

function wholly<Result>(steps: Generator<void, Result, void>): Result {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** Cells that are read in some milliseconds. */
const cellsOfStep = 60_000;

/**
 * Reads all columns row by row. V8 drops what it compiled for a loop when that meets a kind of number for the first time; row
 * by row the kinds of all columns are met in the first rows, column by column again and again.
 */
function* readColumns(table: Table): Generator<void, readonly ColumnReader[], void> {
  const { rowCount, columns } = table;
  const readers = columns.map((name) => new ColumnReader(rowCount, holdsNames(rawText(name))));
  const rowsOfStep = Math.max(1, Math.floor(cellsOfStep / Math.max(1, columns.length)));
  for (let start = 0; start < rowCount; start += rowsOfStep) {
    const end = Math.min(rowCount, start + rowsOfStep);
    table.readRows(start, end, readers);
    if (end < rowCount) yield;
  }
  return readers;
}

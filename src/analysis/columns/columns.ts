import type { Table } from '../../api/table.ts';
import { memoize } from '../../api/text/names.ts';
import { rawText, shownNames } from '../../api/text/tracker-text.ts';
import { indexNamed } from '../../api/vocabulary.ts';
import { ColumnReader, memoizePerTable, type NumberColumn } from './column-reader.ts';

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
  const index = indexNamed(table.columns.map(rawText), names);
  return index < 0 ? undefined : index;
}

/** The name of a column as the tracker wrote it; empty where there is no such column. */
export function nameOf(table: Table, column: number): string {
  const name = table.columns[column];
  return name === undefined ? '' : rawText(name);
}

/** Whether every cell of a column is empty. */
export function isEmptyColumn(table: Table, column: number): boolean {
  return kindOf(table, column) === 'empty';
}

/**
 * A column as numbers, if every cell is one and none loses anything by it; "12.5%" and "$1,234.50" are numbers with
 * a unit, and 0 needs none.
 *
 * @returns undefined where the column is text
 */
export function readNumbers(table: Table, column: number): NumberColumn | undefined {
  const kind = kindOf(table, column);
  return typeof kind === 'object' ? kind : undefined;
}

/** Tables with fewer rows are read in a moment. */
const minRowsInSteps = 10_000;

/** Reads large tables ahead of their use, in steps between which whoever takes them can let others have their turn. */
export function* readInSteps(tables: readonly Table[]): Generator<void, void, void> {
  for (const table of tables) {
    if (table.rowCount < minRowsInSteps) continue;
    const known = knownOf(table);
    for (const column of table.columns.keys()) {
      if (!known.has(column)) known.set(column, plainKind(table, column) ?? (yield* readKind(table, column)));
    }
  }
}

/** The columns of numbers of a table, by their index. */
export const readNumberColumns = memoizePerTable((table): ReadonlyMap<number, NumberColumn> => {
  const numbers = new Map<number, NumberColumn>();
  for (const index of table.columns.keys()) {
    const column = readNumbers(table, index);
    if (column) numbers.set(index, column);
  }
  return numbers;
});

/** What the columns of a table are, by their index. */
const knownOf = memoizePerTable(() => new Map<number, Kind>());

type Kind = NumberColumn | 'text' | 'empty';

function kindOf(table: Table, column: number): Kind {
  const known = knownOf(table);
  const kind = known.get(column) ?? plainKind(table, column) ?? wholly(readKind(table, column));
  known.set(column, kind);
  return kind;
}

function wholly<Result>(steps: Generator<void, Result, void>): Result {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** Cells that are read in some milliseconds. */
const cellsOfStep = 20_000;

/** What needs no look at the cells: plain numbers were read with the answer, and some names say that they head no numbers. */
function plainKind(table: Table, column: number): Kind | undefined {
  const plain = table.numbers(column);
  if (plain?.isEmpty) return 'empty';
  if (holdsNames(nameOf(table, column))) return 'text';
  return plain && { values: plain.values, sum: plain.sum, unit: undefined, decimals: plain.decimals };
}

/** Whether the cells are numbers of any other kind, such as amounts with a sign of money. */
function* readKind(table: Table, column: number): Generator<void, Kind, void> {
  const reader = new ColumnReader(table.rowCount);
  for (let row = 0; row < table.rowCount; row += 1) {
    const cell = table.text(row, column);
    if (!reader.take(cell === null ? null : rawText(cell))) return 'text';
    if (row % cellsOfStep === cellsOfStep - 1) yield;
  }
  return reader.result;
}

/** The names of a table's columns as they are shown and asked for. */
export const shownColumns = memoizePerTable((table): readonly string[] => shownNames(table.columns));

import type { Table } from '../../api/table.ts';
import { memoize } from '../../api/text/names.ts';
import { rawText, shownNames } from '../../api/text/tracker-text.ts';
import { indexNamed } from '../../api/vocabulary.ts';
import { memoizePerTable, type NumberColumn, readCells } from './column-reader.ts';

export type { NumberColumn };

/** Words that say a column holds names or marks, even if they happen to look like numbers. */
const textWords = new Set(
  'keyword search term placement utm referrer referer agent url note notes name names phone zip postal version ip custom extra token tokens transaction external'.split(
    ' ',
  ),
);

/** The same in names that run together, such as `clickid` or `UserAgent`. */
const textNames = /subid|clickid|advalue|transactionid|externalid|useragent|referr?er|keyword|extra\d|custom\d/;

/** Whether a column holds names or marks. */
export const holdsNames = memoize((column) => {
  const words = column
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
  return words.some((word) => textWords.has(word)) || textNames.test(column.toLowerCase().replace(/[^a-z\d]/g, ''));
});

/** The index of the column with the first of these plain names that is there. */
export function indexOfColumn(table: Table, names: readonly string[]): number | undefined {
  const index = indexNamed(table.columns.map(rawText), names);
  return index < 0 ? undefined : index;
}

/** The name of a column as the tracker wrote it; empty if there is no such column. */
export function nameOf(table: Table, column: number): string {
  const name = table.columns[column];
  return name === undefined ? '' : rawText(name);
}

export function isEmptyColumn(table: Table, column: number): boolean {
  return kindOf(table, column) === 'empty';
}

/** A column as numbers ("12.5%" and "$1,234.50" too), if every cell is one without loss; undefined if it is text. */
export function readNumbers(table: Table, column: number): NumberColumn | undefined {
  const kind = kindOf(table, column);
  return typeof kind === 'object' ? kind : undefined;
}

const minRowsInSteps = 10_000;

/** Reads large tables ahead of their use, in steps, so that the caller can let other calls run between them. */
export function* readInSteps(tables: readonly Table[]): Generator<void, void, void> {
  for (const table of tables) {
    if (table.rowCount < minRowsInSteps) continue;
    const known = knownOf(table);
    for (const column of table.columns.keys()) {
      if (!known.has(column)) known.set(column, plainKind(table, column) ?? (yield* readCells(table, column)));
    }
  }
}

export const readNumberColumns = memoizePerTable((table): ReadonlyMap<number, NumberColumn> => {
  const columns = table.columns.map((_, index) => [index, readNumbers(table, index)] as const);
  return new Map(columns.flatMap(([index, column]) => (column ? [[index, column] as const] : [])));
});

const knownOf = memoizePerTable(() => new Map<number, Kind>());

type Kind = NumberColumn | 'text' | 'empty';

function kindOf(table: Table, column: number): Kind {
  const known = knownOf(table);
  const kind = known.get(column) ?? plainKind(table, column) ?? wholly(readCells(table, column));
  known.set(column, kind);
  return kind;
}

function wholly<Result>(steps: Generator<void, Result, void>): Result {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** What needs no look at the cells: plain numbers were read with the answer, and some names head no numbers. */
function plainKind(table: Table, column: number): Kind | undefined {
  const plain = table.numbers(column);
  if (plain?.isEmpty) return 'empty';
  if (holdsNames(nameOf(table, column))) return 'text';
  return plain && { values: plain.values, sum: plain.sum, unit: undefined, decimals: plain.decimals };
}

/** The names of a table's columns as they are shown and asked for. */
export const shownColumns = memoizePerTable((table): readonly string[] => shownNames(table.columns));

import { isBlankText } from '../../api/cell-words.ts';
import type { PlainColumn } from '../../api/plain-numbers.ts';
import { yieldIfBusy } from '../../api/running-call.ts';
import type { Table } from '../../api/table.ts';
import { keptByName } from '../../api/text/kept-by-name.ts';
import { type Cell, fromTracker, type NamedCell, rawText, rawTexts, shownNames } from '../../api/text/tracker-text.ts';
import { indexNamed } from '../../api/vocabulary.ts';
import { holdsAmounts } from './amount-names.ts';
import { amountIn, bareNotation, decimalsOf, digitsIn, type Notation, parseAmount } from './amounts.ts';
import { holdsCounts } from './measures.ts';
import { isCount, memoizePerTable, notationIn, notationOf, readsPlainly } from './notation.ts';

export interface NumberColumn {
  /** One number per row; NaN if the cell is empty. */
  readonly values: Float64Array;
  readonly sum: number;
  /** %, or the sign or code of a currency. */
  readonly unit: string | undefined;
  /** The largest number of decimals in any cell. */
  readonly decimals: number;
  /** What stands in its empty cells, such as `-` or `n/a`. */
  readonly placeholder?: string | undefined;
}

export const isBlank = (cell: Cell): boolean => cell === null || isBlankText(rawText(cell));

type ColumnKind = NumberColumn | 'text' | 'empty';

/** The names of a table's columns as they are shown and asked for. */
export const shownColumns = /* @__PURE__ */ memoizePerTable((table): readonly string[] => shownNames(table.columns));

/** The index of the column with the first of these plain names; undefined if no column has one. */
export function indexOfColumn(table: Table, names: readonly string[]): number | undefined {
  const index = indexNamed(rawTexts(table.columns), names);
  return index < 0 ? undefined : index;
}

/** The name of a column as the tracker wrote it; empty if the index is out of range. */
export function nameOf(table: Table, column: number): string {
  const name = table.columns[column];
  return name === undefined ? '' : rawText(name);
}

/** Words in a column's name that mean it holds names or IDs, even if they look like numbers. */
const textWords = new Set(
  'keyword search term placement utm referrer referer agent url note notes name names phone zip postal version ip custom extra token tokens transaction external'.split(
    ' ',
  ),
);

/** The same in names without separators, such as `clickid` or `UserAgent`. */
const textNames = /subid|clickid|advalue|transactionid|externalid|useragent|referr?er|keyword|extra\d|custom\d/;

/** Whether a column holds names or IDs, which are never numbers. */
export const holdsNames = keptByName((column): boolean => {
  const words = column
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
  return words.some((word) => textWords.has(word)) || textNames.test(column.toLowerCase().replace(/[^a-z\d]/g, ''));
});

export function isEmptyColumn(table: Table, column: number): boolean {
  return kindOf(table, column) === 'empty';
}

/** A column as numbers ("12.5%", "$1,234.50" and "1.234,50 €" too) if every cell can be read without loss; undefined if it is text. */
export function readNumbers(table: Table, column: number): NumberColumn | undefined {
  const kind = kindOf(table, column);
  return typeof kind === 'object' ? kind : undefined;
}

/** The columns of numbers by their index. */
export function readNumberColumns(table: Table): ReadonlyMap<number, NumberColumn> {
  return numberColumns(table);
}

const largeRowCount = 10_000;

/** Reads the numbers of large tables before their use, and lets other calls run in between. */
export async function readLargeTables(tables: readonly Table[]): Promise<void> {
  for (const table of tables.filter(({ rowCount }) => rowCount >= largeRowCount)) {
    for (const column of table.columns.keys()) {
      kindOf(table, column);
      await yieldIfBusy();
    }
  }
}

/** Kept with the table, as long as its notation is the same: what other answers show may settle one that is open. */
function memoizeWhileRead<Value>(read: (table: Table, notation: Notation) => Value): (table: Table) => Value {
  const memoOf = memoizePerTable((): { notation?: Notation; value?: Value } => ({}));
  return (table) => {
    const notation = notationOf(table);
    const memo = memoOf(table);
    if (memo.notation !== notation) [memo.notation, memo.value] = [notation, read(table, notation)];
    return memo.value as Value;
  };
}

function memoizePerColumn<Value>(read: (table: Table, column: number, notation: Notation) => Value) {
  const memoOf = memoizeWhileRead((_, notation): { notation: Notation; values: Value[] } => ({ notation, values: [] }));
  const readInto = ({ notation, values }: ReturnType<typeof memoOf>, table: Table, column: number): Value => {
    values[column] ??= read(table, column, notation);
    return values[column];
  };
  const ofAll = (table: Table): readonly Value[] => {
    const memo = memoOf(table);
    return table.columns.map((_, column) => readInto(memo, table, column));
  };
  return Object.assign((table: Table, column: number) => readInto(memoOf(table), table, column), { ofAll });
}

const kindOf = memoizePerColumn((table, column, notation): ColumnKind => {
  const plain = table.numbers(column);
  if (plain?.isEmpty) return 'empty';
  if (holdsNames(nameOf(table, column))) return 'text';
  return plain && readsPlainly(table, column, notation) ? fromPlain(plain) : readCells(table, column);
});

const numberColumns = memoizeWhileRead((table): ReadonlyMap<number, NumberColumn> => {
  const columns = new Map<number, NumberColumn>();
  for (const [index, kind] of kindOf.ofAll(table).entries()) if (typeof kind === 'object') columns.set(index, kind);
  return columns;
});

function fromPlain({ values, sum, decimals }: PlainColumn): NumberColumn {
  return { values, sum, unit: undefined, decimals };
}

/** A unit that says by itself that a column holds amounts, even if its name does not. */
const clearUnit = /^(?:%|[A-Z]{0,2}\p{Sc})$/u;

/** What begins or ends like this is a phone number or a name, unless the column holds amounts. */
const oddEnds = /^[+.,]|[.,]$/;

/** Reads cells as numbers that share one unit, or none. Zeros may lack the unit. */
function readCells(table: Table, column: number): ColumnKind {
  // Nearly all columns of text show by their first cell that they are no numbers.
  let notation: Notation | undefined;
  const values = new Float64Array(table.rowCount).fill(Number.NaN);
  const units = new Set<NumberColumn['unit']>();
  const name = nameOf(table, column);
  const [isWhole, isAmount] = [isCount(table, column), holdsAmounts(name)];
  let [decimals, sum, isEmpty] = [0, 0, true];
  let placeholder: string | undefined;
  for (let row = 0; row < table.rowCount; row += 1) {
    const cell = table.text(row, column);
    if (cell === null) continue;
    const text = rawText(cell);
    const amount = parseAmount(text);
    if (!amount && isBlank(cell)) {
      placeholder ??= text;
      continue;
    }
    if (!amount || (!isAmount && oddEnds.test(text))) return 'text';
    notation ??= notationIn(table, column);
    const value = amountIn(amount, notation, isWhole);
    if (value === undefined) return 'text';
    const { unit } = amount;
    if (unit !== undefined && !isAmount && !clearUnit.test(unit)) return 'text';
    if (unit !== undefined || value !== 0) units.add(unit);
    if (units.size > 1) return 'text';
    decimals = Math.max(decimals, decimalsOf(amount, notation));
    values[row] = value;
    sum += value;
    isEmpty = false;
  }
  const [unit] = units;
  if (isEmpty) return placeholder === undefined ? 'empty' : 'text';
  return { values, sum, unit, decimals, placeholder };
}

/** A reader of the cells of a column, one by one: undefined for a cell that is no number, or has an open mark. */
export function readerOfAmounts(table: Table, column: number): (cell: Cell) => LooseNumber | undefined {
  const notation = notationIn(table, column);
  const isPlain = table.numbers(column) !== undefined && readsPlainly(table, column, notation);
  const isWhole = !isPlain && isCount(table, column);
  const own = isPlain ? bareNotation : notation;
  return (cell) => (cell === null ? undefined : readWith(rawText(cell), own, isWhole));
}

function readWith(text: string, notation: Notation, isWhole: boolean): LooseNumber | undefined {
  const amount = parseAmount(text);
  if (amount) return amountIn(amount, notation, isWhole);
  return text.includes(',') || (text.includes('.') && notation.decimal === 'comma') ? undefined : readLoosely(text);
}

/** The columns of amounts that have more than plain whole numbers. */
const formattedColumns = memoizePerTable((table): ReadonlySet<number> => {
  const columns = [...table.columns.keys()];
  return new Set(
    columns.filter((column) => holdsAmounts(nameOf(table, column)) && table.numbers(column)?.decimals !== 0),
  );
});

/** The fields of a row. Amounts that cannot be read alone are written with a decimal point, as far as the answer shows how. */
export function plainFields(table: Table, row: number): readonly NamedCell[] {
  const notation = notationOf(table);
  const fields = table.fields(row);
  if (notation.decimal === undefined) return fields;
  const formatted = formattedColumns(table);
  return fields.map(([name, cell], column) => [
    name,
    formatted.has(column) ? plainAmount(rawText(name), cell, notation) : cell,
  ]);
}

/** A cell of a column with a decimal point, with its sign and unit; as it is if it can be read alone, or its mark is open. */
export function plainAmount(column: string, cell: Cell, notation: Notation): Cell {
  if (cell === null || notation.decimal === undefined || !holdsAmounts(column)) return cell;
  const text = rawText(cell);
  const amount = parseAmount(text);
  const isWhole = holdsCounts(column);
  const digits = amount && digitsIn(amount, notation, isWhole);
  if (digits === undefined || !amount || digits === digitsIn(amount, bareNotation, isWhole)) return cell;
  return fromTracker(text.replace(amount.written, () => digits));
}

/** The numbers of some rows, in their order. */
export function numbersOfRows(column: NumberColumn, rows: Uint32Array): NumberColumn {
  const values = Float64Array.from(rows, (row) => column.values[row] ?? Number.NaN);
  return { ...column, values, sum: values.reduce((sum, value) => (Number.isNaN(value) ? sum : sum + value), 0) };
}

/** A number to compare by; a bigint if a double cannot hold it exactly. */
export type LooseNumber = number | bigint;

/** The numbers in a column of text. */
export interface LooseColumn {
  /** One per row; undefined if the cell is empty or not a number. */
  readonly values: readonly (LooseNumber | undefined)[];
  readonly filled: number;
  /** Filled cells that are not numbers. */
  readonly texts: number;
  /** Whether most cells are numbers and the column does not hold names. */
  readonly isMostlyNumbers: boolean;
}

/** Digits, with commas between thousands or without, a sign, a currency or a percent sign. */
const looseNumber = /^([-+]?)[$€£¥]?\s?(-?)((?:[1-9]\d{0,2}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+)\s?[%$€£¥]?$/;

/** The number that a person reads in a text, whatever its unit; undefined if there is none, as in "0,5" or "0,350". */
export function readLoosely(text: string): LooseNumber | undefined {
  const match = looseNumber.exec(text.trim());
  if (!match) return undefined;
  const [, sign = '', innerSign = '', digits = ''] = match;
  const plain = digits.replaceAll(',', '');
  const isNegative = sign === '-' || innerSign === '-';
  const value = Number(plain);
  if (Number.isInteger(value) && !Number.isSafeInteger(value) && !plain.includes('.')) {
    return isNegative ? -BigInt(plain) : BigInt(plain);
  }
  return isNegative ? 0 - value : value;
}

/** The number in a cell that says it alone; undefined if it is empty, no number, or open such as `1,234`. */
export function numberIn(cell: Cell): number | undefined {
  const value = cell === null ? undefined : readWith(rawText(cell), bareNotation, false);
  return value === undefined ? undefined : Number(value);
}

/** Compares exactly, also a double with a bigint. */
export function compareLoosely(one: LooseNumber, other: LooseNumber): number {
  if (one < other) return -1;
  return one > other ? 1 : 0;
}

/** The numbers among the cells of a column of text; kept with the table. */
export const readLooseColumn = memoizePerColumn((table, column): LooseColumn => {
  const cells = table.column(column);
  const numbers = readNumbers(table, column);
  const values = numbers
    ? Array.from(numbers.values, (value) => (Number.isNaN(value) ? undefined : value))
    : cells.map(readerOfAmounts(table, column));
  const filled = cells.filter((cell) => cell !== null).length;
  const texts = filled - values.filter((value) => value !== undefined).length;
  const isMostlyNumbers = filled > 0 && texts * 2 <= filled && !holdsNames(nameOf(table, column));
  return { values, filled, texts, isMostlyNumbers };
});

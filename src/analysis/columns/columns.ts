import { maxDigits, type Table } from '../../api/table.ts';
import { type Cell, rawText, shownNames } from '../../api/text/tracker-text.ts';
import { indexNamed } from '../../api/vocabulary.ts';
import { yieldIfBusy } from '../../api/yield-if-busy.ts';

/** A column as numbers. */
export interface NumberColumn {
  /** One number per row; NaN if the cell is empty. */
  readonly values: Float64Array;
  readonly sum: number;
  readonly unit: '%' | CurrencySign | undefined;
  /** The largest number of decimals in any cell. */
  readonly decimals: number;
}

type CurrencySign = '$' | '€' | '£' | '¥';
type ColumnKind = NumberColumn | 'text' | 'empty';

/** Computes a value once per table and keeps it with the table. */
export function memoizePerTable<Value>(compute: (table: Table) => Value): (table: Table) => Value {
  return (table) => {
    const { derived } = table;
    if (!derived.has(compute)) derived.set(compute, compute(table));
    return derived.get(compute) as Value;
  };
}

/** The names of a table's columns as they are shown and asked for. */
export function shownColumns(table: Table): readonly string[] {
  return shownNames(table.columns);
}

/** The index of the column with the first of these plain names; undefined if no column has one. */
export function indexOfColumn(table: Table, names: readonly string[]): number | undefined {
  const index = indexNamed(table.columns.map(rawText), names);
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
function holdsNames(column: string): boolean {
  const words = column
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
  return words.some((word) => textWords.has(word)) || textNames.test(column.toLowerCase().replace(/[^a-z\d]/g, ''));
}

export function isEmptyColumn(table: Table, column: number): boolean {
  return kindOf(table, column) === 'empty';
}

/** A column as numbers ("12.5%" and "$1,234.50" too) if every cell can be read without loss; undefined if it is text. */
export function readNumbers(table: Table, column: number): NumberColumn | undefined {
  const kind = kindOf(table, column);
  return typeof kind === 'object' ? kind : undefined;
}

/** The columns of numbers by their index. */
export function readNumberColumns(table: Table): ReadonlyMap<number, NumberColumn> {
  const columns = table.columns.map((_, index) => [index, readNumbers(table, index)] as const);
  return new Map(columns.flatMap(([index, column]) => (column ? [[index, column] as const] : [])));
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

const kindsByColumn = memoizePerTable(() => new Map<number, ColumnKind>());

function kindOf(table: Table, column: number): ColumnKind {
  const kinds = kindsByColumn(table);
  const kind = kinds.get(column) ?? readKind(table, column);
  kinds.set(column, kind);
  return kind;
}

function readKind(table: Table, column: number): ColumnKind {
  const plain = table.numbers(column);
  if (plain?.isEmpty) return 'empty';
  if (holdsNames(nameOf(table, column))) return 'text';
  if (plain) return { values: plain.values, sum: plain.sum, unit: undefined, decimals: plain.decimals };
  return readCells(table, column);
}

/** Digits that a double holds exactly, with commas between thousands or without. Leading zeros and exponents are text. */
const number = /^(-?)([$€£¥]?)(-?)((?:0|[1-9]\d{0,14}|[1-9]\d{0,2}(?:,\d{3}){1,4})(?:\.(\d{1,20}))?)(%?)$/;

/** Reads cells as numbers that share one unit, or none. Zeros may lack the unit. */
function readCells(table: Table, column: number): ColumnKind {
  const values = new Float64Array(table.rowCount).fill(Number.NaN);
  const units = new Set<NumberColumn['unit']>();
  let [decimals, sum, isEmpty] = [0, 0, true];
  for (let row = 0; row < table.rowCount; row += 1) {
    const cell = table.text(row, column);
    if (cell === null) continue;
    const parsed = readNumber(rawText(cell));
    if (!parsed) return 'text';
    if (parsed.unit !== undefined || parsed.value !== 0) units.add(parsed.unit);
    if (units.size > 1) return 'text';
    decimals = Math.max(decimals, parsed.decimals);
    values[row] = parsed.value;
    sum += parsed.value;
    isEmpty = false;
  }
  const [unit] = units;
  return isEmpty ? 'empty' : { values, sum, unit, decimals };
}

function readNumber(text: string): { value: number; unit: NumberColumn['unit']; decimals: number } | undefined {
  const match = number.exec(text);
  if (!match) return undefined;
  const [, sign = '', currency = '', innerSign = '', digits = '', fraction = '', percent = ''] = match;
  if ((sign && innerSign) || (currency && percent)) return undefined;
  if (text.length > maxDigits && digits.replace(/[,.]/g, '').replace(/^0+/, '').length > maxDigits) return undefined;
  const value = Number(digits.replaceAll(',', ''));
  const unit = (currency || percent || undefined) as NumberColumn['unit'];
  // 0 - 0 is 0: a loss that rounds to nothing must not become -0.
  return { value: sign || innerSign ? 0 - value : value, unit, decimals: fraction.length };
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

/** The number in a cell as a double; undefined if it is empty or not a number. */
export function numberIn(cell: Cell): number | undefined {
  const value = cell === null ? undefined : readLoosely(rawText(cell));
  return value === undefined ? undefined : Number(value);
}

/** Compares exactly, also a double with a bigint. */
export function compareLoosely(one: LooseNumber, other: LooseNumber): number {
  if (one < other) return -1;
  return one > other ? 1 : 0;
}

const looseColumns = memoizePerTable(() => new Map<number, LooseColumn>());

/** The numbers among the cells of a column of text; kept with the table. */
export function readLooseColumn(table: Table, column: number): LooseColumn {
  const columns = looseColumns(table);
  const loose = columns.get(column) ?? readLooseCells(table, column);
  columns.set(column, loose);
  return loose;
}

function readLooseCells(table: Table, column: number): LooseColumn {
  const cells = table.column(column);
  const values = cells.map((cell) => (cell === null ? undefined : readLoosely(rawText(cell))));
  const filled = cells.filter((cell) => cell !== null).length;
  const texts = filled - values.filter((value) => value !== undefined).length;
  const isMostlyNumbers = filled > 0 && texts * 2 <= filled && !holdsNames(nameOf(table, column));
  return { values, filled, texts, isMostlyNumbers };
}

import type { Table } from '../../api/table.ts';
import { memoize, plainName } from '../../api/text/plain-name.ts';
import { rawText } from '../../api/text/tracker-text.ts';
import { keptWithColumn, keptWithTable } from './kept.ts';

/** A column as numbers: what it measures them in, and how exactly the tracker wrote them. */
export interface NumberColumn {
  /** One number a row; NaN where the cell is empty. */
  readonly values: Float64Array;
  readonly unit: '%' | CurrencySign | undefined;
  /** The most digits behind the point that any cell has. */
  readonly decimals: number;
}

type CurrencySign = '$' | '€' | '£' | '¥';

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

/** Digits that a double holds exactly, grouped by commas or not at all. Leading zeros and exponents are no numbers here. */
const number = /^(-?)([$€£¥]?)(-?)((?:0|[1-9]\d{0,14}|[1-9]\d{0,2}(?:,\d{3}){1,4})(?:\.(\d{1,20}))?)(%?)$/;

/** What a double can tell apart: 15 significant digits always survive. */
const maxDigits = 15;

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
  return typeof read === 'string' ? undefined : read;
}

/** Tables with fewer rows are read in a moment. */
const minRowsByColumn = 10_000;

/**
 * Reads large tables ahead of their use, one column a step, so that whoever takes the steps can let others have their turn in
 * between.
 */
export function* readByColumn(tables: readonly Table[]): Generator<void, void, void> {
  for (const table of tables.filter(({ rowCount }) => rowCount >= minRowsByColumn)) {
    for (const column of table.columns.keys()) yield void readColumn(table, column);
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

/** What a column is. It is read once, and known as long as its table is kept. */
const readColumn = keptWithColumn((table, column): NumberColumn | 'text' | 'empty' => {
  let first = 0;
  while (first < table.rowCount && table.text(first, column) === null) first += 1;
  if (first === table.rowCount) return 'empty';
  return holdsNames(nameOf(table, column)) ? 'text' : (numbersFrom(first, table, column) ?? 'text');
});

/** @param first the first row whose cell is filled */
function numbersFrom(first: number, table: Table, column: number): NumberColumn | undefined {
  const { rowCount } = table;
  const values = new Float64Array(rowCount).fill(Number.NaN);
  let unit: NumberColumn['unit'];
  let decimals = 0;
  for (let index = first; index < rowCount; index += 1) {
    const text = table.text(index, column);
    if (text === null) continue;
    const cell = rawText(text);
    const plain = readPlainNumber(cell);
    if (Number.isNaN(plain)) {
      const parsed = readNumber(cell);
      if (!parsed) return undefined;
      if (parsed.unit !== undefined && unit !== undefined && parsed.unit !== unit) return undefined;
      if (parsed.unit === undefined && unit !== undefined && parsed.value !== 0) return undefined;
      if (parsed.unit !== undefined && unit === undefined && !isZero(values, index)) return undefined;
      unit ??= parsed.unit;
      decimals = Math.max(decimals, parsed.decimals);
      values[index] = parsed.value;
    } else {
      if (unit !== undefined && plain !== 0) return undefined;
      const point = cell.indexOf('.');
      if (point >= 0) decimals = Math.max(decimals, cell.length - point - 1);
      values[index] = plain;
    }
  }
  return { values, unit, decimals };
}

/** Whether all numbers before a row are zero, which may stand without the unit that the others have. */
function isZero(values: Float64Array, end: number): boolean {
  return values.subarray(0, end).every((value) => Number.isNaN(value) || value === 0);
}

const [zero, nine, point, minus] = [48, 57, 46, 45];

/**
 * Digits with at most one point between them: nearly all that reports hold, read by hand since a large one holds millions.
 * Whole numbers of 15 digits and powers of ten are exact, so their quotient is rounded as `Number` would.
 *
 * @returns NaN for everything else, which `readNumber` judges
 */
function readPlainNumber(text: string): number {
  const isNegative = text.charCodeAt(0) === minus;
  const first = isNegative ? 1 : 0;
  const { length } = text;
  if (length - first > maxDigits || length === first) return Number.NaN;
  if (text.charCodeAt(first) === zero && length > first + 1 && text.charCodeAt(first + 1) !== point) return Number.NaN;
  let digits = 0;
  let scale = 0;
  for (let index = first; index < length; index += 1) {
    const code = text.charCodeAt(index);
    if (code >= zero && code <= nine) {
      digits = digits * 10 + code - zero;
      scale *= 10;
    } else if (code === point && scale === 0 && index > first && index < length - 1) scale = 1;
    else return Number.NaN;
  }
  const value = scale === 0 ? digits : digits / scale;
  return isNegative ? 0 - value : value;
}

function readNumber(text: string): { value: number; unit: NumberColumn['unit']; decimals: number } | undefined {
  const match = number.exec(text);
  if (!match) return undefined;
  const [, sign = '', currency = '', innerSign = '', digits = '', fraction = '', percent = ''] = match;
  if ((sign && innerSign) || (currency && percent)) return undefined;
  if (text.length > maxDigits && digits.replace(/[,.]/g, '').replace(/^0+/, '').length > maxDigits) return undefined;
  const value = Number(digits.includes(',') ? digits.replaceAll(',', '') : digits);
  const unit = (currency || percent || undefined) as NumberColumn['unit'];
  // 0 - 0 is 0: a loss that rounds to nothing is no negative zero.
  return { value: sign || innerSign ? 0 - value : value, unit, decimals: fraction.length };
}

import type { Units } from '../../../api/cells.ts';
import { endOfString, parseString } from './json.ts';
import {
  type CellBounds,
  canBeColumns,
  charactersOfStep,
  type Run,
  Scan,
  type Steps,
  scanRows,
  skipSpace,
} from './scan.ts';

const quote = 0x22;
const comma = 0x2c;
const minus = 0x2d;
const point = 0x2e;
const zero = 0x30;
const nine = 0x39;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Scans JSON for long lists of flat records with the same fields in the same order. */
export function* scanJson(text: string, units: Units): Steps<Scan | undefined> {
  const scan = new Scan(text, units);
  let index = 0;
  let endOfStep = charactersOfStep;
  while (index >= 0 && index < units.length) {
    const unit = units[index];
    if (unit === quote) index = endOfString(text, index);
    else if (unit === openBracket) {
      const run = yield* scanList(text, units, index, scan);
      if (run) scan.add(run, (mark) => `,"${mark}"]`);
      index = run?.end ?? index + 1;
    } else index += 1;
    if (index < endOfStep) continue;
    endOfStep = index + charactersOfStep;
    yield;
  }
  return index < 0 ? undefined : scan;
}

/** @returns undefined where the list that begins at `start` is another one, or no JSON */
function* scanList(text: string, units: Units, start: number, scan: Scan): Steps<Run | undefined> {
  const first = skipSpace(units, start + 1);
  const form = units[first] === openBrace ? formOf(text, units, first) : undefined;
  if (!form) return undefined;
  const { columns, gaps } = form;
  const readRow = (start: number, bounds: CellBounds) => {
    let index = start;
    for (let column = 0; column < columns.length; column += 1) {
      index = passSame(units, index, gaps, column);
      if (index >= 0) index = readValue(text, units, index, bounds, scan);
      if (index < 0) return -1;
    }
    return passSame(units, index, gaps, columns.length);
  };
  const nextRow = (endOfRow: number) => {
    const index = skipSpace(units, endOfRow);
    return units[index] === comma ? skipSpace(units, index + 1) : -1;
  };
  const endOfList = (endOfRow: number) => {
    const index = skipSpace(units, endOfRow);
    return units[index] === closeBracket ? index + 1 : -1;
  };
  return yield* scanRows(columns, first, units.length, { readRow, nextRow, endOfList });
}

/** @returns the index behind the value that begins at `index`, after it was added; -1 where there is none */
function readValue(text: string, units: Units, index: number, bounds: CellBounds, scan: Scan): number {
  const isText = units[index] === quote;
  const end = isText ? endOfPlainString(units, index) : endOfPlainValue(text, units, index);
  if (end > 0) {
    const isNull = !isText && end - index === 4 && text.startsWith('null', index);
    bounds.push(isText ? index + 1 : index, isText ? end - 1 : isNull ? index : end);
    return end;
  }
  const endOfEscaped = isText ? endOfString(text, index) : -1;
  const cell = endOfEscaped < 0 ? undefined : parseString(text.slice(index, endOfEscaped));
  if (cell === undefined) return -1;
  const from = scan.unescape(cell);
  bounds.push(from, from + cell.length);
  return endOfEscaped;
}

/** The form that the first record gives to all of a list. */
interface Form {
  readonly columns: readonly string[];
  /** Where what stands ahead of each value, and behind the last, starts and ends: `{"ID":`, `,"Name":`, `}`. */
  readonly gaps: Uint32Array;
}

function formOf(text: string, units: Units, start: number): Form | undefined {
  const columns: string[] = [];
  const gaps: number[] = [];
  let gap = start;
  for (let index = skipSpace(units, start + 1); units[index] === quote; index = skipSpace(units, index + 1)) {
    const endOfName = endOfPlainString(units, index);
    if (endOfName < 0) return undefined;
    columns.push(text.slice(index + 1, endOfName - 1));
    index = skipSpace(units, endOfName);
    if (units[index] !== colon) return undefined;
    index = skipSpace(units, index + 1);
    gaps.push(gap, index);
    gap = units[index] === quote ? endOfString(text, index) : endOfPlainValue(text, units, index);
    if (gap < 0) return undefined;
    index = skipSpace(units, gap);
    if (units[index] === closeBrace) {
      gaps.push(gap, index + 1);
      return canBeColumns(columns) ? { columns, gaps: Uint32Array.from(gaps) } : undefined;
    }
    if (units[index] !== comma) return undefined;
  }
  return undefined;
}

/** @returns the index behind what stands between two values; -1 where it is not what stands there in the first record */
function passSame(units: Units, index: number, gaps: Uint32Array, gap: number): number {
  const start = gaps[2 * gap] ?? 0;
  const length = (gaps[2 * gap + 1] ?? 0) - start;
  for (let offset = 0; offset < length; offset += 1) {
    if (units[index + offset] !== units[start + offset]) return -1;
  }
  return index + length;
}

/** @returns the index behind a string without escapes; -1 where it is another one */
function endOfPlainString(units: Units, start: number): number {
  for (let index = start + 1; index < units.length; index += 1) {
    const unit = units[index];
    if (unit === quote) return index + 1;
    if (unit === backslash) return -1;
  }
  return -1;
}

/** The words of JSON by the character they begin with. */
const words = new Map(['null', 'true', 'false'].map((word) => [word.charCodeAt(0), word]));

/** @returns the index behind a number, true, false or null; -1 where there is none */
function endOfPlainValue(text: string, units: Units, start: number): number {
  const word = words.get(units[start] ?? 0);
  if (word !== undefined) return text.startsWith(word, start) ? start + word.length : -1;
  let index = units[start] === minus ? start + 1 : start;
  const digits = skipDigits(units, index);
  if (digits === index || (units[index] === zero && digits > index + 1)) return -1;
  index = digits;
  if (units[index] === point) {
    index = skipDigits(units, digits + 1);
    if (index === digits + 1) return -1;
  }
  // An exponent is rare, and goes the general way.
  return index;
}

function skipDigits(units: Units, start: number): number {
  let index = start;
  for (let unit = units[index] ?? 0; unit >= zero && unit <= nine; unit = units[index] ?? 0) index += 1;
  return index;
}

import { textOf } from '../../../api/cells.ts';
import { parseString } from '../read/json.ts';
import {
  bytesOfStep,
  type CellForm,
  canBeColumns,
  type FirstRow,
  type ListForm,
  type Resumable,
  type Run,
  Scan,
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
const startOfNull = 0x6e;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** A cell starts behind the quote of its string, or is a number, true, false or null. */
const jsonCells: CellForm = {
  endOf: (bytes, start) => {
    if (bytes[start - 1] === quote) return endOfPlainString(bytes, start);
    return bytes[start] === startOfNull ? start : endOfPlainValue(bytes, start);
  },
  unescape: (bytes, start) => parseString(textOf(bytes, start - 1, endOfString(bytes, start - 1))) ?? '',
};

/** Scans JSON for long lists of flat records with the same fields in the same order. */
export function* scanJson(bytes: Uint8Array): Resumable<Scan | undefined> {
  const scan = new Scan(bytes, jsonCells);
  let index = 0;
  let endOfStep = bytesOfStep;
  while (index >= 0 && index < bytes.length) {
    const byte = bytes[index];
    if (byte === quote) index = endOfString(bytes, index);
    else if (byte === openBracket) {
      const run = yield* scanList(scan, bytes, index);
      if (run) scan.add(run, (mark) => `,"${mark}"]`);
      if (scan.hasTooMany) return undefined;
      index = run?.end ?? index + 1;
    } else index += 1;
    if (index < endOfStep) continue;
    endOfStep = index + bytesOfStep;
    yield;
  }
  return index < 0 ? undefined : scan;
}

/** @returns undefined if the list that begins at `start` is another one, or no JSON */
function* scanList(scan: Scan, bytes: Uint8Array, start: number): Resumable<Run | undefined> {
  const first = skipSpace(bytes, start + 1);
  const record = bytes[first] === openBrace ? readFirst(bytes, first) : undefined;
  if (!record) return undefined;
  scan.beginList();
  return yield* scanRows(bytes, first, record, jsonRows);
}

const jsonRows: ListForm = {
  startMark: quote,
  endMark: quote,
  escapeMark: backslash,
  endOfEscaped: (bytes, start) => {
    const end = endOfString(bytes, start - 1);
    return end < 0 || parseString(textOf(bytes, start - 1, end)) === undefined ? -1 : end - 1;
  },
  endOfBare: endOfPlainValue,
  isNothing: (bytes, start) => bytes[start] === startOfNull,
  nextRow: (bytes, endOfRow) => {
    const index = skipSpace(bytes, endOfRow);
    return bytes[index] === comma ? skipSpace(bytes, index + 1) : -1;
  },
  endOfList: (bytes, endOfRow) => {
    const index = skipSpace(bytes, endOfRow);
    return bytes[index] === closeBracket ? index + 1 : -1;
  },
};

/** The names of a record, and what stands between its values. */
function readFirst(bytes: Uint8Array, start: number): FirstRow | undefined {
  const columns: string[] = [];
  const gaps: Uint8Array[] = [];
  let gap = start;
  for (let index = skipSpace(bytes, start + 1); bytes[index] === quote; index = skipSpace(bytes, index + 1)) {
    const endOfName = endOfPlainString(bytes, index + 1);
    if (endOfName < 0) return undefined;
    columns.push(textOf(bytes, index + 1, endOfName));
    index = skipSpace(bytes, endOfName + 1);
    if (bytes[index] !== colon) return undefined;
    index = skipSpace(bytes, index + 1);
    gaps.push(bytes.subarray(gap, index));
    gap = bytes[index] === quote ? endOfString(bytes, index) : endOfPlainValue(bytes, index);
    if (gap < 0) return undefined;
    index = skipSpace(bytes, gap);
    if (bytes[index] === closeBrace) {
      gaps.push(bytes.subarray(gap, index + 1));
      return canBeColumns(columns) ? { columns, gaps } : undefined;
    }
    if (bytes[index] !== comma) return undefined;
  }
  return undefined;
}

/** @returns where a string without escapes ends whose first character is at `start`; -1 if it is another one */
function endOfPlainString(bytes: Uint8Array, start: number): number {
  for (let index = start; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (byte === quote) return index;
    if (byte === backslash) return -1;
  }
  return -1;
}

/** @returns the index behind the string whose quote is at `start`; -1 if it has no end */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let end = bytes.indexOf(quote, start + 1); end >= 0; end = bytes.indexOf(quote, end + 1)) {
    let escapes = 0;
    while (bytes[end - 1 - escapes] === backslash) escapes += 1;
    if (escapes % 2 === 0) return end + 1;
  }
  return -1;
}

/** The words of JSON by the character they begin with. */
const words = new Map(['null', 'true', 'false'].map((word) => [word.charCodeAt(0), word]));

/** @returns the index behind a number, true, false or null; -1 if there is none */
function endOfPlainValue(bytes: Uint8Array, start: number): number {
  const word = words.get(bytes[start] ?? 0);
  if (word !== undefined) {
    const end = Math.min(bytes.length, start + word.length);
    return textOf(bytes, start, end) === word ? end : -1;
  }
  let index = bytes[start] === minus ? start + 1 : start;
  const digits = skipDigits(bytes, index);
  if (digits === index || (bytes[index] === zero && digits > index + 1)) return -1;
  index = digits;
  if (bytes[index] === point) {
    index = skipDigits(bytes, digits + 1);
    if (index === digits + 1) return -1;
  }
  // An exponent is rare, and goes the general way.
  return index;
}

function skipDigits(bytes: Uint8Array, start: number): number {
  let index = start;
  for (let byte = bytes[index] ?? 0; byte >= zero && byte <= nine; byte = bytes[index] ?? 0) index += 1;
  return index;
}

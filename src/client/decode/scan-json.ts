import { parseString } from './parse-json.ts';
import type { FirstRow, TextForm } from './row-reader.ts';
import { canBeColumns, skipSpace, textBetween } from './scan.ts';

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

/**
 * How JSON writes long lists of flat records. A cell is a string, a number, true, false or null. It is a class because V8 compiles the
 * scan again for each object literal with functions.
 */
export class JsonForm implements TextForm {
  readonly quote = quote;
  readonly terminator = quote;
  readonly startOfNull = startOfNull;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  nextCandidate(start: number, limit: number): number {
    const bytes = this.#bytes;
    let index = start;
    while (index >= 0 && index < limit && index < bytes.length && bytes[index] !== openBracket) {
      index = bytes[index] === quote ? endOfString(bytes, index) : index + 1;
    }
    return index;
  }

  firstRow(index: number): FirstRow | undefined {
    return readFirstRow(this.#bytes, skipSpace(this.#bytes, index + 1));
  }

  endOfCell(index: number): number {
    const bytes = this.#bytes;
    if (bytes[index] !== quote) return endOfPlainValue(bytes, index);
    const endOfText = endOfPlainText(bytes, index + 1);
    if (endOfText >= 0) return endOfText + 1;
    const end = endOfString(bytes, index);
    return end < 0 || parseString(textBetween(bytes, index, end)) === undefined ? -1 : end;
  }

  endOfText(start: number): number {
    const bytes = this.#bytes;
    if (bytes[start - 1] === quote) return endOfPlainText(bytes, start);
    return bytes[start] === startOfNull ? start : endOfPlainValue(bytes, start);
  }

  unescape(start: number): string {
    const end = endOfString(this.#bytes, start - 1);
    return parseString(textBetween(this.#bytes, start - 1, end)) ?? '';
  }

  endOfOtherGap(): number {
    return -1;
  }

  nextRow(endOfRow: number): number {
    const index = skipSpace(this.#bytes, endOfRow);
    return this.#bytes[index] === comma ? skipSpace(this.#bytes, index + 1) : -1;
  }

  endOfList(endOfRow: number): number {
    const index = skipSpace(this.#bytes, endOfRow);
    return this.#bytes[index] === closeBracket ? index + 1 : -1;
  }

  writeMark(name: string): string {
    return `,"${name}"]`;
  }
}

function readFirstRow(bytes: Uint8Array, start: number): FirstRow | undefined {
  if (bytes[start] !== openBrace) return undefined;
  const columns: string[] = [];
  const gaps: Uint8Array[] = [];
  let gap = start;
  for (let index = skipSpace(bytes, start + 1); bytes[index] === quote; index = skipSpace(bytes, index + 1)) {
    const endOfName = endOfPlainText(bytes, index + 1);
    if (endOfName < 0) return undefined;
    columns.push(textBetween(bytes, index + 1, endOfName));
    index = skipSpace(bytes, endOfName + 1);
    if (bytes[index] !== colon) return undefined;
    index = skipSpace(bytes, index + 1);
    gaps.push(bytes.subarray(gap, index));
    gap = bytes[index] === quote ? endOfString(bytes, index) : endOfPlainValue(bytes, index);
    if (gap < 0) return undefined;
    index = skipSpace(bytes, gap);
    if (bytes[index] === closeBrace) {
      gaps.push(bytes.subarray(gap, index + 1));
      return canBeColumns(columns) ? { columns, gaps, start } : undefined;
    }
    if (bytes[index] !== comma) return undefined;
  }
  return undefined;
}

/** @returns the end of a string whose first character is at `start`; -1 if it has escapes or no end */
function endOfPlainText(bytes: Uint8Array, start: number): number {
  let index = start;
  for (let byte = bytes[index]; byte !== quote; byte = bytes[index]) {
    if (byte === backslash || byte === undefined) return -1;
    index += 1;
  }
  return index;
}

/** @returns the index after the string whose quote is at `start`; -1 if it has no end */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let index = start + 1; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (byte === quote) return index + 1;
    if (byte === backslash) index += 1;
  }
  return -1;
}

const literalByFirst = new Map(['null', 'true', 'false'].map((literal) => [literal.charCodeAt(0), literal]));

/** @returns the index after true, false, null or a number without an exponent; -1 if there is none */
function endOfPlainValue(bytes: Uint8Array, start: number): number {
  const first = bytes[start] === minus ? start + 1 : start;
  const end = skipDigits(bytes, first);
  if (end === start) return endOfLiteral(bytes, start);
  if (end === first || (bytes[first] === zero && end > first + 1)) return -1;
  if (bytes[end] !== point) return end;
  const endOfDecimals = skipDigits(bytes, end + 1);
  return endOfDecimals === end + 1 ? -1 : endOfDecimals;
}

function endOfLiteral(bytes: Uint8Array, start: number): number {
  const literal = literalByFirst.get(bytes[start] ?? 0) ?? '-';
  const end = Math.min(bytes.length, start + literal.length);
  return textBetween(bytes, start, end) === literal ? end : -1;
}

function skipDigits(bytes: Uint8Array, start: number): number {
  let index = start;
  for (let byte = bytes[index] ?? 0; byte >= zero && byte <= nine; byte = bytes[index] ?? 0) index += 1;
  return index;
}

/** A column in which each cell is empty or a plain number: digits, at most one point, maybe a minus. */
export interface PlainColumn {
  /** One number per row; NaN for an empty cell. */
  readonly values: Float64Array;
  readonly isEmpty: boolean;
  /** The sum of all numbers. */
  readonly sum: number;
  /** The largest number of decimals in any cell. */
  readonly decimals: number;
}

/** A double keeps 15 significant digits. A whole number with more is a name; a fraction with more is rounded to them. */
export const maxDigits = 15;

/** Digits and a point; a longer text is no number. */
export const maxPlainLength = 40;

const plainNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** Reads a column of texts. @returns undefined if any cell is not a plain number */
export function readPlainColumn(rowCount: number, textOf: (row: number) => string | null): PlainColumn | undefined {
  const values = new Float64Array(rowCount).fill(Number.NaN);
  let isEmpty = true;
  let sum = 0;
  let decimals = 0;
  for (let row = 0; row < rowCount; row += 1) {
    const text = textOf(row);
    if (text === null) continue;
    const isShort = text.length <= maxDigits && plainNumber.test(text);
    const long = isShort ? undefined : readLong(text);
    if (!isShort && !long) return undefined;
    // Adding 0 turns -0 into 0.
    const value = long ? long.value : Number(text) + 0;
    const point = text.indexOf('.');
    values[row] = value;
    sum += value;
    isEmpty = false;
    decimals = Math.max(decimals, long ? long.decimals : point < 0 ? 0 : text.length - 1 - point);
  }
  return { values, isEmpty, sum, decimals };
}

interface PlainNumber {
  readonly value: number;
  readonly decimals: number;
}

function readLong(text: string): PlainNumber | undefined {
  const start = text.startsWith('-') ? 1 : 0;
  const length = text.length - start;
  if (length > maxPlainLength || !plainNumber.test(text)) return undefined;
  const point = text.indexOf('.');
  if (length <= maxDigits) return { value: Number(text) + 0, decimals: point < 0 ? 0 : text.length - 1 - point };
  if (point < 0 || point - start > maxDigits) return undefined;
  const { value, decimals } = roundFraction(Buffer.from(text, 'latin1'), start, text.length);
  return { value: start === 1 ? 0 - value : value, decimals };
}

const pointByte = 0x2e;
const zero = 0x30;
const half = 5;

/** Powers of ten that a double holds exactly. */
const powersOfTen = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));

/** The zeros that are taken off the end of a number, most at once. */
const zerosAtEnd = [8, 4, 2, 1];

/**
 * A decimal fraction with more digits than a double holds, such as 0.30000000000000004 for 0.1 + 0.2: rounded to those that it
 * holds, without zeros at its end. The bytes are digits with one point.
 */
export function roundFraction(bytes: Uint8Array, start: number, end: number): PlainNumber {
  let [digits, significant, decimals, isFraction] = [0, 0, 0, false];
  for (let index = start; index < end && significant <= maxDigits; index += 1) {
    const digit = (bytes[index] ?? 0) - zero;
    if (bytes[index] === pointByte) {
      isFraction = true;
      continue;
    }
    if (significant === maxDigits) {
      if (digit >= half) digits += 1;
      break;
    }
    digits = digits * 10 + digit;
    if (digits > 0) significant += 1;
    if (isFraction) decimals += 1;
  }
  if (digits === 0) return { value: 0, decimals: 0 };
  for (const zeros of zerosAtEnd)
    if (decimals >= zeros && digits % (powersOfTen[zeros] ?? 1) === 0) {
      digits /= powersOfTen[zeros] ?? 1;
      decimals -= zeros;
    }
  const power = powersOfTen[decimals];
  return { value: power === undefined ? Number(`${digits}e-${decimals}`) : digits / power, decimals };
}

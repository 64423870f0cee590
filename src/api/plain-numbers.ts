/** A column in which each cell is empty or a plain number: digits, at most one point, maybe a minus. */
export interface PlainColumn {
  /** One number per row; NaN for an empty cell. */
  readonly values: Float64Array;
  readonly isEmpty: boolean;
  readonly sum: number;
  /** The largest number of decimals in any cell. */
  readonly decimals: number;
}

/** A double keeps 15 significant digits. A whole number with more is a name. */
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
    const start = text.startsWith('-') ? 1 : 0;
    const length = text.length - start;
    if (length > maxPlainLength || !plainNumber.test(text)) return undefined;
    const point = text.indexOf('.');
    const long = length > maxDigits ? readLong(text, start, point) : undefined;
    if (length > maxDigits && !long) return undefined;
    // Adding 0 turns -0 into 0.
    const value = long ? long.value : Number(text) + 0;
    values[row] = value;
    sum += value;
    isEmpty = false;
    decimals = Math.max(decimals, long ? long.decimals : point < 0 ? 0 : text.length - 1 - point);
  }
  return { values, isEmpty, sum, decimals };
}

/**
 * Some rows of a plain column. Only texts show their decimals, as far as there may be more than in the rows before.
 *
 * @param values their numbers in `all`
 */
export function selectPlain(
  all: PlainColumn,
  values: Float64Array,
  textOf: (row: number) => string | null,
): PlainColumn {
  let [sum, decimals, isEmpty] = [0, 0, true];
  for (let row = 0; row < values.length; row += 1) {
    const value = values[row] ?? Number.NaN;
    if (Number.isNaN(value)) continue;
    sum += value;
    isEmpty = false;
    if (decimals < all.decimals) decimals = Math.max(decimals, decimalsIn(textOf(row)));
  }
  return { values, isEmpty, sum, decimals };
}

const decimalsIn = (text: string | null) => readPlainColumn(1, () => text)?.decimals ?? 0;

interface PlainNumber {
  readonly value: number;
  readonly decimals: number;
}

function readLong(text: string, start: number, point: number): PlainNumber | undefined {
  if (point < 0 || point - start > maxDigits) return undefined;
  const number = readLongFraction(Buffer.from(text, 'latin1'), start, text.length);
  return number && { ...number, value: start === 1 ? 0 - number.value : number.value };
}

const pointByte = 0x2e;
const zero = 0x30;
const half = 5;

/** Powers of ten that a double holds exactly. */
export const powersOfTen = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));

/** The zeros that are taken off the end of a number, most at once. */
const zerosAtEnd = [8, 4, 2, 1];

/** A rounding error of a program shows at least so many digits too many, as in 0.30000000000000004 for 0.1 + 0.2. */
const minExcess = 6;

/**
 * A decimal fraction with more digits than a double holds. Programs write them: without their rounding error, or as they are if they
 * are all digits of a double, as in 33.333333333333336. The bytes are digits with one point.
 * @returns undefined if digits would be lost
 */
export function readLongFraction(bytes: Uint8Array, start: number, end: number): PlainNumber | undefined {
  let [digits, significant, decimals, allDecimals, isFraction] = [0, 0, 0, 0, false];
  for (let index = start; index < end; index += 1) {
    const digit = (bytes[index] ?? 0) - zero;
    if (bytes[index] === pointByte) {
      isFraction = true;
      continue;
    }
    if (isFraction) allDecimals += 1;
    if (digits > 0 || digit > 0) significant += 1;
    if (significant > maxDigits + 1) continue;
    if (significant > maxDigits) {
      if (digit >= half) digits += 1;
      continue;
    }
    digits = digits * 10 + digit;
    if (isFraction) decimals += 1;
  }
  if (significant <= maxDigits) return { value: quotient(digits, decimals), decimals };
  for (const zeros of zerosAtEnd)
    if (decimals >= zeros && digits % (powersOfTen[zeros] ?? 1) === 0) {
      digits /= powersOfTen[zeros] ?? 1;
      decimals -= zeros;
    }
  if (allDecimals - decimals >= minExcess) return { value: quotient(digits, decimals), decimals };
  const text = Buffer.from(bytes.subarray(start, end)).toString('latin1');
  const value = Number(text);
  return String(value) === text || value.toPrecision(significantOfDouble) === text
    ? { value, decimals: allDecimals }
    : undefined;
}

/** So many digits tell each double from all others. */
const significantOfDouble = 17;

function quotient(digits: number, decimals: number): number {
  const power = powersOfTen[decimals];
  return power === undefined ? Number(`${digits}e-${decimals}`) : digits / power;
}

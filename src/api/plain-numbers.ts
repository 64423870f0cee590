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

const emptyValues = (rowCount: number) => new Float64Array(rowCount).fill(Number.NaN);

/** Reads a column of texts. @returns undefined if any cell is not a plain number */
export function readPlainColumn(rowCount: number, textOf: (row: number) => string | null): PlainColumn | undefined {
  // Not made for a column of text, which its first cell shows.
  let values: Float64Array | undefined;
  const seen = { decimals: 0 };
  let sum = 0;
  for (let row = 0; row < rowCount; row += 1) {
    const text = textOf(row);
    if (text === null) continue;
    const value = readPlain(text, text.charCodeAt(0) === minus ? 1 : 0, seen);
    if (Number.isNaN(value)) return undefined;
    values ??= emptyValues(rowCount);
    values[row] = value;
    sum += value;
  }
  return { values: values ?? emptyValues(rowCount), isEmpty: !values, sum, decimals: seen.decimals };
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

/** The value of a text; NaN if it is no plain number. A pattern and `Number` would take twice as long. */
function readPlain(text: string, start: number, seen: Decimals): number {
  const end = text.length;
  if (end - start > maxDigits) return end - start <= maxPlainLength ? readLong(text, start, seen) : Number.NaN;
  let digits = 0;
  let point = end;
  for (let index = start; index < end; index += 1) {
    const code = text.charCodeAt(index);
    if (code >= zero && code <= nine) digits = digits * 10 + (code - zero);
    else if (code === pointByte && point === end) point = index;
    else return Number.NaN;
  }
  const whole = point - start;
  if (whole === 0 || (whole > 1 && text.charCodeAt(start) === zero) || point === end - 1) return Number.NaN;
  const decimals = Math.max(0, end - 1 - point);
  if (decimals > seen.decimals) seen.decimals = decimals;
  // Whole numbers of 15 digits and powers of ten are exact, so their quotient is rounded as `Number` would. Zero has no sign.
  const value = decimals === 0 ? digits : digits / (powersOfTen[decimals] ?? Number.NaN);
  return start === 1 ? 0 - value : value;
}

function readLong(text: string, start: number, seen: Decimals): number {
  const point = text.indexOf('.');
  if (!plainNumber.test(text) || point < 0 || point - start > maxDigits) return Number.NaN;
  const number = readLongFraction(Buffer.from(text, 'latin1'), start, text.length, seen);
  return start === 1 ? 0 - number : number;
}

const minus = 0x2d;
const pointByte = 0x2e;
const zero = 0x30;
const nine = 0x39;
const half = 5;

/** Powers of ten that a double holds exactly. */
export const powersOfTen = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));

/** A rounding error of a program shows at least so many digits too many, as in 0.30000000000000004 for 0.1 + 0.2. */
const minExcess = 6;

/** So many digits are summed up at a time: V8 keeps a small integer without an object. */
const halfDigits = 8;

/** The largest number of decimals so far. */
interface Decimals {
  decimals: number;
}

/**
 * A decimal fraction with more digits than a double holds. Programs write them: without their rounding error, or as they are if they
 * are all digits of a double, as in 33.333333333333336. The bytes are digits with one point.
 *
 * @param seen gets its decimals if it has more: an object for each number would cost more than to read it
 * @returns NaN if digits would be lost
 */
export function readLongFraction(bytes: Uint8Array, start: number, end: number, seen: Decimals): number {
  let high = 0;
  let low = 0;
  let significant = 0;
  let decimals = 0;
  let point = -1;
  for (let index = start; index < end; index += 1) {
    const byte = bytes[index] ?? 0;
    if (byte === pointByte) {
      point = index;
      continue;
    }
    if (significant > 0 || byte > zero) significant += 1;
    if (significant > maxDigits) {
      if (significant === maxDigits + 1 && byte - zero >= half) low += 1;
      continue;
    }
    if (significant <= halfDigits) high = high * 10 + byte - zero;
    else low = low * 10 + byte - zero;
    if (point >= 0) decimals += 1;
  }
  const allDecimals = point < 0 ? 0 : end - point - 1;
  if (significant <= halfDigits) return quotient(high, decimals, seen);
  const shift = powersOfTen[Math.min(significant, maxDigits) - halfDigits] ?? 1;
  let digits = high * shift + low;
  if (significant <= maxDigits) return quotient(digits, decimals, seen);
  // Zeros are taken off the end, up to 15.
  for (let zeros = halfDigits; zeros > 0; zeros >>= 1) {
    const power = powersOfTen[zeros] ?? 1;
    if (decimals < zeros || digits % power !== 0) continue;
    digits /= power;
    decimals -= zeros;
  }
  if (allDecimals - decimals >= minExcess) return quotient(digits, decimals, seen);
  const text = Buffer.from(bytes.subarray(start, end)).toString('latin1');
  const value = Number(text);
  if (String(value) !== text && value.toPrecision(significantOfDouble) !== text) return Number.NaN;
  seen.decimals = Math.max(seen.decimals, allDecimals);
  return value;
}

/** So many digits tell each double from all others. */
const significantOfDouble = 17;

function quotient(digits: number, decimals: number, seen: Decimals): number {
  seen.decimals = Math.max(seen.decimals, decimals);
  const power = powersOfTen[decimals];
  return power === undefined ? Number(`${digits}e-${decimals}`) : digits / power;
}

import { type CellReader, textOf, type Units } from '../../api/cells.ts';

/** A column as numbers: what it measures them in, and how exactly the tracker wrote them. */
export interface NumberColumn {
  /** One number a row; NaN where the cell is empty. */
  readonly values: Float64Array;
  /** Of all numbers that are there. */
  readonly sum: number;
  readonly unit: '%' | CurrencySign | undefined;
  /** The most digits behind the point that any cell has. */
  readonly decimals: number;
}

type CurrencySign = '$' | '€' | '£' | '¥';

/** Digits that a double holds exactly, grouped by commas or not at all. Leading zeros and exponents are no numbers here. */
const number = /^(-?)([$€£¥]?)(-?)((?:0|[1-9]\d{0,14}|[1-9]\d{0,2}(?:,\d{3}){1,4})(?:\.(\d{1,20}))?)(%?)$/;

/** What a double can tell apart: 15 significant digits always survive. */
const maxDigits = 15;

/** Reads the cells of one column, each once and in the order of its rows, and tells what the column is. */
export class ColumnReader implements CellReader {
  readonly #rowCount: number;
  readonly #holdsNames: boolean;
  #row = 0;
  #isText = false;
  /** One a row, made when the first cell is filled. */
  #values: Float64Array | undefined;
  #unit: NumberColumn['unit'];
  #decimals = 0;
  #sum = 0;
  #result: NumberColumn | undefined;

  /** @param holdsNames whether it is text, even where it looks like numbers */
  constructor(rowCount: number, holdsNames: boolean) {
    this.#rowCount = rowCount;
    this.#holdsNames = holdsNames;
  }

  /** What the column is, once its cells are read. */
  get result(): NumberColumn | 'text' | 'empty' {
    if (this.#isText) return 'text';
    if (!this.#values) return 'empty';
    this.#result ??= { values: this.#values, sum: this.#sum, unit: this.#unit, decimals: this.#decimals };
    return this.#result;
  }

  read(units: Units, start: number, end: number): void {
    const row = this.#row;
    this.#row += 1;
    // The rest of a column of text says nothing more.
    if (start === end || this.#isText) return;
    if (this.#holdsNames) {
      this.#isText = true;
      return;
    }
    this.#values ??= new Float64Array(this.#rowCount).fill(Number.NaN);
    const plain = this.#readPlain(units, start, end);
    if (Number.isNaN(plain)) this.#isText = !this.#takeOther(textOf(units, start, end), row, this.#values);
    else if (this.#unit !== undefined && plain !== 0) this.#isText = true;
    else {
      this.#values[row] = plain;
      this.#sum += plain;
    }
  }

  /** @returns whether it is a number too, and one beside the others */
  #takeOther(text: string, row: number, values: Float64Array): boolean {
    const parsed = readNumber(text);
    if (!parsed) return false;
    if (parsed.unit !== undefined && this.#unit !== undefined && parsed.unit !== this.#unit) return false;
    if (parsed.unit === undefined && this.#unit !== undefined && parsed.value !== 0) return false;
    if (parsed.unit !== undefined && this.#unit === undefined && !isZero(values, row)) return false;
    this.#unit ??= parsed.unit;
    this.#decimals = Math.max(this.#decimals, parsed.decimals);
    values[row] = parsed.value;
    this.#sum += parsed.value;
    return true;
  }

  /**
   * Digits with at most one point between them: nearly all that reports hold, read by hand since a large one holds millions.
   * Whole numbers of 15 digits and powers of ten are exact, so their quotient is rounded as `Number` would.
   *
   * @returns NaN for everything else, which `readNumber` judges
   */
  #readPlain(units: Units, start: number, end: number): number {
    const isNegative = units[start] === minus;
    const first = isNegative ? start + 1 : start;
    if (end - first > maxDigits || end === first) return Number.NaN;
    if (units[first] === zero && end > first + 1 && units[first + 1] !== point) return Number.NaN;
    let digits = 0;
    let scale = 0;
    let pointAt = end - 1;
    for (let index = first; index < end; index += 1) {
      const code = units[index] ?? 0;
      if (code >= zero && code <= nine) {
        digits = digits * 10 + code - zero;
        scale *= 10;
      } else if (code === point && scale === 0 && index > first && index < end - 1) {
        scale = 1;
        pointAt = index;
      } else return Number.NaN;
    }
    this.#decimals = Math.max(this.#decimals, end - 1 - pointAt);
    const value = scale === 0 ? digits : digits / scale;
    return isNegative ? 0 - value : value;
  }
}

/** Whether all numbers before a row are zero, which may stand without the unit that the others have. */
function isZero(values: Float64Array, end: number): boolean {
  return values.subarray(0, end).every((value) => Number.isNaN(value) || value === 0);
}

const [zero, nine, point, minus] = [48, 57, 46, 45];

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

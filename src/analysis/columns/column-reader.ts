import { maxDigits } from '../../api/cells.ts';
import type { Table } from '../../api/table.ts';

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

/** Reads the cells of one column, each once and in the order of its rows, as numbers with a unit or without. */
export class ColumnReader {
  readonly #values: Float64Array;
  #row = 0;
  #unit: NumberColumn['unit'];
  #decimals = 0;
  #sum = 0;
  #isEmpty = true;

  constructor(rowCount: number) {
    this.#values = new Float64Array(rowCount);
  }

  /** What the column is, once its cells are read and each of them was a number. */
  get result(): NumberColumn | 'empty' {
    if (this.#isEmpty) return 'empty';
    return { values: this.#values, sum: this.#sum, unit: this.#unit, decimals: this.#decimals };
  }

  /** @returns whether it is a number too, and one beside the others; or nothing */
  take(text: string | null): boolean {
    const row = this.#row;
    this.#row += 1;
    this.#values[row] = Number.NaN;
    const parsed = text === null ? null : readNumber(text);
    if (!parsed) return parsed === null;
    if (parsed.unit !== undefined && this.#unit !== undefined && parsed.unit !== this.#unit) return false;
    if (parsed.unit === undefined && this.#unit !== undefined && parsed.value !== 0) return false;
    if (parsed.unit !== undefined && this.#unit === undefined && !isZero(this.#values.subarray(0, row))) return false;
    this.#unit ??= parsed.unit;
    this.#decimals = Math.max(this.#decimals, parsed.decimals);
    this.#values[row] = parsed.value;
    this.#sum += parsed.value;
    this.#isEmpty = false;
    return true;
  }
}

/** Whether all numbers so far are zero, which may stand without the unit that the others have. */
function isZero(values: Float64Array): boolean {
  return values.every((value) => Number.isNaN(value) || value === 0);
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

/** Works something out of a table once, and keeps it as long as the table. */
export function memoizePerTable<Value>(compute: (table: Table) => Value): (table: Table) => Value {
  return (table) => {
    const { known } = table;
    if (!known.has(compute)) known.set(compute, compute(table));
    return known.get(compute) as Value;
  };
}

/** The same for a column of a table, by its index. */
export function keptWithColumn<Value>(
  compute: (table: Table, column: number) => Value,
): (table: Table, column: number) => Value {
  const knownOf = memoizePerTable(() => new Map<number, { readonly value: Value }>());
  return (table, column) => {
    const known = knownOf(table);
    const found = known.get(column) ?? { value: compute(table, column) };
    known.set(column, found);
    return found.value;
  };
}

/** A column of numbers as it is of some rows alone, in their order. */
export function numbersOfRows(column: NumberColumn, rows: Uint32Array): NumberColumn {
  const values = new Float64Array(rows.length);
  let sum = 0;
  // An iterator takes four times as long, and a report has 100,000 rows.
  for (let index = 0; index < rows.length; index += 1) {
    const value = column.values[rows[index] ?? 0] ?? Number.NaN;
    values[index] = value;
    if (!Number.isNaN(value)) sum += value;
  }
  return { ...column, values, sum };
}

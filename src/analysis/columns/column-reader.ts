import { maxDigits, type Table } from '../../api/table.ts';
import { rawText } from '../../api/text/tracker-text.ts';

/** A column as numbers. */
export interface NumberColumn {
  /** One number a row; NaN if the cell is empty. */
  readonly values: Float64Array;
  readonly sum: number;
  readonly unit: '%' | CurrencySign | undefined;
  /** The most digits behind the point that any cell has. */
  readonly decimals: number;
}

type CurrencySign = '$' | '€' | '£' | '¥';

/** Digits that a double holds exactly, grouped by commas or not at all. Leading zeros and exponents are no numbers here. */
const number = /^(-?)([$€£¥]?)(-?)((?:0|[1-9]\d{0,14}|[1-9]\d{0,2}(?:,\d{3}){1,4})(?:\.(\d{1,20}))?)(%?)$/;

/** Cells that are read in some milliseconds. */
const cellsOfStep = 20_000;

/** Reads the cells of a column as numbers with a unit or without, in steps. Zeros may stand without the unit of the others. */
export function* readCells(table: Table, column: number): Generator<void, NumberColumn | 'text' | 'empty', void> {
  const values = new Float64Array(table.rowCount).fill(Number.NaN);
  const units = new Set<NumberColumn['unit']>();
  let [decimals, sum, isEmpty] = [0, 0, true];
  for (let row = 0; row < table.rowCount; row += 1) {
    if (row % cellsOfStep === cellsOfStep - 1) yield;
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
  const value = Number(digits.includes(',') ? digits.replaceAll(',', '') : digits);
  const unit = (currency || percent || undefined) as NumberColumn['unit'];
  // 0 - 0 is 0: a loss that rounds to nothing is no negative zero.
  return { value: sign || innerSign ? 0 - value : value, unit, decimals: fraction.length };
}

/** Computes something once for a table, and keeps it as long as the table. */
export function memoizePerTable<Value>(compute: (table: Table) => Value): (table: Table) => Value {
  return (table) => {
    const { known } = table;
    if (!known.has(compute)) known.set(compute, compute(table));
    return known.get(compute) as Value;
  };
}

/** The numbers of some rows, in their order. */
export function numbersOfRows(column: NumberColumn, rows: Uint32Array): NumberColumn {
  const values = Float64Array.from(rows, (row) => column.values[row] ?? Number.NaN);
  return { ...column, values, sum: values.reduce((sum, value) => (Number.isNaN(value) ? sum : sum + value), 0) };
}

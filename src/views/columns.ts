import { formatOf, isCode, maxDigits, writeNumber } from '../analysis/columns/formats.ts';

/** A value in a table, as the tools return it. */
export type Cell = string | number | null;

/** What is known of the columns of a table beside its cells. */
export interface ColumnFacts {
  /** %, the sign of a currency, or its code. */
  readonly units?: Readonly<Record<string, string>> | undefined;
  /** Only what adds up, or is worked out from what does, has one. */
  readonly totals?: Readonly<Record<string, number>> | undefined;
}

/** A column as a reader meets it. */
export interface Column {
  readonly name: string;
  /** Every cell that has a value is a number. */
  readonly isNumeric: boolean;
  /** An amount or a ratio, by its unit, its total or its name; the ID, share or level of a page is none. */
  readonly isMeasure: boolean;
  readonly format: (cell: Cell) => string;
}

/** What the columns of a table hold: their cells as numbers or texts, and how these are written. */
export function describeColumns(
  names: readonly string[],
  rows: readonly (readonly Cell[])[],
  { units = {}, totals = {} }: ColumnFacts = {},
): Column[] {
  return names.map((name, index) => {
    const values = rows.map((row) => row[index] ?? null).filter((cell) => cell !== null);
    const numbers = values.filter((cell) => typeof cell === 'number');
    const isNumeric = numbers.length > 0 && numbers.length === values.length;
    const usualDigits = maxDigits(isNumeric ? [...numbers, totals[name] ?? 0] : []);
    const usual = formatOf(name, units[name], totals[name] !== undefined);
    // Whole percents, such as those of shares, stay whole.
    const format = usual.isPercentage
      ? { ...usual, digits: Math.min(usualDigits, usual.digits ?? usualDigits) }
      : usual;
    return {
      name,
      isNumeric,
      isMeasure: isNumeric && format.isAmount === true,
      format: (cell) => {
        if (typeof cell !== 'number') return cell ?? '';
        return withUnit(writeNumber(Math.abs(cell), format, usualDigits), cell < 0, units[name]);
      },
    };
  });
}

/** @param text a number without its sign, which stands ahead of a currency */
function withUnit(text: string, isNegative: boolean, unit: string | undefined): string {
  // A minus sign for what rounds to nothing would be noise.
  const sign = isNegative && /[1-9]/.test(text) ? '−' : '';
  return unit === undefined || unit === '%' ? sign + text : sign + symbolOf(unit) + text;
}

/** How a currency stands ahead of an amount: $, €, CA$; letters with a space behind them. */
function symbolOf(unit: string): string {
  if (!isCode(unit)) return unit;
  const parts = new Intl.NumberFormat('en-US', { style: 'currency', currency: unit }).formatToParts(1);
  const symbol = parts.find(({ type }) => type === 'currency')?.value ?? unit;
  return /[A-Za-z]$/.test(symbol) ? `${symbol}\u00a0` : symbol;
}

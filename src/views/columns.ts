import { formatOf, isCode, maxDigits, writeNumber } from '../analysis/columns/formats.ts';
import type { Cell, ReportTable } from './result.ts';

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

/** How a figure stands to that of the period before. */
export interface Change {
  /** `+12.3%`, or an amount where a percentage would say nothing. */
  readonly text: string;
  /** Whether it is for the better; undefined where that cannot be said, as of costs. */
  readonly isGain: boolean | undefined;
  /** The figure before, written. */
  readonly former: string;
}

/** More of these is better; more cost can be either. */
const better: ReadonlySet<string> = new Set(['profit', 'revenue', 'conversions']);

/** What changed of a measure; undefined where nothing is known of the period before. */
export function changeOf(column: Column, now: number, former: number | undefined): Change | undefined {
  if (former === undefined) return undefined;
  const difference = now - former;
  const name = column.name.toLowerCase();
  // A profit may pass zero, and over nothing there is no percentage.
  const isAmount = name === 'profit' || former === 0;
  const size = isAmount
    ? column.format(Math.abs(difference))
    : `${Math.abs((difference / former) * 100).toLocaleString('en-US', { maximumFractionDigits: 1 })}%`;
  const isZero = !/[1-9]/.test(size);
  return {
    text: isZero ? 'no change' : `${difference < 0 ? '−' : '+'}${size}`,
    isGain: isZero || !better.has(name) ? undefined : difference > 0,
    former: column.format(former),
  };
}

/** Columns that name what a row is about, best first. */
const naming = [/^name$/i, /name$/i];
const identifying = /(^|[^a-z])id$|[a-z]ID$/i;

/** A table with the columns that name its rows ahead of the others, the best of them first. */
export interface NamedRows {
  readonly table: ReportTable;
  /** How many columns at the beginning name a row together; 0 where none does. */
  readonly nameCount: number;
}

/**
 * Puts what names the rows first, since the first column stays in sight: a name where there is one, else the texts ahead of the
 * figures, such as a day and a device.
 *
 * @param columns of the table, in its order
 */
export function nameFirst(table: ReportTable, columns: readonly Column[]): NamedRows {
  const isName = (pattern: RegExp) => columns.findIndex(({ name, isNumeric }) => !isNumeric && pattern.test(name));
  const named = naming.map(isName).find((index) => index >= 0);
  if (named === undefined) {
    const firstFigure = columns.findIndex(({ isNumeric }) => isNumeric);
    return { table, nameCount: firstFigure < 0 ? Math.min(1, columns.length) : firstFigure };
  }
  const others = [...columns.keys()].filter((index) => index !== named);
  const isId = (index: number) => identifying.test(columns[index]?.name ?? '');
  // Nobody reads an ID, and some look for one.
  const order = [named, ...others.filter((index) => !isId(index)), ...others.filter(isId)];
  return {
    table: {
      ...table,
      columns: order.map((index) => table.columns[index] ?? ''),
      rows: table.rows.map((row) => order.map((index) => row[index] ?? null)),
    },
    nameCount: 1,
  };
}

/** What each row is called; rows of one name are told apart by their ID, where they have one. */
export function namesOf({ table: { columns, rows, offset }, nameCount }: NamedRows): string[] {
  const names = rows.map((row, index) =>
    nameCount === 0
      ? `Row ${offset + index + 1}`
      : row
          .slice(0, nameCount)
          .map((cell) => cellText(cell) || '(empty)')
          .join(' · '),
  );
  const id = columns.findIndex((column) => identifying.test(column));
  const count = new Map<string, number>();
  for (const name of names) count.set(name, (count.get(name) ?? 0) + 1);
  return names.map((name, index) => {
    const own = cellText(rows[index]?.[id] ?? null);
    return (count.get(name) ?? 0) > 1 && own !== '' ? `${name} · ${own}` : name;
  });
}

function cellText(cell: Cell): string {
  return cell === null ? '' : String(cell);
}

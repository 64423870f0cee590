import { type ColumnFormat, digitsOf, formatOf, isCode, maxDigits, writeNumber } from '../analysis/columns/formats.ts';
import type { Cell, ReportTable } from './result.ts';

/** What is known of the columns of a table beside its cells. */
export interface ColumnFacts {
  /** %, the sign of a currency, or its code. */
  readonly units?: Readonly<Record<string, string>> | undefined;
  /** Only what adds up, or is worked out from what does, has one. */
  readonly totals?: Readonly<Record<string, number>> | undefined;
  /** What a column measures, if its name does not say so. */
  readonly measures?: Readonly<Record<string, string>>;
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
  { units = {}, totals = {}, measures = {} }: ColumnFacts = {},
): Column[] {
  return names.map((name, index) => {
    const values = rows.map((row) => row[index] ?? null).filter((cell) => cell !== null);
    const numbers = values.filter((cell) => typeof cell === 'number');
    const isNumeric = numbers.length > 0 && numbers.length === values.length;
    const unit = units[name];
    const format = writtenFormat(
      measures[name] ?? name,
      isNumeric ? [...numbers, totals[name] ?? 0] : [],
      unit,
      totals[name],
    );
    return {
      name,
      isNumeric,
      isMeasure: isNumeric && format.isAmount === true,
      format: (cell) => {
        if (typeof cell === 'number') return writeAmount(cell, format, unit);
        return isHour(name) ? hourName(cell ?? '') : (cell ?? '');
      },
    };
  });
}

function writtenFormat(
  name: string,
  numbers: readonly number[],
  unit: string | undefined,
  total: number | undefined,
): ColumnFormat {
  const format = formatOf(name, unit, total !== undefined);
  const digits = digitsOf(format, numbers);
  // Whole percents, such as those of shares, stay whole.
  return { ...format, digits: format.isPercentage ? Math.min(digits, maxDigits(numbers)) : digits };
}

/** From here on cents say nothing. */
const minWithoutCents = 10_000;

function writeAmount(value: number, format: ColumnFormat, unit: string | undefined): string {
  const size = Math.abs(value);
  const isMoney = format.isMoney === true || (unit !== undefined && unit !== '%');
  const text = writeNumber(size, isMoney && size >= minWithoutCents ? { ...format, digits: 0 } : format);
  // A minus sign for what rounds to nothing would be noise.
  const sign = value < 0 && /[1-9]/.test(text) ? '−' : '';
  return unit === undefined || unit === '%' ? sign + text : sign + symbolOf(unit) + text;
}

/** What is written before an amount: $, €, CA$; letters with a space behind them. */
function symbolOf(unit: string): string {
  if (!isCode(unit)) return unit;
  const parts = new Intl.NumberFormat('en-US', { style: 'currency', currency: unit }).formatToParts(1);
  const symbol = parts.find(({ type }) => type === 'currency')?.value ?? unit;
  return /[A-Za-z]$/.test(symbol) ? `${symbol}\u00a0` : symbol;
}

function isHour(column: string): boolean {
  return column.toLowerCase() === 'hour';
}

/** `09:00` for the hour 09. */
export function hourName(hour: string): string {
  return /^\d\d?$/.test(hour) ? `${hour.padStart(2, '0')}:00` : hour;
}

/** `23 Nov` for 2026-11-23; undefined if it is no day. */
export function dayName(day: string): string | undefined {
  const time = /^\d{4}-/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(time)) return undefined;
  return new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(time);
}

/** How a figure compares to that of the period before. */
export interface Change {
  /** `+12.3%`, or an amount if a percentage would say nothing. */
  readonly text: string;
  /** Whether it is for the better; undefined if that cannot be said, as of costs. */
  readonly isGain: boolean | undefined;
  /** The figure before, written. */
  readonly former: string;
}

/** More of these is better; more cost can be either. */
const better: ReadonlySet<string> = new Set(['profit', 'revenue', 'conversions']);

/** What changed of a measure; undefined if nothing is known of the period before. */
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
/** What a reader looks for first, and sees next to the names on a narrow screen. */
const leading = [/^(profit|p\/l)$/i, /^revenue$/i, /^cost$/i];

/** A table with the columns that name its rows ahead of the others. */
export interface NamedRows {
  readonly table: ReportTable;
  /** How many columns at the beginning name a row together; 0 if none does. */
  readonly nameCount: number;
}

/**
 * Orders the columns for a reader: what names the rows, which stays in sight while the others scroll (a name, or else the texts
 * ahead of the figures, such as a day and a device), then money, then the others.
 *
 * @param columns of the table, in its order
 */
export function orderColumns(table: ReportTable, columns: readonly Column[]): NamedRows {
  const all = [...columns.keys()];
  const find = (pattern: RegExp) => all.filter((index) => pattern.test(columns[index]?.name ?? ''));
  const name = naming.flatMap(find).find((index) => !columns[index]?.isNumeric);
  const firstFigure = columns.findIndex(({ isNumeric }) => isNumeric);
  const textCount = firstFigure < 0 ? Math.min(1, columns.length) : firstFigure;
  const names = name === undefined ? all.slice(0, Math.max(1, textCount)) : [name];
  const money = leading.flatMap(find);
  // Nobody reads an ID, and some look for one.
  const ids = name === undefined ? [] : find(identifying);
  const others = all.filter((index) => ![...names, ...money, ...ids].includes(index));
  const order = [...new Set([...names, ...money, ...others, ...ids])];
  return {
    table: {
      ...table,
      columns: order.map((index) => table.columns[index] ?? ''),
      rows: table.rows.map((row) => order.map((index) => row[index] ?? null)),
    },
    nameCount: name === undefined ? textCount : 1,
  };
}

/**
 * What each row is called; rows of one name are told apart by their ID, if they have one.
 *
 * @param columns of the table, in its order
 */
export function namesOf({ table: { rows, offset }, nameCount }: NamedRows, columns: readonly Column[]): string[] {
  const cellText = (row: readonly Cell[], index: number) => columns[index]?.format(row[index] ?? null) ?? '';
  const names = rows.map((row, index) =>
    nameCount === 0
      ? `Row ${offset + index + 1}`
      : Array.from({ length: nameCount }, (_, place) => cellText(row, place) || '(empty)').join(' · '),
  );
  const id = columns.findIndex(({ name }) => identifying.test(name));
  const count = new Map<string, number>();
  for (const name of names) count.set(name, (count.get(name) ?? 0) + 1);
  return names.map((name, index) => {
    const own = cellText(rows[index] ?? [], id);
    return (count.get(name) ?? 0) > 1 && own !== '' ? `${name} · ${own}` : name;
  });
}

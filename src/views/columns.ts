import { type ColumnFormat, digitsOf, formatOf, isCode, maxDigits, writeNumber } from '../analysis/columns/formats.ts';
import { ownValue } from '../api/text/json.ts';
import type { PresentedCell as Cell, PresentedTable } from '../tools/present/outputs.ts';

/** Facts about the columns of a table, in addition to its cells. */
export interface ColumnFacts {
  /** %, the sign of a currency, or its code. */
  readonly units?: Readonly<Record<string, string>> | undefined;
  /** Only columns that add up, or are computed from such columns, have one. */
  readonly totals?: Readonly<Record<string, number>> | undefined;
  /** The measure that decides a column's format, if not its name. */
  readonly measures?: Readonly<Record<string, string>>;
  /** How numbers of a column are written, if not by its format. */
  readonly writers?: Readonly<Record<string, (value: number) => string>>;
}

export interface Column {
  readonly name: string;
  /** Whether every cell with a value is a number. */
  readonly isNumeric: boolean;
  /** Whether it is an amount or a ratio, by its unit, total or name. IDs, shares and levels are not. */
  readonly isMeasure: boolean;
  readonly format: (cell: Cell) => string;
  /** A round number on an axis: in few letters, with its currency or %. */
  readonly axis: (tick: number) => string;
}

/** Describes what the columns of a table contain and how their cells are written. */
export function describeColumns(
  names: readonly string[],
  rows: readonly (readonly Cell[])[],
  { units = {}, totals = {}, measures = {}, writers = {} }: ColumnFacts = {},
): Column[] {
  return names.map((name, index) => {
    const values = rows.map((row) => row[index] ?? null).filter((cell) => cell !== null);
    const numbers = values.filter((cell) => typeof cell === 'number');
    const isNumeric = numbers.length > 0 && numbers.length === values.length;
    const unit = ownValue(units, name);
    const total = ownValue(totals, name);
    const format = formatFor(ownValue(measures, name) ?? name, isNumeric ? [...numbers, total ?? 0] : [], unit, total);
    const write = ownValue(writers, name) ?? ((value: number) => writeAmount(value, format, unit));
    return {
      name,
      isNumeric,
      isMeasure: isNumeric && format.isAmount === true,
      axis: (tick) => writeTick(tick, unit ?? (format.isPercentage ? '%' : '')),
      format: (cell) => {
        if (typeof cell === 'number') return write(cell);
        return isHour(name) ? hourName(cell ?? '') : (cell ?? '');
      },
    };
  });
}

function formatFor(
  name: string,
  numbers: readonly number[],
  unit: string | undefined,
  total: number | undefined,
): ColumnFormat {
  const format = formatOf(name, unit, total !== undefined);
  const digits = digitsOf(format, numbers);
  // Whole percentages, such as shares, get no decimals.
  return { ...format, digits: format.isPercentage ? Math.min(digits, maxDigits(numbers)) : digits };
}

/** From here on, cents do not matter. */
const minWithoutCents = 10_000;

function writeAmount(value: number, format: ColumnFormat, unit: string | undefined): string {
  const size = Math.abs(value);
  const isMoney = format.isMoney === true || (unit !== undefined && unit !== '%');
  const text = writeNumber(size, isMoney && size >= minWithoutCents ? { ...format, digits: 0 } : format);
  // No minus sign for an amount that rounds to zero.
  const sign = value < 0 && /[1-9]/.test(text) ? '−' : '';
  return unit === undefined || unit === '%' ? sign + text : sign + symbolOf(unit) + text;
}

function writeTick(tick: number, unit: string): string {
  const size = Math.abs(tick);
  const text = size.toLocaleString('en-US', {
    notation: size < 10_000 ? 'standard' : 'compact',
    maximumFractionDigits: 6,
  });
  return `${tick < 0 ? '−' : ''}${unit === '%' ? `${text}%` : symbolOf(unit) + text}`;
}

/** The symbol before an amount: $, €, CA$. Letters get a space after them. */
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

/** `23 Nov` for 2026-11-23; undefined if the text is not a day. */
export function dayName(day: string): string | undefined {
  const time = /^\d{4}-/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(time)) return undefined;
  return new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(time);
}

export interface Change {
  /** `+12.3%`, or an amount if a percentage would mean nothing. */
  readonly text: string;
  /** Whether it is an improvement; undefined if it can be either, as with costs. */
  readonly isGain: boolean | undefined;
  /** The former figure, formatted. */
  readonly former: string;
}

/** Measures for which more is better. */
const gainMeasures: ReadonlySet<string> = new Set(['profit', 'revenue', 'conversions']);

/** The change of a measure; undefined if the former figure is unknown. */
export function changeOf(column: Column, now: number, former: number | undefined): Change | undefined {
  if (former === undefined) return undefined;
  const difference = now - former;
  const name = column.name.toLowerCase();
  // A profit may cross zero, and a change from zero has no percentage.
  const isAmount = name === 'profit' || former === 0;
  const size = isAmount
    ? column.format(Math.abs(difference))
    : name === 'roi'
      ? `${Math.abs(difference).toFixed(1)} points`
      : `${Math.abs((difference / former) * 100).toLocaleString('en-US', { maximumFractionDigits: 1 })}%`;
  const isZero = !/[1-9]/.test(size);
  return {
    text: isZero ? 'no change' : `${difference < 0 ? '−' : '+'}${size}`,
    isGain: isZero || !gainMeasures.has(name) ? undefined : difference > 0,
    former: column.format(former),
  };
}

/** Columns that name a row, best first. */
const namePatterns = [/^name$/i, /name$/i];
const idPattern = /(^|[^a-z])id$|[a-z]ID$/i;
/** What a reader looks for first; on a narrow screen it is visible next to the names. */
const mainPatterns = ['(profit|p/l)', 'revenue', 'cost', 'roi', 'conversions', 'views'].map(
  // The period before stands beside the period.
  (name) => new RegExp(`^${name}( before| change( %)?)?$`, 'i'),
);

/** Columns that are shown with the figure of the same name. */
export const companion = / (before|change|change %)$/i;

/** A table whose first columns name its rows. */
export interface NamedRows {
  readonly table: PresentedTable;
  /** How many first columns name a row together; 0 if none does. */
  readonly nameCount: number;
}

/**
 * Orders the columns for a reader: first those that name the rows (a name, or else the texts before the figures, such as a day
 * and a device), then money and what is counted, each with the period before beside it, then other
 * figures, then texts.
 *
 * @param columns the columns of the table, in its order
 */
export function orderColumns(table: PresentedTable, columns: readonly Column[]): NamedRows {
  const all = [...columns.keys()];
  const find = (pattern: RegExp) => all.filter((index) => pattern.test(columns[index]?.name ?? ''));
  const name = namePatterns.flatMap(find).find((index) => !columns[index]?.isNumeric);
  const firstFigure = columns.findIndex(({ isNumeric }) => isNumeric);
  const textCount = firstFigure < 0 ? Math.min(1, columns.length) : firstFigure;
  const names = name === undefined ? all.slice(0, Math.max(1, textCount)) : [name];
  const main = mainPatterns.flatMap(find);
  // IDs come last.
  const ids = name === undefined ? [] : find(idPattern);
  const rest = all.filter((index) => ![...names, ...main, ...ids].includes(index));
  const others = [true, false].flatMap((isFigure) => rest.filter((index) => columns[index]?.isNumeric === isFigure));
  const order = [...new Set([...names, ...main, ...others, ...ids])];
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
 * Names the rows. Rows with the same name also get their ID, if they have one.
 *
 * @param columns the columns of the table, in its order
 */
export function namesOf({ table: { rows, offset }, nameCount }: NamedRows, columns: readonly Column[]): string[] {
  const cellText = (row: readonly Cell[], index: number) => columns[index]?.format(row[index] ?? null) ?? '';
  const names = rows.map((row, index) =>
    nameCount === 0
      ? `Row ${offset + index + 1}`
      : Array.from({ length: nameCount }, (_, column) => cellText(row, column) || '(empty)').join(' · '),
  );
  const id = columns.findIndex(({ name }) => idPattern.test(name));
  const countByName = new Map<string, number>();
  for (const name of names) countByName.set(name, (countByName.get(name) ?? 0) + 1);
  return names.map((name, index) => {
    const rowId = cellText(rows[index] ?? [], id);
    return (countByName.get(name) ?? 0) > 1 && rowId !== '' ? `${name} · ${rowId}` : name;
  });
}

import type { Table } from '../../api/table.ts';
import { rawCell } from '../../api/text/tracker-text.ts';
import { breathe } from '../breathe.ts';
import { indexOfColumn } from './columns.ts';

/** What the times of a column mean. The whole column decides how each is read: a cell alone does not say whether 03/04 is in March. */

/** A column as values; one a row. */
export interface ReadColumn {
  /** Undefined if the cell is empty or unreadable. */
  readonly values: readonly (number | undefined)[];
  /** Whether a cell says something that cannot be read. */
  readonly isUnreadable: (row: number) => boolean;
  /** How it was read, if a reader has to know it. */
  readonly notices: readonly string[];
}

/** Which of two numbers of a date is the day. */
export type DateOrder = 'dmy' | 'mdy';

export interface TimeColumn extends ReadColumn {
  /** Whether some cell has a time of day. */
  readonly hasClock: boolean;
}

/** A day by its parts, as they are written, and the milliseconds since its midnight. */
interface Parts {
  readonly year: string;
  readonly month: string;
  readonly day: string;
  readonly clockMs: number;
  /** Whether day and month may change places. */
  readonly isOpen: boolean;
}

const clock = String.raw`(?:[T ,]+(?<hour>\d{1,2})[:.](?<minute>\d{2})(?::(?<second>\d{2})(?:[.,]\d+)?)?\s*(?<half>[ap]\.?m\.?)?\s*(?:Z|UTC|GMT|(?<sign>[+-])(?<zoneHours>\d{2}):?(?<zoneMinutes>\d{2})|[A-Z]{3,4})?)?`;
const dateForms = [
  String.raw`(?<year>20\d{2})(?<month>\d{2})(?<day>\d{2})`,
  String.raw`(?<year>\d{4})(?<mark>[-/.])(?<month>\d{1,2})\k<mark>(?<day>\d{1,2})`,
  // A point stands behind the day of countries that write it first.
  String.raw`(?<day>\d{1,2})\.(?<month>\d{1,2})\.(?<year>\d{4}|\d{2})`,
  String.raw`(?<day>\d{1,2})(?<open>[-/])(?<month>\d{1,2})\k<open>(?<year>\d{4}|\d{2})`,
  String.raw`(?<day>\d{1,2})(?:st|nd|rd|th|\.)?[- ](?<month>[a-z]{3})[a-z]*\.?,?[- ](?<year>\d{4}|\d{2})`,
  String.raw`(?<month>[a-z]{3})[a-z]*\.? (?<day>\d{1,2})(?:st|nd|rd|th)?,? (?<year>\d{4})`,
].map((form) => new RegExp(`^${form}${clock}$`, 'i'));
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const [dayMs, hourMs, minuteMs] = [86_400_000, 3_600_000, 60_000];

/** Days that a spreadsheet counts from 30 December 1899: 2009 to 2064. */
const spreadsheetDay = /^[45]\d{4}(?:\.\d+)?$/;
const spreadsheetEpoch = Date.UTC(1899, 11, 30);

function partsIn(cell: string): Parts | number | undefined {
  const text = cell.trim();
  if (/^\d{10}(?:\d{3})?$/.test(text)) return Number(text) * (text.length === 10 ? 1000 : 1);
  if (spreadsheetDay.test(text)) return spreadsheetEpoch + Math.round((Number(text) * dayMs) / 1000) * 1000;
  for (const form of dateForms) {
    const { year = '', month = '', day = '', open, ...time } = form.exec(text)?.groups ?? {};
    if (year !== '') return { year, month, day, isOpen: open !== undefined, clockMs: clockOf(time) };
  }
  return undefined;
}

/** Milliseconds since midnight, in UTC where the zone is written; NaN if there is no such time. */
function clockOf(parts: Readonly<Record<string, string | undefined>>): number {
  const { half, sign } = parts;
  const [hour = 0, minute = 0, second = 0, zoneHours = 0, zoneMinutes = 0] = [
    'hour',
    'minute',
    'second',
    'zoneHours',
    'zoneMinutes',
  ].map((name) => Number(parts[name] ?? 0));
  const hours = half === undefined ? hour : (hour % 12) + (/^p/i.test(half) ? 12 : 0);
  if (hours > 23 || minute > 59 || second > 59) return Number.NaN;
  const offset = (zoneHours * hourMs + zoneMinutes * minuteMs) * (sign === '-' ? -1 : 1);
  return hours * hourMs + minute * minuteMs + second * 1000 - offset;
}

/** The moment on the statement's own clock, as if that were UTC; undefined if the calendar has no such day. */
function momentOf({ year, month, day, clockMs }: Parts, isMonthFirst: boolean): number | undefined {
  const named = months.indexOf(month.toLowerCase()) + 1 || Number(month);
  const [dayOfMonth, index] = isMonthFirst ? [named, Number(day) - 1] : [Number(day), named - 1];
  const fullYear = Number(year) + (year.length === 2 ? 2000 : 0);
  const date = new Date(Date.UTC(fullYear, index, dayOfMonth));
  const isDay = fullYear > 1990 && date.getUTCMonth() === index && date.getUTCDate() === dayOfMonth;
  return isDay && !Number.isNaN(clockMs) ? date.getTime() + clockMs : undefined;
}

/**
 * Reads times as milliseconds on the statement's own clock; those with a zone, and Unix seconds or milliseconds, in UTC. Dates are ISO,
 * d.m.Y, d/m/Y, m/d/Y, with the name of a month, or the days of a spreadsheet.
 */
export function readTimes(cells: readonly string[], given?: DateOrder, read = cells.map(partsIn)): TimeColumn {
  const open = read.filter((parts): parts is Parts => typeof parts === 'object' && parts.isOpen);
  const { order, notices } = given ? { order: given, notices: [] } : orderOf(open);
  const values = read.map((parts) =>
    typeof parts === 'object' ? momentOf(parts, parts.isOpen && order === 'mdy') : parts,
  );
  return {
    values,
    isUnreadable: (row) => values[row] === undefined && (cells[row] ?? '').trim() !== '',
    hasClock: values.some((value) => value !== undefined && value % dayMs !== 0),
    notices,
  };
}

/** Which of two numbers is the day: what most cells allow; if all allow both, the order under which the days lie closer together. */
function orderOf(open: readonly Parts[]): { order: DateOrder; notices: readonly string[] } {
  const [day = [], month = []] = [false, true].map((isMonthFirst) =>
    open.flatMap((parts) => momentOf(parts, isMonthFirst) ?? []).sort((one, other) => one - other),
  );
  const isEven = day.length === month.length;
  const width = (moments: readonly number[]) => (moments.at(-1) ?? 0) - (moments[0] ?? 0);
  const order = (isEven ? width(month) < width(day) : month.length > day.length) ? 'mdy' : 'dmy';
  if (!isEven || open.every((parts) => Number(parts.day) === Number(parts.month))) return { order, notices: [] };
  const [words, other] = order === 'dmy' ? ['day first', 'mdy'] : ['month first', 'dmy'];
  return {
    order,
    notices: [
      `No date in the column says whether the day or the month stands first; read with the ${words}, under which they lie closer together. If that is wrong give date_order ${other}.`,
    ],
  };
}

/** The times of a list, by the clock of the tracker. */
export interface ListedTimes {
  /** The day of a row, YYYY-MM-DD; null if it says none. */
  readonly dayOf: (row: number) => string | null;
  /** The milliseconds of a row's time as if its clock were UTC; null if it says no time of day. */
  readonly momentOf: (row: number) => number | null;
}

/** What stands behind a time of day, such as a zone: the days of a tracker are those of its own clock. */
const behindTime = /(\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?)(?!\s*[ap]\.?m|[:\d.,]).*$/i;

const clockIn = (time: string | null): string => (time ?? '').replace(behindTime, '$1');

/** Reads the column of the first of these names that a list has; undefined if it has none. */
export function timesIn(table: Table, names: readonly string[]): ListedTimes | undefined {
  const column = indexOfColumn(table, names);
  if (column === undefined) return undefined;
  return listedTimes(readTimes(table.column(column).map((cell) => clockIn(rawCell(cell)))));
}

/** The same for a long list. Other calls run in between. */
export async function timesInLongList(table: Table, names: readonly string[]): Promise<ListedTimes | undefined> {
  const column = indexOfColumn(table, names);
  if (column === undefined) return undefined;
  const cells: string[] = [];
  const parts: ReturnType<typeof partsIn>[] = [];
  for (let row = 0; row < table.rowCount; row += 1) {
    const cell = clockIn(rawCell(table.text(row, column)));
    cells.push(cell);
    parts.push(partsIn(cell));
    await breathe();
  }
  return listedTimes(readTimes(cells, undefined, parts));
}

function listedTimes({ values, hasClock }: TimeColumn): ListedTimes {
  return {
    dayOf: (row) => dayOrNull(values[row]),
    momentOf: (row) => (hasClock ? (values[row] ?? null) : null),
  };
}

/** The day of a time that stands alone, YYYY-MM-DD; null if it says none. */
export function dayIn(time: string | null): string | null {
  return dayOrNull(readTimes([clockIn(time)]).values[0]);
}

const dayOrNull = (moment: number | undefined): string | null => (moment === undefined ? null : isoDay(moment));

/** The day of a moment in milliseconds as if its clock were UTC, YYYY-MM-DD. */
export function isoDay(moment: number): string {
  return new Date(moment).toISOString().slice(0, 10);
}

import type { Note } from '../../answer/notes.ts';
import type { Coded } from '../../api/cells.ts';
import { dayMs, hourMs, minuteMs } from '../../api/durations.ts';
import { midnightOf } from '../../api/plain-times.ts';
import type { Pace } from '../../api/running-call.ts';
import { atOnce, type Steps, withRests } from '../../api/steps.ts';
import type { Table } from '../../api/table.ts';
import { rawCell } from '../../api/text/tracker-text.ts';
import { codedByTime, sameInAll, valueAt } from '../coded.ts';
import { indexOfColumn } from './columns.ts';
import { memoizePerTable } from './notation.ts';

/** The times of a column. The whole column decides how to read each: a cell alone does not tell whether 03/04 is in March. */

/** A column as values, one per row. */
export interface ReadColumn {
  /** Undefined if the cell is empty or unreadable. */
  readonly values: readonly (number | undefined)[];
  /** Whether a cell is filled but cannot be read. */
  readonly isUnreadable: (row: number) => boolean;
  /** How it was read, if the user has to know. */
  readonly notices: readonly Note[];
}

/** The order of day, month and year in dates such as 03/04/2026. */
export const dateOrders = ['dmy', 'mdy'] as const;
export type DateOrder = (typeof dateOrders)[number];

export interface TimeColumn extends ReadColumn {
  /** Whether some cell has a time of day. */
  readonly hasClock: boolean;
  /** Whether its cells show the order of day and month; `likely` if one order puts the days much closer together. */
  readonly order: 'shown' | 'likely' | 'open';
}

/** A day by its parts, as written, and the milliseconds since its midnight. */
interface Parts {
  readonly year: string;
  readonly month: string;
  readonly day: string;
  readonly clockMs: number;
  /** Whether day and month may be swapped. */
  readonly isAmbiguous: boolean;
}

const zone = String.raw`(?:Z|(?:UTC|GMT)?(?<sign>[+-])(?<zoneHours>\d{1,2})(?::?(?<zoneMinutes>\d{2}))?|[A-Z]{3,5}|[A-Z][a-z]+(?:\/[A-Z][a-z_]+){1,2})`;
const clock = String.raw`(?:[T ,]+(?:at |um |à |a las |às |alle |om |klo |kl\.? )?(?<hour>\d{1,2})[:.h](?<minute>\d{2})(?:[:.](?<second>\d{2})(?:[.,]\d+)?)?\s*(?<half>[ap]\.? ?m\.?)?\s*(?:Uhr|hrs?)?\s*${zone}?)?`;
const dateForms = [
  String.raw`(?<year>20\d{2})(?<month>\d{2})(?<day>\d{2})`,
  String.raw`(?<year>\d{4})(?<mark>[-/.])(?<month>\d{1,2}|\p{L}{3,12})\k<mark>(?<day>\d{1,2})`,
  // With points between them, the day comes first.
  String.raw`(?<day>\d{1,2})\.(?<month>\d{1,2})\.(?<year>\d{4}|\d{2})`,
  String.raw`(?<day>\d{1,2})(?<open>[-/])(?<month>\d{1,2})\k<open>(?<year>\d{4}|\d{2})`,
  String.raw`(?<day>\d{1,2})(?:st|nd|rd|th|\.)?[-/ ](?<month>\p{L}{3,12})\.?,?[-/ ](?<year>\d{4}|\d{2})`,
  String.raw`(?<month>\p{L}{3,12})\.?[- ](?<day>\d{1,2})(?:st|nd|rd|th)?,?[- ](?<year>\d{4})`,
].map((form) => new RegExp(`^${form}${clock}$`, 'iu'));

/**
 * How the names of months begin, without accents, in the languages of statements; the longest beginning counts. Left out is what means
 * another month in Croatian than in Polish or Czech: `lip`, `srp`, `listopad`.
 */
const months = [
  'jan ene gen ian sty led oca tammi sij янв яну січ ιαν',
  'feb fev lut uno sub helmi velj фев лют φεβ',
  'mar maa mrt bre ozu мар бер μαρ',
  'apr avr abr kwi dub nis huhti travn travan апр кві απρ',
  'may mai mag mei maj kve touko svib маи мая тра μαι',
  'jun juin giu iun meith cze cerv cvn haz kesa lipnj lipanj июн юни чер ιουν',
  'jul juil lug iul lipi lipc cervenec cervenc cvc tem hein srpnj srpanj июл юли лип ιουλ',
  'aug aou ago avg agu agt sie srpen srpna elo kolovoz авг сер αυγ',
  'sep set sze wrz zar eyl syys rujan rujna сен сеп вер σεπ',
  'oct okt out ott paz rij eki loka окт жов οκτ',
  'nov noi listopadu kas marras studen ноя ное лис νοε',
  'dec dez dic des gru pro ara joulu дек гру δεκ',
].map((names) => names.split(' '));

/** The number of a month; 0 if a name is none. */
function monthNamed(name: string): number {
  const plain = name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  const longest = months.map((names) =>
    Math.max(...names.map((start) => (plain.startsWith(start) ? start.length : 0))),
  );
  const most = Math.max(...longest);
  return most === 0 ? 0 : longest.indexOf(most) + 1;
}

/** A longer text is no time. */
const maxLength = 80;

/** A name of a weekday before a date. With a comma it may be in any language. */
const weekday =
  /^(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}\.?,? (?=\d|\p{L}{3,9}\.? )|[\p{L}-]{2,14}\.?, (?=\d)|(?:lun|mar|mi[ée]|jue|vie|s[áa]b|dom|mer|jeu|ven|sam|dim|seg|ter|qua|qui|sex)\.? (?=\d)|(?:(?:mon|diens|mitt|donners|frei|sams|sonn)\p{L}{2,6}|(?:mo|di|mi|do|fr|sa|so)\.?|(?:lun|mar|mercre|jeu|vendre|same)di|dimanche|lunes|martes|miércoles|jueves|viernes|sábado|domingo|(?:lune|marte|mercole|giove|vener)d[iì]|sabato|domenica|(?:maan|dins|woens|donder|vrij|zater|zon|m[åa]n|tis|tirs|ons|tors|fre|l[öø]r|s[öø]n)dag|(?:zo|ma|wo|vr|za)\.?|le|(?:pondělí|úterý|středa|čtvrtek|pátek|sobota|neděle)|(?:segunda|terça|quarta|quinta|sexta)(?:-feira)?) (?=\d))/iu;

/** Other orders of the same parts, as those that the forms have. */
const rewritten: readonly (readonly [RegExp, string])[] = [
  // JavaScript and Java name the zone again in brackets.
  [/ \([\p{L} .]{3,50}\)$|\[[A-Z]\w{1,20}(?:\/\w{1,30}){1,2}\]$/u, ''],
  [/ ?\((?:UTC|GMT) ?([+-]\d{1,2}(?::?\d{2})?)\)$/i, ' $1'],
  [/ (?:UTC|GMT) ([+-]\d)/i, ' $1'],
  [/^(20\d\d)(\d\d)(\d\d)T?(\d\d)(\d\d)(\d\d)(?=Z?$)/, '$1-$2-$3 $4:$5:$6'],
  [/^(\d{1,2}[:h]\d{2}(?::\d{2})?(?: ?[ap]\.?m\.?)?)(?: Uhr)?,? (?=\d|\p{L})(.+)$/iu, '$2 $1'],
  // As web servers and C write times.
  [/^(\d{1,2})\/(\p{L}{3})\/(\d{4}):(?=\d)/u, '$1 $2 $3 '],
  [/^(\p{L}{3}) {1,2}(\d{1,2}) (\d{2}:\d{2}:\d{2})(?: \p{L}{3,5})? (\d{4})$/u, '$2 $1 $4 $3'],
  [/^(\d{1,2}) del? (\p{L}{3,12})\.?(?: del?|,)? (?=\d{4})/u, '$1 $2 '],
  [/^(\d{1,2}) (?:tháng|thg) (\d{1,2}),? (?:năm )?(\d{4})/u, '$3-$2-$1'],
  [/^(\d{4})\.? (\p{L}{3,12})\.? (\d{1,2})\.?(?=[ ,]|$)/u, '$3 $2 $1'],
  [/^(\d{4})\. ?(\d{1,2})\. ?(\d{1,2})\.?(?= |$)/, '$1-$2-$3'],
  [/^(\d{4}) ?[年년] ?(\d{1,2}) ?[月월] ?(\d{1,2}) ?[日号일]/u, '$1-$2-$3'],
  [/ ?(?:(?:星期|周|週)[一二三四五六日天]|[(（][月火水木金土日][)）])/u, ''],
  [/(\d{1,2}) ?[時时点시] ?(\d{2}) ?[分분](?! ?\d)/u, '$1:$2'],
  // A year in Russian, Ukrainian or Polish.
  [/(?<=\d{4}) ?(?:г|р|r)\.?(?=[ ,]|$)/u, ''],
  // As DB2 and SAS write times.
  [/^(\d{4}-\d{2}-\d{2})[- ](\d{2})[-.](\d{2})[-.](\d{2})(?:\.\d{1,12})?$/, '$1 $2:$3:$4'],
  [/^(\d{2})(\p{L}{3})(\d{4})(?::(?=\d)|$)/u, '$1 $2 $3 '],
  [/(?<=\d) ?h ?(?=\d{2}(?!\d))/, ':'],
  [/^(\d{1,2}\.) (\d{1,2}\.) (?=\d{4})/, '$1$2'],
  [/(?<=\d)(?: [-–|] |_)(?=\d{1,2}:\d{2})/, ' '],
];

/** Days since 30 December 1899, as spreadsheets count: 2009 to 2064. */
const spreadsheetDay = /^[45]\d{4}(?:[.,]\d{1,12})?$/;
const spreadsheetEpoch = Date.UTC(1899, 11, 30);

export const isSpreadsheetDay = (cell: string): boolean => spreadsheetDay.test(cell.trim());

function partsIn(cell: string): Parts | number | undefined {
  if (cell.length > maxLength) return undefined;
  // A time may have no-break spaces and line ends inside.
  const text = cell.trim().replace(/\s+/g, ' ');
  if (/^\d{10}(?:\d{3}|\.\d{1,9})?$/.test(text))
    return Math.round(Number(text) * (text.length === 13 && !text.includes('.') ? 1 : 1000));
  if (/^\d{16}$/.test(text)) return Math.round(Number(text) / 1000);
  if (spreadsheetDay.test(text))
    return spreadsheetEpoch + Math.round((Number(text.replace(',', '.')) * dayMs) / 1000) * 1000;
  const jsonMs = /^\/Date\((\d{10,13})(?:[+-]\d{4})?\)\/$/.exec(text)?.[1];
  if (jsonMs !== undefined) return Number(jsonMs);
  return partsInForms(text) ?? partsInForms(rewrite(text));
}

/** A time in another order, as the forms have it. */
function rewrite(text: string): string {
  const dated = text.replace(weekday, '');
  return rewritten.reduce((time, [form, order]) => time.replace(form, order), dated).trim();
}

function partsInForms(text: string): Parts | undefined {
  for (const form of dateForms) {
    const { year = '', month = '', day = '', open, ...time } = form.exec(text)?.groups ?? {};
    if (year !== '') return { year, month, day, isAmbiguous: open !== undefined, clockMs: clockOf(time) };
  }
  return undefined;
}

/** Milliseconds since midnight, in UTC if the zone is written; NaN if the time is impossible. */
function clockOf(parts: Readonly<Record<string, string | undefined>>): number {
  const { half, sign } = parts;
  const numberOf = (name: string) => Number(parts[name] ?? 0);
  const [hour, minute, second] = [numberOf('hour'), numberOf('minute'), numberOf('second')];
  const hours = half === undefined ? hour : (hour % 12) + (/^p/i.test(half) ? 12 : 0);
  // Midnight at the end of a day is written 24:00 too.
  const isEnd = hours === 24 && minute + second === 0;
  if ((hours > 23 && !isEnd) || minute > 59 || second > 59) return Number.NaN;
  const offset = (numberOf('zoneHours') * hourMs + numberOf('zoneMinutes') * minuteMs) * (sign === '-' ? -1 : 1);
  return hours * hourMs + minute * minuteMs + second * 1000 - offset;
}

/** The moment on the column's own clock, as if that were UTC; undefined if the calendar has no such day. */
function momentOf({ year, month, day, clockMs }: Parts, isMonthFirst: boolean): number | undefined {
  const monthNumber = monthNamed(month) || Number(month);
  const [dayOfMonth, index] = isMonthFirst ? [monthNumber, Number(day) - 1] : [Number(day), monthNumber - 1];
  const fullYear = Number(year) + (year.length === 2 ? 2000 : 0);
  const moment = midnightOf(fullYear, index + 1, dayOfMonth) + clockMs;
  return Number.isNaN(moment) ? undefined : moment;
}

/**
 * Reads times as milliseconds on the column's own clock; times with a zone, and Unix seconds or milliseconds, in UTC. Dates are ISO,
 * d.m.Y, d/m/Y, m/d/Y, with the name of a month, or a spreadsheet's day count.
 */
export function readTimes(cells: readonly string[], given?: DateOrder): TimeColumn {
  return timesOf(cells.map(partsIn), (row) => (cells[row] ?? '').trim() !== '', given);
}

/** @param isFilled whether a row has a text */
function timesOf(
  read: readonly ReturnType<typeof partsIn>[],
  isFilled: (row: number) => boolean,
  given?: DateOrder,
): TimeColumn {
  const ambiguous = read.filter((parts): parts is Parts => typeof parts === 'object' && parts.isAmbiguous);
  const { dateOrder, order, notices } = given ? shown(given) : orderOf(ambiguous);
  const values = read.map((parts) =>
    typeof parts === 'object' ? momentOf(parts, parts.isAmbiguous && dateOrder === 'mdy') : parts,
  );
  return {
    values,
    isUnreadable: (row) => values[row] === undefined && isFilled(row),
    hasClock: values.some((value) => value !== undefined && value % dayMs !== 0),
    order,
    notices,
  };
}

type FoundOrder = Pick<TimeColumn, 'order' | 'notices'> & { readonly dateOrder: DateOrder };

const shown = (dateOrder: DateOrder): FoundOrder => ({ dateOrder, order: 'shown', notices: [] });

/** The order that most cells allow; if all allow both, the order that puts the days closer together. */
function orderOf(dates: readonly Parts[]): FoundOrder {
  const [day = [], month = []] = [false, true].map((isMonthFirst) =>
    dates.flatMap((parts) => momentOf(parts, isMonthFirst) ?? []).sort((one, other) => one - other),
  );
  const isEven = day.length === month.length;
  const width = (moments: readonly number[]) => (moments.at(-1) ?? 0) - (moments[0] ?? 0);
  const dateOrder = (isEven ? width(month) < width(day) : month.length > day.length) ? 'mdy' : 'dmy';
  if (!isEven || dates.every((parts) => Number(parts.day) === Number(parts.month))) return shown(dateOrder);
  const [narrow = 0, wide = 0] = [width(day), width(month)].sort((one, other) => one - other);
  return {
    dateOrder,
    order: wide > 3 * narrow ? 'likely' : 'open',
    notices: [{ code: 'date-order-open', isDayFirst: dateOrder === 'dmy' }],
  };
}

/** The times of a list, on the tracker's clock. */
export interface ListedTimes {
  /** The day of a row, YYYY-MM-DD; null if it has none. */
  readonly dayOf: (row: number) => string | null;
  /** A row's time in milliseconds, as if its clock were UTC; null if the list has no time of day. */
  readonly momentOf: (row: number) => number | null;
  /** The same of all rows; NaN for none. */
  readonly moments: Float64Array;
  readonly days: Coded<string | null>;
  /** The hours of the day, 0 to 23; null if the list has no time of day. */
  readonly hours: Coded<number | null>;
}

/** Text after a time of day, such as a zone. It is ignored: the tracker counts days by its own clock. */
const afterTime = /(\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?)(?!\s*[ap]\.?m|[:\d.,])[\s\S]*/i;

const clockIn = (time: string | null): string => (time ?? '').replace(afterTime, '$1');

/** Reads the first column with one of these names; undefined if the list has none. */
export function timesIn(table: Table, names: readonly string[]): ListedTimes | undefined {
  const reading = readingOf(table, names);
  return reading && atOnce(reading);
}

/** The same for a long list. Other calls run in between. */
export async function timesInLongList(
  table: Table,
  names: readonly string[],
  pace: Pace,
): Promise<ListedTimes | undefined> {
  const reading = readingOf(table, names);
  return reading && withRests(reading, pace.rest);
}

/** The times of each column that was read. */
const timesByColumn = memoizePerTable(() => new Map<number, ListedTimes>());

function readingOf(table: Table, names: readonly string[]): Steps<ListedTimes> | undefined {
  const column = indexOfColumn(table, names);
  return column === undefined ? undefined : readColumn(table, column);
}

function* readColumn(table: Table, column: number): Steps<ListedTimes> {
  const known = timesByColumn(table).get(column);
  if (known) return known;
  const reading = new TimesReading(table, column);
  for (let row = 0; row < table.rowCount; row += 1) {
    reading.read(row);
    if (row % rowsPerStep === 0) yield;
  }
  const times = reading.result();
  timesByColumn(table).set(column, times);
  return times;
}

const rowsPerStep = 1000;

/** Reads a column of times. Nearly all lists write them in one form; the rows of any other form are read together. */
class TimesReading {
  readonly #moments: Float64Array;
  readonly #table: Table;
  readonly #column: number;
  readonly #others: { readonly row: number; readonly parts: ReturnType<typeof partsIn> }[] = [];
  readonly #plainTime: (row: number) => number | null;

  constructor(table: Table, column: number) {
    this.#table = table;
    this.#column = column;
    this.#moments = new Float64Array(table.rowCount);
    this.#plainTime = table.cells.plainTimes(column);
  }

  read(row: number): void {
    const moment = this.#plainTime(row);
    this.#moments[row] = moment ?? Number.NaN;
    const text = Number.isNaN(moment) ? rawCell(this.#table.text(row, this.#column)) : null;
    if (text !== null) this.#others.push({ row, parts: partsIn(clockIn(text)) });
  }

  result(): ListedTimes {
    const moments = this.#moments;
    const { values } = timesOf(
      this.#others.map(({ parts }) => parts),
      () => true,
    );
    for (const [index, { row }] of this.#others.entries()) moments[row] = values[index] ?? Number.NaN;
    return new CodedTimes(moments, hasClockIn(moments));
  }
}

/** Whether some moment is not at midnight. */
function hasClockIn(moments: Float64Array): boolean {
  for (let row = 0; row < moments.length; row += 1) if (Math.abs((moments[row] ?? 0) % dayMs) > 0) return true;
  return false;
}

/** Times by their moments; NaN stands for none. */
class CodedTimes implements ListedTimes {
  readonly moments: Float64Array;
  readonly #moments: Float64Array;
  readonly #hasClock: boolean;
  #days: Coded<string | null> | undefined;
  #hours: Coded<number | null> | undefined;

  constructor(moments: Float64Array, hasClock: boolean) {
    this.#moments = moments;
    this.#hasClock = hasClock;
    this.moments = hasClock ? moments : new Float64Array(moments.length).fill(Number.NaN);
  }

  readonly dayOf = (row: number): string | null => valueAt(this.days, row) ?? null;

  readonly momentOf = (row: number): number | null => {
    const moment = this.moments[row] ?? Number.NaN;
    return Number.isNaN(moment) ? null : moment;
  };

  get days(): Coded<string | null> {
    this.#days ??= codedByTime(this.#moments, dayMs, (day) => isoDay(day * dayMs));
    return this.#days;
  }

  get hours(): Coded<number | null> {
    this.#hours ??= this.#hasClock
      ? codedByTime(this.#moments, hourMs, (hour) => hour % 24)
      : sameInAll(this.#moments.length, null);
    return this.#hours;
  }
}

/** The day of a single time, YYYY-MM-DD; null if it has none. */
export function dayIn(time: string | null): string | null {
  return dayOrNull(readTimes([clockIn(time)]).values[0]);
}

/** The days that a single time may mean, in order: 03/04 is in March or in April. */
export function daysIn(time: string): string[] {
  const days = dateOrders.flatMap((order) => dayOrNull(readTimes([clockIn(time)], order).values[0]) ?? []);
  return [...new Set(days)].sort();
}

/** Two single times of one record, in milliseconds; undefined if one is unreadable. */
export const momentsIn = (times: readonly string[]): TimeColumn['values'] => readTimes(times.map(clockIn)).values;

const dayOrNull = (moment: number | undefined): string | null => (moment === undefined ? null : isoDay(moment));

/** The day of a moment in milliseconds as if its clock were UTC, YYYY-MM-DD. */
export function isoDay(moment: number): string {
  return new Date(moment).toISOString().slice(0, 10);
}

/** `2026-11-22 14:05` of a moment in UTC. */
export function isoMinute(moment: number): string {
  return new Date(moment).toISOString().slice(0, 16).replace('T', ' ');
}

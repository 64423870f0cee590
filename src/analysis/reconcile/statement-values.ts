import type { DateOrder, DecimalMark } from './choices.ts';

/**
 * What the cells of a statement's column mean. The whole column decides how each is read: a cell alone does not say whether 1.234 is
 * a thousand, nor whether 03/04 is in March.
 */

/** A column as values; one a row. */
export interface ReadColumn {
  /** Undefined if the cell is empty or unreadable. */
  readonly values: readonly (number | undefined)[];
  /** Whether a cell says something that cannot be read. */
  readonly isUnreadable: (row: number) => boolean;
  /** How it was read, if a reader has to know it. */
  readonly notices: readonly string[];
}

export interface AmountColumn extends ReadColumn {
  /** The sign or code that stands with each amount; undefined if none does. */
  readonly currencies: readonly (string | undefined)[];
  /** The values with a decimal comma, and a cell that has two readings, if nothing in the column decides between the two. */
  readonly other: { readonly values: readonly (number | undefined)[]; readonly example: string } | undefined;
}

interface Amount {
  readonly isNegative: boolean;
  readonly digits: string;
  readonly currency: string | undefined;
}

const currency = String.raw`[A-Z]{3}|[$€£¥₽₹₴₺₩฿₫]|(?:US|R|A|C)\$|zł|kr|Kč`;
const sign = '[-−–+]';
const written = new RegExp(
  String.raw`^(\()?\s*(${sign})?\s*(${currency})?\s*(${sign})?\s*((?:\d[\d.,'’ ]*|[.,]\d+))\s*(${currency})?\s*(${sign})?\s*(\))?$`,
  'i',
);

function amountIn(cell: string): Amount | undefined {
  // Spaces that do not break stand between thousands.
  const match = written.exec(cell.replace(/[\s\u00a0\u2009\u202f]+/g, ' ').trim());
  if (!match) return undefined;
  const [, open, first, before, second, digits = '', after, last, close] = match;
  if ((open === undefined) !== (close === undefined)) return undefined;
  const isNegative = open !== undefined || [first, second, last].some((mark) => mark !== undefined && mark !== '+');
  return { isNegative, digits: digits.trim(), currency: (before ?? after)?.toUpperCase() };
}

/** What a cell alone says of the decimal mark: undefined if it has none, `open` if it may be a thousand as well. */
function markIn(digits: string): DecimalMark | 'open' | undefined {
  const last = Math.max(digits.lastIndexOf('.'), digits.lastIndexOf(','));
  if (last < 0) return undefined;
  const [mark, other]: [DecimalMark, DecimalMark] = digits[last] === '.' ? ['point', 'comma'] : ['comma', 'point'];
  const before = digits.slice(0, last);
  if (before.includes(digits[last] ?? '')) return other;
  const isGrouped = /^[1-9]\d{0,2}$/.test(before) && digits.length - last - 1 === 3;
  return isGrouped ? 'open' : mark;
}

const grouped: Readonly<Record<DecimalMark, RegExp>> = {
  point: /^(?:\d+|\d{1,3}(?:[,'’ ]\d{2,3})*[,'’ ]\d{3})?(?:\.\d+)?$/,
  comma: /^(?:\d+|\d{1,3}(?:[.'’ ]\d{2,3})*[.'’ ]\d{3})?(?:,\d+)?$/,
};

/** Reads amounts: with a currency on either side, thousands, a decimal point or comma, and losses as -1 or (1). */
export function readAmounts(cells: readonly string[], given?: DecimalMark): AmountColumn {
  const read = cells.map(amountIn);
  const counts = { point: 0, comma: 0, open: 0 };
  let example = '';
  for (const amount of read) {
    const mark = amount && markIn(amount.digits);
    if (mark === undefined) continue;
    counts[mark] += 1;
    if (mark === 'open') example ||= amount?.digits ?? '';
  }
  const isOpen = given === undefined && counts.open > 0 && counts.point + counts.comma === 0;
  const decimal = given ?? (counts.comma > counts.point ? 'comma' : 'point');
  const valuesWith = (mark: DecimalMark) => read.map((amount) => amount && amountOf(amount, mark));
  const values = valuesWith(decimal);
  return {
    values,
    isUnreadable: (row) => values[row] === undefined && (cells[row] ?? '').trim() !== '',
    currencies: read.map((amount) => amount?.currency),
    other: isOpen ? { values: valuesWith('comma'), example } : undefined,
    notices: decimal === 'comma' ? ['Amounts have a decimal comma.'] : [],
  };
}

function amountOf({ digits, isNegative }: Amount, decimal: DecimalMark): number | undefined {
  if (!grouped[decimal].test(digits)) return undefined;
  const plain = digits.replace(decimal === 'point' ? /[,'’ ]/g : /[.'’ ]/g, '').replace(',', '.');
  return isNegative ? 0 - Number(plain) : Number(plain);
}

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
export function readTimes(cells: readonly string[], given?: DateOrder): TimeColumn {
  const read = cells.map(partsIn);
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

/** Joins a column of days and one of times of day, such as 2026-06-01 and 14:05. */
export function joinClock(days: readonly string[], clocks: readonly string[]): string[] {
  return days.map((day, row) => {
    const time = clocks[row]?.trim() ?? '';
    return /^\d{1,2}:\d{2}/.test(time) ? `${day.trim()} ${time}` : day;
  });
}

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

/** A moment by its parts, as they are written. */
interface Parts {
  /** Two numbers whose order is open stand in `first` and `second`. */
  readonly isOpen: boolean;
  readonly year: number;
  readonly first: number;
  readonly second: number;
  readonly clockMs: number | undefined;
}

const clock = String.raw`(?:[T ,]+(\d{1,2})[:.](\d{2})(?::(\d{2})(?:[.,]\d+)?)?\s*([ap]\.?m\.?)?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2}|[A-Z]{3,4})?)?`;
const yearFirst = new RegExp(String.raw`^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})${clock}$`, 'i');
const yearLast = new RegExp(String.raw`^(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})${clock}$`, 'i');
const dayMonthName = new RegExp(
  String.raw`^(\d{1,2})(?:st|nd|rd|th|\.)?[- ]([a-z]{3})[a-z]*\.?,?[- ](\d{4}|\d{2})${clock}$`,
  'i',
);
const monthNameDay = new RegExp(String.raw`^([a-z]{3})[a-z]*\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})${clock}$`, 'i');
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const [dayMs, hourMs, minuteMs] = [86_400_000, 3_600_000, 60_000];

/** Days that a spreadsheet counts from 30 December 1899: 2009 to 2064. */
const spreadsheetDay = /^[45]\d{4}(?:\.\d+)?$/;
const spreadsheetEpoch = Date.UTC(1899, 11, 30);

function partsIn(cell: string): Parts | number | undefined {
  const text = cell.trim();
  if (/^\d{10}$/.test(text)) return Number(text) * 1000;
  if (/^\d{13}$/.test(text)) return Number(text);
  if (spreadsheetDay.test(text)) return spreadsheetEpoch + Math.round((Number(text) * dayMs) / 1000) * 1000;
  const compact = /^(20\d{2})(\d{2})(\d{2})$/.exec(text);
  if (compact) return partsIn(compact.slice(1).join('-'));
  const iso = yearFirst.exec(text);
  if (iso) return inParts(iso[1], iso[4], iso[3], clockOf(iso.slice(5)));
  const last = yearLast.exec(text);
  // A point stands behind the day of countries that write it first.
  if (last) return { ...inParts(last[4], last[1], last[3], clockOf(last.slice(5))), isOpen: last[2] !== '.' };
  const named = dayMonthName.exec(text);
  if (named) return inParts(named[3], named[1], monthNamed(named[2]), clockOf(named.slice(4)));
  const american = monthNameDay.exec(text);
  if (american) return inParts(american[3], american[2], monthNamed(american[1]), clockOf(american.slice(4)));
  return undefined;
}

function inParts(year = '', day = '', month: string | number = '', clockMs: number | undefined): Parts {
  const full = Number(year) + (year.length === 2 ? 2000 : 0);
  return { isOpen: false, year: full, first: Number(day), second: Number(month), clockMs };
}

function monthNamed(name = ''): number {
  return months.indexOf(name.toLowerCase()) + 1;
}

/** Milliseconds since midnight, in UTC where the zone is written; NaN if there is no such time. */
function clockOf([hour, minute, second = '0', half, zone]: readonly (string | undefined)[]): number | undefined {
  if (hour === undefined) return undefined;
  const isAfternoon = half?.toLowerCase().startsWith('p') === true;
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (isAfternoon ? 12 : 0);
  if (hours > 23 || Number(minute) > 59 || Number(second) > 59) return Number.NaN;
  const [, sign, zoneHours = '0', zoneMinutes = '0'] = /^([+-])(\d{2}):?(\d{2})$/.exec(zone ?? '') ?? [];
  const offset = (Number(zoneHours) * hourMs + Number(zoneMinutes) * minuteMs) * (sign === '-' ? -1 : 1);
  return hours * hourMs + Number(minute) * minuteMs + Number(second) * 1000 - offset;
}

/** The moment on the statement's own clock, as if that were UTC; undefined if the calendar has no such day. */
function momentOf({ year, first, second, clockMs = 0 }: Parts, isMonthFirst: boolean): number | undefined {
  const [day, month] = isMonthFirst ? [second, first] : [first, second];
  const start = Date.UTC(year, month - 1, day);
  const isDay =
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= Date.UTC(year, month, 1) / dayMs - Date.UTC(year, month - 1, 1) / dayMs;
  return isDay && !Number.isNaN(clockMs) && year > 1990 ? start + clockMs : undefined;
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
  const fits = (isMonthFirst: boolean) => open.flatMap((parts) => momentOf(parts, isMonthFirst) ?? []);
  const [day, month] = [fits(false), fits(true)];
  const order =
    day.length === month.length
      ? width(month) < width(day)
        ? 'mdy'
        : 'dmy'
      : day.length > month.length
        ? 'dmy'
        : 'mdy';
  const isUndecided = day.length === month.length && open.some(({ first, second }) => first !== second);
  if (!isUndecided) return { order, notices: [] };
  const words = order === 'dmy' ? ['day first', 'mdy'] : ['month first', 'dmy'];
  return {
    order,
    notices: [
      `No date in the column says whether the day or the month stands first; read with the ${words[0]}, under which they lie closer together. If that is wrong give date_order ${words[1]}.`,
    ],
  };
}

function width(moments: readonly number[]): number {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const moment of moments) [first, last] = [Math.min(first, moment), Math.max(last, moment)];
  return last - first;
}

/** Joins a column of days and one of times of day, such as 2026-06-01 and 14:05. */
export function joinClock(days: readonly string[], clocks: readonly string[]): string[] {
  return days.map((day, row) => {
    const time = clocks[row]?.trim() ?? '';
    return /^\d{1,2}:\d{2}/.test(time) ? `${day.trim()} ${time}` : day;
  });
}

import type { ReadColumn } from '../columns/times.ts';
import type { DecimalMark } from './choices.ts';

/**
 * What the cells of a statement's column mean. The whole column decides how each is read: a cell alone does not say whether 1.234 is
 * a thousand, nor whether 03/04 is in March.
 */

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

/** Joins a column of days and one of times of day, such as 2026-06-01 and 14:05. */
export function joinClock(days: readonly string[], clocks: readonly string[]): string[] {
  return days.map((day, row) => {
    const time = clocks[row]?.trim() ?? '';
    return /^\d{1,2}:\d{2}/.test(time) ? `${day.trim()} ${time}` : day;
  });
}

import { nameOf } from './vocabulary.ts';

/** What stands in cells instead of a value: nothing, or that the row adds up the others. */

const dashes = /^[-\u2212–—\s]*$/;

const noValue =
  /^(?:n\.?\/?a\.?|null|nil|none|undefined|\(none\)|\(not set\)|(?:(?:jan|january) 0?1,?|0?1 (?:jan|january)) 1970\b.*|(?:(?:dec|december) 31,?|31 (?:dec|december)) 1969\b.*)$/i;

/** With a year of four digits: 1.1.1.1 is an address. */
const date = /^(?=-?\d{4}\D|\d\d?\D\d\d?\D-?\d{4}(?!\d))(-?\d{1,4})([-/.])(\d{1,2})\2(-?\d{1,4})(?!\d)/;

/** The zero date of MySQL, as PHP may write it on, that of .NET, and the first day of Unix time in any zone: their numbers in order. */
const noDates: ReadonlySet<string> = new Set(['0 0 0', '-1 11 30', '1 1 1', '1 1 1970', '12 31 1969']);

function isNoDate(text: string): boolean {
  const [, first, , second, third] = date.exec(text) ?? [];
  if (first === undefined) return false;
  const numbers = [first, second, third].map(Number).sort((one, other) => one - other);
  return noDates.has(numbers.join(' '));
}

/** Whether a cell is empty or a dash. */
export const isDash = (text: string): boolean => dashes.test(text);

/** Whether a cell has no value, as trackers write it, or a time that never came. It may still name a row, which a dash does not. */
export const isBlankText = (text: string): boolean =>
  isDash(text) || noValue.test(text.trim()) || isNoDate(text.trim());

const isSum = nameOf('row', 'total');
const isMean = nameOf('row', 'mean');
const isCounted = nameOf('row', 'counted');

const hasDigit = /\d/;

/** The words around the one number of a text, without tags. */
function wordsOf(written: string): { readonly before: string; readonly after: string } {
  const text = written.includes('<') ? written.replace(/<[^<>]{1,200}>/g, '') : written;
  if (!hasDigit.test(text)) return { before: text, after: '' };
  const [, before = '', after = ''] = /^(\D+)\d[\d.,]*\)?:?$|^\d[\d.,]* (\D+)$/.exec(text) ?? [];
  return { before, after };
}

/** Whether a text stands for the sum of all rows: `Total`, `Summe:`, `Total (6)`. */
export const isSumWord = (text: string): boolean => isSum(wordsOf(text).before);

/** Whether a text stands for all rows, also for their mean or number: `Average:`, `6 rows`. */
export function isTotalWord(text: string): boolean {
  const { before, after } = wordsOf(text);
  return isSum(before) || isMean(before) || isCounted(after);
}

import { nameOf } from './vocabulary.ts';

/** What stands in cells instead of a value: nothing, or that the row adds up the others. */

const dashes = /^[-\u2212–—\s]*$/;

/** Words for no value. */
const noValue = /^(?:n\.?\/?a\.?|null|nil|none|undefined|\(none\)|\(not set\))$/i;

/** The zero date of MySQL, as PHP may write it on, that of .NET, and the first day of Unix time in any zone: with the year first, or last. */
const noDate =
  /^(?:0000[-/.]00?[-/.]00?|-0001[-/.]11[-/.]30|(?:0001|1970)[-/.]0?1[-/.]0?1|1969[-/.]12[-/.]31|00?[-/.]00?[-/.]0000|(?:30[-/.]11|11[-/.]30)[-/.]-0001|0?1[-/.]0?1[-/.](?:0001|1970)|(?:31[-/.]12|12[-/.]31)[-/.]1969)(?!\d)/;

/** The first day of Unix time with the name of its month. */
const noNamedDate =
  /^(?:(?:(?:jan|january) 0?1,?|0?1 (?:jan|january)) 1970|(?:(?:dec|december) 31,?|31 (?:dec|december)) 1969)\b/i;

/** Whether a cell is empty or a dash. */
export const isDash = (text: string): boolean => dashes.test(text);

/** Whether a cell has no value, as trackers write it, or a time that never came. It may still name a row, which a dash does not. */
export function isBlankText(text: string): boolean {
  const cell = text.trim();
  return isDash(cell) || noValue.test(cell) || noDate.test(cell) || noNamedDate.test(cell);
}

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

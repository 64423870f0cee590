import { cleanNames, cleanText } from './clean-text.ts';

/**
 * The one way of words from outside to a reader. Strangers type them, and agents and terminals read them. So they have a type of
 * their own, and only the functions here make text of it: `shown` for a value alone, `quoted` and `mention` for a sentence.
 */

declare const outside: unique symbol;
declare const trackers: unique symbol;

/**
 * A text that this server did not write: an error of DuckDB, the content of a file, the name of a client. At run time it is a
 * string; to the compiler it is a symbol, which is no string, does not go into a template and cannot be joined to a text.
 */
export type OutsideText = symbol & { readonly [outside]: true };

/** One that the tracker said: a cell, the name of a column, a report, a group or a field, an ID, an error. */
export type TrackerText = OutsideText & { readonly [trackers]: true };

/** One value as the tracker wrote it; null if it wrote nothing ('' and null are one empty value). */
export type Cell = TrackerText | null;

/** A field of a record, by the name that the tracker gave it. */
export type NamedCell = readonly [name: TrackerText, value: Cell];

/** Marks a text that this server did not write. */
export function fromOutside(text: string): OutsideText {
  return text as unknown as OutsideText;
}

/** Marks a text as the tracker's, for those who read its answers. */
export function fromTracker(text: string): TrackerText {
  return text as unknown as TrackerText;
}

/** The text as it was written: to compare, to count and to compute with, never to show. */
export function rawText(text: OutsideText): string {
  return text as unknown as string;
}

/** The same of a cell; null if it is empty. */
export function rawCell(cell: Cell): string | null {
  return cell === null ? null : rawText(cell);
}

/** Longer than any keyword worth reading; a user agent and most URLs fit. */
export const maxShownLength = 500;

/**
 * The text fit to be a value of its own, such as a cell: visible characters on one line, and an … if it was longer. In a
 * sentence it would read as the server's own words: use `quoted` or `mention` there.
 */
export function shown(text: OutsideText, maxLength = maxShownLength): string {
  const raw = cleanNested(rawText(text));
  if (raw.length <= maxReadLength) return shorten(cleanText(raw), maxLength);
  return shorten(`${cleanText(raw.slice(0, maxReadLength))}…`, maxLength);
}

/** A nested value is JSON text, in which what cannot be seen is escaped and would come back to a reader of the JSON. */
function cleanNested(text: string): string {
  if (!/^[[{]/.test(text) || !text.includes('\\') || text.length > maxNestedLength) return text;
  try {
    return JSON.stringify(cleanTree(JSON.parse(text)));
  } catch {
    return text;
  }
}

/** JSON with every text and name in it cleaned. */
export function cleanTree(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (Array.isArray(value)) return value.map(cleanTree);
  if (typeof value !== 'object' || value === null) return value;
  const names = cleanNames(Object.keys(value));
  return Object.fromEntries(Object.values(value).map((inner, index) => [names[index], cleanTree(inner)]));
}

/** Names fit to be shown, short, and each its own: of two that look the same, the second is "name (2)". */
export function shownNames(names: readonly TrackerText[]): string[] {
  return cleanNames(names.map((name) => rawText(name).slice(0, maxReadLength)));
}

/** The text in quotation marks, with none in it that could end the quotation. */
export function quoted(text: OutsideText, maxLength = maxShownLength): string {
  return `“${shown(text, maxLength).replace(quotationMark, "'")}”`;
}

const quotationMark = /[“”„‟❝❞〝〞〟＂]/g;

/** A number, a date or an amount, or one word, of two parts at most: too little to be an order. */
const singleWord = /^(?:[-+$€£¥]?\d[\d.,:/%T Z+-]*|[\p{L}\p{N}]+(?:[_.-][\p{L}\p{N}]+)?)$/u;
const maxWordLength = 40;

/** A number or a single word as it is; what could be a sentence in quotation marks. */
export function mention(text: OutsideText, maxLength = maxShownLength): string {
  const clean = shown(text, maxLength);
  return clean.length <= maxWordLength && singleWord.test(clean) ? clean : quoted(text, maxLength);
}

/** What a tracker says beside its rows is read, but must not crowd the rows out. */
const [maxRemarkLength, maxWordsLength] = [500, 200];

/** What the tracker said in fields beside what was asked for, behind an introduction; nothing if there are none. */
export function remarkOn(introduction: string, fields: readonly NamedCell[]): string[] {
  if (fields.length === 0) return [];
  const said: string[] = [];
  let left = maxRemarkLength;
  for (const [name, value] of fields) {
    const field = `${mention(name, maxWordsLength)} = ${value === null ? '' : mention(value, maxWordsLength)}`;
    left -= field.length;
    if (left < 0 && said.length > 0) break;
    said.push(field);
  }
  const more = said.length < fields.length ? `; and ${fields.length - said.length} more` : '';
  return [`${introduction}: ${said.join('; ')}${more}`];
}

/** What is cleaned is cut first: no one needs the end of a text that is not shown, and cleaning takes its time. */
const maxReadLength = 20_000;

/** A nested value beyond this is cut long before its end, and is not read for what it escapes. */
const maxNestedLength = 1_000_000;

/** A text of at most so many characters, and an … if it was longer. */
export function shorten(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  // Not between the halves of one character.
  const end = /[\ud800-\udbff]/.test(text[maxLength - 1] ?? '') ? maxLength - 1 : maxLength;
  return `${text.slice(0, end)}…`;
}

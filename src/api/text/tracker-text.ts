import { cleanNames, cleanText } from './clean-text.ts';

declare const outside: unique symbol;
declare const trackers: unique symbol;

/**
 * A text that this server did not write: an error of DuckDB, the content of a file, the name of a client. At run time it is a
 * string. For the compiler it is a symbol, which does not fit into a string or a template. Only `shown` (for a value), `quoted`
 * and `mention` (for a sentence) make a string of it, because strangers typed it and agents and terminals read it.
 */
export type OutsideText = symbol & { readonly [outside]: true };

/** A text from the tracker: a cell, a name, an ID, an error. */
export type TrackerText = OutsideText & { readonly [trackers]: true };

/** A value as the tracker wrote it; null if it is empty ('' and null mean the same). */
export type Cell = TrackerText | null;

/** A field of a record, with the tracker's name for it. */
export type NamedCell = readonly [name: TrackerText, value: Cell];

/** Marks a text that this server did not write. */
export function fromOutside(text: string): OutsideText {
  return text as unknown as OutsideText;
}

/** Marks a text as the tracker's. */
export function fromTracker(text: string): TrackerText {
  return text as unknown as TrackerText;
}

/** The same for a list, without a copy. */
export function allFromTracker(texts: readonly string[]): readonly TrackerText[] {
  return texts as unknown as readonly TrackerText[];
}

/** The same for the cells of a column, without a copy. */
export function cellsFromTracker(cells: readonly (string | null)[]): readonly Cell[] {
  return cells as unknown as readonly Cell[];
}

/** The original text: to compare and compute with, never to show. */
export function rawText(text: OutsideText): string {
  return text as unknown as string;
}

/** The same for a list, without a copy. */
export function rawTexts(texts: readonly OutsideText[]): readonly string[] {
  return texts as unknown as readonly string[];
}

/** The original text of a cell; null if it is empty. */
export function rawCell(cell: Cell): string | null {
  return cell === null ? null : rawText(cell);
}

/** The same for a list, without a copy. */
export function rawCells(cells: readonly Cell[]): readonly (string | null)[] {
  return cells as unknown as readonly (string | null)[];
}

/** Longer than any keyword worth reading; a user agent and most URLs fit. */
export const maxShownLength = 500;

/**
 * The text as a value of its own, such as a cell: visible characters on one line, with an … if it was cut. In a sentence it
 * would read as the server's own words: use `quoted` or `mention` there.
 */
export function shown(text: OutsideText, maxLength = maxShownLength): string {
  const raw = cleanNested(rawText(text));
  if (raw.length <= maxReadLength) return shorten(cleanText(raw), maxLength);
  return shorten(`${cleanText(raw.slice(0, maxReadLength))}…`, maxLength);
}

/** Cleans JSON text: escaped invisible characters would come back when it is parsed. */
function cleanNested(text: string): string {
  if (!/^[[{]/.test(text) || !text.includes('\\') || text.length > maxNestedLength) return text;
  try {
    return JSON.stringify(cleanTree(JSON.parse(text)));
  } catch {
    return text;
  }
}

/** JSON data with every text and name cleaned. */
export function cleanTree<Data>(value: Data): Data;
export function cleanTree(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (Array.isArray(value)) return value.map(cleanTree);
  if (typeof value !== 'object' || value === null) return value;
  const names = cleanNames(Object.keys(value));
  return Object.fromEntries(Object.values(value).map((inner, index) => [names[index], cleanTree(inner)]));
}

/** Clean, short, distinct names: of two that look the same, the second is "name (2)". */
export function shownNames(names: readonly TrackerText[]): string[] {
  return cleanNames(names.map((name) => rawText(name).slice(0, maxReadLength)));
}

/** The text in quotation marks, without any inside that could end the quotation. */
export function quoted(text: OutsideText, maxLength = maxShownLength): string {
  return `“${shown(text, maxLength).replace(quotationMark, "'")}”`;
}

const quotationMark = /[“”„‟❝❞〝〞〟＂]/g;

/** A number, a date, an amount, or one word of at most two parts: too short to be an instruction. */
const singleWord = /^(?:[-+$€£¥]?\d[\d.,:/%T Z+-]*|[\p{L}\p{N}]+(?:[_.-][\p{L}\p{N}]+)?)$/u;
const maxWordLength = 40;

/** A number or a single word without quotation marks, and anything that could be a sentence with them. */
export function mention(text: OutsideText, maxLength = maxShownLength): string {
  const clean = shown(text, maxLength);
  return clean.length <= maxWordLength && singleWord.test(clean) ? clean : quoted(text, maxLength);
}

/** Texts are cut to this length before they are cleaned, which is slow. */
const maxReadLength = 20_000;

/** A longer nested value is not parsed: it is cut long before its end anyway. */
const maxNestedLength = 1_000_000;

/** A text of at most `maxLength` characters, with an … if it was cut. */
export function shorten(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  // Not inside a surrogate pair.
  const end = /[\ud800-\udbff]/.test(text[maxLength - 1] ?? '') ? maxLength - 1 : maxLength;
  return `${text.slice(0, end)}…`;
}

/** Max characters of a value of a caller to repeat. */
const maxRepeatedLength = 100;

/** A value in quotation marks: on one line, visible and short. */
export function show(value: unknown): string {
  if (typeof value === 'string') return cleanText(JSON.stringify(shorten(value, maxRepeatedLength)));
  const text = JSON.stringify(value) ?? String(value);
  return text.length > maxRepeatedLength ? quoted(fromOutside(text), maxRepeatedLength) : cleanText(text);
}

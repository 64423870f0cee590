import type { Cells, RawCell } from '../../api/cells.ts';
import { AnswerProblem } from './answer-problem.ts';

/**
 * What an answer says before anyone knows its shape: the values of JSON, which XML is brought into as well.
 *
 * A number in a tree has lost nothing: where JavaScript could not hold what was written, the tree has its text instead.
 */
export type Tree = null | string | number | boolean | readonly Tree[] | TreeRecord;
export type TreeRecord = { readonly [name: string]: Tree };
export type Field = readonly [name: string, value: Tree];

/** An answer wraps what it says a few times at most; what is deeper is not looked for. */
export const maxWrapperDepth = 12;

/** Deeper than any table is; what nests deeper is not read, so no answer can exhaust the stack. */
export const maxNesting = 64;

/**
 * Marks a record that was read from an XML element. There one child looks like a list of one: ask `itemsOf`.
 */
const fromXml = Symbol('from XML');

export function markAsXml(entries: Record<string, Tree>): Record<string, Tree> {
  return Object.assign(entries, { [fromXml]: true });
}

export function isFromXml(record: TreeRecord): boolean {
  return fromXml in record;
}

/** A long list of flat, equal records in columns. */
export interface Rows {
  readonly columns: readonly string[];
  readonly cells: Cells;
}

/** Marks a list in which the first rows stand for many. */
const allRows = Symbol('all rows');

/** Has the first rows of a long list of flat, equal records stand in the tree for all of them. */
export function attachRows(rows: Rows, first: Tree[]): void {
  Object.assign(first, { [allRows]: rows });
}

/** All the rows that a list stands for; undefined if it is all there is. */
export function allRowsOf(list: readonly Tree[]): Rows | undefined {
  return (list as { readonly [allRows]?: Rows })[allRows];
}

/** The record without some of its fields. */
export function without(record: TreeRecord, ...names: readonly string[]): TreeRecord {
  const rest = Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));
  return isFromXml(record) ? markAsXml(rest) : rest;
}

export function isRecord(tree: Tree | undefined): tree is TreeRecord {
  return typeof tree === 'object' && tree !== null && !Array.isArray(tree);
}

export function isList(tree: Tree | undefined): tree is readonly Tree[] {
  return Array.isArray(tree);
}

export function isLeaf(tree: Tree | undefined): tree is null | string | number | boolean {
  return typeof tree !== 'object' || tree === null;
}

/** Nothing was said: null, no text, an empty list or record (PHP writes an empty record as an empty list). */
export function isEmpty(tree: Tree | undefined): boolean {
  if (tree === null || tree === undefined) return true;
  if (typeof tree === 'string') return tree.trim() === '';
  if (isList(tree)) return tree.length === 0;
  if (typeof tree === 'object') for (const _ in tree) return false;
  return typeof tree === 'object';
}

/**
 * The items of a list. An XML element whose children share one name is a list of them, even of one.
 *
 * @returns undefined if the tree is no list
 */
export function itemsOf(tree: Tree): readonly Tree[] | undefined {
  if (isList(tree)) return tree;
  if (!isRecord(tree) || !(fromXml in tree)) return undefined;
  const values = Object.values(tree);
  if (values.length !== 1) return undefined;
  const [only] = values;
  return isList(only) ? only : [only ?? null];
}

/**
 * The text of a value as the tracker wrote it, null if it wrote nothing. A nested value is compact JSON text.
 *
 * @throws AnswerProblem if it nests deeper than any answer of a tracker does
 */
export function toCell(tree: Tree): RawCell {
  if (tree === null || tree === '') return null;
  if (typeof tree === 'string') return tree;
  if (typeof tree !== 'object') return String(tree);
  return isEmpty(tree) ? null : JSON.stringify(toPlain(tree, 0));
}

/**
 * A nested value with every leaf as text, so that JSON and XML of one answer give one text.
 *
 * @param isItem whether it is the item of a list: there a single child is a field, not a list of one
 */
function toPlain(tree: Tree, depth: number, isItem = false): unknown {
  if (isLeaf(tree)) return tree === null ? '' : String(tree);
  if (depth > maxNesting) throw new AnswerProblem('too-deep');
  const items = itemsOf(tree);
  const isField = isItem && !isList(tree) && items?.length === 1 && isLeaf(items[0]);
  if (items && !isField) return items.map((item) => toPlain(item, depth + 1, true));
  return Object.fromEntries(Object.entries(tree).map(([name, value]) => [name, toPlain(value, depth + 1)]));
}

/**
 * How much of an answer is read. Bytes are bounded while they come in, but a few of them can make a value that takes many
 * more: what is counted here keeps the largest answer within some hundred megabytes.
 */
const maxTreeBytes = 320_000_000;
const maxRows = 1_000_000;
const maxCells = 20_000_000;

/** Records that large are slow to go through. */
const maxFields = 250_000;

/** What V8 takes for a list or record that is empty, and for a short text in one, by the character that shows it. */
const bytesPerValue: readonly (readonly [mark: string, bytes: number])[] = [
  ['[', 64],
  ['{', 64],
  [',', 40],
];

/** A shorter text makes no tree of that size. */
const minCountedLength = 8_000_000;

/** @throws AnswerProblem if JSON may hold more values than are read */
export function boundValues(text: string): void {
  if (text.length < minCountedLength) return;
  let bytes = 0;
  for (const [mark, bytesOfOne] of bytesPerValue) {
    for (let index = text.indexOf(mark); index >= 0; index = text.indexOf(mark, index + 1)) {
      bytes += bytesOfOne;
      if (bytes > maxTreeBytes) throw new AnswerProblem('too-many');
    }
  }
}

/** @throws AnswerProblem if a table is larger than any that is read */
export function boundTable(rows: number, columns = 1): void {
  if (rows > maxRows || rows * columns > maxCells) throw new AnswerProblem('too-many');
}

/** @throws AnswerProblem if a record has more fields than are read */
export function boundFields(record: TreeRecord): void {
  if (Object.keys(record).length > maxFields) throw new AnswerProblem('too-many');
}

import type { Cells, RawCell } from '../../api/cells.ts';
import { AnswerProblem } from './answer-problem.ts';

/**
 * A parsed answer of unknown shape: the values of JSON, also for XML.
 *
 * Numbers are lossless: if JavaScript would change how a number was written, the tree has its text.
 */
export type Tree = null | string | number | boolean | readonly Tree[] | TreeRecord;
export type TreeRecord = { readonly [name: string]: Tree };
export type Field = readonly [name: string, value: Tree];

/** How deep the wrappers of an answer are searched. */
export const maxWrapperDepth = 12;

/** Deeper than any table. An answer that nests deeper is not read, so none can exhaust the stack. */
export const maxNesting = 64;

/** Marks a record that was an XML element, in which a list of one looks like a single child: see `itemsOf`. */
const fromXml = Symbol('from XML');

export function markAsXml(entries: Record<string, Tree>): Record<string, Tree> {
  return Object.assign(entries, { [fromXml]: true });
}

export function isFromXml(record: TreeRecord): boolean {
  return fromXml in record;
}

/** A long list of flat records with the same fields, by columns. */
export interface ScannedList {
  readonly columns: readonly string[];
  readonly cells: Cells;
}

/** Holds all rows of a list that has only its first rows in the tree. */
const allRows = Symbol('all rows');

export function attachRows(list: ScannedList, firstRows: Tree[]): void {
  Object.assign(firstRows, { [allRows]: list });
}

/** All rows of a scanned list; undefined for any other list. */
export function allRowsOf(list: readonly Tree[]): ScannedList | undefined {
  return (list as { readonly [allRows]?: ScannedList })[allRows];
}

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

/** Null, blank text, an empty list or record (PHP writes an empty record as an empty list). */
export function isEmpty(tree: Tree | undefined): boolean {
  if (tree === null || tree === undefined) return true;
  if (typeof tree === 'string') return tree.trim() === '';
  if (isList(tree)) return tree.length === 0;
  if (typeof tree === 'object') for (const _ in tree) return false;
  return typeof tree === 'object';
}

/**
 * The items of a list. An XML element whose children share one name is a list, even with one child.
 *
 * @returns undefined if the tree is not a list
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
 * The text of a value as the tracker wrote it, null if it is empty. A nested value becomes compact JSON text.
 *
 * @throws AnswerProblem if it nests too deep
 */
export function toCell(tree: Tree): RawCell {
  if (tree === null || tree === '') return null;
  if (typeof tree === 'string') return tree;
  if (typeof tree !== 'object') return String(tree);
  return isEmpty(tree) ? null : JSON.stringify(toPlain(tree, 0));
}

/**
 * A nested value with every leaf as text, so that the same answer in JSON and XML gives the same text.
 *
 * @param isItem whether it is an item of a list: its single child is a field, not a list of one
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
 * How much of an answer is read. Its bytes are bounded while they come in, but a few bytes can make a value that takes many
 * more. These bounds keep the largest answer within a few hundred megabytes.
 */
const maxTreeBytes = 320_000_000;
const maxRows = 1_000_000;
const maxCells = 20_000_000;

/** No report has so many. Each column is worked on by itself. */
const maxColumns = 1000;

/** Rows may leave out columns, so that few bytes make many cells. A small table may be as sparse as it likes. */
const maxSparseness = 20;
const minBoundedCells = 500_000;

/** Larger records are slow to process. */
const maxFields = 250_000;

/** What V8 needs for an empty list, an empty record and a short text, by a character that each has in JSON. */
const bytesPerValue: readonly (readonly [mark: string, bytes: number])[] = [
  ['[', 64],
  ['{', 64],
  [',', 40],
];

/** A shorter text cannot make a tree of that size. */
const minCountedLength = 8_000_000;

/** @throws AnswerProblem if JSON text may hold too many values */
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

/**
 * @param given how many of its cells the answer holds; all of them unless rows may leave out columns
 * @throws AnswerProblem if a table is too large
 */
export function boundTable(rows: number, columns = 1, given = rows * columns): void {
  const cells = rows * columns;
  const isSparse = cells > minBoundedCells && cells > given * maxSparseness;
  if (rows > maxRows || columns > maxColumns || cells > maxCells || isSparse) throw new AnswerProblem('too-many');
}

/** @throws AnswerProblem if a record has too many fields */
export function boundFields(record: TreeRecord): void {
  if (Object.keys(record).length > maxFields) throw new AnswerProblem('too-many');
}

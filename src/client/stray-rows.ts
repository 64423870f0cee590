import { isDash, isSumWord, isTotalWord } from '../api/cell-words.ts';
import type { StrayRow, Table, TablesReply } from '../api/table.ts';
import { foldedText } from '../api/text/names.ts';
import { rawText } from '../api/text/tracker-text.ts';
import { isSummed, namesRow } from '../api/vocabulary.ts';

/** Rows of another kind in a table: totals, notes, repeated headings and rows without a value. No figure may count them. */

/** A reply without its stray rows, and these. A report keeps a total that it names: figures may need its cents. */
export function withoutStrays(
  reply: TablesReply,
  isReport: boolean,
): { reply: TablesReply; strays: readonly StrayRow[] } {
  const read = reply.tables.map((table) => {
    const found = known.get(table) ?? cleaned(table, isReport);
    if (found.table !== table) known.set(table, found);
    return found;
  });
  const strays = read.flatMap((found) => found.strays);
  return { reply: strays.length === 0 ? reply : { ...reply, tables: read.map(({ table }) => table) }, strays };
}

type Cleaned = { readonly table: Table; readonly strays: readonly StrayRow[] };

/** The tables that rows were taken from: a later page is cut from the same one. */
const known = new WeakMap<Table, Cleaned>();

function cleaned(table: Table, isReport: boolean): Cleaned {
  let [first, last] = [0, table.rowCount - 1];
  while (last > first && isStray(table, last, first, isReport)) last -= 1;
  while (first <= last && isStray(table, first, last, isReport)) first += 1;
  const between = straysBetween(table, isReport, first, last);
  const atEnds = table.rowCount - (last - first + 1);
  if (between.length + atEnds === 0) return { table, strays: [] };
  const rows = [
    ...Array(first).keys(),
    ...between,
    ...Array.from({ length: table.rowCount - 1 - last }, (_, row) => last + 1 + row),
  ];
  const texts = rows.map((row) => wordsIn(table, row).filter(Boolean));
  if (isReport && atEnds === 1 && between.length === 0 && texts[0]?.some(isSumWord)) return { table, strays: [] };
  const strays = texts.map((cells) => ({ table: rawText(table.name), cells }));
  return { table: table.withoutRows(rows), strays };
}

/** Subtotals, headings and empty rows between two rows that are none of them. */
function straysBetween(table: Table, isReport: boolean, first: number, last: number): number[] {
  let key: number | undefined;
  for (const column of table.columns.keys()) {
    if (!isNeeded(nameAt(table, column), isReport)) continue;
    key ??= column;
    // None of them has an ID. Numbers are known already; texts of a long list would have to be read for this alone.
    if (table.numbers(column)?.values.includes(Number.NaN) === false) return [];
  }
  if (key === undefined) return [];
  const heading = foldedText(nameAt(table, key));
  const doubted: number[] = [];
  for (let row = first + 1; row < last; row += 1) {
    const text = textAt(table, row, key);
    if (!hasDigit.test(text) && (text === '' || foldedText(text) === heading || isTotalWord(text))) doubted.push(row);
  }
  const totals = doubted.filter((row) => wordsIn(table, row).some(isTotalWord));
  const isLost = (column: number) => isFilledBetween(table, column, [first, last], (row) => totals.includes(row));
  const lost = totals.length === 0 ? [] : [...table.columns.keys()].filter(isLost);
  return doubted.filter((row) => {
    const lacks = (column: number) => textAt(table, row, column) === '' && isNeeded(nameAt(table, column), isReport);
    return (totals.includes(row) && lost.some(lacks)) || saysNothing(table, row);
  });
}

/** Most IDs have one. */
const hasDigit = /\d/;

/** Whether all rows between two have a value in a column but some that may lack it. */
function isFilledBetween(
  table: Table,
  column: number,
  [first, last]: readonly [number, number],
  mayLack: (row: number) => boolean,
): boolean {
  for (let row = first; row <= last; row += 1) if (textAt(table, row, column) === '' && !mayLack(row)) return false;
  return true;
}

/**
 * Whether a row is none of its table: it is the heading again, or has none of the texts that each other row has. A word such as Total
 * is none of them.
 *
 * @param other a row at the other end
 */
function isStray(table: Table, row: number, other: number, isReport: boolean): boolean {
  if (saysNothing(table, row)) return true;
  const lost: number[] = [];
  for (const column of table.columns.keys())
    if (textAt(table, row, column) === '' && textAt(table, other, column) !== '') lost.push(column);
  if (lost.length === 0 && row !== other) return false;
  const cells = wordsIn(table, row);
  const filled = [...cells.keys()].filter((column) => cells[column] !== '');
  const isNamed = filled.some((column) => isTotalWord(cells[column] ?? ''));
  const isSomething = filled.some((column) => !isTotalWord(cells[column] ?? '') && !isSummed(nameAt(table, column)));
  if (isSomething) return false;
  if (row === other) return isNamed && !isReport;
  const needed = lost.filter((column) => isNeeded(nameAt(table, column), isReport) && isFilledInOthers(table, column));
  return needed.length >= (isNamed ? 1 : minLost);
}

/** Whether each row of its kind has a value in a column with this name. */
function isNeeded(name: string, isReport: boolean): boolean {
  return isReport ? namesRow(name) : !isSummed(name);
}

/** Whether a row is empty, or each of its cells is the name of its column. */
function saysNothing(table: Table, row: number): boolean {
  let filled = 0;
  for (const column of table.columns.keys()) {
    const text = textAt(table, row, column);
    if (text === '') continue;
    if (foldedText(text) !== foldedText(nameAt(table, column))) return false;
    filled += 1;
  }
  return filled !== 1;
}

/** A row may lack one value; without a word for it, so many must be missing that all other rows have. */
const minLost = 2;

/** Other strays at the ends lack it too, and so do subtotals. */
function isFilledInOthers(table: Table, column: number): boolean {
  return isFilledBetween(table, column, [1, table.rowCount - 3], (row) => wordsIn(table, row).some(isTotalWord));
}

function nameAt({ columns }: Table, column: number): string {
  const name = columns[column];
  return name === undefined ? '' : rawText(name).trim();
}

function wordsIn(table: Table, row: number): string[] {
  return [...table.columns.keys()].map((column) => textAt(table, row, column));
}

/** Empty for a dash, which stands for nothing. */
function textAt({ cells }: Table, row: number, column: number): string {
  const text = cells.text(row, column)?.trim() ?? '';
  return isDash(text) ? '' : text;
}

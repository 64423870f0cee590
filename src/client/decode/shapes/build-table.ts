import type { Cell } from '../../../api/table.ts';
import { boundTable } from '../bounds.ts';
import { readPair, readPairs } from '../pairs.ts';
import { type Field, isLeaf, isList, isRecord, itemsOf, type Tree, type TreeRecord, toCell } from '../read/tree.ts';

/** Tables out of rows that were found, whatever the form of a row. */

/** A table found in an answer, and what stood beside its rows. */
export interface FoundTable {
  readonly columns: readonly string[];
  /** One array a column, each with a cell for every row. */
  readonly cells: readonly (readonly Cell[])[];
  readonly rowCount: number;
  readonly beside: readonly Field[];
}

/** A row that is a list of cells: `["x", 1]`, in XML `<row><cell>x</cell><cell>1</cell></row>`. */
export function cellsOfRow(row: Tree): readonly Tree[] | undefined {
  if (isList(row)) return row.some((cell) => isRecord(cell) && readPair(cell)) ? undefined : row;
  const items = isRecord(row) ? itemsOf(row) : undefined;
  return items && items.length > 1 && items.every(isLeaf) ? items : undefined;
}

/** Rows that are lists; the first names the columns where it can be read as names. */
export function tableOfLists(lists: readonly (readonly Tree[])[]): FoundTable {
  const [first = [], ...others] = lists;
  const isHeaderRow = first.every(
    (cell) => typeof cell === 'string' && /\p{L}/u.test(cell) && !/^[-$]?[\d.,]+%?$/.test(cell),
  );
  const hasHeader = isHeaderRow && new Set(first).size === first.length;
  return tableWithColumns(hasHeader ? first.map(String) : [], hasHeader ? others : lists);
}

export function tableWithColumns(names: readonly string[], lists: readonly (readonly Tree[])[]): FoundTable {
  const width = lists.reduce((most, list) => Math.max(most, list.length), names.length);
  boundTable(lists.length, width);
  const columns = distinct(Array.from({ length: width }, (_, index) => names[index] ?? `column_${index + 1}`));
  const cells = columns.map((_, index) => lists.map((list) => toCell(list[index] ?? null)));
  return { columns, cells, rowCount: lists.length, beside: [] };
}

function distinct(names: readonly string[]): string[] {
  const used = new Map<string, number>();
  return names.map((name) => {
    const times = (used.get(name) ?? 0) + 1;
    used.set(name, times);
    return times === 1 ? name : `${name}_${times}`;
  });
}

export function reorder(table: FoundTable, names: readonly string[]): FoundTable {
  const columns = distinct(names);
  const indexes = columns.map((column) => table.columns.indexOf(column));
  const { rowCount } = table;
  const cells = indexes.map((index) => table.cells[index] ?? new Array<Cell>(rowCount).fill(null));
  return { columns, cells, rowCount, beside: [] };
}

/** A row in a form with names: a record as it is, a list of pairs as the record they make, a value by itself as `value`. */
function toRecord(row: Tree): TreeRecord {
  if (isLeaf(row)) return { value: row };
  const items = isList(row) ? row : mayHoldPairs(row) ? itemsOf(row) : undefined;
  const pairs = items && readPairs(items);
  if (pairs) return Object.fromEntries(pairs);
  return isRecord(row) ? row : { value: row };
}

function mayHoldPairs(row: Tree): boolean {
  for (const name in row as TreeRecord) return !isLeaf((row as TreeRecord)[name]);
  return false;
}

/** The columns are the union of the rows' fields, in the order they first appear. */
export function tableOfRows(list: readonly Tree[]): FoundTable {
  const columns: string[] = [];
  const known = new Set<string>();
  // Half of a large answer's time goes here: rows are read in place, without a list of fields for each.
  const records = list.map(toRecord);
  for (const record of records) {
    for (const name in record) {
      if (known.has(name)) continue;
      known.add(name);
      columns.push(name);
      boundTable(records.length, columns.length);
    }
  }
  const rowCount = records.length;
  const cells = columns.map((name) => {
    const column = new Array<Cell>(rowCount);
    for (let row = 0; row < rowCount; row += 1) {
      const record = records[row] ?? {};
      column[row] = Object.hasOwn(record, name) ? toCell(record[name] ?? null) : null;
    }
    return column;
  });
  return { columns, cells, rowCount, beside: [] };
}

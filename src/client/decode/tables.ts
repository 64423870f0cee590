import type { Cell, Table } from '../../api/replies.ts';
import { boundFields, boundTable } from './bounds.ts';
import { isContainer, isHeader, isMeta, isNaming, isRow } from './names.ts';
import { readPair, readPairs } from './pairs.ts';
import { isEmpty, isFromXml, isLeaf, isList, isRecord, itemsOf, type Tree, type TreeRecord, toCell } from './tree.ts';

type Field = readonly [name: string, value: Tree];

/** A table found in an answer, and what stood beside its rows. */
export interface FoundTable extends Omit<Table, 'name'> {
  readonly beside: readonly Field[];
}

/** Whether a name is what the table lists, such as `campaigns`. */
export type IsNoun = (name: string) => boolean;

/** An answer wraps its rows a few times at most. */
const deepestWrapper = 12;

const emptyTable: FoundTable = { columns: [], rows: [], beside: [] };

/**
 * Finds the rows in an answer whose shape nobody documented: a list of records, records keyed by an ID or a name, a header
 * row and lists, one list a column, one record where there could be many, wrapped any number of times.
 *
 * @returns undefined where there is nothing that could be a table
 */
export function findTable(tree: Tree, isNoun: IsNoun = () => false, depth = 0): FoundTable | undefined {
  if (isEmpty(tree)) return emptyTable;
  if (isLeaf(tree) || depth > deepestWrapper) return undefined;
  if (isList(tree)) return tableOfList(tree, isNoun, depth);
  boundFields(tree);
  return withHeader(tree) ?? tableOfRecord(tree, isNoun, depth);
}

function tableOfRecord(record: TreeRecord, isNoun: IsNoun, depth: number): FoundTable | undefined {
  const fields = Object.entries(record);
  const descend = (into: Field, value: Tree = into[1]) => {
    const found = findTable(value, isNoun, depth + 1);
    return found && { ...found, beside: [...fields.filter((field) => field !== into), ...found.beside] };
  };
  const nested = fields.filter(([, value]) => !isLeaf(value));
  const lists = nested.filter(([, value]) => isListOfRecords(value));
  const isHolding = ([name]: Field) => isContainer(name) || isRow(name) || isNoun(name);
  const holder = lists.find(isHolding) ?? nested.find(isHolding);
  if (holder && (isHolder(record, isNoun) || lists.includes(holder))) {
    // `<campaigns><campaign>...`: where there could be many, one is a row and no wrapper of rows.
    return isOneRow(holder, isNoun) ? descend(holder, [holder[1]]) : descend(holder);
  }
  if (fields.every(([, value]) => isEmpty(value)) && fields.length === 1) return emptyTable;
  if (!isHolder(record, isNoun)) return tableOfRows([record]);
  const [list] = lists;
  if (list) return descend(list);
  const [first, ...others] = nested;
  if (!first) return { ...emptyTable, beside: fields };
  return keyedTable(record, nested, isNoun) ?? (others.length > 0 ? tableOfRows([record]) : descend(first));
}

function isListOfRecords(value: Tree): boolean {
  return isList(value) && value.length > 0 && value.every(isRecord);
}

function isOneRow([name, value]: Field, isNoun: IsNoun): boolean {
  if (!isRecord(value)) return false;
  return isHolder(value, isNoun) ? isRow(name) && !wrapsRows(value, isNoun) : true;
}

/** All plain values are about the answer, and none of a row. */
function isHolder(record: TreeRecord, isNoun: IsNoun): boolean {
  return Object.entries(record).every(
    ([name, value]) => !isLeaf(value) || isMeta(name) || (isEmpty(value) && (isContainer(name) || isNoun(name))),
  );
}

/** A record that holds the rows rather than being one. */
function wrapsRows(tree: Tree, isNoun: IsNoun): boolean {
  if (!isRecord(tree)) return false;
  return Object.entries(tree).some(
    ([name, value]) => !isLeaf(value) && (isContainer(name) || isRow(name) || isNoun(name)),
  );
}

/**
 * Records keyed by an ID or a name, as PHP writes a list with gaps, or one list a column. The key is kept as a column unless
 * the row holds it anyway.
 */
function keyedTable(record: TreeRecord, nested: readonly Field[], isNoun: IsNoun): FoundTable | undefined {
  const isNumbered = nested.every(([key]) => /^\d+$/.test(key));
  const beside = Object.entries(record).filter(([, value]) => isLeaf(value));
  const [first] = nested;
  if (!isNumbered && !isFromXml(record) && nested.length > 1) {
    const lists = nested.map(([, value]) => (isList(value) && value.every(isLeaf) ? value : undefined));
    const height = lists[0]?.length;
    if (lists.every((list) => list !== undefined && list.length === height)) {
      const rows = (lists[0] ?? []).map((_, index) => lists.map((list) => list?.[index] ?? null));
      return {
        ...tableWithColumns(
          nested.map(([name]) => name),
          rows,
        ),
        beside,
      };
    }
  }
  if (!nested.every(([, value]) => isRecord(value) || (isNumbered && isList(value)))) return undefined;
  // One record under a name that says nothing is a wrapper, unless it is a row and the name is its key.
  const isKey = isNumbered || nested.length > 1 || (first && !isFromXml(record) && isKeyOfRow(first, isNoun));
  if (!isKey) return undefined;
  const isIndex = nested.every(([key], index) => key === String(index));
  const rows = nested.map(([key, value]) => {
    if (!isRecord(value)) return { key, value };
    const holdsKey = isIndex || Object.values(value).some((cell) => isLeaf(cell) && String(cell) === key);
    return holdsKey ? value : { key, ...value };
  });
  return { ...tableOfRows(rows), beside };
}

function isKeyOfRow([name, value]: Field, isNoun: IsNoun): boolean {
  return (
    !isContainer(name) &&
    !isRow(name) &&
    !isNoun(name) &&
    !isMeta(name) &&
    isRecord(value) &&
    Object.values(value).every(isLeaf) &&
    !Object.keys(value).every(isMeta)
  );
}

function tableOfList(list: readonly Tree[], isNoun: IsNoun, depth: number): FoundTable | undefined {
  boundTable(list.length);
  const [first] = list;
  if (list.length === 1 && isRecord(first) && wrapsRows(first, isNoun) && isHolder(first, isNoun)) {
    return findTable(first, isNoun, depth + 1);
  }
  const cellLists = list.map((row) => (isRecord(row) && !isFromXml(row) ? undefined : cellsOfRow(row)));
  if (cellLists.every((cells) => cells !== undefined)) return tableOfLists(cellLists);
  return tableOfRows(unwrapEach(list) ?? list);
}

/** `[{"Campaign": {...}}, {"Campaign": {...}}]`: every row under the same name. */
function unwrapEach(list: readonly Tree[]): readonly TreeRecord[] | undefined {
  const [first] = list;
  const name = isRecord(first) ? Object.keys(first)[0] : undefined;
  if (name === undefined) return undefined;
  const inner = list.map((row) => (isRecord(row) && Object.keys(row).length === 1 ? row[name] : undefined));
  return inner.every(isRecord) ? inner : undefined;
}

/** A row that is a list of cells: `["x", 1]`, in XML `<row><cell>x</cell><cell>1</cell></row>`. */
function cellsOfRow(row: Tree): readonly Tree[] | undefined {
  if (isList(row)) return row.some((cell) => isRecord(cell) && readPair(cell)) ? undefined : row;
  const items = isRecord(row) ? itemsOf(row) : undefined;
  return items && items.length > 1 && items.every(isLeaf) ? items : undefined;
}

/** Rows that are lists; the first names the columns where it can be read as names. */
function tableOfLists(lists: readonly (readonly Tree[])[]): FoundTable {
  const [first = [], ...others] = lists;
  const isHeaderRow = first.every(
    (cell) => typeof cell === 'string' && /\p{L}/u.test(cell) && !/^[-$]?[\d.,]+%?$/.test(cell),
  );
  const hasHeader = isHeaderRow && new Set(first).size === first.length;
  return tableWithColumns(hasHeader ? first.map(String) : [], hasHeader ? others : lists);
}

function tableWithColumns(names: readonly string[], lists: readonly (readonly Tree[])[]): FoundTable {
  const width = lists.reduce((most, list) => Math.max(most, list.length), names.length);
  boundTable(lists.length, width);
  const columns = distinct(Array.from({ length: width }, (_, index) => names[index] ?? `column_${index + 1}`));
  return { columns, rows: lists.map((list) => columns.map((_, index) => toCell(list[index] ?? null))), beside: [] };
}

function distinct(names: readonly string[]): string[] {
  const used = new Map<string, number>();
  return names.map((name) => {
    const times = (used.get(name) ?? 0) + 1;
    used.set(name, times);
    return times === 1 ? name : `${name}_${times}`;
  });
}

/** `{columns: [...], rows: [[...]]}`, where the columns are names or records that hold one. */
function withHeader(record: TreeRecord): FoundTable | undefined {
  const fields = Object.entries(record);
  const header = fields.find(([name, value]) => isHeader(name) && !isLeaf(value));
  const names = header && readHeader(header[1]);
  if (!header || !names) return undefined;
  for (const field of fields) {
    if (field === header || !(isContainer(field[0]) || isRow(field[0]) || isList(field[1]))) continue;
    const beside = fields.filter((other) => other !== header && other !== field);
    if (isEmpty(field[1])) return { columns: distinct(names), rows: [], beside };
    const rows = rowsOf(field[1]);
    const lists = rows.map(
      (row) => cellsOfRow(row) ?? (names.length === 1 && isRecord(row) ? itemsOf(row) : undefined),
    );
    if (rows.length > 0 && lists.every((list) => list !== undefined))
      return { ...tableWithColumns(names, lists), beside };
    const table = rows.every(isRecord) ? tableOfRows(rows) : undefined;
    if (table?.columns.every((column) => names.includes(column))) return { ...reorder(table, names), beside };
  }
  return undefined;
}

/** The rows under a name: of `<rows><row>...` the rows, of a field `row` itself all or the only one. */
function rowsOf(tree: Tree): readonly Tree[] {
  if (isList(tree)) return tree;
  const items = itemsOf(tree);
  const isOneRow = items && isRecord(tree) && items.every(isLeaf);
  return isOneRow || !items ? [tree] : items;
}

function reorder(table: FoundTable, names: readonly string[]): FoundTable {
  const columns = distinct(names);
  const places = columns.map((column) => table.columns.indexOf(column));
  return { columns, rows: table.rows.map((row) => places.map((place) => row[place] ?? null)), beside: [] };
}

function readHeader(header: Tree): string[] | undefined {
  const names = (itemsOf(header) ?? []).map((item) => {
    if (isLeaf(item)) return toCell(item);
    const naming = isRecord(item)
      ? Object.entries(item).find(([name, value]) => isNaming(name) && isLeaf(value))
      : undefined;
    return naming ? toCell(naming[1]) : null;
  });
  return names.length > 0 && names.every((name) => name !== null) ? names : undefined;
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
function tableOfRows(list: readonly Tree[]): FoundTable {
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
  const rows = records.map((record) => {
    const line = new Array<Cell>(columns.length);
    for (let index = 0; index < columns.length; index += 1) {
      const name = columns[index] ?? '';
      line[index] = Object.hasOwn(record, name) ? toCell(record[name] ?? null) : null;
    }
    return line;
  });
  return { columns, rows, beside: [] };
}

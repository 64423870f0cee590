import type { Cell, Table } from '../../api/replies.ts';
import { isContainer, isHeader, isMeta, isNaming, isValue } from './names.ts';
import { isEmpty, isLeaf, isList, isRecord, itemsOf, type Tree, type TreeRecord, toCell } from './tree.ts';

/** A table found in an answer, and what stood beside its rows. */
export interface FoundTable extends Omit<Table, 'name'> {
  readonly beside: readonly (readonly [name: string, value: Tree])[];
}

type Field = readonly [name: string, value: Tree];

/** An answer wraps its rows a few times at most. */
const deepestWrapper = 12;

const emptyTable: FoundTable = { columns: [], rows: [], beside: [] };

/**
 * Finds the rows in an answer whose shape nobody documented: a list of records, records keyed by an ID, a header row and
 * lists, one record where there could be many, wrapped any number of times.
 *
 * @param isNoun whether a name is what the endpoint lists, such as `campaigns`
 * @returns undefined where there is nothing that could be a table
 */
export function findTable(
  tree: Tree,
  isNoun: (name: string) => boolean = () => false,
  depth = 0,
): FoundTable | undefined {
  if (isEmpty(tree)) return emptyTable;
  if (isLeaf(tree) || depth > deepestWrapper) return undefined;
  if (isList(tree)) return tableOfList(tree, isNoun, depth);
  return withHeader(tree) ?? tableOfRecord(tree, isNoun, depth);
}

function tableOfRecord(record: TreeRecord, isNoun: (name: string) => boolean, depth: number): FoundTable | undefined {
  const fields = Object.entries(record);
  const nested = fields.filter(([, value]) => !isLeaf(value));
  const isHolder = ([name, value]: Field) => (isContainer(name) || isNoun(name)) && (!isLeaf(value) || isEmpty(value));
  const holders = fields.filter(isHolder);
  const descend = (into: Field) => {
    const found = findTable(into[1], isNoun, depth + 1);
    return found && { ...found, beside: [...fields.filter((field) => field[0] !== into[0]), ...found.beside] };
  };
  const holder = holders.find(([, value]) => !isLeaf(value)) ?? holders[0];
  if (holder) return descend(holder);
  const isWrapper = fields.every(([name, value]) => !isLeaf(value) || isMeta(name));
  if (!isWrapper) return tableOfList([record], isNoun, depth);
  const list = nested.find(([, value]) => isList(value) && value.every(isRecord) && value.length > 0);
  if (list) return descend(list);
  if (
    nested.length > 0 &&
    nested.length === fields.length &&
    (nested.length > 1 || /^\d+$/.test(nested[0]?.[0] ?? ''))
  ) {
    return keyedRows(nested);
  }
  if (nested[0]) return descend(nested[0]);
  return { ...emptyTable, beside: fields };
}

/** Records keyed by an ID, as PHP writes a list with gaps. The key is kept as a column unless the row holds it anyway. */
function keyedRows(fields: readonly Field[]): FoundTable | undefined {
  if (!fields.every(([, value]) => isRecord(value) || isList(value))) return undefined;
  const isIndex = fields.every(([key], index) => key === String(index));
  const rows = fields.map(([key, value]) => {
    if (!isRecord(value)) return { key, value };
    const holdsKey = isIndex || Object.values(value).some((cell) => isLeaf(cell) && String(cell) === key);
    return holdsKey ? value : { key, ...value };
  });
  return tableOfRows(rows.map(fieldsOfRow));
}

function tableOfList(list: readonly Tree[], isNoun: (name: string) => boolean, depth: number): FoundTable | undefined {
  const [first] = list;
  if (
    list.length === 1 &&
    isRecord(first) &&
    Object.entries(first).some(([name, value]) => (isContainer(name) || isNoun(name)) && !isLeaf(value))
  ) {
    return findTable(first, isNoun, depth + 1);
  }
  const cellLists = list.map(cellsOfRow);
  if (cellLists.every((cells) => cells !== undefined)) return tableOfLists(cellLists);
  return tableOfRows(list.map(fieldsOfRow));
}

/** A row that is a list of cells: `["x", 1]`, in XML `<row><cell>x</cell><cell>1</cell></row>`. */
function cellsOfRow(row: Tree): readonly Tree[] | undefined {
  if (isList(row)) return row.some((cell) => isPair(cell)) ? undefined : row;
  const items = isRecord(row) ? itemsOf(row) : undefined;
  return items && items.length > 1 && items.every(isLeaf) ? items : undefined;
}

/** Rows that are lists; the first names the columns where it can be read as names. */
function tableOfLists(lists: readonly (readonly Tree[])[]): FoundTable {
  const [first = [], ...others] = lists;
  const isHeaderRow = first.every(
    (cell) => typeof cell === 'string' && /\D/.test(cell) && !/^[-$]?[\d.,]+%?$/.test(cell),
  );
  const hasHeader = isHeaderRow && new Set(first).size === first.length;
  return tableWithColumns(hasHeader ? first.map(String) : [], hasHeader ? others : lists);
}

function tableWithColumns(names: readonly string[], lists: readonly (readonly Tree[])[]): FoundTable {
  const width = lists.reduce((most, list) => Math.max(most, list.length), names.length);
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
    if (field === header || !(isContainer(field[0]) || isList(field[1]))) continue;
    const beside = fields.filter((other) => other !== header && other !== field);
    if (isEmpty(field[1])) return { columns: names, rows: [], beside };
    const rows = itemsOf(field[1]) ?? [];
    const lists = rows.map((row) => cellsOfRow(row));
    if (lists.length > 0 && lists.every((list) => list !== undefined))
      return { ...tableWithColumns(names, lists), beside };
  }
  return undefined;
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

/** `{name: "Country", value: "DE"}` and nothing else: a field, not a row. */
export function isPair(tree: Tree): boolean {
  return isRecord(tree) && readPair(tree) !== undefined;
}

export function readPair(record: TreeRecord): Field | undefined {
  const fields = Object.entries(record);
  const naming = fields.find(([name, value]) => isNaming(name) && isLeaf(value));
  if (!naming || fields.length > 2) return undefined;
  const other = fields.find((field) => field !== naming);
  return other === undefined || isValue(other[0]) ? [String(naming[1]), other?.[1] ?? null] : undefined;
}

/** The fields of one row, whether it is a record, a list of pairs, or a value by itself. */
function fieldsOfRow(row: Tree): readonly Field[] {
  if (isLeaf(row)) return [['value', row]];
  const pairs = (isList(row) ? row : Object.values(row).length === 1 ? itemsOf(row) : undefined)?.map((item) =>
    isRecord(item) ? readPair(item) : undefined,
  );
  if (pairs && pairs.length > 0 && pairs.every((pair) => pair !== undefined)) return pairs;
  return isList(row) ? [['value', row]] : Object.entries(row);
}

/** The columns are the union of the rows' fields, in the order they first appear. */
function tableOfRows(rows: readonly (readonly Field[])[]): FoundTable {
  const places = new Map<string, number>();
  for (const row of rows) for (const [name] of row) if (!places.has(name)) places.set(name, places.size);
  const columns = [...places.keys()];
  const cells = rows.map((row) => {
    const line = new Array<Cell>(columns.length).fill(null);
    for (const [name, value] of row) line[places.get(name) ?? 0] = toCell(value);
    return line;
  });
  return { columns, rows: cells, beside: [] };
}

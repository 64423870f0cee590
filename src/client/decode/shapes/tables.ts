import { boundFields, boundTable } from '../bounds.ts';
import {
  type Field,
  isEmpty,
  isFromXml,
  isLeaf,
  isList,
  isRecord,
  itemsOf,
  maxWrapperDepth,
  type Tree,
  type TreeRecord,
  toCell,
} from '../read/tree.ts';
import { isContainer, isHeader, isMeta, isNaming, isRow } from '../verdict/words.ts';
import { cellsOfRow, type FoundTable, reorder, tableOfLists, tableOfRows, tableWithColumns } from './build-table.ts';

/** Whether a name is what the table lists, such as `campaigns`. */
export type IsNoun = (name: string) => boolean;

const emptyTable: FoundTable = { columns: [], cells: [], rowCount: 0, beside: [] };

/**
 * Finds the rows in an answer whose shape nobody documented: a list of records, records keyed by an ID or a name, a header
 * row and lists, one list a column, one record where there could be many, wrapped any number of times.
 *
 * @returns undefined where there is nothing that could be a table
 */
export function findTable(tree: Tree, isNoun: IsNoun = () => false, depth = 0): FoundTable | undefined {
  if (isEmpty(tree)) return emptyTable;
  if (isLeaf(tree) || depth > maxWrapperDepth) return undefined;
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
  const parts = nested.length > 1 ? nested.map(([name, value]) => [name, recordsOf(value, isNoun)] as const) : [];
  if (parts.length > 0 && parts.every(([, rows]) => rows !== undefined)) {
    return { ...tableOfParts(parts as readonly Part[]), beside: fields.filter((field) => !nested.includes(field)) };
  }
  const [list] = lists;
  if (list) return descend(list);
  const [first, ...others] = nested;
  if (!first) return { ...emptyTable, beside: fields };
  return keyedTable(record, nested, isNoun) ?? (others.length > 0 ? tableOfRows([record]) : descend(first));
}

type Part = readonly [name: string, rows: readonly TreeRecord[]];

/** The records of a list; an XML element holds a list where its children are called like rows. */
function recordsOf(value: Tree, isNoun: IsNoun): readonly TreeRecord[] | undefined {
  const [child] = isRecord(value) ? Object.keys(value) : [];
  if (isRecord(value) && !(child !== undefined && (isRow(child) || isNoun(child)))) return undefined;
  const items = itemsOf(value);
  return items?.every(isRecord) ? items : undefined;
}

/** `{active: [...], inactive: [...]}`: rows in several lists are one table, with the name of the list in each row. */
function tableOfParts(parts: readonly Part[]): FoundTable {
  const isIndex = parts.every(([name], index) => name === String(index));
  return tableOfRows(parts.flatMap(([key, rows]) => (isIndex ? rows : rows.map((row) => ({ key, ...row })))));
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

/** `{columns: [...], rows: [[...]]}`, where the columns are names or records that hold one. */
function withHeader(record: TreeRecord): FoundTable | undefined {
  const fields = Object.entries(record);
  const header = fields.find(([name, value]) => isHeader(name) && !isLeaf(value));
  const names = header && readHeader(header[1]);
  if (!header || !names) return undefined;
  for (const field of fields) {
    if (field === header || !(isContainer(field[0]) || isRow(field[0]) || isList(field[1]))) continue;
    const beside = fields.filter((other) => other !== header && other !== field);
    if (isEmpty(field[1])) return { ...tableWithColumns(names, []), beside };
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

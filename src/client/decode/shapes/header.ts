import { isEmpty, isLeaf, isList, isRecord, itemsOf, type Tree, type TreeRecord, toCell } from '../tree.ts';
import { isContainer, isHeader, isNaming, isRow } from '../words.ts';
import {
  cellsOfRow,
  distinct,
  emptyTable,
  type FoundTable,
  reorder,
  tableOfRows,
  tableWithColumns,
} from './build-table.ts';

/** `{columns: [...], rows: [[...]]}`, where the columns are names or records that hold one. */
export function withHeader(record: TreeRecord): FoundTable | undefined {
  const fields = Object.entries(record);
  const header = fields.find(([name, value]) => isHeader(name) && !isLeaf(value));
  const names = header && readHeader(header[1]);
  if (!header || !names) return undefined;
  for (const field of fields) {
    if (field === header || !(isContainer(field[0]) || isRow(field[0]) || isList(field[1]))) continue;
    const beside = fields.filter((other) => other !== header && other !== field);
    if (isEmpty(field[1])) return emptyTable(distinct(names), beside);
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

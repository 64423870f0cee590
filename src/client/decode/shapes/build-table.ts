import { type Cells, hasDigit, ListedCells, type Typing } from '../../../api/cells.ts';
import { distinctNames } from '../../../api/text/clean-text.ts';
import { foldedName } from '../../../api/text/names.ts';
import { AnswerProblem } from '../answer-problem.ts';
import { isDocument } from '../body.ts';
import {
  allRowsOf,
  boundTable,
  type Field,
  isEmpty,
  isLeaf,
  isList,
  isRecord,
  itemsOf,
  type Tree,
  type TreeRecord,
  toCell,
} from '../tree.ts';
import { isContainer, isFigure, isHeader, isNaming, isRow, isValue } from '../words.ts';

/** One way in which trackers write a reply. */
export interface Shape<Subject, Found> {
  readonly name: string;
  /** Bodies that fit this shape and no earlier one. */
  readonly examples: readonly string[];
  /** @returns undefined if the shape does not fit; null if it fits and nothing can be read in it */
  readonly read: (subject: Subject) => Found | null | undefined;
}

/** Reads with the first shape that fits, and puts its name before the names of the shapes inside. */
export function readByFirst<Subject, Found extends object>(
  shapes: readonly Shape<Subject, Found>[],
  subject: Subject,
): (Found & { shape: string }) | undefined {
  for (const { name, read } of shapes) {
    const found = read(subject);
    if (found === null) return undefined;
    if (found === undefined) continue;
    const inside = 'shape' in found && found.shape !== undefined ? ` > ${found.shape}` : '';
    return { ...found, shape: name + inside };
  }
  return undefined;
}

/** A table found in an answer, and the other fields next to its rows. */
export interface FoundTable {
  readonly columns: readonly string[];
  readonly cells: Cells;
  readonly extra: readonly Field[];
  /** The names of the shapes that fitted, from the outside to the inside. */
  readonly shape?: string;
}

/**
 * The one of several tables that has all rows of the others, such as the same rows with more columns. Empty ones do not count.
 *
 * @param names what they are called in the answer
 * @throws AnswerProblem if another table has rows of its own: nothing shows which are meant
 */
export function theOnly<Found extends FoundTable>(
  tables: readonly Found[],
  names: readonly string[],
): Found | undefined {
  const filled = tables.filter(({ cells }) => cells.rowCount > 0);
  const whole = filled.find((table) => filled.every((other) => other === table || holdsAllOf(table, other)));
  if (!whole && filled.length > 0) throw new AnswerProblem('several', [...new Set(names)].join(', '));
  return whole ?? tables[0];
}

/** Whether a table has the columns of another, and in them the same rows. */
function holdsAllOf({ columns, cells }: FoundTable, other: FoundTable): boolean {
  const order = other.columns.map((name) => columns.indexOf(name));
  if (cells.rowCount !== other.cells.rowCount || order.includes(-1)) return false;
  const rowsOf = (of: Cells, at: readonly number[]) =>
    Array.from({ length: of.rowCount }, (_, row) => JSON.stringify(at.map((column) => of.text(row, column)))).sort();
  const [own, others] = [rowsOf(cells, order), rowsOf(other.cells, [...other.columns.keys()])];
  return own.every((row, index) => row === others[index]);
}

export function emptyTable(columns: readonly string[] = [], extra: readonly Field[] = []): FoundTable {
  return { columns, cells: new ListedCells([], 0), extra };
}

/** A row that is a list of cells: `["x", 1]`, in XML `<row><cell>x</cell><cell>1</cell></row>`. */
export function cellsOfRow(row: Tree): readonly Tree[] | undefined {
  if (isList(row)) return row.some((cell) => isRecord(cell) && readPair(cell)) ? undefined : row;
  const items = isRecord(row) ? itemsOf(row) : undefined;
  return items && items.length > 1 && items.every(isLeaf) ? items : undefined;
}

/** Rows that are lists. The first names the columns if its cells can be names. */
export function tableOfLists(lists: readonly (readonly Tree[])[]): FoundTable {
  const [first = [], ...others] = lists;
  const isHeaderRow = first.every(
    (cell) => typeof cell === 'string' && /\p{L}/u.test(cell) && !/^[-$]?[\d.,]+%?$/.test(cell),
  );
  const hasHeader = isHeaderRow && new Set(first).size === first.length;
  return tableWithColumns(hasHeader ? first.map(String) : [], hasHeader ? others : lists);
}

export function tableWithColumns(names: readonly string[], lists: readonly (readonly Tree[])[]): FoundTable {
  const width = lists.reduce((max, list) => Math.max(max, list.length), names.length);
  // A comma lost or added between two cells moves all cells after it.
  if (lists.some((list) => list.length !== width)) throw new AnswerProblem('unreadable');
  const columns = makeDistinct(Array.from({ length: width }, (_, index) => names[index] ?? `column_${index + 1}`));
  const fieldOf = (list: readonly Tree[], _: string, index: number) => list[index];
  return tableOf(columns, lists, fieldOf, width * lists.length);
}

/**
 * The only maker of tables from parsed rows, so that none is made without its bounds.
 *
 * @param given how many cells the rows hold
 * @throws AnswerProblem if it is too large
 */
function tableOf<Row>(
  columns: readonly string[],
  rows: readonly Row[],
  fieldOf: (row: Row, name: string, index: number) => Tree | undefined,
  given: number,
): FoundTable {
  boundTable(rows.length, columns.length, given);
  const typings: Typing[] = [];
  const cells = columns.map((name, index) => {
    let hasNumber = false;
    const texts: string[] = [];
    const column = rows.map((row) => {
      const field = fieldOf(row, name, index) ?? null;
      hasNumber ||= typeof field === 'number';
      // An empty cell, or a dash, does not tell how its column is written.
      if (typeof field === 'string' && hasDigit.test(field)) texts.push(field);
      return toCell(field);
    });
    typings.push(!hasNumber ? 'texts' : texts.length === 0 ? 'numbers' : new Set(texts));
    return column;
  });
  return { columns, cells: new ListedCells(cells, rows.length, typings), extra: [] };
}

const makeDistinct = (names: readonly string[]) => distinctNames(names, (name, count) => `${name}_${count}`);

/**
 * A row as a record: a list of pairs becomes their record, a list of one record that record, a plain value the field `value`.
 *
 * @throws AnswerProblem if it holds several rows: as one cell they would be in no total
 */
function toRecord(row: Tree): TreeRecord {
  if (isLeaf(row)) return { value: row };
  const items = itemsOf(row);
  const pairs = items && readPairs(items);
  if (pairs) return Object.fromEntries(pairs);
  if (isRecord(row) && items && items.length > 1 && items.every(isRecord)) throw new AnswerProblem('unreadable');
  if (isRecord(row)) return row;
  const [only, ...others] = row;
  if (isRecord(only) && others.length > 0) throw new AnswerProblem('unreadable');
  return isRecord(only) ? only : { value: row };
}

/** The columns are the fields of all rows, in the order in which they first appear. */
export function tableOfRows(list: readonly Tree[]): FoundTable {
  const all = allRowsOf(list);
  if (all) return { ...all, extra: [] };
  // A text among records is none, and may stand for rows that are not there; so may an empty list.
  const isText = (row: Tree) => isLeaf(row) && !isEmpty(row);
  // A program writes false where it found nothing, or failed.
  const isFlag = (row: Tree) => isLeaf(row) && /^(?:true|false|0)$/i.test(String(row));
  if (list.length > 0 && list.every(isFlag)) throw new AnswerProblem('unreadable');
  const isOther = (row: Tree) => !isLeaf(row) || (typeof row === 'string' && isDocument(row));
  if (
    (list.some(isText) && list.some(isOther)) ||
    (list.some(isRecord) && list.some((row) => isList(row) && isEmpty(row)))
  )
    throw new AnswerProblem('unreadable');
  return tableOfRecords(list.map(toRecord));
}

/** @param heading the names of its columns, if they stand apart; every record has only these */
function tableOfRecords(given: readonly TreeRecord[], heading?: readonly string[]): FoundTable {
  const lifted = withFigures(given);
  const found = namesIn(lifted);
  const records = withOneCase(lifted, found.names);
  const { names, fields } = records === lifted ? found : namesIn(records);
  const fieldOf = (record: TreeRecord, name: string) => (Object.hasOwn(record, name) ? record[name] : undefined);
  const table = tableOf(heading ? makeDistinct(heading) : [...names], records, fieldOf, fields);
  refuseStranger(records);
  return table;
}

/** The names of all records in the order in which they first appear, and the number of all their fields. */
function namesIn(records: readonly TreeRecord[]): { readonly names: ReadonlySet<string>; readonly fields: number } {
  const names = new Set<string>();
  let fields = 0;
  for (const record of records) {
    for (const name in record) {
      fields += 1;
      names.add(name);
    }
  }
  return { names, fields };
}

/**
 * Rows whose figures are one level deeper, `{"Name":"Keto","stats":{"Views":"3"}}`: what is in such a record becomes the row's, and so
 * does what is beside it if the row has nothing else.
 */
function withFigures(rows: readonly TreeRecord[]): readonly TreeRecord[] {
  const [first = {}] = rows;
  const holders = Object.keys(first).filter((name) => isRecord(first[name]));
  const hasFigures = (name: string) => Object.keys(first[name] ?? {}).some(isFigure);
  if (!holders.some(hasFigures)) return rows;
  const isWhole = holders.length === Object.keys(first).length;
  const lifted = new Set(holders.filter((name) => isWhole || hasFigures(name)));
  const lift = (row: TreeRecord) =>
    Object.entries(row).flatMap(([name, value]) =>
      lifted.has(name) && isRecord(value) ? Object.entries(value) : [[name, value] as const],
    );
  const flat = rows.map((row) => {
    const fields = lift(row);
    const flattened = Object.fromEntries(fields);
    return Object.keys(flattened).length === fields.length ? flattened : undefined;
  });
  return flat.every((row) => row !== undefined) ? flat : rows;
}

const plainAscii = /^[!-~](?:[ -~]*[!-~])?$/;
const caseless = (name: string) => (plainAscii.test(name) ? name.toLowerCase() : foldedName(name));

/**
 * Rows in which each name has one letter case, and no invisible character: `views` of one row is the `Views` of the others.
 *
 * @throws AnswerProblem if some rows have it twice, and others do not
 */
function withOneCase(rows: readonly TreeRecord[], all: ReadonlySet<string>): readonly TreeRecord[] {
  const names = [...all];
  const lower = names.map(caseless);
  if (new Set(lower).size === names.length) return rows;
  const counts = new Map<string, number>();
  for (const row of rows) for (const name in row) counts.set(name, (counts.get(name) ?? 0) + 1);
  const usual = (name: string) => names[lower.indexOf(caseless(name))] ?? name;
  const renamed = rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [usual(name), value] as const)),
  );
  const isWhole = (row: TreeRecord, index: number) => Object.keys(row).length === Object.keys(rows[index] ?? {}).length;
  if (renamed.every(isWhole)) return renamed;
  // In all rows they are two columns.
  const isOwn = (name: string) => usual(name) === name || counts.get(name) === rows.length;
  if (names.every(isOwn)) return rows;
  throw new AnswerProblem('unreadable');
}

/** @throws AnswerProblem if a record has no field of any other: it may stand for rows that are not there */
function refuseStranger(records: readonly TreeRecord[]): void {
  const [name] = Object.keys(records[0] ?? {});
  if (records.length < 3 || name === undefined || records.every((record) => name in record)) return;
  const counts = new Map<string, number>();
  const namesOf = records.map((record) => Object.keys(record));
  for (const names of namesOf) for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const isStranger = (names: readonly string[]) => names.length > 0 && names.every((name) => counts.get(name) === 1);
  if (namesOf.some(isStranger)) throw new AnswerProblem('unreadable');
}

/** `{name: "Country", value: "DE"}` is the field Country; undefined for any other record. */
function readPair(record: TreeRecord): Field | undefined {
  const fields = Object.entries(record);
  if (fields.length > 2) return undefined;
  const naming = fields.find(([name, value]) => isNaming(name) && isLeaf(value));
  const other = fields.find((field) => field !== naming);
  if (!naming || !other || !isValue(other[0])) return undefined;
  return [String(naming[1]), other[1]];
}

/** The fields of a list of pairs; undefined if an item is not a pair, or two have the same name. */
export function readPairs(items: readonly Tree[]): readonly Field[] | undefined {
  const fields = items.map((item) => (isRecord(item) ? readPair(item) : undefined));
  if (fields.length === 0 || !fields.every((field) => field !== undefined)) return undefined;
  return new Set(fields.map(([name]) => name)).size === fields.length ? fields : undefined;
}

/** `{columns: [...], rows: [[...]]}`; the columns are names, or records with a name. */
export function withHeader(record: TreeRecord): FoundTable | undefined {
  const fields = Object.entries(record);
  const header = fields.find(([name, value]) => isHeader(name) && !isLeaf(value));
  const names = header && readHeader(header[1]);
  if (!header || !names) return undefined;
  for (const field of fields) {
    if (field === header || !(isContainer(field[0]) || isRow(field[0]) || isList(field[1]))) continue;
    const extra = fields.filter((other) => other !== header && other !== field);
    if (isEmpty(field[1])) return emptyTable(makeDistinct(names), extra);
    const rows = rowsOf(field[1]);
    const lists = rows.map(
      (row) => cellsOfRow(row) ?? (names.length === 1 && isRecord(row) ? itemsOf(row) : undefined),
    );
    if (rows.length > 0 && lists.every((list) => list !== undefined))
      return { ...tableWithColumns(names, lists), extra };
    const records = rows.every(isRecord) ? rows.map(toRecord) : undefined;
    const known = new Set(names);
    if (records?.every((record) => Object.keys(record).every((name) => known.has(name))))
      return { ...tableOfRecords(records, names), extra };
  }
  return undefined;
}

/** The rows in a field: all of `<rows><row>...`, or the only one. */
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

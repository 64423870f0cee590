import {
  compareLoosely,
  isEmptyColumn,
  memoizePerTable,
  type NumberColumn,
  numbersOfRows,
  readLooseColumn,
  readNumberColumns,
  readNumbers,
  shownColumns,
} from '../../analysis/columns/columns.ts';
import { exactSums, findTotal, type TrackerTotal, totalsOf } from '../../analysis/columns/totals.ts';
import { Failure } from '../../api/failure.ts';
import { joinSome } from '../../api/rules.ts';
import type { Table } from '../../api/table.ts';
import { memoize, nearestName } from '../../api/text/names.ts';
import { fromOutside, mention, rawCell, rawText, shownNames } from '../../api/text/tracker-text.ts';
import { show } from '../check-arguments.ts';
import { foldNumbered } from './names.ts';
import { type Condition, comparesLoosely, rowsThatMatch } from './where.ts';

export interface View {
  readonly columns?: readonly string[] | undefined;
  readonly where?: readonly Condition[] | undefined;
  readonly sort_by?: string | undefined;
  readonly sort_order: 'asc' | 'desc';
  readonly limit: number;
  readonly offset: number;
  /** Whether the names of the columns say what they hold, so that some add up; those of a query can be anything. */
  readonly hasTotals?: boolean;
  /** Digits behind the point that are shown of a column of numbers, if its cells hold more. */
  readonly digits?: ReadonlyMap<string, number>;
  /** The currency of money that the tracker writes without one, as its code; required, so that its absence is said on purpose. */
  readonly currency: string | undefined;
  /** Columns that add up, besides those whose names say so. */
  readonly sums?: readonly string[];
  /** Columns that do not add up, though their names say so. */
  readonly unsummed?: readonly string[];
  /** What columns of token slots are called besides: column -> label. */
  readonly labels?: ReadonlyMap<string, string>;
  readonly isAside?: (column: string) => boolean;
  readonly moreColumns?: string | undefined;
}

interface NamedTable {
  readonly table: Table;
  readonly name: string;
  readonly columns: readonly string[];
}

/** What a reader sees of a table, ready to be cut into pages: which columns, and in which order the rows. */
export interface TableView extends NamedTable {
  readonly shown: readonly number[];
  /** Numbers by the index of their column; a column that is not here is text. */
  readonly numbers: ReadonlyMap<number, NumberColumn>;
  /** The indexes of the rows that match, in the order asked for. */
  readonly order: Uint32Array;
  readonly totals: ReadonlyMap<string, number>;
  /** The row among these that is the tracker's own total, and not in `totals`. */
  readonly trackerTotal: TrackerTotal | undefined;
  readonly omitted: readonly string[];
  /** Columns of conditions that this table does not have; they were not applied to it. */
  readonly unmet: readonly string[];
  /** Columns of text that were compared or sorted as numbers, though some cells are none. */
  readonly mixed: readonly { readonly name: string; readonly texts: number; readonly filled: number }[];
  readonly isUnsorted: boolean;
  /** Whether a visitor is in several rows, so that sums of them would be wrong. */
  readonly countsTwice: boolean;
}

/** Chooses columns and order of rows of every table. Throws a Failure if none has a column that was asked for. */
export function viewTables(tables: readonly Table[], view: View): TableView[] {
  const named = tables.map(withCleanNames);
  const hasColumns = tables.some(({ columns }) => columns.length > 0);
  for (const name of hasColumns ? namesIn(view) : []) {
    if (!named.some(({ columns }) => indexOfColumn(columns, name) !== undefined)) throw noColumn(name, named, view);
  }
  const campaign = tables.find(({ name, rowCount }) => rawText(name) === 'campaign' && rowCount === 1);
  return named.map((table) => viewTable(table, view, campaign));
}

/** The columns that a view asks for by name. */
export function namesIn({ columns = [], where = [], sort_by }: View): string[] {
  return [...columns, ...where.map(({ column }) => column), ...(sort_by === undefined ? [] : [sort_by])];
}

const withCleanNames = memoizePerTable((table): NamedTable => {
  const [name = ''] = shownNames([table.name]);
  return { table, name, columns: shownColumns(table) };
});

function viewTable(named: NamedTable, view: View, campaign: Table | undefined): TableView {
  const { table, columns } = named;
  const numbers = readNumberColumns(table);
  const chosen = view.columns?.map((name) => indexOfColumn(columns, name)).filter((index) => index !== undefined);
  // A column that is named twice, in another letter case perhaps, is one.
  const asked = chosen && [...new Set(chosen)];
  const usual: number[] = [];
  const omitted: string[] = [];
  for (const [index, column] of columns.entries()) {
    if (view.isAside?.(column)) continue;
    if (table.rowCount > 0 && isEmptyColumn(table, index)) omitted.push(column);
    else usual.push(index);
  }
  const shown = asked ?? usual;
  const conditions = (view.where ?? []).flatMap((condition) => {
    const index = indexOfColumn(columns, condition.column);
    return index === undefined ? [] : [{ ...condition, index }];
  });
  const rows = rowsThatMatch(table, conditions);
  const sortIndex = view.sort_by === undefined ? undefined : indexOfColumn(columns, view.sort_by);
  const sortLoosely =
    sortIndex !== undefined && !numbers.has(sortIndex) && readLooseColumn(table, sortIndex).isMostlyNumbers;
  const looseIndexes = new Set([
    ...conditions.filter((condition) => comparesLoosely(table, condition)).map(({ index }) => index),
    ...(sortLoosely ? [sortIndex] : []),
  ]);
  const shownNames = new Set(shown.map((index) => columns[index]));
  const hasTotals = view.hasTotals ?? true;
  const trackerTotal = hasTotals ? findTotal(table) : undefined;
  const countsTwice = hasTotals && hasSeveralLevels(named, trackerTotal);
  const counted = trackerTotal ? rows.filter((row) => row !== trackerTotal.index) : rows;
  // What the tracker sums up is all rows.
  const exact = rows.length === table.rowCount ? exactSums(table, trackerTotal, campaign) : undefined;
  const totals = hasTotals && !countsTwice ? totalsOfRows(named, counted, view.sums, exact) : new Map<string, number>();
  return {
    table,
    name: named.name,
    columns,
    shown,
    numbers,
    order: sortIndex === undefined ? rows : orderOf(table, sortIndex, view.sort_order, rows),
    mixed: [...looseIndexes].flatMap((index) => {
      const { texts, filled } = readLooseColumn(table, index);
      return texts > 0 ? [{ name: columns[index] ?? '', texts, filled }] : [];
    }),
    totals: new Map([...totals].filter(([name]) => shownNames.has(name) && !view.unsummed?.includes(name))),
    trackerTotal: counted.length < rows.length ? trackerTotal : undefined,
    omitted: asked ? [] : omitted,
    unmet: (view.where ?? [])
      .filter(({ column }) => indexOfColumn(columns, column) === undefined)
      .map(({ column }) => column),
    isUnsorted: view.sort_by !== undefined && table.rowCount > 1 && sortIndex === undefined,
    countsTwice,
  };
}

function hasSeveralLevels({ table, columns }: NamedTable, total: TrackerTotal | undefined): boolean {
  const level = indexOfColumn(columns, 'Level');
  if (level === undefined) return false;
  const levels = Array.from({ length: table.rowCount }, (_, row) => table.text(row, level));
  return new Set(levels.filter((_, row) => row !== total?.index)).size > 1;
}

function totalsOfRows(
  { table, columns }: NamedTable,
  rows: Uint32Array,
  sums: readonly string[] | undefined,
  exact: ReadonlyMap<string, number> | undefined,
): Map<string, number> {
  const isAll = rows.length === table.rowCount;
  const named = [...readNumberColumns(table)].map(([index, column]) => ({
    name: columns[index] ?? '',
    numbers: isAll ? column : numbersOfRows(column, rows),
  }));
  return totalsOf(named, sums, exact);
}

/** Rows by a column: numbers by value, then texts without case, then empty cells, in either order. */
function orderOf(table: Table, index: number, sortOrder: View['sort_order'], rows: Uint32Array): Uint32Array {
  const direction = sortOrder === 'asc' ? 1 : -1;
  const whole = readNumbers(table, index);
  const loose = whole ? undefined : readLooseColumn(table, index);
  const values = whole?.values ?? (loose?.isMostlyNumbers ? loose.values : []);
  const texts = whole
    ? []
    : Array.from({ length: table.rowCount }, (_, row) => rawCell(table.text(row, index))?.toLowerCase());
  const numberOf = (row: number) => {
    const value = values[row];
    return Number.isNaN(value) ? undefined : value;
  };
  const rankOf = (row: number) => (numberOf(row) !== undefined ? 0 : texts[row] == null ? 2 : 1);
  const compare = (one: number, other: number) => {
    const [first, second] = [numberOf(one), numberOf(other)];
    if (first !== undefined && second !== undefined) return compareLoosely(first, second);
    return (texts[one] ?? '') < (texts[other] ?? '') ? -1 : Number(texts[one] !== texts[other]);
  };
  return rows.sort((one, other) => rankOf(one) - rankOf(other) || direction * compare(one, other) || one - other);
}

/** The index of a column by its name; letter case and separators do not matter if the exact name is not there. */
export function indexOfColumn(columns: readonly string[], name: string): number | undefined {
  const exact = columns.indexOf(name);
  if (exact >= 0) return exact;
  const plain = withoutSeparators(name);
  const index = columns.findIndex((column) => withoutSeparators(column) === plain);
  return index < 0 ? undefined : index;
}

/** Letter case and separators are what a caller may get wrong; more would be another name. */
const withoutSeparators = memoize((name) => name.toLowerCase().replace(/[\s_-]/g, ''));

const maxNamed = 100;

function noColumn(name: string, tables: readonly NamedTable[], view: View): Failure {
  const lists = tables
    .filter((table) => table.columns.length > 0)
    .map((table) => {
      const names = joinSome(foldNumbered(table.columns, JSON.stringify), maxNamed);
      return `${called(table.name)}: ${names}`;
    });
  const labels = [...(view.labels ?? [])].map(([column, label]) => `${called(column)} (${called(label)})`);
  const near = nearestName(name, [...(view.labels?.values() ?? []), ...tables.flatMap(({ columns }) => columns)]);
  return new Failure(
    `There is no column ${show(name)}${near === undefined ? '.' : `; did you mean ${show(near)}?`}`,
    [
      `The columns are: ${lists.join('; ')}.`,
      ...(labels.length > 0 ? [`Token names: ${labels.join(', ')}.`] : []),
      ...(view.moreColumns ? [view.moreColumns] : []),
    ].join(' '),
  );
}

/** A name as a sentence has it. */
export function called(name: string): string {
  return mention(fromOutside(name));
}

/** A number to the digits that a view shows of its column. */
export function shownNumber(value: number, column: string, { digits }: View): number {
  const shown = digits?.get(column);
  return shown === undefined ? value : Number(value.toFixed(shown));
}

import { isEmptyColumn, type NumberColumn, readNumberColumns } from '../../analysis/columns/columns.ts';
import { compareLoosely, type LooseColumn, readLooseColumn } from '../../analysis/columns/loose-numbers.ts';
import { totalsOf } from '../../analysis/columns/totals.ts';
import { findTotal, type TrackerTotal } from '../../analysis/columns/tracker-total.ts';
import { Failure } from '../../api/failure.ts';
import type { Table } from '../../api/replies.ts';
import { show } from '../check-arguments.ts';
import { foldNumbered } from './numbered-names.ts';
import { type ColumnNumbers, type Condition, comparesLoosely, rowsThatMatch } from './where.ts';

/** How a reader wants to see tables. */
export interface View {
  readonly columns?: readonly string[] | undefined;
  readonly where?: readonly Condition[] | undefined;
  readonly sort_by?: string | undefined;
  readonly sort_order: 'asc' | 'desc';
  readonly limit: number;
  readonly offset: number;
  /** Whether the names of the columns say what they hold, so that some add up; those of a query can be anything. */
  readonly hasTotals?: boolean;
  /** How to get columns that the tables do not have. */
  readonly moreColumns?: string | undefined;
}

/** A table ready to be cut into pages: which columns are shown, and in which order its rows come. */
export interface ShapedTable {
  readonly table: Table;
  /** Places of the columns that are shown. */
  readonly shown: readonly number[];
  /** Numbers by the index of their column; a column that is not here is text. */
  readonly numbers: ReadonlyMap<number, NumberColumn>;
  /** Places of the rows that match, in the order asked for. */
  readonly order: Uint32Array;
  readonly totals: Readonly<Record<string, number>>;
  /** The row among these that is the tracker's own total, and not in `totals`. */
  readonly trackerTotal: TrackerTotal | undefined;
  /** Columns that are left out because they are empty in every row. */
  readonly omitted: readonly string[];
  /** Columns of conditions that this table does not have; they were not applied to it. */
  readonly unmet: readonly string[];
  /** Columns of text that were compared or sorted as numbers, though some cells are none. */
  readonly mixed: readonly MixedColumn[];
  /** Whether it lacks the column to sort by. */
  readonly isUnsorted: boolean;
  /** Whether a visitor is in several rows, so that sums of them would be wrong. */
  readonly countsTwice: boolean;
}

/** How many filled cells of a column are no numbers. */
export interface MixedColumn {
  readonly name: string;
  readonly texts: number;
  readonly filled: number;
}

/**
 * Chooses the columns and the order of the rows of every table.
 *
 * @throws Failure where no table has a column that was asked for; it names the ones there are
 */
export function shapeTables(tables: readonly Table[], view: View): ShapedTable[] {
  const known = tables.flatMap((table) => table.columns);
  const conditions = view.where ?? [];
  const sorting = view.sort_by === undefined ? [] : [view.sort_by];
  const asked = [...(view.columns ?? []), ...conditions.map(({ column }) => column), ...sorting];
  for (const name of known.length === 0 ? [] : asked) {
    if (!tables.some((table) => indexOfColumn(table, name) !== undefined))
      throw noColumn(name, tables, view.moreColumns);
  }
  return tables.map((table) => shapeTable(table, view));
}

function shapeTable(table: Table, view: View): ShapedTable {
  const numbers = readNumberColumns(table);
  const empty = new Set(
    [...table.columns.keys()].filter((index) => table.rows.length > 0 && isEmptyColumn(table, index)),
  );
  const named = view.columns?.map((name) => indexOfColumn(table, name)).filter((index) => index !== undefined);
  // A column that is named twice, in another letter case perhaps, is one.
  const asked = named && [...new Set(named)];
  const shown = asked ?? [...table.columns.keys()].filter((index) => !empty.has(index));
  const conditions = (view.where ?? []).flatMap((condition) => {
    const index = indexOfColumn(table, condition.column);
    return index === undefined ? [] : [{ ...condition, index }];
  });
  const known: ColumnNumbers = { whole: numbers, loose: looseColumnsOf(table) };
  const rows = conditions.length === 0 ? Uint32Array.from(table.rows.keys()) : rowsThatMatch(table, conditions, known);
  const sortIndex = view.sort_by === undefined ? undefined : indexOfColumn(table, view.sort_by);
  const sortLoosely = sortIndex !== undefined && !numbers.has(sortIndex) && known.loose(sortIndex).isMostlyNumbers;
  const looseIndexes = new Set([
    ...conditions.filter((condition) => comparesLoosely(condition, known)).map(({ index }) => index),
    ...(sortLoosely ? [sortIndex] : []),
  ]);
  const shownNames = new Set(shown.map((index) => table.columns[index]));
  const hasTotals = view.hasTotals ?? true;
  const trackerTotal = hasTotals ? findTotal(table, numbers) : undefined;
  const countsTwice = hasTotals && hasSeveralLevels(table, trackerTotal);
  const counted = trackerTotal ? rows.filter((row) => row !== trackerTotal.index) : rows;
  const totals = hasTotals && !countsTwice ? totalsOfRows(table, numbers, counted) : {};
  return {
    table,
    shown,
    numbers,
    order: sortIndex === undefined ? rows : orderOf(table, sortIndex, view.sort_order, known, rows),
    mixed: [...looseIndexes].flatMap((index) => {
      const { texts, filled } = known.loose(index);
      return texts > 0 ? [{ name: table.columns[index] ?? '', texts, filled }] : [];
    }),
    totals: Object.fromEntries(Object.entries(totals).filter(([name]) => shownNames.has(name))),
    trackerTotal: counted.length < rows.length ? trackerTotal : undefined,
    omitted: asked ? [] : [...empty].map((index) => table.columns[index] ?? ''),
    unmet: (view.where ?? [])
      .filter(({ column }) => indexOfColumn(table, column) === undefined)
      .map(({ column }) => column),
    isUnsorted: view.sort_by !== undefined && table.rows.length > 1 && sortIndex === undefined,
    countsTwice,
  };
}

/** In a campaign with several levels of landing pages a visitor sees one of each. */
function hasSeveralLevels(table: Table, total: TrackerTotal | undefined): boolean {
  const index = indexOfColumn(table, 'Level');
  if (index === undefined) return false;
  const rows = table.rows.filter((_, row) => row !== total?.index);
  return new Set(rows.map((row) => row[index])).size > 1;
}

/** Totals over the rows that match, whether they are on the page or not. */
function totalsOfRows(
  table: Table,
  numbers: ReadonlyMap<number, NumberColumn>,
  rows: Uint32Array,
): Record<string, number> {
  const isAll = rows.length === table.rows.length;
  const named = [...numbers].map(([index, column]) => ({
    name: table.columns[index] ?? '',
    numbers: isAll ? column : { ...column, values: Float64Array.from(rows, (row) => column.values[row] ?? Number.NaN) },
  }));
  return totalsOf(named);
}

/** Reads the numbers of a column of text when they are asked for, and once. */
function looseColumnsOf(table: Table): (index: number) => LooseColumn {
  const read = new Map<number, LooseColumn>();
  return (index) => {
    const column = read.get(index) ?? readLooseColumn(table, index);
    read.set(index, column);
    return column;
  };
}

/** What rows are sorted by: numbers go ahead of texts and empty cells come last, in either order. */
interface SortKey {
  readonly rankOf: (row: number) => number;
  readonly compare: (one: number, other: number) => number;
}

/** Rows by a column: numbers by value, text without case. */
function orderOf(
  table: Table,
  index: number,
  sortOrder: View['sort_order'],
  numbers: ColumnNumbers,
  order: Uint32Array,
): Uint32Array {
  const direction = sortOrder === 'asc' ? 1 : -1;
  const whole = numbers.whole.get(index);
  const { rankOf, compare } = whole ? byNumber(whole) : byText(table, index, numbers.loose(index));
  return order.sort((one, other) => rankOf(one) - rankOf(other) || direction * compare(one, other) || one - other);
}

function byNumber({ values }: NumberColumn): SortKey {
  return {
    rankOf: (row) => Number(Number.isNaN(values[row])),
    compare: (one, other) => (values[one] ?? 0) - (values[other] ?? 0) || 0,
  };
}

function byText(table: Table, index: number, { values, isMostlyNumbers }: LooseColumn): SortKey {
  const texts = table.rows.map((row) => row[index]?.toLowerCase() ?? null);
  const numberOf = (row: number) => (isMostlyNumbers ? values[row] : undefined);
  return {
    rankOf: (row) => {
      if (texts[row] === null) return 2;
      return numberOf(row) === undefined ? 1 : 0;
    },
    compare: (one, other) => {
      const [first, second] = [numberOf(one), numberOf(other)];
      if (first !== undefined && second !== undefined) return compareLoosely(first, second);
      return (texts[one] ?? '') < (texts[other] ?? '') ? -1 : Number(texts[one] !== texts[other]);
    },
  };
}

/** The index of a column by its name; letter case and separators do not matter where the exact name is not there. */
function indexOfColumn(table: Table, name: string): number | undefined {
  const exact = table.columns.indexOf(name);
  if (exact >= 0) return exact;
  const plain = withoutSeparators(name);
  const index = table.columns.findIndex((column) => withoutSeparators(column) === plain);
  return index < 0 ? undefined : index;
}

/** Letter case and separators are what a caller may get wrong; more would be another name. */
function withoutSeparators(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, '');
}

/** That many names of columns help to correct a call. */
const maxNamed = 100;

function noColumn(name: string, tables: readonly Table[], moreColumns: string | undefined): Failure {
  const lists = tables
    .filter((table) => table.columns.length > 0)
    .map((table) => {
      const folded = foldNumbered(table.columns, JSON.stringify);
      const names = folded.slice(0, maxNamed);
      const more = folded.length > maxNamed ? ` and ${folded.length - maxNamed} more` : '';
      return `${table.name}: ${names.join(', ')}${more}`;
    });
  return new Failure(
    `There is no column ${show(name)}.`,
    [`The columns are: ${lists.join('; ')}.`, moreColumns].filter(Boolean).join(' '),
  );
}

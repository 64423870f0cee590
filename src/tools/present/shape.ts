import { isEmptyColumn, type NumberColumn, readNumberColumns } from '../../analysis/columns.ts';
import { exactSums, type NumberedTable } from '../../analysis/exact-sums.ts';
import { compareLoosely, type LooseColumn, readLooseColumn } from '../../analysis/loose-numbers.ts';
import { totalsOf } from '../../analysis/totals.ts';
import { findTotal, type TrackerTotal } from '../../analysis/tracker-total.ts';
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
  /** Numbers by the place of their column; a column that is not here is text. */
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
    if (!tables.some((table) => placeOf(table, name) !== undefined)) throw noColumn(name, tables, view.moreColumns);
  }
  const numbered = tables.map((table) => ({ table, numbers: readNumberColumns(table) }));
  const campaign = numbered.find(({ table }) => table.name === 'campaign' && table.rows.length === 1);
  return numbered.map((table) => shapeTable(table, view, campaign));
}

function shapeTable({ table, numbers }: NumberedTable, view: View, campaign: NumberedTable | undefined): ShapedTable {
  const empty = new Set(
    [...table.columns.keys()].filter((place) => table.rows.length > 0 && isEmptyColumn(table, place)),
  );
  const named = view.columns?.map((name) => placeOf(table, name)).filter((place) => place !== undefined);
  // A column that is named twice, in another letter case perhaps, is one.
  const asked = named && [...new Set(named)];
  const shown = asked ?? [...table.columns.keys()].filter((place) => !empty.has(place));
  const conditions = (view.where ?? []).flatMap((condition) => {
    const place = placeOf(table, condition.column);
    return place === undefined ? [] : [{ ...condition, place }];
  });
  const known: ColumnNumbers = { whole: numbers, loose: looseColumnsOf(table) };
  const rows = conditions.length === 0 ? Uint32Array.from(table.rows.keys()) : rowsThatMatch(table, conditions, known);
  const sortPlace = view.sort_by === undefined ? undefined : placeOf(table, view.sort_by);
  const sortLoosely = sortPlace !== undefined && !numbers.has(sortPlace) && known.loose(sortPlace).isMostlyNumbers;
  const loosePlaces = new Set([
    ...conditions.filter((condition) => comparesLoosely(condition, known)).map(({ place }) => place),
    ...(sortLoosely ? [sortPlace] : []),
  ]);
  const shownNames = new Set(shown.map((place) => table.columns[place]));
  const hasTotals = view.hasTotals ?? true;
  const trackerTotal = hasTotals ? findTotal(table, numbers) : undefined;
  const countsTwice = hasTotals && hasSeveralLevels(table, trackerTotal);
  const counted = trackerTotal ? rows.filter((row) => row !== trackerTotal.place) : rows;
  // What the tracker sums up is all rows.
  const exact = rows.length === table.rows.length ? exactSums({ table, numbers }, trackerTotal, campaign) : undefined;
  const totals = hasTotals && !countsTwice ? totalsOfRows(table, numbers, counted, exact) : {};
  return {
    table,
    shown,
    numbers,
    order: sortPlace === undefined ? rows : orderOf(table, sortPlace, view.sort_order, known, rows),
    mixed: [...loosePlaces].flatMap((place) => {
      const { texts, filled } = known.loose(place);
      return texts > 0 ? [{ name: table.columns[place] ?? '', texts, filled }] : [];
    }),
    totals: Object.fromEntries(Object.entries(totals).filter(([name]) => shownNames.has(name))),
    trackerTotal: counted.length < rows.length ? trackerTotal : undefined,
    omitted: asked ? [] : [...empty].map((place) => table.columns[place] ?? ''),
    unmet: (view.where ?? []).filter(({ column }) => placeOf(table, column) === undefined).map(({ column }) => column),
    isUnsorted: view.sort_by !== undefined && table.rows.length > 1 && sortPlace === undefined,
    countsTwice,
  };
}

/** In a campaign with several levels of landing pages a visitor sees one of each. */
function hasSeveralLevels(table: Table, total: TrackerTotal | undefined): boolean {
  const place = placeOf(table, 'Level');
  if (place === undefined) return false;
  const rows = table.rows.filter((_, row) => row !== total?.place);
  return new Set(rows.map((row) => row[place])).size > 1;
}

/** Totals over the rows that match, whether they are on the page or not. */
function totalsOfRows(
  table: Table,
  numbers: ReadonlyMap<number, NumberColumn>,
  rows: Uint32Array,
  exact: ReadonlyMap<string, number> | undefined,
): Record<string, number> {
  const isAll = rows.length === table.rows.length;
  const named = [...numbers].map(([place, column]) => ({
    name: table.columns[place] ?? '',
    numbers: isAll ? column : { ...column, values: Float64Array.from(rows, (row) => column.values[row] ?? Number.NaN) },
  }));
  return totalsOf(named, exact);
}

/** Reads the numbers of a column of text when they are asked for, and once. */
function looseColumnsOf(table: Table): (place: number) => LooseColumn {
  const read = new Map<number, LooseColumn>();
  return (place) => {
    const column = read.get(place) ?? readLooseColumn(table, place);
    read.set(place, column);
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
  place: number,
  sortOrder: View['sort_order'],
  numbers: ColumnNumbers,
  order: Uint32Array,
): Uint32Array {
  const direction = sortOrder === 'asc' ? 1 : -1;
  const whole = numbers.whole.get(place);
  const { rankOf, compare } = whole ? byNumber(whole) : byText(table, place, numbers.loose(place));
  return order.sort((one, other) => rankOf(one) - rankOf(other) || direction * compare(one, other) || one - other);
}

function byNumber({ values }: NumberColumn): SortKey {
  return {
    rankOf: (row) => Number(Number.isNaN(values[row])),
    compare: (one, other) => (values[one] ?? 0) - (values[other] ?? 0) || 0,
  };
}

function byText(table: Table, place: number, { values, isMostlyNumbers }: LooseColumn): SortKey {
  const texts = table.rows.map((row) => row[place]?.toLowerCase() ?? null);
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

/** The place of a column by its name; letter case and separators do not matter where the exact name is not there. */
function placeOf(table: Table, name: string): number | undefined {
  const exact = table.columns.indexOf(name);
  if (exact >= 0) return exact;
  const plain = withoutSeparators(name);
  const place = table.columns.findIndex((column) => withoutSeparators(column) === plain);
  return place < 0 ? undefined : place;
}

/** Letter case and separators are what a caller may get wrong; more would be another name. */
function withoutSeparators(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, '');
}

/** That many names of columns help to correct a call. */
const mostNamed = 100;

function noColumn(name: string, tables: readonly Table[], moreColumns: string | undefined): Failure {
  const lists = tables
    .filter((table) => table.columns.length > 0)
    .map((table) => {
      const folded = foldNumbered(table.columns, JSON.stringify);
      const names = folded.slice(0, mostNamed);
      const more = folded.length > mostNamed ? ` and ${folded.length - mostNamed} more` : '';
      return `${table.name}: ${names.join(', ')}${more}`;
    });
  return new Failure(
    `There is no column ${show(name)}.`,
    [`The columns are: ${lists.join('; ')}.`, moreColumns].filter(Boolean).join(' '),
  );
}

import {
  compareLoosely,
  isEmptyColumn,
  type NumberColumn,
  numbersOfRows,
  readLooseColumn,
  readNumberColumns,
  readNumbers,
  shownColumns,
} from '../../analysis/columns/columns.ts';
import { exactSums, findTotal, type TrackerTotal, totalsOf } from '../../analysis/columns/totals.ts';
import { type UnreadColumn, unreadColumns } from '../../analysis/columns/unread.ts';
import { Failure } from '../../api/failure.ts';
import { joinSome } from '../../api/rules.ts';
import type { Table } from '../../api/table.ts';
import { keptByName } from '../../api/text/kept-by-name.ts';
import { didYouMean, foldedText, foldNumbered } from '../../api/text/names.ts';
import { fromOutside, mention, rawCell, rawText, show, shownNames } from '../../api/text/tracker-text.ts';
import { onlyOfMeaning } from '../../api/vocabulary.ts';
import { type Condition, comparesLoosely, rowsThatMatch } from './where.ts';

/** Which part of a table to show, and how. */
export interface View {
  readonly columns?: readonly string[] | undefined;
  readonly where?: readonly Condition[] | undefined;
  readonly sort_by?: string | undefined;
  readonly sort_order: 'asc' | 'desc';
  readonly limit: number;
  readonly offset: number;
  /** Whether column names show what adds up (default). In a query, names can be anything. */
  readonly hasTotals?: boolean;
  /** Max decimals to show, by column. */
  readonly digits?: ReadonlyMap<string, number>;
  /** Columns that show the difference of two others as those are shown: column -> [of, from]. */
  readonly differences?: ReadonlyMap<string, readonly [of: string, from: string]>;
  /** The currency code for money without a unit; required, so that leaving it out is a decision. */
  readonly currency: string | undefined;
  /** Columns that add up although their names do not show it. */
  readonly sums?: readonly string[];
  /** Columns of money that a text shows with two decimals. */
  readonly cents?: readonly string[];
  /** Columns that do not add up although their names suggest it. */
  readonly unsummed?: readonly string[];
  /** Labels of token slots: column -> label. */
  readonly labels?: ReadonlyMap<string, string>;
  /** What an empty cell is called: column -> words. Conditions still find it as empty. */
  readonly noNames?: ReadonlyMap<string, string>;
  /** Whether to hide a column unless it is named. */
  readonly isHidden?: (column: string) => boolean;
  /** Where to find more columns, for the error about an unknown one. */
  readonly moreColumns?: string | undefined;
}

interface NamedTable {
  readonly table: Table;
  readonly name: string;
  readonly columns: readonly string[];
}

/** A table with its columns chosen and its rows sorted, ready to be cut into pages. */
export interface TableView extends NamedTable {
  readonly shown: readonly number[];
  /** The columns of numbers by their index; all others are text. */
  readonly numbers: ReadonlyMap<number, NumberColumn>;
  /** The indexes of the matching rows, sorted. */
  readonly order: Uint32Array;
  readonly totals: ReadonlyMap<string, number>;
  /** The totals of all rows, where conditions leave some out. */
  readonly totalsOfAll: ReadonlyMap<string, number>;
  /** The matching row that is the tracker's own total; not part of `totals`. */
  readonly trackerTotal: TrackerTotal | undefined;
  /** Columns that are empty in every row. */
  readonly omitted: readonly string[];
  /** Columns that conditions name and this table lacks: these conditions were not applied. */
  readonly unmet: readonly string[];
  /** Columns that were compared or sorted as numbers, though some cells are text. */
  readonly mixed: readonly { readonly name: string; readonly texts: number; readonly filled: number }[];
  /** Columns that stay text because nothing shows how to read their numbers. */
  readonly unread: readonly UnreadColumn[];
  readonly isUnsorted: boolean;
  /** Whether a visitor is in several rows, so sums would be wrong. */
  readonly isCountedTwice: boolean;
}

/** Chooses columns and sorts rows of every table. Throws a Failure if no table has a column that the view names. */
export function viewTables(tables: readonly Table[], view: View): TableView[] {
  const named = tables.map((table): NamedTable => {
    const [name = ''] = shownNames([table.name]);
    return { table, name, columns: shownColumns(table) };
  });
  const hasColumns = tables.some(({ columns }) => columns.length > 0);
  for (const name of hasColumns ? namesIn(view) : []) {
    if (!named.some(({ columns }) => indexOfColumn(columns, name) !== undefined))
      throw unknownColumn(name, named, view);
  }
  const campaign = tables.find(({ name, rowCount }) => rawText(name) === 'campaign' && rowCount === 1);
  return named.map((table) => viewTable(table, view, campaign));
}

export function namesIn({ columns = [], where = [], sort_by }: View): string[] {
  return [...columns, ...where.map(({ column }) => column), ...(sort_by === undefined ? [] : [sort_by])];
}

function viewTable(named: NamedTable, view: View, campaign: Table | undefined): TableView {
  const { table, columns } = named;
  const numbers = readNumberColumns(table);
  const chosen = view.columns?.map((name) => indexOfColumn(columns, name)).filter((index) => index !== undefined);
  const visible = [...columns.keys()].filter((index) => !view.isHidden?.(columns[index] ?? ''));
  const isEmpty = (index: number) => table.rowCount > 0 && !numbers.has(index) && isEmptyColumn(table, index);
  const empty = new Set(visible.filter(isEmpty));
  // A column may be named twice, for example in two letter cases.
  const shown = chosen ? [...new Set(chosen)] : visible.filter((index) => !empty.has(index));
  const conditions = (view.where ?? []).flatMap((condition) => {
    const index = indexOfColumn(columns, condition.column);
    return index === undefined ? [] : [{ ...condition, index }];
  });
  const rows = rowsThatMatch(table, conditions);
  const sortIndex = view.sort_by === undefined ? undefined : indexOfColumn(columns, view.sort_by);
  const isSortedLoosely =
    sortIndex !== undefined && !numbers.has(sortIndex) && readLooseColumn(table, sortIndex).isMostlyNumbers;
  const looseIndexes = new Set([
    ...conditions.filter((condition) => comparesLoosely(table, condition)).map(({ index }) => index),
    ...(isSortedLoosely ? [sortIndex] : []),
  ]);
  return {
    ...named,
    shown,
    numbers,
    order: sortIndex === undefined ? rows : sortRows(table, sortIndex, view.sort_order, rows),
    mixed: [...looseIndexes].flatMap((index) => {
      const { texts, filled } = readLooseColumn(table, index);
      return texts > 0 ? [{ name: columns[index] ?? '', texts, filled }] : [];
    }),
    ...totalsIn(named, rows, shown, view, campaign),
    totalsOfAll:
      rows.length === table.rowCount
        ? new Map()
        : totalsIn(named, rowsThatMatch(table, []), shown, view, campaign).totals,
    omitted: chosen ? [] : [...empty].map((index) => columns[index] ?? ''),
    unread: unreadColumns(
      table,
      shown.filter((index) => !numbers.has(index)),
    ),
    unmet: (view.where ?? [])
      .filter(({ column }) => indexOfColumn(columns, column) === undefined)
      .map(({ column }) => column),
    isUnsorted: view.sort_by !== undefined && table.rowCount > 1 && sortIndex === undefined,
  };
}

/** The totals of the matching rows; empty if a visitor counts in several of them. */
function totalsIn(
  { table, columns }: NamedTable,
  rows: Uint32Array,
  shown: readonly number[],
  view: View,
  campaign: Table | undefined,
): Pick<TableView, 'totals' | 'trackerTotal' | 'isCountedTwice'> {
  const { hasTotals = true, sums, unsummed } = view;
  if (!hasTotals) return { totals: new Map(), trackerTotal: undefined, isCountedTwice: false };
  const total = findTotal(table);
  const trackerTotal = total && rows.includes(total.index) ? total : undefined;
  const level = indexOfColumn(columns, 'Level');
  const levels = level === undefined ? [] : table.column(level).filter((_, row) => row !== total?.index);
  if (new Set(levels).size > 1) return { totals: new Map(), trackerTotal, isCountedTwice: true };
  const isAll = rows.length === table.rowCount;
  const counted = trackerTotal ? rows.filter((row) => row !== trackerTotal.index) : rows;
  const numbers = [...readNumberColumns(table)].map(([index, column]) => ({
    name: columns[index] ?? '',
    numbers: counted.length === table.rowCount ? column : numbersOfRows(column, counted),
  }));
  const visible = new Set(shown.map((index) => columns[index]));
  // The tracker's own sums are over all rows.
  const totals = totalsOf(numbers, sums, isAll ? exactSums(table, total, campaign) : undefined);
  const totalOf = (name: string) => totals.get(name);
  return {
    totals: new Map(
      [...totals].flatMap(([name, sum]) =>
        visible.has(name) && !unsummed?.includes(name) ? [[name, shownAmong(sum, name, view, totalOf)]] : [],
      ),
    ),
    trackerTotal,
    isCountedTwice: false,
  };
}

/** Sorts rows by a column: numbers by value, then texts without case, then empty cells, in either order. */
function sortRows(table: Table, index: number, sortOrder: View['sort_order'], rows: Uint32Array): Uint32Array {
  const direction = sortOrder === 'asc' ? 1 : -1;
  const whole = readNumbers(table, index);
  const loose = whole ? undefined : readLooseColumn(table, index);
  const values = whole?.values ?? (loose?.isMostlyNumbers ? loose.values : []);
  const texts = whole ? [] : table.column(index).map((cell) => rawCell(cell)?.toLowerCase());
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

/** The index of a column by its name; letter case and separators do not matter if no name is equal. */
export function indexOfColumn(columns: readonly string[], name: string): number | undefined {
  const exact = columns.indexOf(name);
  if (exact >= 0) return exact;
  const plain = withoutSeparators(name);
  const index = columns.findIndex((column) => withoutSeparators(column) === plain);
  return index < 0 ? onlyOfMeaning(columns, name) : index;
}

const withoutSeparators = /* @__PURE__ */ keptByName((name): string => foldedText(name).replace(/[\s_-]/g, ''));

const maxNamed = 100;

function unknownColumn(name: string, tables: readonly NamedTable[], view: View): Failure {
  const lists = tables
    .filter((table) => table.columns.length > 0)
    .map((table) => {
      const names = joinSome(foldNumbered(table.columns, JSON.stringify), maxNamed);
      return `${mentionName(table.name)}: ${names}`;
    });
  const labels = [...(view.labels ?? [])].map(([column, label]) => `${mentionName(column)} (${mentionName(label)})`);
  const names = [...(view.labels?.values() ?? []), ...tables.flatMap(({ columns }) => columns)];
  return new Failure(
    `There is no column ${show(name)}${didYouMean(name, names, show)}`,
    [
      `The columns are: ${lists.join('; ')}.`,
      ...(labels.length > 0 ? [`Token names: ${labels.join(', ')}.`] : []),
      ...(view.moreColumns ? [view.moreColumns] : []),
    ].join(' '),
  );
}

/** The name of a column or a table in a sentence. */
export const mentionName = /* @__PURE__ */ keptByName((name): string => mention(fromOutside(name)));

/** A number as it is shown: a difference is that of the two numbers shown. @param among the number in another column */
export function shownAmong(
  value: number,
  column: string,
  view: View,
  among: (column: string) => number | undefined,
): number {
  const difference = view.differences?.get(column);
  if (!difference) return shownNumber(value, column, view);
  const [of, from] = difference.map((name) => {
    const number = among(name);
    return number === undefined || Number.isNaN(number) ? undefined : shownNumber(number, name, view);
  });
  return shownNumber(of === undefined || from === undefined ? value : of - from, column, view);
}

/** A number with at most the decimals that a view shows in its column. */
function shownNumber(value: number, column: string, { digits }: View): number {
  const maxDecimals = digits?.get(column);
  return maxDecimals === undefined ? value : Number(value.toFixed(maxDecimals));
}

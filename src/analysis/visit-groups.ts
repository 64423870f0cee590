import type { Table } from '../api/table.ts';
import { plainName } from '../api/text/names.ts';
import { type Cell, rawCell, rawText } from '../api/text/tracker-text.ts';
import { thingsOf } from '../api/vocabulary.ts';
import { yesOrNo } from '../api/yes-no.ts';
import { indexOfColumn } from './columns/columns.ts';
import { numberIn } from './columns/loose-numbers.ts';

/**
 * Visits grouped by what the visitor list says of each: one row of it is one view. What the list does not carry (cost,
 * revenue, clicks) is not made up.
 */

/** What a visit adds to its group. Money is in the tracker's currency. */
export interface GroupFigures {
  views: number;
  clicks: number;
  conversions: number;
  cost: number;
  revenue: number;
}

type CountedFigure = Exclude<keyof GroupFigures, 'views'>;

const { time: timeNames, ...figureNames } = thingsOf('visit');

const dimensionNames: Readonly<Record<string, readonly string[]>> = thingsOf('dimension');

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** What a time of a visit says; `2026-11-21 23:49:14` and `2026-11-21T23:49:14Z` are both read, in the tracker's zone. */
const timeParts: Readonly<Record<string, (time: string) => string | null>> = {
  day: (time) => /^\d{4}-\d{2}-\d{2}/.exec(time)?.[0] ?? null,
  hour: (time) => /^\d{4}-\d{2}-\d{2}[T ](\d{2})/.exec(time)?.[1] ?? null,
  weekday: (time) => {
    const day = Date.parse(`${time.slice(0, 10)}T00:00:00Z`);
    return Number.isNaN(day) ? null : (weekdays[(Math.floor(day / 86_400_000) + 3) % 7] ?? null);
  },
};

export const dimensions: readonly string[] = [...Object.keys(timeParts), ...Object.keys(dimensionNames)];

/** Where a dimension's rows have an order of their own: as text, or as the days of the week. */
export function orderOfDimension(by: string): ((one: string, other: string) => number) | undefined {
  if (by === 'weekday') return (one, other) => weekdays.indexOf(one) - weekdays.indexOf(other);
  return Object.hasOwn(timeParts, by) ? (one, other) => (one < other ? -1 : Number(one > other)) : undefined;
}

/** How a visit is read: the value of each dimension, and what it came to. */
export interface VisitReader {
  /** The values of a visit, one for each dimension; null if the list says nothing. */
  readonly values: (row: number) => (string | null)[];
  readonly figures: Readonly<Partial<Record<CountedFigure, (row: number) => number>>>;
}

/** Finds the columns of a visitor list; or says the first of `by`, dimensions or columns, that it does not have. */
export function readVisits(table: Table, by: readonly string[]): VisitReader | { readonly missing: string } {
  const readers = by.map((name) => readerOf(table, name));
  const missing = by.find((_, index) => !readers[index]);
  if (missing !== undefined) return { missing };
  const figures: Partial<Record<CountedFigure, (row: number) => number>> = {};
  for (const [figure, names] of Object.entries(figureNames)) {
    const column = indexOfColumn(table, names);
    if (column !== undefined) figures[figure as CountedFigure] = (row) => amountOf(table.text(row, column));
  }
  return { values: (row) => readers.map((read) => read?.(row) ?? null), figures };
}

function readerOf(table: Table, name: string): ((row: number) => string | null) | undefined {
  const plain = plainName(name);
  const part = Object.entries(timeParts).find(([word]) => word === plain)?.[1];
  if (part) {
    const column = indexOfColumn(table, timeNames);
    return column === undefined ? undefined : (row) => part(rawCell(table.text(row, column)) ?? '');
  }
  const known = Object.entries(dimensionNames).find(([word]) => plainName(word) === plain)?.[1] ?? [];
  const column = indexOfColumn(table, [plain, ...known]);
  return column === undefined ? undefined : (row) => rawCell(table.text(row, column));
}

/** What trackers write for a time that never came. */
const noTime = /^(-|–|0000-00-00.*)?$/;

/** 1 for a yes or a date, 0 for a no, else the number; money may carry its sign. */
function amountOf(cell: Cell): number {
  if (cell === null || yesOrNo(cell) === false || noTime.test(rawText(cell).trim())) return 0;
  return numberIn(cell) ?? 1;
}

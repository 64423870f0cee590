import type { Table } from '../api/table.ts';
import { plainName } from '../api/text/names.ts';
import { type Cell, rawCell, rawText } from '../api/text/tracker-text.ts';
import { thingsOf } from '../api/vocabulary.ts';
import { yesOrNo } from '../api/yes-no.ts';
import { indexOfColumn, memoizePerTable, numberIn, readLooseColumn } from './columns/columns.ts';
import { type ListedTimes, timesIn } from './columns/times.ts';

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
const countedFigures = Object.keys(figureNames) as CountedFigure[];

const dimensionNames: Readonly<Record<string, readonly string[]>> = thingsOf('dimension');

export const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

function hourOf(moment: number | null): string | null {
  return moment === null ? null : String(Math.floor(moment / 3_600_000) % 24).padStart(2, '0');
}

function weekdayOf(day: string | null): string | null {
  return day === null ? null : (weekdays[(Math.floor(Date.parse(day) / 86_400_000) + 3) % 7] ?? null);
}

/** What the time of a visit says, in the tracker's zone. */
const timeParts: Readonly<Record<string, (times: ListedTimes) => Reading>> = {
  day: ({ dayOf }) => dayOf,
  hour:
    ({ momentOf }) =>
    (row) =>
      hourOf(momentOf(row)),
  weekday:
    ({ dayOf }) =>
    (row) =>
      weekdayOf(dayOf(row)),
};

export const dimensions: readonly string[] = [...Object.keys(timeParts), ...Object.keys(dimensionNames)];

/** The dimension that a name means, whatever its letter case and separators; undefined if it means none. */
export function dimensionNamed(name: string): string | undefined {
  return dimensions.find((dimension) => plainName(dimension) === plainName(name));
}

/** Where a dimension's rows have an order of their own: as text, or as the days of the week. */
function orderOf(name: string): ((one: string, other: string) => number) | undefined {
  const by = dimensionNamed(name) ?? '';
  if (by === 'weekday') return (one, other) => weekdays.indexOf(one) - weekdays.indexOf(other);
  return Object.hasOwn(timeParts, by) ? (one, other) => (one < other ? -1 : Number(one > other)) : undefined;
}

/** What a visit says of one thing: null if nothing, undefined if it is not of the visits that are asked about. */
export type Reading = (row: number) => string | null | undefined;

/** Reads one thing of each visit of a list; undefined if the list does not carry it. */
export type Reader = (table: Table) => Reading | undefined;

/** Reads a dimension, or a column by its name. */
export const readerOf =
  (name: string): Reader =>
  (table) => {
    const dimension = dimensionNamed(name) ?? '';
    const part = timeParts[dimension];
    if (part) {
      const times = visitTimes(table);
      return times && part(times);
    }
    const column = indexOfColumn(table, [plainName(name), ...(dimensionNames[dimension] ?? [])]);
    if (column === undefined) return undefined;
    return (row) => {
      const cell = table.text(row, column);
      return saysNothing(cell) ? null : rawCell(cell);
    };
  };

/** When the visits of a list were; undefined if it does not say. */
export const visitTimes: (table: Table) => ListedTimes | undefined = memoizePerTable((table) =>
  timesIn(table, timeNames),
);

/** Reads what each visit of a list came to, as far as the list carries it: money that cannot be read is not carried. */
export function figuresIn(table: Table): Readonly<Partial<Record<CountedFigure, (row: number) => number>>> {
  const readers = countedFigures.flatMap((figure) => {
    const column = indexOfColumn(table, figureNames[figure]);
    if (column === undefined) return [];
    const isMoney = figure === 'cost' || figure === 'revenue';
    const read = isMoney ? moneyIn(table, column) : (row: number) => countOf(table.text(row, column));
    return read ? [[figure, read] as const] : [];
  });
  return Object.fromEntries(readers);
}

/** What a visit is known by, null where the list says nothing, and what it came to. */
export interface ListedVisit extends Readonly<Omit<GroupFigures, 'views'>> {
  readonly values: readonly (string | null)[];
}

/**
 * Reads the visits of a list one by one. In a list without clicks each counts as one, so that sales are taken over visits; in one
 * without conversions each with revenue counts as a sale.
 * @param readings of what each is known by
 * @param knownOf what else is known of a row; undefined if it is not asked about
 */
export function visitsIn<Known extends object>(
  table: Table,
  readings: readonly (Reading | undefined)[],
  knownOf: (row: number) => Known | undefined,
): (Known & ListedVisit)[] {
  const { clicks, conversions, cost, revenue } = figuresIn(table);
  return Array.from({ length: table.rowCount }, (_, row) => row).flatMap((row) => {
    const known = knownOf(row);
    if (!known) return [];
    const earned = revenue?.(row) ?? 0;
    return {
      ...known,
      values: readings.map((read) => read?.(row) ?? null),
      clicks: clicks?.(row) ?? 1,
      conversions: conversions?.(row) ?? Number(earned > 0),
      cost: cost?.(row) ?? 0,
      revenue: earned,
    };
  });
}

/** The figures that some of these lists do not carry. */
export function lackingIn(tables: readonly Table[]): readonly CountedFigure[] {
  const carried = tables.filter(({ rowCount }) => rowCount > 0).map(figuresIn);
  return countedFigures.filter((figure) => carried.some((figures) => !figures[figure]));
}

/** The values by which a visit is grouped. */
type Values = readonly (string | null)[];

/** Visits of any number of lists, grouped. */
export class VisitGroups {
  /** How many visits were counted, and how many are not of those that are asked about. */
  counted = 0;
  leftOut = 0;
  readonly #groups = new Map<string, { readonly values: Values; readonly figures: GroupFigures }>();
  readonly #lacking = new Set<CountedFigure>();

  /**
   * Adds the visits of a list.
   * @param readings of each thing that they are grouped by
   * @param soldBy the values of a visit's sale, if they are others than those of the visit
   */
  add(table: Table, readings: readonly Reading[], soldBy: (row: number, values: Values) => Values = (_, own) => own) {
    const figures = figuresIn(table);
    for (const figure of countedFigures) if (!figures[figure]) this.#lacking.add(figure);
    for (let row = 0; row < table.rowCount; row += 1) {
      const values = readings.map((read) => read(row));
      if (!isWhole(values)) {
        this.leftOut += 1;
        continue;
      }
      this.counted += 1;
      const amount = (figure: CountedFigure) => figures[figure]?.(row) ?? 0;
      const seen = this.#figuresOf(values);
      seen.views += 1;
      seen.clicks += amount('clicks');
      seen.cost += amount('cost');
      const [conversions, revenue] = [amount('conversions'), amount('revenue')];
      if (conversions === 0 && revenue === 0) continue;
      const sold = this.#figuresOf(soldBy(row, values));
      sold.conversions += conversions;
      sold.revenue += revenue;
    }
  }

  #figuresOf(values: Values): GroupFigures {
    const key = JSON.stringify(values);
    const group = this.#groups.get(key) ?? {
      values,
      figures: { views: 0, clicks: 0, conversions: 0, cost: 0, revenue: 0 },
    };
    this.#groups.set(key, group);
    return group.figures;
  }

  /** What some list did not carry. */
  get lacking(): readonly string[] {
    return countedFigures.filter((figure) => this.#lacking.has(figure));
  }

  /**
   * The groups: times in their own order; everything else by what it cost, or by its views if nothing did. What a list does not
   * carry is absent, and not 0.
   * @param by the names of what they are grouped by
   */
  rows(by: readonly string[]) {
    const rows = [...this.#groups.values()].map(({ values, figures: { revenue, cost, ...figures } }) => {
      const all = { ...figures, cost, revenue, profit: revenue - cost };
      const isKnown = (name: string): boolean =>
        !this.lacking.includes(name) && (name !== 'profit' || (isKnown('cost') && isKnown('revenue')));
      const known = Object.fromEntries(Object.entries(all).filter(([name]) => isKnown(name)));
      return { values, figures: known as Partial<typeof all> };
    });
    const orders = by.map(orderOf);
    const hasCost = rows.some(({ figures: { cost = 0 } }) => cost > 0);
    const weight = ({ figures: { cost = 0, views = 0 } }: (typeof rows)[number]) => (hasCost ? cost : views);
    return rows.sort((one, other) => {
      for (const [index, order] of orders.entries()) {
        const difference = order?.(one.values[index] ?? '', other.values[index] ?? '') ?? 0;
        if (difference !== 0) return difference;
      }
      return weight(other) - weight(one);
    });
  }
}

function isWhole(values: readonly (string | null | undefined)[]): values is Values {
  return !values.includes(undefined);
}

/** What trackers write for nothing, and for a time that never came. */
const nothing = /^(-+|–|—|n\/a|null|none|\(none\)|\(not set\)|0000-00-00.*)?$/i;

const saysNothing = (cell: Cell): boolean => cell === null || nothing.test(rawText(cell).trim());

/** 1 for a yes or a date, 0 for a no, else the number. */
function countOf(cell: Cell): number {
  if (saysNothing(cell) || yesOrNo(cell) === false) return 0;
  return numberIn(cell) ?? 1;
}

/** Amounts, which may carry their sign; undefined if some cell is none, such as "0,35". */
function moneyIn(table: Table, column: number): ((row: number) => number) | undefined {
  const { values, texts } = readLooseColumn(table, column);
  const isRead = (row: number) => values[row] !== undefined || saysNothing(table.text(row, column));
  const isWhole = texts === 0 || Array.from({ length: table.rowCount }, (_, row) => row).every(isRead);
  return isWhole ? (row) => Number(values[row] ?? 0) : undefined;
}

import { type Pace, unhurried } from '../api/running-call.ts';
import type { Table } from '../api/table.ts';
import { thingsOf } from '../api/vocabulary.ts';
import { combineCoded, rowsThat } from './coded.ts';
import { indexOfColumn, isEmptyColumn } from './columns/columns.ts';
import { memoizePerTable } from './columns/notation.ts';
import { refuseUnread } from './columns/unread.ts';
import {
  addHeld,
  booked,
  countMoney,
  type HeldMoney,
  type HeldSale,
  type HeldSales,
  KeptSales,
  type Money,
  needsStatuses,
  noneHeld,
} from './sale-status.ts';
import { columnOf, orderOf, type Reader, type Reading } from './visit-dimensions.ts';
import { countsIn, moneyIn, wholeNumbers } from './visit-figures.ts';

/** Reads and groups the visits of visitor lists. One row is one view. Figures that a list lacks (clicks, cost, ...) are left out. */

/** The figures of a group of visits. Money is in the tracker's currency. */
export interface GroupFigures {
  views: number;
  clicks: number;
  conversions: number;
  cost: number;
  revenue: number;
}

export const noVisits = (): GroupFigures => ({ views: 0, clicks: 0, conversions: 0, cost: 0, revenue: 0 });

/** The figures of all visits but some of them. */
export const without = (all: GroupFigures, some: GroupFigures): GroupFigures => ({
  views: all.views - some.views,
  clicks: all.clicks - some.clicks,
  conversions: all.conversions - some.conversions,
  cost: all.cost - some.cost,
  revenue: all.revenue - some.revenue,
});

/** A figure that a visitor list may lack. */
type ListedFigure = Exclude<keyof GroupFigures, 'views'>;

const { time: _, ...figureNames } = thingsOf('visit');
const listedFigures = Object.keys(figureNames) as ListedFigure[];
const countNames = [figureNames.clicks, figureNames.conversions];

/**
 * Reads a list with several readers, and lets other calls run in between.
 * @param names the dimensions and columns that they read, which are coded together
 */
export async function readAll(
  table: Table,
  readers: readonly Reader[],
  pace = unhurried,
  names: readonly string[] = [],
) {
  const columns = [
    ...names.map((name) => columnOf(name, table)),
    ...countNames.map((known) => indexOfColumn(table, known)).filter((column) => !wholeNumbers(table, column)),
  ];
  await table.code(
    columns.filter((column) => column !== undefined),
    pace.rest,
  );
  const readings: (Reading | undefined)[] = [];
  for (const read of readers) {
    readings.push(read(table));
    await pace.rest();
  }
  return readings;
}

/**
 * Reads the figures of a long list before their use, and what the conversion list says of its sales if it does not say it itself. Other
 * calls run in between.
 */
export async function readFigures(table: Table, pace: Pace, { listed }: Money): Promise<void> {
  for (const figure of listedFigures) {
    figureIn(table, figure);
    await pace.rest();
  }
  if (!listed || !needsStatuses(table)) return;
  const { conversions, revenue } = amountsIn(table);
  for (let row = 0; row < table.rowCount; row += 1)
    if ((conversions[row] ?? 0) > 0 || revenue[row] !== 0) return listed.learn();
}

/** The figures of each visit of a list, without those that it lacks. */
type Figures = Readonly<Partial<Record<ListedFigure, Float64Array>>> & {
  /** Undefined in a list without statuses of sales. */
  readonly held?: HeldSales | undefined;
};

/**
 * Reads the figures of a list. Columns with money that cannot be read count as missing.
 * @param money which revenue counts
 */
export function figuresIn(table: Table, money: Money = booked): Figures {
  const figures: Partial<Record<ListedFigure, Float64Array>> = {};
  for (const figure of listedFigures) {
    const column = figureIn(table, figure);
    if (column) figures[figure] = column;
  }
  const { revenue: paid } = figures;
  if (!paid) return figures;
  const { revenue, held } = countMoney(table, (row) => paid[row] ?? 0, money);
  if (!held) return figures;
  const counted = paid.slice();
  for (const row of rowsThat(paid.length, (row) => paid[row] !== 0)) counted[row] = revenue(row);
  return { ...figures, revenue: counted, held };
}

/** A figure of each visit as it is listed; undefined if the list lacks it. */
export function figureIn(table: Table, figure: ListedFigure): Float64Array | undefined {
  const column = indexOfColumn(table, figureNames[figure]);
  if (column === undefined) return undefined;
  return figure === 'cost' || figure === 'revenue' ? moneyIn(table, column) : countsIn(table, column);
}

/** The figures of each visit of a list, with the held sales of those that sold. They can be read once their table is let go. */
export type VisitAmounts = Readonly<Record<ListedFigure, Float64Array>> & Pick<Figures, 'held'>;

/**
 * In a list without clicks each visit counts as a click. In a list without conversions each visit with revenue counts as a sale.
 */
export function amountsIn(table: Table, money: Money = booked): VisitAmounts {
  const known = amountsByMoney(table).get(money) ?? readAmounts(table, money);
  amountsByMoney(table).set(money, known);
  return known;
}

const amountsByMoney = memoizePerTable(() => new WeakMap<Money, VisitAmounts>());

function readAmounts(table: Table, money: Money): VisitAmounts {
  const none = new Float64Array(table.rowCount);
  const { revenue = none, cost = none, held, ...figures } = figuresIn(table, money);
  const clicks = figures.clicks ?? new Float64Array(table.rowCount).fill(1);
  const conversions = figures.conversions ?? revenue.map((paid) => Number(paid > 0));
  const isSold = (row: number) => conversions[row] !== 0 || revenue[row] !== 0;
  const kept = held && new KeptSales(held, rowsThat(table.rowCount, isSold));
  // Always the same fields: V8 compiles loops over visits again for objects of another form.
  return { clicks, conversions, cost, revenue, held: kept };
}

/** The figures that some of these lists lack, and cost if it is blank in all of them: it is not known to be 0. */
export function missingFigures(tables: readonly Table[]): readonly ListedFigure[] {
  const filled = tables.filter(({ rowCount }) => rowCount > 0);
  const isCostBlank = filled.length > 0 && filled.every(hasBlankCost);
  return listedFigures.filter(
    (figure) => (figure === 'cost' && isCostBlank) || filled.some((table) => !figureIn(table, figure)),
  );
}

/** Whether no visit of a list has a cost, not even 0. Revenue may be blank in each: none of them has sold then. */
function hasBlankCost(table: Table): boolean {
  const column = indexOfColumn(table, figureNames.cost);
  return column !== undefined && isEmptyColumn(table, column);
}

/** Some visits of a list. */
export interface VisitPart {
  readonly has: (row: number) => boolean;
  /** Whether its sale counts; undefined if the list does not show it, and sales are then missing. */
  readonly hasSold: ((row: number) => boolean) | undefined;
}

type Values = readonly (string | null)[];

/** Groups by their first value, then by the next; the figures are under the last. */
type Level = Map<string | null, Level | GroupSums>;

/** With the sales of it that are not surely paid. */
type GroupSums = GroupFigures & HeldMoney & { squares: number; readonly held: HeldSale[] };

/** Takes a few milliseconds. */
const rowsPerStep = 16_000;

/** The values of a visit's sale, if they differ from the values of the visit. */
export type SoldBy = (row: number, values: Values) => Values;

/** Which visits of a list are grouped, and how. */
interface Grouping {
  readonly soldBy?: SoldBy | undefined;
  /** The visits and sales that count; by default all. */
  readonly part?: VisitPart | undefined;
  readonly pace?: Pace;
}

/** The visits of a list with their values in all readings, and the sums of each combination that was seen. */
interface CombinedVisits extends Pick<Grouping, 'part'> {
  readonly combined: ReturnType<typeof combineCoded<string | null | undefined>>;
  readonly columns: VisitAmounts;
  readonly soldBy: SoldBy;
  readonly sums: (GroupSums | undefined)[];
}

/** Groups the visits of any number of lists. */
export class VisitGroups {
  /** The number of visits that were counted, and of visits that are not part of the question. */
  counted = 0;
  leftOut = 0;
  /** The number of visits for which there was no time. */
  uncounted = 0;
  /** Whether some list has statuses of sales, and whether some list with sales has none. */
  hasStatuses = false;
  lacksStatuses = false;
  /** In the order of their first visits. */
  readonly #groups: { readonly values: Values; readonly figures: GroupSums }[] = [];
  readonly #byValues: Level = new Map();
  readonly #missing = new Set<ListedFigure>();
  /** Whether the costs of lists are blank. */
  readonly #areCostsBlank = new Set<boolean>();
  readonly #money: Money;

  /** @param money which revenue counts */
  constructor(money: Money = booked) {
    this.#money = money;
  }

  /**
   * Adds the visits of a list.
   * @throws UnreadFailure if a figure is there and cannot be read
   * @param readings the values to group by
   */
  async add(table: Table, readings: readonly Reading[], grouping: Grouping = {}): Promise<void> {
    const { part } = grouping;
    const figures = figuresIn(table, this.#money);
    if (part && !part.hasSold) for (const figure of ['conversions', 'revenue'] as const) this.#missing.add(figure);
    for (const figure of listedFigures) {
      if (figures[figure]) continue;
      const column = indexOfColumn(table, figureNames[figure]);
      // A figure that is there must not be called missing.
      if (column !== undefined) refuseUnread(table, column);
      this.#missing.add(figure);
    }
    if (table.rowCount > 0) this.#areCostsBlank.add(hasBlankCost(table));
    if (figures.held) this.hasStatuses = true;
    await this.addRows(table.rowCount, readings, figures, grouping);
  }

  /** Adds visits with these figures, in steps, until the time of the call is over. */
  async addRows(rowCount: number, readings: readonly Reading[], figures: Figures, grouping: Grouping): Promise<void> {
    const { soldBy = (_, values) => values, part, pace = unhurried } = grouping;
    const none = new Float64Array(rowCount);
    const columns = { clicks: none, cost: none, conversions: none, revenue: none, ...figures };
    const visits = { combined: combineCoded(rowCount, readings, null), columns, soldBy, part, sums: [] };
    for (let from = 0; from < rowCount; from += rowsPerStep) {
      await pace.rest();
      if (from > 0 && pace.isOver) {
        this.uncounted += rowCount - from;
        return;
      }
      this.#addSome(visits, from, Math.min(from + rowsPerStep, rowCount));
    }
  }

  #addSome({ combined, columns, soldBy, part, sums }: CombinedVisits, from: number, to: number): void {
    const { codes, values: combinations } = combined;
    const { clicks, cost, conversions: sales, revenue: earnings, held } = columns;
    for (let row = from; row < to; row += 1) {
      if (part && !part.has(row)) continue;
      const code = codes[row] ?? 0;
      const values = combinations[code] ?? [];
      if (!isComplete(values)) {
        this.leftOut += 1;
        continue;
      }
      this.counted += 1;
      const visited = sums[code] ?? this.#figuresOf(values);
      sums[code] = visited;
      visited.views += 1;
      visited.clicks += clicks[row] ?? 0;
      visited.cost += cost[row] ?? 0;
      if (part && !part.hasSold?.(row)) continue;
      const [conversions, revenue] = [sales[row] ?? 0, earnings[row] ?? 0];
      if (conversions === 0 && revenue === 0) continue;
      const sold = this.#figuresOf(soldBy(row, values));
      sold.conversions += conversions;
      sold.revenue += revenue;
      sold.squares += revenue ** 2;
      if (!held) this.lacksStatuses = true;
      for (const sale of held?.of(row) ?? []) {
        addHeld(sold, sale);
        sold.held.push(sale);
      }
    }
  }

  #figuresOf(values: Values): GroupSums {
    let level = this.#byValues;
    for (const value of values.slice(0, -1)) {
      const next = level.get(value) ?? new Map();
      level.set(value, next);
      level = next as Level;
    }
    const last = values.at(-1) ?? null;
    const known = level.get(last) as GroupSums | undefined;
    if (known) return known;
    const figures = { ...noVisits(), ...noneHeld(), squares: 0, held: [] };
    level.set(last, figures);
    this.#groups.push({ values, figures });
    return figures;
  }

  /** The figures of one group, with the sum of the squares of each visit's revenue; undefined without visits. */
  at(values: Values): Readonly<GroupSums> | undefined {
    let level: Level | GroupSums | undefined = this.#byValues;
    for (const value of values) level = (level as Level | undefined)?.get(value);
    return level as GroupSums | undefined;
  }

  /** The values of the next reading in the groups that begin with some values. */
  under(values: Values): readonly (string | null)[] {
    return [...((this.at(values) as Level | undefined)?.keys() ?? [])];
  }

  /** The sales that are not surely paid. */
  get held(): readonly HeldSale[] {
    return this.#groups.flatMap(({ figures }) => figures.held);
  }

  /** The values of each group, and its number of visits. */
  get sizes(): readonly { readonly values: Values; readonly views: number }[] {
    return this.#groups.map(({ values, figures: { views } }) => ({ values, views }));
  }

  /**
   * Some of the groups, as one where their first values are the same.
   * @param places those of the groups in `sizes`
   */
  only(places: Iterable<number>, firstValues: number): VisitGroups {
    const some = new VisitGroups(this.#money);
    some.hasStatuses = this.hasStatuses;
    some.lacksStatuses = this.lacksStatuses;
    some.uncounted = this.uncounted;
    for (const figure of this.#missing) some.#missing.add(figure);
    for (const isBlank of this.#areCostsBlank) some.#areCostsBlank.add(isBlank);
    for (const place of places) {
      const group = this.#groups[place];
      if (!group) continue;
      const { held, ...figures } = group.figures;
      const sums = some.#figuresOf(group.values.slice(0, firstValues));
      for (const name of Object.keys(figures) as (keyof typeof figures)[]) sums[name] += figures[name];
      sums.held.push(...held);
      some.counted += figures.views;
    }
    return some;
  }

  /** The figures that some list lacked, and cost if it is blank in all of them. */
  get missingFigures(): readonly string[] {
    const isCostBlank = this.#areCostsBlank.has(true) && !this.#areCostsBlank.has(false);
    return listedFigures.filter((figure) => this.#missing.has(figure) || (figure === 'cost' && isCostBlank));
  }

  /**
   * The groups: times in their order; everything else by cost, or by views if there was no cost. Figures that a list lacked are
   * absent rather than 0.
   * @param by the names of the values they are grouped by
   */
  rows(by: readonly string[]) {
    const moneyHeld = noneHeld();
    const rows = this.#groups.map(({ values, figures: { revenue, cost, squares: _, held: __, ...figures } }) => {
      const all = { ...figures, cost, revenue, profit: revenue - cost };
      const isListed = (name: string): boolean => {
        if (name in moneyHeld) return this.hasStatuses;
        return !this.missingFigures.includes(name) && (name !== 'profit' || (isListed('cost') && isListed('revenue')));
      };
      const listed = Object.fromEntries(Object.entries(all).filter(([name]) => isListed(name)));
      return { values, figures: listed as Partial<typeof all> };
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

function isComplete(values: readonly (string | null | undefined)[]): values is Values {
  return !values.includes(undefined);
}

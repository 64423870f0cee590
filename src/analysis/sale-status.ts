import type { WhyNotHeld } from '../answer/money-notes.ts';
import type { Table } from '../api/table.ts';
import { type NamedCell, rawCell } from '../api/text/tracker-text.ts';
import { fieldNamed, thingsOf } from '../api/vocabulary.ts';
import type { Approval } from './approvals.ts';
import { indexOfColumn, isBlank } from './columns/columns.ts';
import { type ListedTimes, timesIn } from './columns/times.ts';
import { readablePayouts } from './payouts.ts';
import { networkOf, standingOf } from './reconcile/status-words.ts';
import { daysFrom } from './sale-delay.ts';

/** Which revenue counts, and what is expected of pending sales. */
export type Money = { readonly state: 'booked' | 'paid'; readonly listed?: ListedStatuses } | ExpectedMoney;

/** The sales of a visitor: all they paid, and those that are not surely paid. */
export interface VisitorSales {
  readonly paid: number;
  readonly count: number;
  readonly held: readonly (Held & { readonly amount: number })[];
}

export interface ExpectedMoney {
  readonly state: 'expected';
  readonly listed?: ListedStatuses;
  readonly approvals: ReadonlyMap<string | null, Approval>;
  /** Today, YYYY-MM-DD. */
  readonly asOf: string;
}

export const booked: Money = { state: 'booked' };

/** What a status says of a sale that is not surely paid. Networks contradict each other on an unknown one, or none uses it. */
export type HeldStanding = 'pending' | 'rejected' | 'unknown';

/** Sums of such sales. A rejected sale often has no payout, so these are counted too. */
export interface HeldMoney extends Record<HeldStanding, number> {
  rejectedSales: number;
  /** What of pending and unknown money does not count. */
  uncounted: number;
}

export const noneHeld = (): HeldMoney => ({ pending: 0, rejected: 0, unknown: 0, rejectedSales: 0, uncounted: 0 });

export function addHeld(sums: HeldMoney, { standing, amount, counted }: HeldSale): void {
  sums[standing] += amount;
  if (standing === 'rejected') sums.rejectedSales += 1;
  else sums.uncounted += amount - counted;
}

/** A sale that is not surely paid. */
export interface HeldSale extends Held {
  readonly amount: number;
  /** The part of the amount that counts. */
  readonly counted: number;
  /** Days since it was booked; 0 if that is not known. */
  readonly age: number;
}

export interface Held {
  readonly standing: HeldStanding;
  /** The status as the tracker writes it. */
  readonly word: string;
  readonly network: string | null;
  /** The day of its sale, YYYY-MM-DD, if a list of conversions says so. */
  readonly booked?: string | null;
}

const { status: statusNames, visitor: subidNames, booked: saleTimes } = thingsOf('conversion');
const { network: networkNames } = thingsOf('dimension');

/**
 * What the statuses in a list of visitors or conversions say, each read by the words of its network. A sale without one, of a network
 * that sends none, is paid. Cells are read one by one: few of many visits sold.
 * @returns undefined if no row has a status
 */
function statusesIn(table: Table): ((row: number) => Held | undefined) | undefined {
  const column = indexOfColumn(table, statusNames);
  if (column === undefined || !hasCell(table, column)) return undefined;
  const networkColumn = indexOfColumn(table, networkNames) ?? -1;
  const known = new Map<string, Held | undefined>();
  return (row) => {
    const cell = table.text(row, column);
    const word = isBlank(cell) ? null : rawCell(cell);
    if (word === null) return undefined;
    const network = rawCell(table.text(row, networkColumn));
    const key = JSON.stringify([word, network]);
    if (!known.has(key)) known.set(key, heldOf(word, network));
    return known.get(key);
  };
}

function hasCell(table: Table, column: number): boolean {
  for (let row = 0; row < table.rowCount; row += 1) if (!isBlank(table.text(row, column))) return true;
  return false;
}

function heldOf(word: string, network: string | null): Held | undefined {
  const standing = standingOf(word, network === null ? undefined : networkOf([], [network]));
  if (standing === 'approved') return undefined;
  return { standing: standing === 'taken_back' ? 'rejected' : (standing ?? 'unknown'), word, network };
}

/** The status of a sale that is pending or rejected, as its row or the lookup of its visit has it. */
export function heldStatus(sale: readonly NamedCell[]): string | undefined {
  const [word, network = null] = [statusNames, networkNames].map((names) => rawCell(fieldNamed(sale, names)));
  const held = word == null ? undefined : heldOf(word, network);
  return held?.standing === 'unknown' ? undefined : held?.word;
}

/** Some lists of conversions. */
interface ConversionLists {
  readonly tables: readonly Table[];
  /** Why they are not whole; undefined if they are. */
  readonly gap?: unknown;
}

/** What conversion lists say of sales, for lists of visitors that do not say it. They are read once, if one needs them. */
export class ListedStatuses {
  /** Undefined if they are not read, not whole or have no statuses. */
  bySubid: ReadonlyMap<string, VisitorSales> | undefined;
  /** Why it is undefined, if they are read. */
  why: WhyNotHeld | undefined;
  /** Whether there are statuses, but not of all sales. */
  isCut = false;
  readonly #read: () => Promise<ConversionLists | undefined>;
  #learning: Promise<void> | undefined;

  constructor(read: () => Promise<ConversionLists | undefined>) {
    this.#read = read;
  }

  learn(): Promise<void> {
    this.#learning ??= this.#learn();
    return this.#learning;
  }

  async #learn(): Promise<void> {
    const lists = await this.#read();
    if (!lists) return;
    const { tables, gap } = lists;
    const areStated = tables.some(hasStatuses);
    this.isCut = areStated && gap !== undefined;
    this.why = gap === undefined ? 'no statuses' : 'list';
    if (!areStated || this.isCut) return;
    const bySubid = new Map<string, VisitorSales>();
    for (const table of tables) addStatuses(table, bySubid);
    this.bySubid = bySubid;
  }
}

function addStatuses(table: Table, bySubid: Map<string, VisitorSales>): void {
  const [statuses, column] = [statusesIn(table), indexOfColumn(table, subidNames)];
  if (column === undefined || indexOfColumn(table, statusNames) === undefined) return;
  const [times, payouts] = [timesIn(table, saleTimes), readablePayouts(table)];
  for (let row = 0; row < table.rowCount; row += 1) {
    const subid = subidAt(table, row, column);
    const [amount, status] = [payouts?.[row] || 0, statuses?.(row)];
    const { paid, count, held } = bySubid.get(subid) ?? { paid: 0, count: 0, held: [] };
    const sale = status && { ...status, amount, booked: times?.dayOf(row) ?? null };
    bySubid.set(subid, { paid: paid + amount, count: count + 1, held: sale ? [...held, sale] : held });
  }
}

const subidAt = (table: Table, row: number, column: number): string => rawCell(table.text(row, column))?.trim() ?? '';

/** How far the sums of two lists may be apart. */
const isSame = (one: number, other: number) => Math.abs(one - other) <= Math.abs(other) * 0.001 + 0.005;

/**
 * The sales of visitors that are not surely paid, as the conversion list has them. Of a visitor whose sales differ in status and do
 * not add up to what the list of visitors has, the status is unknown.
 * @returns undefined if the list of visitors has no subIDs
 */
function statusesOfVisitors(
  table: Table,
  bySubid: ReadonlyMap<string, VisitorSales>,
): ((row: number, amount: number) => VisitorSales['held']) | undefined {
  const column = indexOfColumn(table, subidNames);
  if (column === undefined) return undefined;
  return (row, amount) => {
    const { paid = 0, count = 0, held = [] } = bySubid.get(subidAt(table, row, column)) ?? {};
    const [first] = held;
    if (!first) return [];
    if (isSame(paid, amount)) return held;
    const left = held.map((sale) => (sale.standing === 'rejected' ? { ...sale, amount: 0 } : sale));
    const rejected = held.reduce((sum, sale, index) => sum + sale.amount - (left[index]?.amount ?? 0), 0);
    if (isSame(paid - rejected, amount)) return left;
    const isAlike = held.length === count && held.every(({ standing }) => standing === first.standing);
    return [{ ...first, amount, ...(isAlike ? {} : { standing: 'unknown' }) }];
  };
}

/** Whether what the conversion list says of sales can be found for the visitors of a list that does not say it. */
export const needsStatuses = (table: Table): boolean =>
  !hasStatuses(table) && indexOfColumn(table, subidNames) !== undefined;

/** Whether a list of visitors or conversions has statuses of sales. */
export const hasStatuses = (table: Table): boolean => statusesIn(table) !== undefined;

/** So many sales without a status show that an account has none, though its tracker has a column for them. */
const minSales = 100;

/** Whether conversion lists show that the account has no statuses. */
export function lackStatuses(tables: readonly Table[]): boolean {
  const min = tables.some((table) => indexOfColumn(table, statusNames) !== undefined) ? minSales : 1;
  return !tables.some(hasStatuses) && tables.reduce((rows, { rowCount }) => rows + rowCount, 0) >= min;
}

/** The part of a sale that counts. */
function partOf({ standing, network }: Held, age: number, money: Money): number {
  if (standing === 'rejected') return 0;
  if (money.state !== 'expected') return money.state === 'booked' ? 1 : 0;
  return standing === 'pending' ? (money.approvals.get(network)?.ofPending(age).share ?? 1) : 1;
}

/** Revenue by row as far as it counts, and the sales that are not surely paid. */
export interface CountedMoney {
  readonly revenue: (row: number) => number;
  /** Undefined in a list without statuses. */
  readonly held: HeldSales | undefined;
}

/** The sales of each row of a list that are not surely paid. */
export interface HeldSales {
  of(row: number): readonly HeldSale[];
}

/** Those of some rows, read at once. */
export class KeptSales implements HeldSales {
  readonly #byRow = new Map<number, readonly HeldSale[]>();

  constructor(held: HeldSales, rows: Uint32Array) {
    for (const row of rows) {
      const sales = held.of(row);
      if (sales.length > 0) this.#byRow.set(row, sales);
    }
  }

  of(row: number): readonly HeldSale[] {
    return this.#byRow.get(row) ?? [];
  }
}

/** @param amounts what each row sold for */
export function countMoney(table: Table, amounts: (row: number) => number, money: Money): CountedMoney {
  const statuses = statusesIn(table);
  const bySubid = money.listed?.bySubid;
  const ofVisitors = statuses || !bySubid ? undefined : statusesOfVisitors(table, bySubid);
  if (!statuses && !ofVisitors) return { revenue: amounts, held: undefined };
  const days = money.state === 'expected' ? timesIn(table, saleTimes) : undefined;
  const sales = new CountedSales(amounts, money, { statuses, ofVisitors, days });
  return { revenue: (row) => sales.revenueOf(row), held: sales };
}

/** What a list says of sales beside their amounts. */
interface SaidOfSales {
  readonly statuses: ReturnType<typeof statusesIn>;
  readonly ofVisitors: ReturnType<typeof statusesOfVisitors>;
  readonly days: ListedTimes | undefined;
}

/** The sales of a list with statuses. A class, since V8 compiles functions that are made for each list again for each. */
class CountedSales implements HeldSales {
  readonly #amounts: (row: number) => number;
  readonly #money: Money;
  readonly #said: SaidOfSales;

  constructor(amounts: (row: number) => number, money: Money, said: SaidOfSales) {
    this.#amounts = amounts;
    this.#money = money;
    this.#said = said;
  }

  #salesOf(row: number): VisitorSales['held'] {
    const { statuses, ofVisitors } = this.#said;
    if (ofVisitors) return ofVisitors(row, this.#amounts(row));
    const status = statuses?.(row);
    return status ? [{ ...status, amount: this.#amounts(row) }] : [];
  }

  of(row: number): readonly HeldSale[] {
    return this.#salesOf(row).map((sale) => {
      const money = this.#money;
      const day = sale.booked ?? this.#said.days?.dayOf(row);
      const age = day == null || money.state !== 'expected' ? 0 : Math.max(daysFrom(day, money.asOf), 0);
      return { ...sale, age, counted: sale.amount * partOf(sale, age, money) };
    });
  }

  revenueOf(row: number): number {
    const amount = this.#amounts(row);
    if (amount === 0) return 0;
    const left = this.of(row).reduce((sum, { amount: all, counted }) => sum + all - counted, 0);
    // Differences of amounts with decimals leave a rest.
    return left === 0 ? amount : Number((amount - left).toFixed(6));
  }
}

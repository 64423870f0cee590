import type { Table } from '../api/table.ts';
import { type NamedCell, rawCell } from '../api/text/tracker-text.ts';
import { fieldNamed, thingsOf } from '../api/vocabulary.ts';
import type { Approval } from './approvals.ts';
import { indexOfColumn, isBlank } from './columns/columns.ts';
import { timesIn } from './columns/times.ts';
import { networkOf, standingOf } from './reconcile/statuses.ts';
import { daysFrom } from './sale-delay.ts';

/** Which revenue counts, and what is expected of pending sales. */
export type Money = { readonly state: 'booked' | 'paid'; readonly listed?: StatusesBySubid } | ExpectedMoney;

/** What the conversion list says of sales, for lists of visitors without statuses; null is approved. */
export type StatusesBySubid = ReadonlyMap<string, Held | null>;

export interface ExpectedMoney {
  readonly state: 'expected';
  readonly listed?: StatusesBySubid;
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

/** Adds what a list of conversions says of sales, by subID. Of a visitor whose sales are not all alike the status is unknown. */
export function addStatuses(table: Table, bySubid: Map<string, Held | null>): void {
  const [statuses, column] = [statusesIn(table), indexOfColumn(table, subidNames)];
  if (!statuses || column === undefined) return;
  const times = timesIn(table, saleTimes);
  for (let row = 0; row < table.rowCount; row += 1) {
    const subid = subidAt(table, row, column);
    const held = statuses(row);
    const sale = held ? { ...held, booked: times?.dayOf(row) ?? null } : null;
    const known = bySubid.get(subid);
    if (known === undefined) bySubid.set(subid, sale);
    else if (known?.standing !== sale?.standing) bySubid.set(subid, unknownOf(known ?? sale));
  }
}

const unknownOf = (held: Held | null): Held | null => held && { ...held, standing: 'unknown' };

const subidAt = (table: Table, row: number, column: number): string => rawCell(table.text(row, column))?.trim() ?? '';

/** The statuses of visitors, as the conversion list has them; undefined if the list of visitors has no subIDs. */
function statusesOfVisitors(table: Table, bySubid: StatusesBySubid): ((row: number) => Held | undefined) | undefined {
  const column = indexOfColumn(table, subidNames);
  return column === undefined ? undefined : (row) => bySubid.get(subidAt(table, row, column)) ?? undefined;
}

/** Whether a list of visitors or conversions has statuses of sales. */
export const hasStatuses = (table: Table): boolean => statusesIn(table) !== undefined;

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
  readonly held: ((row: number) => HeldSale | undefined) | undefined;
}

/** @param amounts what each row sold for */
export function countMoney(table: Table, amounts: (row: number) => number, money: Money): CountedMoney {
  const statuses = statusesIn(table) ?? (money.listed && statusesOfVisitors(table, money.listed));
  if (!statuses) return { revenue: amounts, held: undefined };
  const days = money.state === 'expected' ? timesIn(table, saleTimes) : undefined;
  const ageOf = (row: number) => {
    const day = statuses(row)?.booked ?? days?.dayOf(row);
    return day == null || money.state !== 'expected' ? 0 : Math.max(daysFrom(day, money.asOf), 0);
  };
  const held = (row: number): HeldSale | undefined => {
    const status = statuses(row);
    if (!status) return undefined;
    const [amount, age] = [amounts(row), ageOf(row)];
    return { ...status, amount, age, counted: amount * partOf(status, age, money) };
  };
  const revenue = (row: number) => {
    const amount = amounts(row);
    return amount === 0 ? 0 : (held(row)?.counted ?? amount);
  };
  return { revenue, held };
}

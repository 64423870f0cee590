import type { Coded, Table } from '../api/table.ts';
import { rawCell } from '../api/text/tracker-text.ts';
import { thingsOf } from '../api/vocabulary.ts';
import { mapCoded, pairCoded, sameInAll, valueAt } from './coded.ts';
import { indexOfColumn } from './columns/columns.ts';
import { isBlank } from './columns/unread.ts';
import { networkOf, standingOf } from './reconcile/statuses.ts';

/** Which revenue figures count. Rejected money never counts; `paid` leaves out what is pending or unknown, too. */
export const moneyStates = ['booked', 'paid'] as const;
export type MoneyState = (typeof moneyStates)[number];

/** What a status says of a sale that is not surely paid. Networks contradict each other on an unknown one, or none uses it. */
export const heldStandings = ['pending', 'rejected', 'unknown'] as const;
export type HeldStanding = (typeof heldStandings)[number];

/** Sums of such sales. A rejected sale often has no payout, so these are counted too. */
export type HeldMoney = Record<HeldStanding | 'rejectedSales', number>;

export const noneHeld = (): HeldMoney => ({ pending: 0, rejected: 0, unknown: 0, rejectedSales: 0 });

export function addHeld(sums: HeldMoney, { standing, amount }: HeldSale): void {
  sums[standing] += amount;
  if (standing === 'rejected') sums.rejectedSales += 1;
}

/** A sale that is not surely paid. */
export interface HeldSale {
  readonly standing: HeldStanding;
  readonly amount: number;
  /** The status as the tracker writes it. */
  readonly word: string;
}

const { status: statusNames } = thingsOf('conversion');
const { network: networkNames } = thingsOf('dimension');

/**
 * What the statuses in a list of visitors or conversions say, each read by the words of its network. A sale without one, of a network
 * that sends none, is paid.
 * @returns undefined if no row has a status
 */
function statusesIn(table: Table): Coded<Pick<HeldSale, 'standing' | 'word'> | undefined> | undefined {
  const column = indexOfColumn(table, statusNames);
  const words = column === undefined ? undefined : table.coded(column);
  if (!words?.values.some((word) => !isBlank(word))) return undefined;
  const network = indexOfColumn(table, networkNames);
  const sources = network === undefined ? sameInAll(table.rowCount, null) : table.coded(network);
  return pairCoded(words, mapCoded(sources, rawCell), (cell, source) => {
    const word = isBlank(cell) ? null : rawCell(cell);
    if (word === null) return undefined;
    const standing = standingOf(word, source === null ? undefined : networkOf([], [source]));
    if (standing === 'approved') return undefined;
    return { standing: standing === 'taken_back' ? 'rejected' : (standing ?? 'unknown'), word };
  });
}

/** Whether a list of visitors or conversions has statuses of sales. */
export const hasStatuses = (table: Table): boolean => statusesIn(table) !== undefined;

/** Whether the revenue of a sale counts. */
export function counts(standing: HeldStanding | undefined, money: MoneyState): boolean {
  return standing === undefined || (money === 'booked' && standing !== 'rejected');
}

/** Revenue by row as far as it counts, and the sales that are not surely paid. */
export interface CountedMoney {
  readonly revenue: (row: number) => number;
  /** Undefined in a list without statuses. */
  readonly held: ((row: number) => HeldSale | undefined) | undefined;
}

/** @param amounts what each row sold for */
export function countMoney(table: Table, amounts: (row: number) => number, money: MoneyState): CountedMoney {
  const statuses = statusesIn(table);
  if (!statuses) return { revenue: amounts, held: undefined };
  const counted = statuses.values.map((status) => counts(status?.standing, money));
  return {
    revenue: (row) => (counted[statuses.codes[row] ?? 0] ? amounts(row) : 0),
    held: (row) => {
      const status = valueAt(statuses, row);
      return status && { ...status, amount: amounts(row) };
    },
  };
}

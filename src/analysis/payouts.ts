import type { Table } from '../api/table.ts';
import { rawText } from '../api/text/tracker-text.ts';
import { nameOf } from '../api/vocabulary.ts';
import { measureOf } from './columns/measures.ts';
import { numbersForFigures, UnreadFailure } from './columns/unread.ts';

const isPayout = nameOf('conversion', 'payout');

/** The index of the column with the payouts of a conversion list; -1 without one. */
export function moneyColumn(table: Table): number {
  return table.columns.findIndex((column) => measureOf(rawText(column)) === 'revenue' || isPayout(rawText(column)));
}

/**
 * The payouts of a conversion list, by row; undefined without a column of them.
 * @throws UnreadFailure if payouts are there and cannot be read
 */
export function payoutsIn(table: Table): Float64Array | undefined {
  const column = moneyColumn(table);
  return column < 0 ? undefined : numbersForFigures(table, column);
}

/** The same; undefined also if they cannot be read. */
export function readablePayouts(table: Table): Float64Array | undefined {
  try {
    return payoutsIn(table);
  } catch (failure) {
    if (failure instanceof UnreadFailure) return undefined;
    throw failure;
  }
}

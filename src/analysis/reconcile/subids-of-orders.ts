import { mentionSubid, type SubidReading } from '../given-subids.ts';
import { groupBy } from '../statistics/history.ts';
import { isSameAmount } from './compared-amounts.ts';

/** The visitors of lines by their transactions, where their own cells do not tell them. */

interface Transacted {
  readonly transaction: string | undefined;
  readonly amount: number | undefined;
}

/**
 * An item of an order may have the subID only in the order's first line. A line whose subID was cut or changed is of the only conversion
 * with its transaction and its amount.
 */
export function withSubidsOfOrders(
  lines: readonly Transacted[],
  cells: readonly string[],
  readings: readonly SubidReading[],
  salesByVisitor: ReadonlyMap<string, readonly Transacted[]>,
): readonly SubidReading[] {
  const byOrder = new Map<string, SubidReading>();
  for (const [index, reading] of readings.entries()) {
    const order = lines[index]?.transaction;
    if (order !== undefined && reading.visitor !== undefined && !byOrder.has(order)) byOrder.set(order, reading);
  }
  const sales = [...salesByVisitor].flatMap(([visitor, own]) => own.map((sale) => ({ ...sale, visitor })));
  const byTransaction = groupBy(
    sales.filter(({ transaction = '' }) => transaction.length >= minLength),
    ({ transaction }) => transaction,
  );
  return readings.map((reading, index) => {
    const { transaction = '', amount } = lines[index] ?? {};
    if (reading.visitor !== undefined || transaction === '') return reading;
    const ofOrder = byOrder.get(transaction);
    if (ofOrder)
      return cells[index]?.trim() === '' ? { visitor: ofOrder.visitor, about: ['the subID of its order'] } : reading;
    const [sale, ...others] = byTransaction.get(transaction) ?? [];
    if (!sale || others.length > 0 || !isSameAmount(amount, sale.amount)) return reading;
    const about = `the only conversion with its transaction is of ${mentionSubid(sale.visitor)}`;
    return { visitor: sale.visitor, about: [...reading.about, about] };
  });
}

/** A shorter transaction ID may be a count, which others have too. */
const minLength = 4;

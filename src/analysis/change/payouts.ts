import { groupBy } from '../statistics/history.ts';
import type { SpanVisits } from './span-visits.ts';

/** What a sale of an offer paid, and what it pays from a day on. */
export interface PayoutChange {
  readonly offer: string;
  readonly before: number;
  readonly after: number;
  /** The first day on which most sales paid the new amount, YYYY-MM-DD; days are those of the visits. */
  readonly since: string;
}

/** Fewer sales of a span have no usual payout. */
const minSales = 3;

/** The part of an offer's sales that must pay the same for it to be the payout. */
const usualPart = 0.6;

/** The offers whose usual payout differs between the spans. */
export function findPayoutChanges({ dimensions, rows }: SpanVisits): PayoutChange[] {
  const index = dimensions.indexOf('offer');
  const sales = rows.filter(({ conversions, values }) => conversions === 1 && values[index] !== undefined);
  return [...groupBy(sales, ({ values }) => values[index] ?? null)].flatMap(([offer, own]) => {
    if (offer === null) return [];
    const ofSpan = (isAfter: boolean) => usualPayout(own.filter((sale) => sale.isAfter === isAfter));
    const [before, after] = [ofSpan(false), ofSpan(true)];
    if (before === undefined || after === undefined || before === after) return [];
    const days = [...groupBy(own, ({ day }) => day)].sort(([a], [b]) => (a < b ? -1 : 1));
    const [since] =
      days.find(([, ofDay]) => ofDay.filter(({ revenue }) => revenue === after).length * 2 > ofDay.length) ?? [];
    return since === undefined ? [] : [{ offer, before, after, since }];
  });
}

function usualPayout(sales: SpanVisits['rows']): number | undefined {
  if (sales.length < minSales) return undefined;
  const [most] = [...groupBy(sales, ({ revenue }) => revenue)].sort((a, b) => b[1].length - a[1].length);
  return most && most[1].length >= usualPart * sales.length ? most[0] : undefined;
}

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
const usualPart = 0.7;

/** The offers whose usual payout differs between the spans. */
export function findPayoutChanges({ dimensions, rows }: SpanVisits): PayoutChange[] {
  const index = dimensions.indexOf('offer');
  const sales = rows.filter(({ conversions, values }) => conversions === 1 && values[index] !== undefined);
  return [...groupBy(sales, ({ values }) => values[index] ?? null)].flatMap(([offer, own]) => {
    if (offer === null) return [];
    const before = usualPayout(own.filter(({ isAfter }) => !isAfter));
    const later = own.filter(({ isAfter }) => isAfter);
    const days = [...new Set(later.map(({ day }) => day))].sort();
    // The first day from which on most sales pay something else.
    const [since] = days.filter((day) => {
      const payout = usualPayout(later.filter((sale) => sale.day >= day));
      return (
        payout !== undefined && payout !== before && later.some((sale) => sale.day === day && sale.revenue === payout)
      );
    });
    if (before === undefined || since === undefined) return [];
    const after = usualPayout(later.filter(({ day }) => day >= since)) ?? before;
    return [{ offer, before, after, since }];
  });
}

function usualPayout(sales: SpanVisits['rows']): number | undefined {
  if (sales.length < minSales) return undefined;
  const [most] = [...groupBy(sales, ({ revenue }) => revenue)].sort((a, b) => b[1].length - a[1].length);
  return most && most[1].length >= usualPart * sales.length ? most[0] : undefined;
}

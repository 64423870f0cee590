import { isDouble, type Replaced } from '../answer/change-notes.ts';
import { payoutChangeOf } from './change/sales.ts';
import type { ListedSale, Span } from './listed-conversions.ts';
import type { PageRow } from './page-rows.ts';
import { agreesWithReport } from './statistics/basis.ts';
import { type Day, groupBy, type PageSums, sum } from './statistics/history.ts';

export { payoutChangeOf } from './change/sales.ts';

/** What the sales of an offer are valued at, if not at what they paid. */
export interface Valuation {
  readonly payout: number;
  /** What they paid in all. */
  readonly booked: number;
  /** A change of payout that is known; undefined if the payout is an assumption. */
  readonly change: { readonly before: number; readonly since: string; readonly sales: number } | undefined;
}

/** The payout of a page changed, and its sales are not valued anew. */
export type UnvaluedChange = Replaced<number> & { readonly page: PageRow };

export interface ValuedSales {
  readonly rows: readonly PageRow[];
  readonly sales: readonly ListedSale<PageRow>[];
  readonly valuations: ReadonlyMap<PageRow, Valuation>;
  readonly unvalued: readonly UnvaluedChange[];
}

type Sale = ListedSale<PageRow>;

/**
 * The same offers with each sale at what it pays today, where a change of payout is known, or at what it is assumed to pay.
 * @param assumed payouts by page
 */
export function valueSales(
  rows: readonly PageRow[],
  sales: readonly Sale[],
  span: Span,
  assumed: ReadonlyMap<PageRow, number>,
): ValuedSales {
  const byPage = groupBy(sales, ({ page }) => page);
  const valuations = new Map<PageRow, Valuation>();
  const unvalued: UnvaluedChange[] = [];
  const newSales: Sale[] = [];
  const newRows = rows.map((row) => {
    const own = byPage.get(row) ?? [];
    const { revenue, valueIn, valuation } = valuePage(row, own, span, assumed.get(row), unvalued);
    const page = valuation ? { ...row, revenue } : row;
    if (valuation) valuations.set(page, valuation);
    for (const sale of own) newSales.push(valuation ? { ...sale, page, value: valueIn(sale) } : sale);
    return page;
  });
  return { rows: newRows, sales: newSales, valuations, unvalued };
}

function valuePage(
  row: PageRow,
  sales: readonly Sale[],
  span: Span,
  payout: number | undefined,
  unvalued: UnvaluedChange[],
): { readonly revenue: number; readonly valueIn: (sale: Sale) => number; readonly valuation: Valuation | undefined } {
  if (payout !== undefined) {
    const valuation = { payout, booked: row.revenue, change: undefined };
    return { revenue: row.conversions * payout, valueIn: () => payout, valuation };
  }
  const asPaid = { revenue: row.revenue, valueIn: ({ value }: Sale) => value, valuation: undefined };
  // What a rejected sale paid is no payout.
  const paid = sales.flatMap((sale) =>
    sale.date === null || (sale.held && sale.value === 0) ? [] : [{ day: sale.date, revenue: payoutOf(sale) }],
  );
  const change = payoutChangeOf(paid);
  if (!change) return asPaid;
  const { before, after, since } = change;
  const counted = countedSales(row, sales, span);
  if (isDouble(before, after) || !counted) {
    // A pixel that fires twice looks like double the payout, and then the new one is none.
    unvalued.push({ page: row, ...change });
    return asPaid;
  }
  const isOld = (sale: Sale) =>
    sale.value !== 0 && payoutOf(sale) === before && sale.date !== null && sale.date < since;
  const valueIn = (sale: Sale) => (isOld(sale) ? (sale.value * after) / before : sale.value);
  const old = counted.filter(isOld);
  return {
    revenue: row.revenue + sum(old.map((sale) => valueIn(sale) - sale.value)),
    valueIn,
    valuation: { payout: after, booked: row.revenue, change: { before, since, sales: old.length } },
  };
}

/** What a sale pays if it is approved: of what is pending, a part may count. */
const payoutOf = ({ value, held }: Sale): number => held?.amount ?? value;

/** The listed sales that the report counts, by either day of theirs; undefined if list and report disagree. */
export function countedSales(
  report: PageSums,
  sales: readonly Sale[],
  { start, end }: Pick<Span, 'start' | 'end'>,
): readonly Sale[] | undefined {
  const isWithin = (day: string | null) => day !== null && day >= start && day <= end;
  const ways = [sales.filter(({ date }) => isWithin(date)), sales.filter(({ visited }) => isWithin(visited))];
  return ways.find((some) => some.length > 0 && agreesWithReport(some, report));
}

/** The days with the sales valued the same way. A day whose sales are not all listed keeps what it paid. */
export function valueDays(
  days: readonly Day[],
  pages: readonly PageRow[],
  { sales, valuations }: Pick<ValuedSales, 'sales' | 'valuations'>,
): readonly Day[] {
  const byPage = groupBy(sales, ({ page }) => page);
  const valuesOf = pages.map((page) => {
    const own = byPage.get(page) ?? [];
    const [booked, visited] = [groupBy(own, ({ date }) => date), groupBy(own, (sale) => sale.visited)];
    return (date: string, conversions: number) =>
      [booked, visited].map((by) => by.get(date) ?? []).find(({ length }) => length === conversions);
  });
  const valued = (sums: PageSums, index: number, date: string): PageSums => {
    const page = pages[index];
    const valuation = page && valuations.get(page);
    if (!valuation || sums.conversions === 0) return sums;
    if (!valuation.change) return { ...sums, revenue: sums.conversions * valuation.payout };
    const listed = valuesOf[index]?.(date, sums.conversions);
    return listed ? { ...sums, revenue: sum(listed.map(({ value }) => value)) } : sums;
  };
  return days.map(({ date, pages: sums }) => ({ date, pages: sums.map((one, index) => valued(one, index, date)) }));
}

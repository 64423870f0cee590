import type { Dimension, VisitColumns } from './visit-columns.ts';

/**
 * The visits as if all sales of some offers were paid alike: where the later ones are pending, that none of them is rejected yet is no
 * cause, and would hide those that are.
 * @param offers those whose sales are mostly pending
 */
export function asIfPaid(columns: VisitColumns, offers: ReadonlySet<string>): VisitColumns {
  const offer = columns.dimensions.find(({ name }) => name === 'offer');
  if (!offer || offers.size === 0) return columns;
  const codes = new Set(offer.values.flatMap((value, code) => (value !== null && offers.has(value) ? code : [])));
  const usual = usualSales(offer, columns);
  const { conversions, revenue: booked } = columns.amounts;
  const revenue = booked.slice();
  for (const [row, isUnpaid] of columns.unpaid.entries()) {
    const code = offer.codes[row] ?? 0;
    if (isUnpaid === 1 && codes.has(code)) revenue[row] = (conversions[row] ?? 0) * (usual[code] ?? 0);
  }
  return { ...columns, amounts: { ...columns.amounts, revenue } };
}

/** What a paid sale of each value brought. */
function usualSales(dimension: Dimension, columns: VisitColumns): readonly number[] {
  const { conversions, revenue } = columns.amounts;
  const [sales, paid] = [dimension.values.map(() => 0), dimension.values.map(() => 0)];
  for (const [row, isUnpaid] of columns.unpaid.entries()) {
    const code = dimension.codes[row] ?? 0;
    if (isUnpaid === 1) continue;
    sales[code] = (sales[code] ?? 0) + (conversions[row] ?? 0);
    paid[code] = (paid[code] ?? 0) + (revenue[row] ?? 0);
  }
  return paid.map((amount, code) => amount / Math.max(sales[code] ?? 0, 1));
}

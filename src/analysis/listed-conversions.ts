import type { Table } from '../api/table.ts';
import { rawCell, rawText } from '../api/text/tracker-text.ts';
import { thingsOf } from '../api/vocabulary.ts';
import { indexOfColumn } from './columns/columns.ts';
import { timesIn } from './columns/times.ts';
import type { PageRow } from './page-rows.ts';
import { payoutsIn } from './payouts.ts';
import { type DatedSale, type SaleDelay, type SalesToCome, saleDelayOf, salesToCome } from './sale-delay.ts';
import { booked, countMoney, type HeldSale, type Money } from './sale-status.ts';
import { agreesWithReport, type ListedConversion } from './statistics/basis.ts';
import { at, type Day, groupBy, type PageSums, sum } from './statistics/history.ts';
import type { Lateness } from './statistics/usable-days.ts';

export interface ListedSale<Page> extends ListedConversion {
  readonly page: Page;
  /** The day of its visit, YYYY-MM-DD; null if the list does not show it. */
  readonly visited: string | null;
  /** Undefined if it is paid, or its status is not known. */
  readonly held?: HeldSale | undefined;
}

/** What a conversion list adds to the reports of the compared pages. */
export interface SettledSales<Page> {
  /** The single conversions of pages for which list and report agree, on the same days as `days`. */
  readonly byPage: ReadonlyMap<Page, readonly ListedConversion[]>;
  readonly lateness: Lateness;
  /** The days, with sales on the day of their visit if the list allows it. */
  readonly days: readonly Day[] | undefined;
  /** Sales still to come, over all pages; undefined if the list does not show how late sales are. */
  readonly toCome: SalesToCome | undefined;
}

/** The days that are compared, both YYYY-MM-DD. */
export interface Span {
  readonly start: string;
  readonly end: string;
  /** The last day of the list. */
  readonly asOf: string;
}

const columnNames = thingsOf('conversion');

/** With fewer sales, it is unknown whether the sales of a page come later than others. */
const minSalesOfPage = 20;

/** If a list differs more from the days of the report, it does not show on which day sales are booked. */
const maxOff = 0.3;

/**
 * Finds out on which day the report books sales and how late they come, and keeps the conversions of pages for which list and report
 * agree. Sales booked on their own day move to the day of their visit if all are listed: after a change of shares they would count
 * against the page that has the visitors now.
 *
 * @param compared the pages of `days`, in the same order
 */
export function settleSales<Page extends PageSums>(
  sales: readonly ListedSale<Page>[],
  rows: readonly Page[],
  span: Span,
  compared: readonly Page[],
  days: readonly Day[] | undefined,
): SettledSales<Page> {
  const isWithin = (date: string | null) => date !== null && date >= span.start && date <= span.end;
  const booked = sales.filter(({ date }) => date === null || isWithin(date));
  const onVisits = sales.flatMap((sale) => (isWithin(sale.visited) ? [{ ...sale, date: sale.visited }] : []));
  const [byBooking, byVisit] = [salesThatAgree(rows, booked), salesThatAgree(rows, onVisits)];
  const agreed = byBooking.size > byVisit.size ? 'sale' : byVisit.size > 0 && onVisits.length > 0 ? 'visit' : 'unknown';
  const booking = days ? bookingOf(days, compared, booked, onVisits) : agreed;
  const dated = sales.flatMap(({ page, date, visited }) =>
    date !== null && visited !== null ? [{ page, booked: date, visited }] : [],
  );
  const delay = saleDelayOf(dated, span.start, span.asOf);
  const toCome = delay && salesToCome(delay, dated, span.asOf);
  const lateness: Lateness = { booking, delay: longestDelay(delay, dated, compared, span), asOf: span.asOf };
  const isListed = compared.every((page) => byBooking.get(page)?.every(({ visited }) => visited !== null));
  if (booking === 'sale' && days && isListed && delay && delay.meanDays > 0) {
    const moved = groupBy(onVisits, ({ page }) => page);
    return {
      byPage: new Map(rows.map((row) => [row, moved.get(row) ?? []])),
      lateness: { ...lateness, booking: 'visit' },
      days: listedDays(days, compared, onVisits),
      toCome,
    };
  }
  const isByVisit = booking === 'visit' || (booking === 'unknown' && agreed === 'visit');
  return { byPage: isByVisit ? byVisit : byBooking, lateness, days, toCome };
}

/** The delay of the page whose sales come last. */
function longestDelay<Page>(
  delay: SaleDelay | undefined,
  dated: readonly (DatedSale & { readonly page: Page })[],
  compared: readonly Page[],
  { start, asOf }: Span,
): Lateness['delay'] {
  if (!delay || delay.meanDays === 0) return delay;
  const byPage = groupBy(dated, ({ page }) => page);
  const delays = compared.flatMap((page) => {
    const sales = byPage.get(page) ?? [];
    return (sales.length >= minSalesOfPage && saleDelayOf(sales, start, asOf)) || [];
  });
  const max = (measure: 'meanDays' | 'daysUntilIn') => Math.max(...[delay, ...delays].map((one) => one[measure]));
  return { meanDays: max('meanDays'), daysUntilIn: max('daysUntilIn') };
}

/** The day on which a report books sales: whichever date of a list fits the report better. */
function bookingOf<Page>(
  days: readonly Day[],
  pages: readonly Page[],
  booked: readonly ListedSale<Page>[],
  onVisits: readonly ListedSale<Page>[],
): Lateness['booking'] {
  const countsIn = (all: readonly Day[]) => all.flatMap((day) => day.pages.map(({ conversions }) => conversions));
  const counts = countsIn(days);
  const offBy = (listed: readonly ListedSale<Page>[]) =>
    sum(countsIn(listedDays(days, pages, listed)).map((count, index) => Math.abs(count - at(counts, index))));
  const [sale, visit] = [offBy(booked), offBy(onVisits)];
  if (Math.min(sale, visit) > maxOff * sum(counts)) return 'unknown';
  return visit <= sale ? 'visit' : 'sale';
}

/** The days with the views of the report and the sales of a list. */
function listedDays<Page>(
  days: readonly Day[],
  pages: readonly Page[],
  listed: readonly ListedSale<Page>[],
): readonly Day[] {
  const byPage = groupBy(listed, ({ page }) => page);
  const byDate = pages.map((page) => groupBy(byPage.get(page) ?? [], ({ date }) => date));
  return days.map(({ date, pages: sums }) => ({
    date,
    pages: sums.map(({ views }, index) => {
      const sold = at(byDate, index).get(date) ?? [];
      return { views, conversions: sold.length, revenue: sum(sold.map(({ value }) => value)) };
    }),
  }));
}

/** The sales by page, without pages for which list and report disagree. */
function salesThatAgree<Page extends PageSums>(
  rows: readonly Page[],
  listed: readonly ListedSale<Page>[],
): ReadonlyMap<Page, readonly ListedSale<Page>[]> {
  const byPage = groupBy(listed, ({ page }) => page);
  return new Map(
    rows.map((row) => [row, byPage.get(row) ?? []] as const).filter(([row, sales]) => agreesWithReport(sales, row)),
  );
}

/**
 * The conversions of a list that belong to a page of the report.
 * @throws UnreadFailure if payouts are there and cannot be read
 */
export function readListedSales(
  table: Table,
  rows: readonly PageRow[],
  kind: 'offer' | 'landing',
  money: Money = booked,
): readonly ListedSale<PageRow>[] {
  const values = payoutsIn(table);
  const pageOf = pageFinder(table, rows, kind);
  const [bookings, visits] = [columnNames.booked, columnNames.visited].map((names) => timesIn(table, names));
  const { held } = countMoney(table, (row) => values?.[row] || 0, money);
  return Array.from({ length: table.rowCount }, (_, row) => row).flatMap((row) => {
    const page = pageOf(row);
    // A list without money still shows how late sales come.
    return page
      ? [
          {
            page,
            value: values?.[row] || 0,
            date: bookings?.dayOf(row) ?? null,
            visited: visits?.dayOf(row) ?? null,
            held: held?.of(row)[0],
          },
        ]
      : [];
  });
}

/** Finds the page of a row: by ID if the list has IDs of these pages, otherwise by a name that is unique in the report. */
function pageFinder(
  table: Table,
  rows: readonly PageRow[],
  kind: 'offer' | 'landing',
): (row: number) => PageRow | undefined {
  const byId = uniqueBy(rows, ({ pageId }) => pageId);
  const idColumn = indexOfColumn(table, columnNames[`${kind}Id`]) ?? -1;
  const ids = table.column(idColumn).flatMap((cell) => rawCell(cell) ?? []);
  if (ids.length > 0 && ids.every((id) => byId.has(id)))
    return (row) => byId.get(rawCell(table.text(row, idColumn)) ?? '');
  const byName = uniqueBy(rows, ({ name }) => rawText(name));
  const nameColumn = indexOfColumn(table, columnNames[`${kind}Name`]) ?? -1;
  return (row) => byName.get(rawCell(table.text(row, nameColumn)) ?? '');
}

/** The pages by a key, without pages that share a key. */
function uniqueBy(rows: readonly PageRow[], keyOf: (row: PageRow) => string | null): ReadonlyMap<string, PageRow> {
  return new Map(
    [...groupBy(rows, keyOf)].flatMap(([key, [row, other]]) => (key !== null && row && !other ? [[key, row]] : [])),
  );
}

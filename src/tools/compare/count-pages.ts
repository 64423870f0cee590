import { type ListedSale, readListedSales } from '../../analysis/listed-conversions.ts';
import type { PageReport, PageRow } from '../../analysis/page-rows.ts';
import { hasStatuses, type Money } from '../../analysis/sale-status.ts';
import { at, type Day, sum } from '../../analysis/statistics/history.ts';
import type { Notice } from '../../answer/notes.ts';
import type { Table } from '../../api/table.ts';
import { countHeld, heldNote, notTold, settleMoney } from '../account/held-money.ts';
import type { Span } from '../account/read-visits.ts';
import type { PageKind } from '../page-reports.ts';
import { listDays } from '../period.ts';

/** The report of pages and their sales, with the revenue that counts. */
interface CountedPages {
  readonly report: PageReport;
  readonly sales: readonly ListedSale<PageRow>[];
  /** Counts the reports of single days of some pages, too. */
  readonly countDays: (days: readonly Day[], pages: readonly PageRow[]) => readonly Day[];
  readonly notices: readonly Notice[];
}

/**
 * Counts the money of pages by its state.
 * @param list undefined if it could not be read
 * @throws Failure if `paid` or `expected` cannot be told
 */
export function countPages(
  report: PageReport,
  kind: PageKind,
  list: Table | undefined,
  span: Span,
  money: Money,
): CountedPages {
  const sales = list ? readListedSales(list, report.rows, kind, money) : [];
  const indexes = new Map(report.rows.map((row, index) => [row, index]));
  const keyOf = (page: PageRow, day: string) => `${indexes.get(page)} ${day}`;
  const revenues = new Map(report.rows.map((row, index) => [String(index), row.revenue]));
  const settled = list
    ? settleMoney(
        {
          all: sales.map((sale) => ({ ...sale, booked: sale.date })),
          ...{ hasStatuses: hasStatuses(list), isEmpty: list.rowCount === 0 },
        },
        revenues,
        ({ page }, day) => (day >= span.start && day <= span.end ? keyOf(page, day) : undefined),
        (key) => key.split(' ', 1)[0] ?? '',
      )
    : ({ why: 'list' } as const);
  if ('why' in settled) {
    const notices = notTold('compare_pages', settled, { all: sales }, money, sum([...revenues.values()]));
    return { report, sales, countDays: (days) => days, notices };
  }
  const days = listDays(span.start, span.end);
  const keysOf = (page: PageRow) => days.map((day) => keyOf(page, day));
  const counted = new Map(report.rows.map((row) => [row, countHeld(row, keysOf(row), settled)]));
  const rows = [...counted.values()];
  const original = new Map([...counted].map(([row, page]): [PageRow, PageRow] => [page, row]));
  return {
    report: { ...report, rows },
    sales: sales.map((sale) => ({
      ...sale,
      page: counted.get(sale.page) ?? sale.page,
      value: sale.held?.counted ?? sale.value,
    })),
    countDays: (listed, pages) =>
      listed.map(({ date, pages: sums }) => ({
        date,
        pages: sums.map((one, index) => {
          const page = original.get(at(pages, index));
          return page ? countHeld(one, [keyOf(page, date)], settled) : one;
        }),
      })),
    notices: heldNote(sum(rows.map(({ revenue }) => revenue)), money, settled.held, settled.rejectedIn),
  };
}

import type { PageRow } from '../../analysis/page-rows.ts';
import type { Note } from '../../answer/notes.ts';
import type { Span } from '../account/read-visits.ts';
import { type CountedSpan, type Counts, combine, lackOf, noCounts, recentDays } from '../page-lacks.ts';
import { shiftDays } from '../period.ts';
import { shortName } from '../present/cells.ts';
import { inTime, type PageQuestion, readReport, rowOf } from './read-pages.ts';

/** The compared pages that get no clicks or no sales in the last days: what they earned before does not show it. */
export async function lackingPages(
  question: PageQuestion,
  pages: readonly PageRow[],
  { start, end }: Span,
): Promise<Note[]> {
  const since = shiftDays(end, 1 - recentDays);
  const isLonger = since > start;
  const lately = isLonger
    ? await inTime(question, (bounded) => readReport(bounded, { start: since, end }))
    : { rows: pages };
  const spans = [spanOf(lately?.rows ?? [], isLonger ? since : start, pages), spanOf(pages, start, pages)] as const;
  return pages.flatMap((page): Note[] => {
    const lack = lackOf(page, question.kind, spans);
    return lack ? [{ code: 'page-lacks', page: shortName(page.name), ...lack }] : [];
  });
}

function spanOf(rows: readonly PageRow[], since: string, group: readonly PageRow[]): CountedSpan<PageRow> {
  const find = rowOf(rows);
  const own = (page: PageRow) => countsOf(find(page));
  const total = group.reduce((all, page) => combine(all, own(page), 1), noCounts);
  return { since, own, others: (page) => combine(total, own(page), -1) };
}

function countsOf(row: PageRow | undefined): Counts {
  return row ? { visits: row.views, clicks: row.clicks ?? Number.NaN, sales: row.conversions } : noCounts;
}

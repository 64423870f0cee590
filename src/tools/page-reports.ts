import { type PageReport, type PageRow, readPageRows } from '../analysis/page-rows.ts';
import { groupBy } from '../analysis/statistics/history.ts';
import { type OffShare, pagesOffShares } from '../analysis/statistics/sample-ratio.ts';
import type { Note } from '../answer/notes.ts';
import type { Table } from '../api/table.ts';
import { rawText, shown } from '../api/text/tracker-text.ts';
import { askQuickly, optional } from './asking.ts';
import type { CallContext } from './define-tool.ts';

export type PageKind = 'offer' | 'landing';

interface ReportQuestion {
  readonly campaign: string;
  readonly kind: PageKind;
  readonly context: CallContext;
}

/** First and last day, YYYY-MM-DD; the tracker's own default if one is missing. */
export type Period = Readonly<Record<'start' | 'end', string | undefined>>;

/**
 * The report of the pages; undefined if the tracker returns none for the period.
 *
 * @throws Failure if it cannot be read, or lacks a column
 */
export async function readPageReport(
  { campaign, kind, context }: ReportQuestion,
  period: Period,
): Promise<PageReport | undefined> {
  const asked = { campaign_id: Number(campaign), reports: [kind], start_date: period.start, end_date: period.end };
  const { reply } = await context.client.read('get_stats', asked, {
    signal: context.signal,
    onProgress: context.onProgress,
  });
  return pagesIn(reply.tables, kind);
}

/** A page that gets traffic. */
export const isRunning = ({ isActive, share }: PageRow): boolean => isActive && share !== 0;

/** Pages that compete for the same traffic, by the name of their group. */
export type Groups = readonly (readonly [name: string, pages: readonly PageRow[]])[];

/** The running pages that compete for the same traffic; the group with most views first. */
export function groupsToCompare(rows: readonly PageRow[]): Groups {
  const viewsIn = (group: readonly PageRow[]) => group.reduce((sum, { views }) => sum + views, 0);
  return [...groupBy(rows.filter(isRunning), ({ group }) => group)]
    .filter(([, group]) => group.length > 1)
    .sort(([, one], [, other]) => viewsIn(other) - viewsIn(one));
}

/** @param off by the index of the page */
export function offSharesNote(pages: readonly PageRow[], off: readonly OffShare[], isSteady: boolean): Note[] {
  if (off.length === 0) return [];
  const named = off.flatMap(({ page, got, due }) =>
    pages[page] ? [{ name: shown(pages[page].name, 100), got, due }] : [],
  );
  return [{ code: 'off-shares', pages: named, isSteady }];
}

/** Whether the pages of a campaign got the traffic that their shares give them, by one report; empty if it cannot be read. */
export async function readOffShares(
  campaign: string,
  kind: PageKind,
  span: Period,
  context: CallContext,
): Promise<readonly Note[]> {
  const ask = (quick: CallContext) => readPageReport({ campaign, kind, context: quick }, span);
  const report = await optional(() => askQuickly({ ...context, onProgress: undefined }, ask), context);
  return groupsToCompare(report?.rows ?? []).flatMap(([, pages]) => {
    const off = pagesOffShares(
      pages.map(({ views }) => views),
      pages.map(({ share }) => share),
    );
    return offSharesNote(pages, off, false);
  });
}

export function pagesIn(tables: readonly Table[], kind: PageKind): PageReport | undefined {
  const table = tables.find(({ name }) => rawText(name) === kind);
  return table && table.rowCount > 0 ? readPageRows(table) : undefined;
}

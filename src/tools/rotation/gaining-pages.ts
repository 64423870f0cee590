import type { MeasuredPage, PlacedPage } from '../../analysis/page-rows.ts';
import type { Note } from '../../answer/notes.ts';
import { type CountedSpan, type Counts, combine, lackOf, noCounts } from '../page-lacks.ts';
import { type CampaignPages, namedPage } from './campaign-pages.ts';
import type { GroupEffect, PageEffect } from './page-effect.ts';

/** The pages of a group with what those lack that gain traffic; a person should know before they get more. */
export function withLacks(
  { group, pages }: GroupEffect,
  { lately, pages: measured, since }: CampaignPages,
): GroupEffect {
  const spans = [spanOf(lately ?? [], since.lately, pages), spanOf(measured, since.pages, pages)] as const;
  const lack = (page: PageEffect) => (gains(page) ? lackOf(page, page.page.kind, spans) : undefined);
  return { group, pages: pages.map((page) => ({ ...page, lack: lack(page) })) };
}

function spanOf(report: readonly MeasuredPage[], since: string, group: readonly PageEffect[]): CountedSpan<PageEffect> {
  const keyOf = ({ kind, pageId }: PlacedPage) => `${kind} ${pageId}`;
  const byKey = new Map(report.map((page) => [keyOf(page), countsOf(page)]));
  const own = ({ page }: PageEffect) => byKey.get(keyOf(page)) ?? noCounts;
  const totals = new Map<string, Counts>();
  for (const page of group) {
    const { kind } = page.page;
    totals.set(kind, combine(totals.get(kind) ?? noCounts, own(page), 1));
  }
  return { since, own, others: (page) => combine(totals.get(page.page.kind) ?? noCounts, own(page), -1) };
}

function gains({ before, after, move }: PageEffect): boolean {
  if (move === 'leaves' || after.percent === 0) return false;
  if (before.percent !== null && after.percent !== null) return after.percent > before.percent;
  return (after.share ?? 0) > (before.share ?? 0);
}

function countsOf({ measures: { views = 0, clicks = Number.NaN, conversions = Number.NaN } }: MeasuredPage): Counts {
  return { visits: views, clicks, sales: conversions };
}

export const lackNotes = ({ page, lack }: PageEffect): Note[] =>
  lack ? [{ code: 'gains-and-lacks', page: namedPage(page), ...lack }] : [];

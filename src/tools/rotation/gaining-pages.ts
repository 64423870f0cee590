import type { MeasuredPage, PlacedPage } from '../../analysis/page-rows.ts';
import type { Note } from '../../answer/notes.ts';
import type { Lack } from '../../answer/write-notes.ts';
import { type CampaignPages, namedPage } from './campaign-pages.ts';
import type { GroupEffect, PageEffect } from './page-effect.ts';

/** Chance alone shows none of so many in less than 1 of 100 cases. */
const minExpected = 5;

interface Counts {
  readonly visits: number;
  readonly clicks: number;
  readonly sales: number;
}

/** The pages of a group with what those lack that gain traffic; a person should know before they get more. */
export function withLacks(
  { group, pages }: GroupEffect,
  { lately, pages: measured, since }: CampaignPages,
): GroupEffect {
  const spans = [spanOf(lately ?? [], since.lately, pages), spanOf(measured, since.pages, pages)] as const;
  return { group, pages: pages.map((page) => ({ ...page, lack: gains(page) ? lackOf(page, spans) : undefined })) };
}

/** The days of a report: what a page of the group got, and what the others of its kind got. */
interface Span {
  readonly since: string;
  readonly own: (page: PageEffect) => Counts;
  readonly others: (page: PageEffect) => Counts;
}

function spanOf(report: readonly MeasuredPage[], since: string, group: readonly PageEffect[]): Span {
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

function lackOf(page: PageEffect, spans: readonly [lately: Span, whole: Span]): Lack | undefined {
  const earlier = combine(spans[1].own(page), spans[0].own(page), -1);
  const ownRate = rateOf(earlier.clicks, earlier.visits);
  for (const { since, own, others } of page.page.kind === 'landing' ? spans : []) {
    const { clicks, visits } = others(page);
    const rate = ownRate > 0 ? ownRate : rateOf(clicks, visits);
    const found = none('clicks', own(page), rate, since, ownRate > 0 ? 'page' : 'others');
    if (found) return found;
  }
  // Sales come late, to all pages alike: only the same days of the others show how many are due.
  for (const { since, own, others } of spans) {
    const { sales, visits } = others(page);
    const found = none('sales', own(page), rateOf(sales, visits), since, 'others');
    if (found) return found;
  }
  return undefined;
}

function none(lacks: Lack['lacks'], own: Counts, rate: number, since: string, rate_of: Lack['rate_of']) {
  const expected = own.visits * rate;
  const isLacking = own[lacks] === 0 && expected >= minExpected;
  return isLacking ? { lacks, visits: own.visits, expected: Math.round(expected), rate_of, since } : undefined;
}

const rateOf = (part: number, whole: number) => (whole > 0 ? part / whole : 0);

function gains({ before, after, move }: PageEffect): boolean {
  if (move === 'leaves' || after.percent === 0) return false;
  if (before.percent !== null && after.percent !== null) return after.percent > before.percent;
  return (after.share ?? 0) > (before.share ?? 0);
}

const noCounts: Counts = { visits: 0, clicks: 0, sales: 0 };

/** NaN where a report has no such column: then nothing is found. */
function countsOf({ measures: { views = 0, clicks = Number.NaN, conversions = Number.NaN } }: MeasuredPage): Counts {
  return { visits: views, clicks, sales: conversions };
}

function combine(one: Counts, other: Counts, sign: 1 | -1): Counts {
  return {
    visits: one.visits + sign * other.visits,
    clicks: one.clicks + sign * other.clicks,
    sales: one.sales + sign * other.sales,
  };
}

export const lackNotes = ({ page, lack }: PageEffect): Note[] =>
  lack ? [{ code: 'gains-and-lacks', page: namedPage(page), ...lack }] : [];

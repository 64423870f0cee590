import type * as z from 'zod';
import type { PageRow } from '../../analysis/page-rows.ts';
import { type Basis, sampleOf } from '../../analysis/statistics/basis.ts';
import { groupBy, type PageSums, sum, type Worth } from '../../analysis/statistics/history.ts';
import { planTest } from '../../analysis/statistics/planned-test.ts';
import { type Scatter, scatterOf } from '../../analysis/statistics/scatter.ts';
import { presentParts } from '../../analysis/statistics/shares.ts';
import { countedSales, type ValuedSales } from '../../analysis/valued-sales.ts';
import { roundTo } from '../../answer/decision.ts';
import type { Note, Notice } from '../../answer/notes.ts';
import { Failure } from '../../api/failure.ts';
import { countInWords } from '../../api/rules.ts';
import type { Span } from '../account/read-visits.ts';
import { type Answer, type Query, wholeAnswer } from '../define-tool.ts';
import type { planOutput } from '../detail-tools.ts';
import { isRunning } from '../page-reports.ts';
import { daysBlock, lengthInDays } from '../period.ts';
import { presentForecast } from '../present/decision.ts';
import { type PageQuestion, readDays } from './read-pages.ts';

interface Planned {
  readonly question: PageQuestion;
  readonly query: Query;
  readonly span: Span;
  readonly valued: ValuedSales;
  readonly group: string;
  readonly called: 'offers' | 'landing pages';
  /** 20 is 20%. */
  readonly lead: number;
  readonly notices: readonly Notice[];
}

/**
 * How long a test takes that has not begun: by the traffic, the conversions and the payouts that the pages had, and the rule that a
 * comparison decides by.
 * @throws Failure if there were no views or no conversions
 */
export async function answerPlan(planned: Planned): Promise<Answer> {
  const { question, query, span, valued, group, called, lead, notices } = planned;
  const rows = valued.rows.filter((row) => row.group === group);
  const running = rows.filter(isRunning);
  const dayCount = Math.max(lengthInDays(span.start, span.end), 1);
  const all = addUp(rows);
  if (all.conversions === 0) {
    throw new Failure(
      `These ${called} had ${countInWords(all.views, 'view')} and no conversion in this period, so nothing shows how long a test takes.`,
      'Give a longer period.',
    );
  }
  const pageCount = Math.max(running.length, 2);
  const equal = Array.from({ length: pageCount }, () => 1 / pageCount);
  const shares = running.length > 1 ? presentParts(running.map(({ share }) => share)) : undefined;
  const parts = shares?.every((part) => part > 0) ? shares.map((part) => part / 100) : equal;
  const { basis, worths } = worthsOf(rows, all, valued, span);
  const known = {
    viewsPerDay: all.views / dayCount,
    rate: all.conversions / all.views,
    worths,
    scatterPerDay: await readScatter(question, running, span),
  };
  const forecast = planTest({ ...known, parts }, lead / 100);
  const isUneven = Math.min(...parts) < unevenPart / pageCount;
  const even = isUneven ? planTest({ ...known, parts: equal }, lead / 100) : undefined;
  const shown = presentForecast(forecast);
  const { days: about, days_low: low, days_high: high } = typeof shown === 'object' ? (shown ?? {}) : {};
  const isKnown = about !== undefined && low !== undefined && high !== undefined;
  const plan: z.infer<typeof planOutput> = {
    lead_percent: lead,
    ...(typeof shown === 'object' && shown !== null ? shown : { days: null }),
    ...(isUneven ? { days_if_shares_are_equal: daysIn(even) } : {}),
    basis,
    pages: pageCount,
    views_per_day: roundTo(known.viewsPerDay, 3),
    conversions_per_100_views: roundTo(known.rate * 100, 3),
  };
  const note: Note = {
    ...{ code: 'test-plan', lead, called, basis, pages: pageCount, hasRival: running.length > 1 },
    ...{ viewsPerDay: roundTo(known.viewsPerDay, 3), conversionsPer100Views: roundTo(known.rate * 100, 3) },
    ...{ days: isKnown ? { about, low, high } : null, even: isUneven ? daysIn(even) : undefined },
  };
  const said = [note, ...notices];
  const structured = { query, kind: String(query['kind']), plan, notices: said };
  return wholeAnswer(structured, daysBlock(query));
}

/** A page with less than this part of an equal share makes a test much longer. */
const unevenPart = 0.8;

const daysIn = (forecast: ReturnType<typeof planTest> | undefined): number | null => {
  const shown = presentForecast(forecast ?? null);
  return typeof shown === 'object' && shown !== null ? (shown['days'] ?? null) : null;
};

function addUp(rows: readonly PageSums[]): PageSums {
  const total = (measure: keyof PageSums) => sum(rows.map((row) => row[measure]));
  return { views: total('views'), conversions: total('conversions'), revenue: total('revenue') };
}

/** What conversions pay, if the list agrees with the report; otherwise they are counted. */
function worthsOf(
  rows: readonly PageRow[],
  all: PageSums,
  { sales, valuations }: ValuedSales,
  span: Span,
): { readonly basis: Basis; readonly worths: readonly Worth[] } {
  const pages = new Set(rows);
  const own = sales.filter(({ page }) => pages.has(page));
  const values =
    countedSales(all, own, span)?.map(({ value }) => ({ value, count: 1 })) ?? assumedWorths(rows, valuations);
  if (!values || !(all.revenue > 0)) return { basis: 'conversions', worths: [{ value: 1, count: all.conversions }] };
  const worths = [...groupBy(values, ({ value }) => value)].map(([value, same]) => ({
    value,
    count: sum(same.map(({ count }) => count)),
  }));
  return { basis: 'money', worths };
}

/** By the payouts that are assumed, if they are for all pages that sold. */
function assumedWorths(rows: readonly PageRow[], valuations: ValuedSales['valuations']): Worth[] | undefined {
  const sold = rows.filter(({ conversions }) => conversions > 0);
  const worths = sold.flatMap((row) => {
    const { payout, change } = valuations.get(row) ?? {};
    return payout === undefined || change ? [] : [{ value: payout, count: row.conversions }];
  });
  return worths.length === sold.length ? worths : undefined;
}

/** How days scatter, per day; by chance alone if single days are not known. */
async function readScatter(question: PageQuestion, running: readonly PageRow[], span: Span): Promise<Scatter> {
  const seen = running.filter(({ views }) => views > 0);
  const days = seen.length > 1 ? await readDays(question, seen, span) : undefined;
  if (!days) return { chiSquare: 1, days: 1 };
  const { histories } = sampleOf(seen, days);
  const rates = histories.map(({ conversions, views }) => (views > 0 ? conversions / views : 0));
  const scatter = scatterOf(histories, rates);
  return { chiSquare: scatter.chiSquare / days.length, days: scatter.days / days.length };
}

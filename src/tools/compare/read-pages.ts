import { type PageReport, type PageRow, readPageRows } from '../../analysis/page-rows.ts';
import type { Day, PageSums } from '../../analysis/statistics/history.ts';
import { type Deadline, within } from '../../api/deadline.ts';
import { Failure } from '../../api/failure.ts';
import type { Table } from '../../api/table.ts';
import { rawText } from '../../api/text/tracker-text.ts';
import type { Span } from '../account/read-visits.ts';
import type { CallContext } from '../define-tool.ts';
import { lengthInDays, listDays, shiftDays } from '../period.ts';

/** Pages of one kind in one campaign, asked for within one call. */
export interface PageQuestion {
  readonly campaign: string;
  readonly kind: 'offer' | 'landing';
  readonly context: CallContext;
  /** When the call has to have ended, by performance.now. */
  readonly deadline: number;
  /** What to tell of a further download. */
  readonly newProgress: () => CallContext['onProgress'];
}

/** First and last day, YYYY-MM-DD; the tracker's own default if one is missing. */
export interface Period {
  readonly start: string | undefined;
  readonly end: string | undefined;
}

/** More days cost the tracker more than they tell; a period that is longer is judged by its sums. */
const maxDays = 92;

/** Shares that changed longer ago move few sales. */
const maxDaysBefore = 31;

/** As many requests as a client has in flight to a tracker. */
const maxInFlight = 4;

/** A view in fifty, or one conversion: traffic goes on between two requests, and a visitor of two days may count in both. */
const tolerance = 0.02;

/**
 * The report of the pages; undefined if the tracker returns none for the period.
 *
 * @throws Failure if it cannot be had, or lacks a column
 */
export async function readReport(question: PageQuestion, period: Period): Promise<PageReport | undefined> {
  const { campaign, kind, context, newProgress } = question;
  const asked = { campaign_id: Number(campaign), reports: [kind], start_date: period.start, end_date: period.end };
  const { reply } = await context.client.read('get_stats', asked, {
    signal: context.signal,
    onProgress: newProgress(),
  });
  const table = reply.tables.find(({ name }) => rawText(name) === kind);
  return table && table.rowCount > 0 ? readPageRows(table) : undefined;
}

/** The conversion list with all its columns, of which some say when the visit was; undefined if it cannot be had in time. */
export async function readConversions(question: PageQuestion, period: Period): Promise<Table | undefined> {
  return inTime(question, async ({ campaign, context, newProgress }) => {
    const { reply } = await context.client.read(
      'list_conversions',
      { campaign_id: Number(campaign), column_set: 'all', start_date: period.start, end_date: period.end },
      { signal: context.signal, onProgress: newProgress() },
    );
    return reply.tables[0];
  });
}

/**
 * The pages day by day, one report a day, a few at a time.
 *
 * @returns undefined if some day cannot be had in time, or the days do not add up to the period
 */
export async function readDays(
  question: PageQuestion,
  pages: readonly PageRow[],
  { start, end }: Span,
): Promise<readonly Day[] | undefined> {
  const length = lengthInDays(start, end);
  if (length < 2 || length > maxDays) return undefined;
  const dates = listDays(start, end);
  const days = await inTime(question, async (bounded) => {
    const left = [...dates.entries()];
    const read: Day[] = [];
    const readOn = async () => {
      for (let next = left.shift(); next; next = left.shift()) {
        const [index, date] = next;
        const report = await readReport(bounded, { start: date, end: date });
        read[index] = { date, pages: pages.map(finderIn(report?.rows ?? [])) };
      }
    };
    await Promise.all(Array.from({ length: maxInFlight }, readOn));
    return read;
  });
  return days && doAddUp(days, pages) ? days : undefined;
}

/** The views of pages in so many days before the first one; undefined if they cannot be had in time. */
export async function readViewsBefore(
  question: PageQuestion,
  pages: readonly PageRow[],
  first: string,
  dayCount: number,
): Promise<readonly number[] | undefined> {
  const period = { start: shiftDays(first, -Math.min(dayCount, maxDaysBefore)), end: shiftDays(first, -1) };
  return inTime(question, async (bounded) => {
    const find = finderIn((await readReport(bounded, period))?.rows ?? []);
    return pages.map((page) => find(page).views);
  });
}

/**
 * Asks for what a comparison can do without.
 *
 * @returns undefined if the tracker fails or takes too long; what is still asked for then is canceled
 * @throws Failure if the caller has canceled
 */
export async function inTime<Answer>(
  question: PageQuestion,
  ask: (bounded: PageQuestion) => Promise<Answer>,
): Promise<Answer | undefined> {
  const { context, deadline } = question;
  const askInTime = async (limit: Deadline) => {
    try {
      return await ask({ ...question, context: { ...context, signal: limit.signal } });
    } catch (error) {
      if (!(error instanceof Failure) || context.signal?.aborted) throw error;
      return undefined;
    } finally {
      limit.cancel();
    }
  };
  return within(deadline - performance.now(), askInTime, context.signal);
}

/** Finds a page in the report of one day: by its ID, else by its name and group; a page that was not there yet had nothing. */
function finderIn(rows: readonly PageRow[]): (page: PageRow) => PageSums {
  const keyOf = ({ pageId, name, group }: PageRow) => JSON.stringify(pageId === null ? [name, group] : pageId);
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  return (page) => {
    const { views = 0, conversions = 0, revenue = 0 } = byKey.get(keyOf(page)) ?? {};
    return { views, conversions, revenue };
  };
}

function doAddUp(days: readonly Day[], pages: readonly PageRow[]): boolean {
  return pages.every((page, index) => {
    const isNear = (measure: 'views' | 'conversions') => {
      const sum = days.reduce((total, day) => total + (day.pages[index]?.[measure] ?? 0), 0);
      return Math.abs(sum - page[measure]) <= Math.max(tolerance * page[measure], 1);
    };
    return isNear('views') && isNear('conversions');
  });
}

/** Progress of several downloads as one that only grows: the bytes of all. */
export function addUpProgress(onProgress: CallContext['onProgress']): () => CallContext['onProgress'] {
  let sum = 0;
  return () => {
    let last = 0;
    return (received) => {
      sum += Math.max(received - last, 0);
      last = received;
      onProgress?.(sum, undefined);
    };
  };
}

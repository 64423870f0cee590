import pMap from 'p-map';
import { countListed, rowsThat, sameInAll } from '../../analysis/coded.ts';
import type { PageRow } from '../../analysis/page-rows.ts';
import { findMixes, gatherVisits, type Mix, type VisitsOfList } from '../../analysis/profit-change.ts';
import type { Money } from '../../analysis/sale-status.ts';
import type { Day, PageSums } from '../../analysis/statistics/history.ts';
import type { Valuation } from '../../analysis/valued-sales.ts';
import { readerOf } from '../../analysis/visit-dimensions.ts';
import { amountsIn, figuresIn, readFigures } from '../../analysis/visit-groups.ts';
import { endpointNamed } from '../../api/endpoints.ts';
import type { Table } from '../../api/table.ts';
import { rawText } from '../../api/text/tracker-text.ts';
import { missingIn, readVisitsInSlices, type Span } from '../account/read-visits.ts';
import { askQuickly, askWithin, maxAtOnce, optional, paceOf } from '../asking.ts';
import type { CallContext } from '../define-tool.ts';
import { groupsToCompare, type PageKind, type Period, pagesIn, readPageReport } from '../page-reports.ts';
import { lengthInDays, listDays, type Period as NamedPeriod, settleDays, shiftDays } from '../period.ts';

/** Two weeks average the days of the week; without dates, compare_pages looks further back while shares stay the same. */
export const usualPeriod: NamedPeriod = 'last_14_days';

export interface PageQuestion {
  readonly campaign: string;
  readonly kind: PageKind;
  readonly context: CallContext;
  /** When the call must have ended, by performance.now. */
  readonly deadline: number;
  /** The progress callback for one more download. */
  readonly newProgress: () => CallContext['onProgress'];
}

/** The report of the pages, with its own progress. */
export function readReport({ newProgress, context, ...question }: PageQuestion, period: Period) {
  return readPageReport({ ...question, context: { ...context, onProgress: newProgress() } }, period);
}

/** Max days that are read one by one; a longer period is judged by its sums. */
const maxDays = 92;

/** Max days before the period that are looked at: shares that changed earlier affect few sales. */
const maxDaysBefore = 31;

/** How far single days may be off the period: traffic goes on between requests, and a visitor of two days may count in both. */
const tolerance = 0.02;

/** Whether compare_pages without dates finds pages to compare; true if that cannot be read. */
export async function canCompare(campaignId: number, kind: PageKind, context: CallContext): Promise<boolean> {
  if (!context.guard.offers(endpointNamed('get_stats'))) return true;
  const { start, end } = settleDays('compare_pages', {}, usualPeriod, context);
  const asked = { campaign_id: campaignId, reports: [kind], start_date: start, end_date: end };
  const read = async ({ client, signal }: CallContext) => {
    const { reply } = await client.read('get_stats', asked, { signal, reuse: true });
    const [[, pages] = ['', []]] = groupsToCompare(pagesIn(reply.tables, kind)?.rows ?? []);
    return pages.filter(({ views }) => views > 0).length > 1;
  };
  return (await optional(() => askQuickly(context, read), context)) ?? true;
}

/** The conversion list with all columns, which may have the day of the visit; undefined if it cannot be read in time. */
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
 * The pages day by day, one report per day.
 *
 * @returns undefined if a day cannot be read in time, or the days do not add up to the period
 */
export async function readDays(
  question: PageQuestion,
  pages: readonly PageRow[],
  { start, end }: Span,
): Promise<readonly Day[] | undefined> {
  const length = lengthInDays(start, end);
  if (length < 2 || length > maxDays) return undefined;
  const days = await inTime(question, (bounded) => {
    const readDay = async (date: string): Promise<Day> => {
      const report = await readReport(bounded, { start: date, end: date });
      return { date, pages: pages.map(finderIn(report?.rows ?? [])) };
    };
    return pMap(listDays(start, end), readDay, { concurrency: maxAtOnce });
  });
  return days && doAddUp(days, pages) ? days : undefined;
}

/** The views of pages in the days before the first one; undefined if they cannot be read in time. */
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

/** Asks for something optional, as long as the call has time; undefined if it fails or time runs out. */
export async function inTime<Answer>(
  question: PageQuestion,
  ask: (bounded: PageQuestion) => Promise<Answer>,
): Promise<Answer | undefined> {
  const { context, deadline } = question;
  const askBounded = (bounded: CallContext) => ask({ ...question, context: bounded });
  return optional(() => askWithin(deadline - performance.now(), context, askBounded), context);
}

/** Finds a page in the report of other days: by ID, otherwise by name and group. */
export function rowOf(rows: readonly PageRow[]): (page: PageRow) => PageRow | undefined {
  const keyOf = ({ pageId, name, group }: PageRow) => JSON.stringify(pageId === null ? [name, group] : pageId);
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  return (page) => byKey.get(keyOf(page));
}

/** A page that is not in the report of a day had no traffic. */
function finderIn(rows: readonly PageRow[]): (page: PageRow) => PageSums {
  const find = rowOf(rows);
  return (page) => {
    const { views = 0, conversions = 0, revenue = 0 } = find(page) ?? {};
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

/** Joins the progress of several downloads: the bytes of all, which only grow. */
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

/** Traits by which the visits of two pages may differ, even if visitors are assigned at random. */
const traits = ['device', 'traffic_source', 'country', 'os', 'keyword', 'ad'];

/** The part of the pages' views that the visitor list must have. */
const minListed = 0.95;

/**
 * Simpson's paradox: a mix of visits by which the leader earns more per view over all, and less in every part. It reads the visitor
 * list of the campaign in the remaining time.
 * @returns undefined if there is none, or the list cannot be read whole
 */
export async function findReversal(
  question: PageQuestion,
  span: Span,
  leader: PageRow,
  rival: PageRow,
  money: Money,
  valuations: ReadonlyMap<PageRow, Valuation>,
): Promise<Mix | undefined> {
  const { campaign, kind } = question;
  const names = [rival, leader].map(({ name }) => rawText(name));
  const factors = [rival, leader].map((page) => page.revenue / (valuations.get(page)?.booked || page.revenue) || 1);
  const lists: VisitsOfList[] = [];
  const take = async (table: Table) => {
    await readFigures(table, paceOf(question.context), money);
    const pages = readerOf(kind === 'offer' ? 'offer' : 'landing_page')(table);
    const indexes = pages?.values.map((page) => names.indexOf(page ?? '')) ?? [];
    const indexOf = (row: number) => indexes[pages?.codes[row] ?? 0] ?? -1;
    const { revenue, ...counts } = amountsIn(table, money);
    const worth = figuresIn(table).revenue ? revenue : counts.conversions;
    const cost = new Float64Array(table.rowCount);
    lists.push({
      rows: rowsThat(table.rowCount, (row) => indexOf(row) >= 0),
      isAfter: Uint8Array.from({ length: table.rowCount }, (_, row) => Number(indexOf(row) === 1)),
      days: sameInAll(table.rowCount, ''),
      readings: traits.map((name) => readerOf(name)(table)),
      amounts: { ...counts, cost, revenue: worth.map((amount, row) => amount * (factors[indexOf(row)] ?? 1)) },
    });
  };
  const read = await inTime(question, ({ context }) =>
    readVisitsInSlices(campaign, span, undefined, { ...context, onProgress: undefined }, take),
  );
  if (!read || missingIn(read).length > 0 || names[0] === names[1]) return undefined;
  // A list that counts pages differently from the report shows nothing about them.
  if (countListed(lists) < (leader.views + rival.views) * minListed) return undefined;
  const mixes = await findMixes(await gatherVisits(traits, lists));
  return mixes.find(({ isBetterInParts }) => !isBetterInParts);
}

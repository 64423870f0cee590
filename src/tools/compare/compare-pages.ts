import { type ListedSale, settleSales } from '../../analysis/listed-conversions.ts';
import type { PageReport, PageRow } from '../../analysis/page-rows.ts';
import type { Mix } from '../../analysis/profit-change.ts';
import type { SalesToCome } from '../../analysis/sale-delay.ts';
import { ListedStatuses } from '../../analysis/sale-status.ts';
import type { ComparedPage } from '../../analysis/statistics/basis.ts';
import {
  areDaysWorthReading,
  type Comparison,
  compareConversions,
  comparePages,
} from '../../analysis/statistics/compare-pages.ts';
import { at, type Day, groupBy, sum } from '../../analysis/statistics/history.ts';
import { pagesOffShares } from '../../analysis/statistics/sample-ratio.ts';
import { daysAfterChange } from '../../analysis/statistics/usable-days.ts';
import { type ValuedSales, valueDays, valueSales } from '../../analysis/valued-sales.ts';
import type { Note } from '../../answer/notes.ts';
import { listSome } from '../../answer/words.ts';
import { Failure } from '../../api/failure.ts';
import { joinSome } from '../../api/rules.ts';
import { foldedText } from '../../api/text/names.ts';
import { quoted, rawText } from '../../api/text/tracker-text.ts';
import { readLateSales } from '../account/late-sales.ts';
import { moneyOf } from '../account/money-of-call.ts';
import type { Span } from '../account/read-visits.ts';
import type { SaleLists } from '../account/sale-lists.ts';
import type { Answer, CallContext } from '../define-tool.ts';
import type { compareInput } from '../detail-tools.ts';
import type { FromSchema } from '../json-schema.ts';
import { otherSizes } from '../other-sizes.ts';
import { type Groups, groupsToCompare, isRunning, offSharesNote, type PageKind } from '../page-reports.ts';
import { earlier, hasNoDays, lengthInDays, settleDays, shiftDays, today, zoneNote } from '../period.ts';
import { shortName } from '../present/cells.ts';
import { presentComparison } from '../present/comparison.ts';
import { countPages } from './count-pages.ts';
import { lackingPages } from './lacking-pages.ts';
import { answerPlan } from './plan-test.ts';
import {
  addUpProgress,
  findReversal,
  type PageQuestion,
  readConversions,
  readDays,
  readReport,
  readViewsBefore,
  usualPeriod,
} from './read-pages.ts';
import { readSteadyDays } from './steady-days.ts';
import { answerTriedShares } from './try-shares.ts';

const kinds = { offer: 'offers', landing: 'landing pages' } as const;

/** Sales of a period may come in up to this many days after it. */
const daysOfLateSales = 31;

/** Compares the offers or landing pages of a campaign, and proposes shares. */
export async function run(given: Readonly<FromSchema<typeof compareInput>>, context: CallContext): Promise<Answer> {
  const deadline = performance.now() + context.client.leftMs;
  const { query: asked, ...usual } = settleDays('compare_pages', given, usualPeriod, context);
  const { kind, group } = asked;
  const newProgress = addUpProgress(context.onProgress);
  // Proposed calls name the tracker again.
  const echoed = (query: typeof asked) =>
    context.trackerName === undefined ? query : { tracker: context.trackerName, ...query };
  const question: PageQuestion = { campaign: String(asked.campaign_id), kind, context, deadline, newProgress };
  const now = today(context.timeZone, context.now());
  const latest = { campaigns: [asked.campaign_id], span: { start: now, end: now } };
  const { money: wanted, readLists } = await moneyOf('compare_pages', asked, latest, context);
  const { shares } = asked;
  const isTried = ({ pageId }: PageRow) => shares?.some(({ page_id }) => pageId === String(page_id)) ?? false;
  const choose = (groups: Groups) => {
    if (shares) return groups.find(([, pages]) => pages.some(isTried));
    return group === undefined ? groups[0] : findGroup(group, groups);
  };
  const isPlan = asked.plan !== undefined;
  if (shares && (isPlan || asked.payouts)) {
    throw new Failure('compare_pages was not called: shares are tried alone.', 'Leave out plan and payouts.');
  }
  const steady = hasNoDays(given) && !isPlan ? await readSteadyDays(question, usual, choose) : undefined;
  const { period, ...rest } = asked;
  const query = steady && steady.start !== usual.start ? { ...rest, start_date: steady.start } : asked;
  const { start_date: start, end_date: end } = query;
  const first = start ?? now;
  const last = earlier(end ?? now, now);
  const lastSale = earlier(now, shiftDays(last, daysOfLateSales));
  const span = { start: first, end: last };
  if (shares) {
    const { money } = asked;
    return answerTriedShares({
      question,
      query: echoed(query),
      span,
      shares,
      money,
      notices: zoneNote(query, context),
    });
  }
  const [report, list] = await Promise.all([
    steady ? steady.report : readReport(question, { start, end }),
    // Leaves time for single days.
    readConversions({ ...question, deadline: deadline - context.client.timeoutMs / 3 }, { start, end: lastSale }),
  ]);
  if (!report) {
    throw new Failure(
      `The tracker returned no ${kinds[kind]} for campaign ${question.campaign} in this period.`,
      'Try a longer period.',
    );
  }
  const listed = new ListedStatuses(async () => list && { tables: [list] });
  const money = wanted.state === 'expected' ? wanted : { ...wanted, listed };
  const counted = countPages(report, kind, list, span, money);
  const dayCount = Math.max(lengthInDays(first, last), 1);
  const listSpan = { ...span, asOf: lastSale };
  const assumed = assumedPayouts(asked.payouts, counted.report.rows, kind);
  const valued =
    kind === 'offer'
      ? valueSales(counted.report.rows, counted.sales, listSpan, assumed)
      : asTheyPaid(counted.report.rows, counted.sales);
  const { rows, sales, valuations } = valued;
  if (asked.plan !== undefined) {
    const called = kinds[kind];
    const notices = [...valuationNotes(valued, rows), ...zoneNote(query, context)];
    const planned = { question, query: echoed(query), span, valued, called, lead: asked.plan, notices };
    return answerPlan({ ...planned, group: groupToPlan(rows, kind, group) });
  }
  const { pages, notices } = choosePages(rows, kind, group);
  const settle = (days?: readonly Day[]) => settleSales(sales, rows, listSpan, pages, days);
  const withSales = ({ byPage }: ReturnType<typeof settle>) =>
    pages.map((page): ComparedPage => {
      const { change, payout } = valuations.get(page) ?? {};
      return { ...page, listed: byPage.get(page), payout: change ? undefined : payout };
    });
  const isWorthReading = areDaysWorthReading(withSales(settle()), dayCount);
  const [read, lacking] = await Promise.all([
    isWorthReading ? readDays(question, pages, span) : undefined,
    lackingPages(question, pages, span),
  ]);
  const countedPages = pages.map((page) => at(counted.report.rows, rows.indexOf(page)));
  const settled = settle(read && valueDays(counted.countDays(read, countedPages), pages, valued));
  const { days, lateness } = settled;
  const toCome = settled.toCome && (await expectedAsElsewhere(settled.toCome, readLists, lastSale, context));
  const compared = withSales(settled);
  const daysBefore = isWorthReading ? daysAfterChange(lateness) : 0;
  const viewsBefore = daysBefore > 0 ? await readViewsBefore(question, pages, first, daysBefore) : undefined;
  const circumstances = { days, dayCount, lateness, viewsBefore };
  const judged = comparePages(compared, circumstances);
  const [leader, rival] = [pages[judged.leader], pages[judged.runnerUp]];
  const reversal =
    judged.verdict !== 'too early' && leader && rival
      ? await findReversal(question, span, leader, rival, money, valuations)
      : undefined;
  const comparison = reversal ? withReversal(judged) : judged;
  return presentComparison({
    query: echoed(query),
    since: first,
    pages,
    comparison,
    byConversions: comparison.basis === 'money' ? compareConversions(compared, circumstances) : comparison,
    currency: context.currency,
    toCome,
    valuations,
    areDaysMissing: isWorthReading && dayCount > 1 && days === undefined,
    notices: [
      ...(reversal && leader && rival ? [reversalNote(reversal, leader, rival)] : []),
      ...lacking,
      ...offShares(pages, days, comparison.leftOut.changed.at(-1)),
      ...valuationNotes(valued, pages),
      ...otherSizes(
        { source: 'list_conversions', figures: { revenue: paidWithin(counted.sales, span) } },
        { source: kind, figures: { revenue: sum(counted.report.rows.map(({ revenue }) => revenue)) } },
      ),
      ...counted.notices,
      ...zoneNote(query, context),
      ...notices,
      ...(report.total === undefined ? [] : [{ code: 'total-is-no-page', name: shortName(report.total) } as const]),
      ...(pages.some(({ pageId }) => pageId !== null) ? vagueIdsNote(report, kind) : []),
    ],
  });
}

/**
 * The sales to come as all other answers have them, if late ones are known. Views of pages do not show how traffic changed: shares move
 * them, too.
 */
async function expectedAsElsewhere(
  toCome: SalesToCome,
  readLists: () => Promise<SaleLists>,
  asOf: string,
  context: CallContext,
): Promise<SalesToCome> {
  if (toCome.days === 0 || asOf < today(context.timeZone, context.now())) return toCome;
  const span = { start: shiftDays(asOf, 1 - toCome.days), end: asOf };
  const { late, isMeant } = await readLateSales(span, readLists, context);
  if (!late) return toCome;
  const { seen, count, low, high } = late.expect(span, isMeant);
  return { days: toCome.days, part: count / Math.max(seen + count, 1), count: Math.round(count), range: { low, high } };
}

/** The payouts of the days of the report. */
function paidWithin(sales: readonly ListedSale<PageRow>[], { start, end }: Span): number {
  return sum(sales.map(({ date, value }) => (date === null || (date >= start && date <= end) ? value : 0)));
}

/** No verdict is valid if every part of the traffic contradicts it. */
function withReversal(comparison: Comparison): Comparison {
  return { ...comparison, verdict: 'too early', lacks: [...comparison.lacks, 'one order in all parts'] };
}

/** The page that is ahead overall, and the one that earns more in every part. */
function reversalNote({ dimension, parts: all }: Mix, leader: PageRow, rival: PageRow): Note {
  const [ahead = '', better = ''] = [leader, rival].map(({ name }) => rawText(name));
  const parts = all
    .toSorted((one, other) => other.shareAfter - one.shareAfter)
    .map(({ value, before, after }) => ({ value, ahead: before, better: after }));
  const [most] = all.toSorted((one, other) => other.shareAfter - other.shareBefore - one.shareAfter + one.shareBefore);
  return { code: 'reversal', dimension, ahead, better, parts, most: most?.value ?? null };
}

/** Whether the pages got the traffic that their shares give them: on the days after the last change, if single days are known. */
function offShares(pages: readonly PageRow[], days: readonly Day[] | undefined, changed: string | undefined): Note[] {
  const since = days?.filter(({ date }) => changed === undefined || date > changed);
  const views = pages.map((page, index) =>
    since ? sum(since.map((day) => day.pages[index]?.views ?? 0)) : page.views,
  );
  const off = pagesOffShares(
    views,
    pages.map(({ share }) => share),
  );
  return offSharesNote(pages, off, days !== undefined);
}

const asTheyPaid = (rows: readonly PageRow[], sales: readonly ListedSale<PageRow>[]): ValuedSales => ({
  ...{ rows, sales, valuations: new Map(), unvalued: [] },
});

/** @throws Failure if the pages are landing pages, or an ID is of none of the offers */
function assumedPayouts(
  payouts: readonly { readonly page_id: number; readonly payout: number }[] = [],
  rows: readonly PageRow[],
  kind: PageKind,
): ReadonlyMap<PageRow, number> {
  if (payouts.length > 0 && kind !== 'offer')
    throw new Failure('compare_pages was not called: payouts are those of offers.', 'Compare kind offer.');
  return new Map(
    payouts.map(({ page_id, payout }) => {
      const row = rows.find(({ pageId }) => pageId === String(page_id));
      if (row) return [row, payout] as const;
      const known = rows.map(({ pageId, name }) => `${pageId ?? 'no ID'} ${quoted(name, 60)}`);
      throw new Failure(
        `compare_pages was not called: payouts names page ${page_id}, which is not among the offers.`,
        `The offers are: ${joinSome(known, 20)}.`,
      );
    }),
  );
}

/** What sales are valued at if not at what they paid, and changes of payouts that are not known well enough for that. */
function valuationNotes({ valuations, unvalued }: ValuedSales, pages: readonly PageRow[]): Note[] {
  const valued = pages.flatMap((page): Note[] => {
    const { change, payout, booked } = valuations.get(page) ?? {};
    if (payout === undefined || booked === undefined) return [];
    const of = { page: rawText(page.name), payout, booked };
    if (!change) return [{ code: 'valued-as-asked', ...of, sales: page.conversions }];
    return [{ code: 'valued-at-new-payout', ...of, before: change.before, since: change.since, sales: change.sales }];
  });
  const changed = unvalued.flatMap(({ page, ...change }): Note[] =>
    pages.includes(page) ? [{ code: 'payout-changed', page: rawText(page.name), ...change }] : [],
  );
  return [...valued, ...changed];
}

const vagueIdsNote = ({ vagueIdColumn }: PageReport, kind: PageKind): Note[] =>
  vagueIdColumn === undefined ? [] : [{ code: 'vague-page-ids', column: shortName(vagueIdColumn), kind }];

/** Finds a group by its name in any letter case, or by the number or name of its path or level if only one fits. */
function findGroup(asked: string, groups: Groups): Groups[number] | undefined {
  const wanted = foldedText(asked.trim());
  const whole = groups.filter(([name]) => foldedText(name) === wanted);
  const inPart = groups.filter(([name]) =>
    foldedText(name)
      .split(', ')
      .some((part) => part === wanted || part.replace(/^\S+ /, '') === wanted),
  );
  const fitting = whole.length > 0 ? whole : inPart;
  return fitting.length === 1 ? fitting[0] : undefined;
}

/**
 * The group whose test is planned: the one that is asked for, or with most views of those with several running pages, or of all.
 * @throws Failure if no page is running, or there is no such group
 */
function groupToPlan(rows: readonly PageRow[], kind: PageKind, asked: string | undefined): string {
  const running = [...groupBy(rows.filter(isRunning), (row) => row.group)];
  const chosen = asked === undefined ? (groupsToCompare(rows)[0] ?? running[0]) : findGroup(asked, running);
  if (chosen) return chosen[0];
  throw new Failure(
    `There is no group ${asked === undefined ? '' : `${JSON.stringify(asked)} `}with an active ${kind === 'offer' ? 'offer' : 'landing page'}, so no test can be planned.`,
    `The groups are: ${listSome(running.map(([name]) => name))}.`,
  );
}

/** Max pages that are compared: those with most views. */
const maxPages = 1000;

/**
 * The pages that compete for the same traffic: active, with a share and views, and of one path, level or option group.
 *
 * @throws Failure if fewer than two are left
 */
function choosePages(
  rows: readonly PageRow[],
  kind: PageKind,
  asked: unknown,
): { pages: readonly PageRow[]; notices: readonly Note[] } {
  const comparable = groupsToCompare(rows);
  const chosen = asked === undefined ? comparable[0] : findGroup(String(asked), comparable);
  const names = listSome(comparable.map(([name]) => name));
  if (!chosen) {
    throw asked === undefined || comparable.length === 0
      ? new Failure(
          `There is nothing to compare: fewer than two active ${kinds[kind]} with a share compete for the same traffic.`,
          'get_stats shows the pages with their shares.',
        )
      : new Failure(
          `There is no group ${JSON.stringify(asked)} with two active ${kinds[kind]}.`,
          `The groups are: ${names}.`,
        );
  }
  const [name, group] = chosen;
  const seen = group.filter(({ views }) => views > 0);
  const unseen = group.filter(({ views }) => views === 0);
  if (seen.length < 2) {
    const few = seen.length === 0 ? 'None' : 'Only one';
    throw new Failure(`${few} of the ${kinds[kind]} had a view in this period.`, 'Try a longer one.');
  }
  const busiest = new Set(seen.toSorted((one, other) => other.views - one.views).slice(0, maxPages));
  const idle = rows.filter((row) => !isRunning(row));
  const namesOf = (some: readonly PageRow[]) => some.map((page) => shortName(page.name));
  const notices: Note[] = [
    ...(comparable.length > 1
      ? [{ code: 'one-group-compared', group: name, groups: comparable.map(([one]) => one) } as const]
      : []),
    ...(idle.length > 0 ? [{ code: 'pages-left-out', because: 'idle', pages: namesOf(idle) } as const] : []),
    ...(unseen.length > 0 ? [{ code: 'pages-left-out', because: 'no views', pages: namesOf(unseen) } as const] : []),
    ...(seen.length > maxPages ? [{ code: 'busiest-compared', pages: maxPages, of: seen.length } as const] : []),
  ];
  return { pages: seen.filter((page) => busiest.has(page)), notices };
}

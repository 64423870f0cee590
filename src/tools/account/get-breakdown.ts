import type { Money } from '../../analysis/sale-status.ts';
import { weekdayOf } from '../../analysis/visit-dimensions.ts';
import type { SoFar } from '../../answer/day-notes.ts';
import type { Note, Notice } from '../../answer/notes.ts';
import { dimensionNamed } from '../../api/dimensions.ts';
import { Failure } from '../../api/failure.ts';
import { type breakdownInput, usualPeriod } from '../account-tools.ts';
import { askMany, askQuickly, type Outcome, optional } from '../asking.ts';
import { type Answer, type CallContext, mapAnswer, withNotices } from '../define-tool.ts';
import type { FromSchema } from '../json-schema.ts';
import { queryNamesNote } from '../notices.ts';
import type { CampaignReport, Figures } from '../past-figures.ts';
import { clockTime, isOver, lengthInDays, listDays, settleDays, shiftDays, today, zoneNote } from '../period.ts';
import type { DaysBefore, EarlierDays } from '../present/for-views.ts';
import { presentTables } from '../present/tables.ts';
import { nameForQuery } from '../query-report.ts';
import { withLabels } from '../tokens.ts';
import {
  type Breakdown,
  type BreakdownQuestion,
  breakDownAccount,
  breakDownCampaign,
  breakdownTable,
} from './break-down-visits.ts';
import { endOfMinute } from './day-so-far.ts';
import {
  changeColumns,
  changesInView,
  emptyRatioNote,
  figureColumns,
  heldColumns,
  isUnsettled,
  knowsMore,
  readCampaignReport,
  shownDigits,
} from './figures.ts';
import { countDays } from './held-money.ts';
import { byNetwork, type LateBy, lateSalesNote, readLateSales } from './late-sales.ts';
import { ListedSales } from './listed-sales.ts';
import { moneyOf } from './money-of-call.ts';
import type { Span } from './read-visits.ts';
import type { SaleLists } from './sale-lists.ts';
import { splitByRows } from './visit-conditions.ts';
import { trafficInReports } from './visited-days.ts';
import { TimelessFailure } from './visits-until.ts';

const maxDays = 92;

export async function run(given: Readonly<FromSchema<typeof breakdownInput>>, context: CallContext): Promise<Answer> {
  const { query, ...span } = settleDays('get_breakdown', given, usualPeriod, context);
  const { campaign_id: id, by } = given;
  const { onRows, onVisits: where } = splitByRows(by, given.where ?? []);
  const hasDays = by.some((name) => dimensionNamed(name) === 'day');
  const isByDay = hasDays && by.length === 1 && where.length === 0;
  const hasWeekdays = by.some((name) => dimensionNamed(name) === 'weekday');
  const sales = { campaigns: [id ?? 0], span, since: span.start };
  const { money, readLists } = await moneyOf('get_breakdown', given, sales, context);
  const breakDown = (question: BreakdownQuestion) =>
    id === undefined ? breakDownAccount(question, context) : breakDownCampaign(id, question, context);
  const reading =
    isByDay && id !== undefined
      ? breakDownDays(String(id), span, money, readLists, context)
      : breakDown({ by, where, span, money });
  const isCompared = isOpenDay(span, context) && !hasDays && !hasWeekdays;
  const [breakdown, before, lateSales] = await Promise.all([
    reading,
    isCompared ? breakDownBefore(span.start, (part) => breakDown({ by, where, money, ...part }), context) : undefined,
    readLateSales(span, readLists, context, async () => (await reading).readTraffic?.()),
  ]);
  const { notices, labels, noNames, ahead, isWhole } = breakdown;
  const table = breakdownTable(breakdown, before?.breakdown);
  const late = lateSalesNote(lateSales, span, hasDays, context, lateBy(by));
  const ordered = {
    ...given,
    where: onRows.length > 0 ? onRows : undefined,
    ...(given.sort_by === undefined ? { sort_order: 'asc' as const } : {}),
  };
  const { currency } = context;
  const digits = shownDigits([...figureColumns, ...heldColumns, ...changeColumns]);
  const sums = [...heldColumns.map(({ name }) => name), ...changesInView.sums];
  const { differences } = changesInView;
  const moreColumns = 'Conditions of where can be on any dimension.';
  const shown = { ...ordered, digits, sums, differences, currency, noNames, moreColumns };
  const view = withLabels([table], shown, labels);
  const named = nameForQuery([table], isWhole ? undefined : { lacks: 'visits' }, context);
  const uneven = hasWeekdays ? unevenNote(span) : [];
  const allNotices = [
    ...(before ? [before.note] : []),
    ...zoneNote(query, context),
    ...notices,
    ...uneven,
    ...late.map((note) => ({ ...note, areOfAll: where.length > 0 })),
    ...queryNamesNote(named, view),
  ];
  const tables = presentTables({ kind: 'tables', tables: [table], notices: [] }, query, view, allNotices);
  const isOpen = hasDays && span.end === today(context.timeZone, context.now());
  const forView = {
    ...(isOpen ? { openDay: { day: span.end, isSure: !context.isZoneAssumed } } : {}),
    ...(before?.comparedTo ? { comparedTo: before.comparedTo } : {}),
  };
  const answer = mapAnswer(tables, (result) => ({ ...withNotices(result, { before: ahead }), ...forView }));
  context.recentTables?.keep(named);
  if (id === undefined || !isByDay || !context.isShownInView) return answer;
  const daysBefore = await readDaysBefore(String(id), span, context);
  return { ...answer, render: (counts) => ({ ...answer.render(counts), ...(daysBefore ? { daysBefore } : {}) }) };
}

/** What sales are of, as the rows of a breakdown are. */
function lateBy(by: readonly string[]): LateBy {
  const dimension = by.flatMap((name) => soldOf.find((known) => known === dimensionNamed(name)) ?? [])[0];
  return dimension ? { dimension, readValue: (of) => of[dimension] || undefined } : byNetwork;
}

const soldOf = ['offer', 'network', 'campaign'] as const;

/** Whether a span is the day that is not over. */
const isOpenDay = ({ start, end }: Span, { timeZone, now }: CallContext): boolean =>
  start === end && end === today(timeZone, now());

/** The same breakdown of the day before, up to the same time; without one, the note says why. */
async function breakDownBefore(
  day: string,
  breakDown: (part: { readonly span: Span; readonly until: number }) => Promise<Breakdown>,
  context: CallContext,
): Promise<{ readonly breakdown?: Breakdown; readonly note: Notice; readonly comparedTo?: EarlierDays }> {
  const before = shiftDays(day, -1);
  const note = (until: SoFar['until'], without: readonly string[] = []) =>
    ({ code: 'so-far', day, before, until, without }) as const;
  if (context.isZoneAssumed) return { note: note({ unknown: 'zone' }) };
  const until = clockTime(context.timeZone, context.now());
  const part = { span: { start: before, end: before }, until: endOfMinute(before, until) };
  try {
    const breakdown = await breakDown(part);
    if (!breakdown.isWhole) return { note: note({ unknown: 'list' }) };
    const [row] = breakdown.rows;
    const without = row ? (['conversions', 'revenue'] as const).filter((name) => row.figures[name] === undefined) : [];
    return { breakdown, note: note(until, without), comparedTo: { start_date: before, end_date: before, until } };
  } catch (failure) {
    if (!(failure instanceof Failure) || context.signal?.aborted) throw failure;
    return { note: note({ unknown: failure instanceof TimelessFailure ? 'times' : 'list' }) };
  }
}

/** The sums of weekdays cannot be compared if some come more often than others. */
function unevenNote({ start, end }: Span): Note[] {
  const length = lengthInDays(start, end);
  const [weeks, more] = [Math.floor(length / 7), length % 7];
  if (weeks === 0 || more === 0) return [];
  const frequent = listDays(start, shiftDays(start, more - 1)).flatMap((day) => weekdayOf(day) ?? []);
  return [{ code: 'uneven-weekdays', often: frequent, times: weeks, days: length }];
}

/** The campaign report of each day: every tracker has it, and it is exact. */
async function breakDownDays(
  campaignId: string,
  span: Span,
  money: Money,
  readLists: () => Promise<SaleLists>,
  context: CallContext,
): Promise<Breakdown> {
  const length = lengthInDays(span.start, span.end);
  if (length > maxDays) {
    throw new Failure(
      `get_breakdown was not called: ${length} days are ${length} questions to the tracker.`,
      `Give ${maxDays} days at most, or split the period.`,
    );
  }
  const [days, { tables, isMeant, gap }] = await Promise.all([readDays(campaignId, span, context), readLists()]);
  const sales = new ListedSales([], money);
  for (const table of tables) sales.add(table, isMeant);
  const read = days.flatMap(({ day, outcome }) =>
    outcome.kind === 'answer' ? [{ values: [day] as const, figures: outcome.value }] : [],
  );
  const firstSeen = read.findIndex(({ figures }) => figures.views !== 0);
  const isFirstKnown = firstSeen > 0 && days[0]?.outcome.kind === 'answer';
  const reported = isFirstKnown ? read.slice(firstSeen) : read;
  const failed = days.map(({ outcome }) => outcome).find((outcome) => outcome.kind === 'failure');
  if (reported.length === 0 && failed) throw failed.failure;
  const { rows, notices: held } = countDays(reported, sales, gap === undefined, money);
  const unread = days.filter(({ outcome }) => outcome.kind !== 'answer').map(({ day }) => day);
  return {
    by: ['day'],
    headings: ['Day'],
    rows,
    labels: new Map(),
    noNames: new Map(),
    ahead: [],
    isWhole: unread.length === 0,
    readTraffic: async () => trafficInReports(campaignId, figuresIn(days), context),
    notices: [
      ...(isFirstKnown ? [{ code: 'no-data-before' as const, first: rows[0]?.values[0] ?? '' }] : []),
      { code: 'report-of-each-day' },
      ...held,
      ...emptyRatioNote(rows.map(({ figures }) => figures)),
      ...(unread.length === 0
        ? []
        : [{ code: 'days-unread', days: unread, failure: failed?.failure.message } as const]),
    ],
  };
}

interface Day {
  readonly day: string;
  readonly outcome: Outcome<Figures>;
}

const figuresIn = (days: readonly Day[]): ReadonlyMap<string, Figures> =>
  new Map(days.flatMap(({ day, outcome }) => (outcome.kind === 'answer' ? [[day, outcome.value] as const] : [])));

async function readDays(campaignId: string, { start, end }: Span, context: CallContext): Promise<readonly Day[]> {
  const days = listDays(start, end);
  const ask = (asked: readonly string[], isReread = false) => {
    const read = (day: string, inTime: CallContext) =>
      readCampaignReport(campaignId, { start_date: day, end_date: day }, inTime, { isReread });
    return askMany(asked, read, context, 'days read');
  };
  const outcomes = new Map<string, Outcome<CampaignReport>>();
  for (const [index, outcome] of (await ask(days)).entries()) outcomes.set(days[index] ?? '', outcome);
  const unsettled = days.filter((day) => isUnsettled(outcomes.get(day)));
  if (unsettled.length > 0 && knowsMore(context)) {
    for (const [index, outcome] of (await ask(unsettled, true)).entries())
      outcomes.set(unsettled[index] ?? '', outcome);
  }
  return days.map((day) => {
    const outcome = outcomes.get(day) ?? { kind: 'not-asked' };
    return { day, outcome: outcome.kind === 'answer' ? { kind: 'answer', value: outcome.value.figures } : outcome };
  });
}

/** Max days that a view draws for comparison: each is a request to the tracker. */
const maxDaysBefore = 31;

/** The same number of days before, for the view. They take at most a third of the time, and may be missing. */
async function readDaysBefore(
  campaignId: string,
  { start, end }: Span,
  context: CallContext,
): Promise<DaysBefore | undefined> {
  const apart = lengthInDays(start, end);
  if (apart > maxDaysBefore) return undefined;
  const before = { start: shiftDays(start, -apart), end: shiftDays(end, -apart) };
  const ask = () => askQuickly({ ...context, onProgress: undefined }, (quick) => readDays(campaignId, before, quick));
  const days = await optional(ask, context);
  if (!days) return undefined;
  const figures = days.flatMap(({ day, outcome }) =>
    // A day that is not over is not compared with a whole one.
    outcome.kind === 'answer' && isOver(shiftDays(day, apart), {}, context)
      ? [[day, figureColumns.map(({ cell }) => numberOf(cell(outcome.value)))] as const]
      : [],
  );
  return { apart, columns: figureColumns.map(({ name }) => name), days: Object.fromEntries(figures) };
}

function numberOf(cell: string | null): number | null {
  return cell === null ? null : Number(cell);
}

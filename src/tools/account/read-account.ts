import { currencyName, isOtherCurrency } from '../../analysis/columns/formats.ts';
import type { Money } from '../../analysis/sale-status.ts';
import type { MoneyState } from '../../answer/money-notes.ts';
import type { Note, Notice } from '../../answer/notes.ts';
import { rawText } from '../../api/text/tracker-text.ts';
import { type ListedCampaign, namedCampaign } from '../campaigns.ts';
import type { CallContext } from '../define-tool.ts';
import { enteredCostNote } from '../notices.ts';
import { addFigures, openKeptForMs, pastKeptForMs } from '../past-figures.ts';
import {
  type ComparedTo,
  checkDays,
  type Days,
  hasNoDays,
  isOver,
  lengthInDays,
  type Period,
  settleDays,
  shiftDays,
  spanBefore,
  today,
  zoneNote,
} from '../period.ts';
import type { EarlierDays } from '../present/for-views.ts';
import { readPools } from '../rotation/pool.ts';
import { type CampaignChoice, chooseCampaigns } from './choose-campaigns.ts';
import { type DaySoFar, readDaySoFar } from './day-so-far.ts';
import { countRows } from './held-money.ts';
import { lateSalesNote, readLateSales } from './late-sales.ts';
import { findMarks, isOneOf, ListedSales } from './listed-sales.ts';
import { moneyOf } from './money-of-call.ts';
import {
  addUp,
  type CutName,
  cuts,
  isNetworkMissing,
  lateBy,
  pageNotes,
  type Row,
  rowsOfPages,
} from './overview-rows.ts';
import {
  type CampaignFigures,
  type CampaignQuestion,
  type CampaignResult,
  readAccountLists,
  readCampaigns,
} from './read-campaigns.ts';
import { isWithin, type Span } from './read-visits.ts';
import { darkSince, type TrafficOf } from './visited-days.ts';

export type AccountQuestion = Days &
  CampaignChoice & {
    readonly by: CutName;
    readonly period?: Period | undefined;
    readonly compare_to?: ComparedTo | 'none' | undefined;
    readonly money?: MoneyState | undefined;
    readonly columns?: readonly string[] | undefined;
  };

/** What the days are compared with: by default not for pages, which take longer and are rarely compared. */
function comparedTo({ by, compare_to: compareTo }: AccountQuestion): ComparedTo | undefined {
  const chosen = compareTo ?? (cuts[by].kinds.length > 0 ? 'none' : 'previous');
  return chosen === 'none' ? undefined : chosen;
}

export interface Account<Question extends AccountQuestion> {
  /** The question with its days in the tracker's time zone, and the time of day up to which a day that is not over is compared. */
  readonly query: Question & Days & { readonly until?: string };
  readonly rows: readonly Row[];
  readonly notices: readonly Notice[];
  readonly isWhole: boolean;
  readonly isCompared: boolean;
  /** For its view. */
  readonly comparedTo: EarlierDays | undefined;
}

/**
 * Reads the figures of all chosen campaigns, those with traffic first. If time runs out, the next call continues from there.
 * @throws Failure if the days contradict each other, or nothing can be read
 */
export async function readAccount<Question extends AccountQuestion>(
  given: Question,
  context: CallContext,
): Promise<Account<Question>> {
  const deadline = performance.now() + context.client.leftMs;
  const { query, start, end } = daysOf(given, context);
  const compared = comparedTo(given);
  const before = compared && spanBefore({ start, end }, compared);
  const cut = cuts[given.by];
  const arePages = cut.kinds.length > 0;
  const question: CampaignQuestion = {
    now: { start, end },
    before,
    timezone: given.timezone,
    kinds: cut.kinds,
  };

  const asked = { campaigns: [0], span: question.now, since: (before ?? question.now).start };
  const { money, readLists } = await moneyOf('get_overview', given, asked, context);
  const { campaigns, notices: chosen } = await chooseCampaigns(given, context);
  const sales = new ListedSales(campaigns, money);
  const reading = readCampaigns(campaigns, question, context, deadline);
  let trafficOf: TrafficOf | undefined;
  const readTraffic = async () => {
    trafficOf = await (await reading).lists?.readTraffic();
    return trafficOf;
  };
  const [{ results, lists, notices: skipped }, listed, late] = await Promise.all([
    reading,
    campaigns.length === 0 ? undefined : readLists(),
    campaigns.length === 0 ? undefined : readLateSales(question.now, readLists, context, readTraffic),
  ]);
  for (const table of listed?.tables ?? []) sales.add(table);
  const marksOf = findMarks(sales, question.now, ({ id }) => darkSince(trafficOf?.(rawText(id)), context));
  const read = results.flatMap(({ campaign, outcome }) =>
    outcome.kind === 'answer' ? [{ campaign, figures: outcome.value }] : [],
  );
  const failed = results.find(({ outcome }) => outcome.kind === 'failure')?.outcome;
  if (read.length === 0 && failed?.kind === 'failure') throw failed.failure;
  const isMixed = hasSeveralCurrencies(read);
  const areNetworksMissing = read.some(({ figures }) => isNetworkMissing(figures));
  const isTimeLeft = deadline - performance.now() > context.client.timeoutMs / 2;
  const networks =
    lists ??
    (areNetworksMissing && isTimeLeft ? (await readAccountLists(campaigns, question, context)).lists : undefined);
  const isWhole = read.length === results.length;
  const isEmpty = read.length > 0 && read.every(({ figures }) => figures.now.views === 0);
  const isEmptyBefore = before !== undefined && read.every(({ figures }) => figures.before?.views === 0);
  const soFar =
    before && !isEmptyBefore && (await readSoFar(given, { start, end }, before.start, read, money, context));
  const beforeOf = ({ campaign, figures }: (typeof read)[number]) =>
    soFar ? soFar.figuresOf?.(campaign) : figures.before;
  const { trackerName: tracker, currency } = context;
  const pagesOf = read
    .toSorted((one, other) => (other.figures.now.views ?? 0) - (one.figures.now.views ?? 0))
    .map(({ campaign, figures: { pages } }) => ({ campaign, pages }));
  // Only among all pages of its campaign has a page a part of the traffic.
  const pools = await readPools(given.by === 'page' ? pagesOf : [], context, deadline);
  const rows = read.flatMap((one): Row[] => {
    const { campaign, figures } = one;
    const unit = isMixed ? figures.unit : undefined;
    const row = { tracker, currency: unit === undefined ? currency : currencyName(unit, undefined), campaign };
    const earlier = beforeOf(one);
    const ofCampaign = { now: figures.now, before: earlier, marks: marksOf(campaign, figures.now, earlier) };
    if (!arePages) return [{ ...row, ...ofCampaign }];
    return rowsOfPages(campaign, figures, networks?.networkOf, pools.get(campaign) ?? 'apart').map((page) => ({
      ...row,
      ...page,
    }));
  });
  const countedBefore = soFar ? undefined : before;
  const isListed = listed !== undefined && listed.gap === undefined;
  const held = countRows(rows, { now: question.now, before: countedBefore }, sales, isListed, money);
  const isMeant = isOneOf(read.map(({ campaign }) => campaign));
  const by = lateBy(given.by, campaigns, networks?.networkOf);
  const withCost = read.flatMap(({ campaign, figures }) => ((figures.now.cost ?? 0) > 0 ? [campaign] : []));
  return {
    query: soFar && soFar.until !== undefined ? { ...query, until: soFar.until } : query,
    rows: addUp(held.rows, cut),
    isWhole,
    isCompared: before !== undefined && !isEmptyBefore && (!soFar || soFar.figuresOf !== undefined),
    comparedTo: before && { start_date: before.start, end_date: before.end, until: soFar ? soFar.until : undefined },
    notices: [
      ...chosen,
      ...(isEmpty && isWhole ? noVisitsNotes({ start, end }, sales, isOver(end, given, context)) : []),
      ...(before && isEmptyBefore && isWhole ? [{ code: 'no-visits-to-compare' as const, ...before }] : []),
      ...(soFar ? [soFar.note] : before && !isEmptyBefore ? [beforeNote({ start, end }, before)] : []),
      ...wholeDaysNote(given, end, before !== undefined && !soFar && !isEmptyBefore, context),
      ...zoneNote(query, context),
      ...skipped,
      ...held.notices,
      // Of the last days, next to nothing is paid.
      ...(soFar || isMixed || arePages || money.state === 'paid' ? [] : fallNote(held.rows)),
      ...(late ? lateSalesNote({ ...late, isMeant }, question.now, false, context, by) : []),
      ...(arePages ? pageNotes(rows, areNetworksMissing, pools) : []),
      ...enteredCostNote(withCost, given.columns),
      ...unreadNote(results),
    ],
  };
}

/** That no report has a view: either there were none, or this tracker has other reports than were asked for. */
function noVisitsNotes(days: Span, { all }: ListedSales, isOver: boolean): Note[] {
  const sold = all.filter(({ visited, booked }) => isWithin(visited ?? booked, days)).length;
  if (sold > 0) return [{ code: 'reports-without-visits', sales: sold }];
  return isOver ? [{ code: 'no-visits', ...days }] : [];
}

/** Whether campaigns have money in different currencies: then each row has its own, and nothing is added up. */
function hasSeveralCurrencies(read: readonly { readonly figures: Pick<CampaignFigures, 'unit'> }[]): boolean {
  const [first, ...others] = read.flatMap(({ figures: { unit } }) => unit ?? []);
  return first !== undefined && others.some((unit) => isOtherCurrency(first, unit));
}

const usualDays = 7;

/** Without dates the days are whole: today against whole days would look like a loss. */
function daysOf<Question extends AccountQuestion>(given: Question, context: CallContext) {
  if (!hasNoDays(given)) return settleDays('get_overview', given, 'last_7_days', context);
  checkDays('get_overview', given);
  const timezone = given.timezone ?? (context.isZoneAssumed ? undefined : context.timeZone);
  const end_date = shiftDays(today(given.timezone ?? context.timeZone, context.now()), -1);
  const start_date = shiftDays(end_date, 1 - usualDays);
  return { query: { ...given, start_date, end_date, timezone }, start: start_date, end: end_date };
}

/** A day that is not over is compared with its part up to the same time; undefined if the days are over, or several. */
async function readSoFar(
  given: AccountQuestion,
  { start, end }: Span,
  before: string,
  read: readonly { readonly campaign: ListedCampaign; readonly figures: CampaignFigures }[],
  money: Money,
  context: CallContext,
): Promise<({ readonly note: Notice } & Partial<Pick<DaySoFar, 'figuresOf' | 'until'>>) | undefined> {
  if (start !== end || end !== today(given.timezone ?? context.timeZone, context.now())) return undefined;
  const reports = new Map(read.map(({ campaign, figures }) => [campaign, figures.before ?? {}]));
  const isOtherZone = given.timezone !== undefined && given.timezone !== context.timeZone;
  const soFar = isOtherZone
    ? 'other zone'
    : cuts[given.by].kinds.length > 0
      ? 'pages'
      : await readDaySoFar(before, reports, money, context);
  const days = { code: 'so-far', day: end, before } as const;
  if (typeof soFar === 'string') return { note: { ...days, until: { unknown: soFar }, without: [] } };
  const { until, without, figuresOf } = soFar;
  return { note: { ...days, until, without }, figuresOf, until };
}

/** A fall of profit by this part of what was spent is more than a change. */
const largeFall = 0.1;

/** What to ask next if all profit fell by much. */
function fallNote(rows: readonly Row[]): Note[] {
  const [now, before] = [rows.map((row) => row.now), rows.map((row) => row.before ?? {})].map(addFigures);
  const [profit, earlier, cost] = [now?.profit, before?.profit, before?.cost];
  if (profit === undefined || earlier === undefined || !cost || earlier - profit < largeFall * cost) return [];
  return [{ code: 'large-fall', profit, before: earlier }];
}

function beforeNote(now: Span, before: Span): Note {
  const [days, against] = [before, now].map(({ start, end }) => lengthInDays(start, end));
  return { code: 'before', ...before, days: days ?? 0, against: against ?? 0 };
}

function wholeDaysNote(given: AccountQuestion, end: string, hasBefore: boolean, context: CallContext): Note[] {
  if (hasNoDays(given)) return [{ code: 'whole-days', days: usualDays }];
  if (!hasBefore || isOver(end, given, context)) return [];
  const isSure = end >= today(given.timezone ?? context.timeZone, context.now());
  return [{ code: 'open-day', day: end, isSure }];
}

function unreadNote(results: readonly CampaignResult[]): Note[] {
  const [first, ...others] = results.flatMap(({ campaign, outcome }) =>
    outcome.kind === 'failure' ? [{ ...namedCampaign(campaign), failure: outcome.failure.message }] : [],
  );
  const late = results.filter(({ outcome }) => outcome.kind === 'not-asked').length;
  if (!first && late === 0) return [];
  const failed = first && { ...first, more: others.length };
  const [keptFor, openKeptFor] = [pastKeptForMs / 60_000, openKeptForMs / 60_000];
  return [{ code: 'campaigns-unread', failed, late, of: results.length, keptFor, openKeptFor }];
}

import type { PlacedPage } from '../../analysis/page-rows.ts';
import { rawText } from '../../api/text/tracker-text.ts';
import { askMany, askQuickly, type Outcome } from '../asking.ts';
import { type ListedCampaign, nameCampaigns } from '../campaigns.ts';
import type { CallContext } from '../define-tool.ts';
import { enteredCostNotice } from '../notices.ts';
import { openKeptForMs, pastKeptForMs } from '../past-figures.ts';
import {
  checkDays,
  type Days,
  isOver,
  lengthInDays,
  namesNoDays,
  type Period,
  settleDays,
  shiftDays,
  today,
  zoneNotice,
} from '../period.ts';
import { openDayNotice } from '../present/for-views.ts';
import { type AccountLists, readAccountLists } from './account-lists.ts';
import { lackNetworks, type PagesRead, pageNotices, rowsOfPages } from './account-pages.ts';
import { type CampaignChoice, chooseCampaigns } from './choose-campaigns.ts';
import { addUp, type CutName, cuts, type Row } from './cuts.ts';
import { noFigures, readCampaignReport } from './figures.ts';
import { lateSalesNotices } from './late-sales.ts';
import type { Span } from './read-visits.ts';

export type AccountQuestion = Days &
  CampaignChoice & {
    readonly by: CutName;
    readonly period?: Period | undefined;
    readonly compare_to?: 'previous' | 'none' | undefined;
    readonly columns?: readonly string[] | undefined;
  };

/** Whether the days before are read, too: for pages, which take longer and are seldom set against them, only if it is asked for. */
export function isCompared({ by, compare_to: compareTo }: AccountQuestion): boolean {
  return (compareTo ?? (cuts[by].kinds.length > 0 ? 'none' : 'previous')) === 'previous';
}

export interface Account<Question extends AccountQuestion> {
  /** The question with the days that it came to in the zone of the tracker. */
  readonly query: Question & Days;
  readonly rows: readonly Row[];
  readonly notices: readonly string[];
}

/**
 * Reads what every campaign did, those with traffic first. A next call goes on where the time of this one ended.
 * @throws Failure if the days contradict each other, or nothing can be read
 */
export async function readAccount<Question extends AccountQuestion>(
  given: Question,
  context: CallContext,
): Promise<Account<Question>> {
  const deadline = performance.now() + context.client.timeoutMs;
  const { query, start, end } = daysOf(given, context);
  const length = lengthInDays(start, end);
  const before = { start: shiftDays(start, -length), end: shiftDays(start, -1) };
  const hasBefore = isCompared(given);
  const cut = cuts[given.by];
  const asked: Asked = {
    now: { start, end },
    before: hasBefore ? before : undefined,
    timezone: given.timezone,
    kinds: cut.kinds,
  };

  const { campaigns, notices: chosen } = await chooseCampaigns(given, context);
  const [{ results, lists, notices: skipped }, late] = await Promise.all([
    readCampaigns(campaigns, asked, context, deadline),
    campaigns.length === 0 ? [] : lateSalesNotices(0, asked.now, false, context),
  ]);
  const read = results.flatMap(({ campaign, outcome }) =>
    outcome.kind === 'answer' ? [{ campaign, did: outcome.value }] : [],
  );
  const failed = results.find(({ outcome }) => outcome.kind === 'failure')?.outcome;
  if (read.length === 0 && failed?.kind === 'failure') throw failed.failure;
  const areNetworksMissing = read.some(({ did }) => lackNetworks(did));
  const isTimeLeft = deadline - performance.now() > context.client.timeoutMs / 2;
  const known = lists ?? (areNetworksMissing && isTimeLeft ? await readListsOf(campaigns, asked, context) : undefined);
  const { trackerName: tracker, currency } = context;
  const rows = read.flatMap(({ campaign, did }): Row[] => {
    const row = { tracker, currency, campaign };
    if (cut.kinds.length === 0) return [{ ...row, now: did.now, before: did.before }];
    return rowsOfPages(campaign, did, known?.networkOf).map((page) => ({ ...row, ...page }));
  });
  return {
    query,
    rows: addUp(rows, cut),
    notices: [
      ...chosen,
      ...(hasBefore ? [`Before: ${before.start} to ${before.end}.`] : []),
      ...wholeDaysNotice(given, end, hasBefore, context),
      ...zoneNotice(query, context),
      ...skipped,
      ...late,
      ...(cut.kinds.length > 0 ? pageNotices(rows, areNetworksMissing) : []),
      ...enteredCostNotice(
        read.flatMap(({ campaign, did }) => ((did.now.cost ?? 0) > 0 ? [campaign] : [])),
        given.columns,
      ),
      ...unreadNotice(results),
    ],
  };
}

const usualDays = 7;

/** Without dates the days are whole: a day that is not over, set against whole ones, looks like a loss. */
function daysOf<Question extends AccountQuestion>(given: Question, context: CallContext) {
  if (!namesNoDays(given)) return settleDays('get_overview', given, 'last_7_days', context);
  checkDays('get_overview', given);
  const timezone = given.timezone ?? (context.isZoneAssumed ? undefined : context.timeZone);
  const end_date = shiftDays(today(given.timezone ?? context.timeZone, context.now()), -1);
  const start_date = shiftDays(end_date, 1 - usualDays);
  return { query: { ...given, start_date, end_date, timezone }, start: start_date, end: end_date };
}

function wholeDaysNotice(given: AccountQuestion, end: string, hasBefore: boolean, context: CallContext): string[] {
  if (namesNoDays(given)) return [`The last ${usualDays} whole days: today is not in them (period today).`];
  if (!hasBefore || isOver(end, given, context)) return [];
  return [openDayNotice(end, end >= today(given.timezone ?? context.timeZone, context.now()))];
}

/** What is asked of each campaign. */
interface Asked {
  readonly now: Span;
  readonly before: Span | undefined;
  readonly timezone: string | undefined;
  readonly kinds: readonly PlacedPage['kind'][];
}

/** What a campaign did, and its pages, if they were asked for. */
interface Did extends PagesRead, Pick<Row, 'now' | 'before'> {}

interface Result {
  readonly campaign: ListedCampaign;
  readonly outcome: Outcome<Did>;
}

interface AllRead {
  readonly results: readonly Result[];
  readonly lists: AccountLists | undefined;
  readonly notices: readonly string[];
}

/** With no more campaigns than these, lists of the whole account cost more than they spare. */
const maxUnsorted = 40;

/** As many that the lists do not have are asked all the same, to see that the lists are right. */
const spotChecks = 3;

async function readCampaigns(
  campaigns: readonly ListedCampaign[],
  asked: Asked,
  context: CallContext,
  deadline: number,
): Promise<AllRead> {
  const isLarge = campaigns.length > maxUnsorted;
  const lists = isLarge ? await readListsOf(campaigns, asked, context) : undefined;
  const visitsOf = (campaign: ListedCampaign) => lists?.visits.get(campaign) ?? -1;
  const read = new Map<ListedCampaign, Outcome<Did>>();
  const ask = async (some: readonly ListedCampaign[]) => {
    const outcomes = await askMany(
      some,
      (campaign, inTime) => readNowAndBefore(rawText(campaign.id), asked, inTime, isLarge),
      context,
      'campaigns read',
      deadline,
    );
    for (const [index, campaign] of some.entries()) read.set(campaign, outcomes[index] ?? { kind: 'not-asked' });
  };
  // Those with traffic first, then those that are active.
  const sorted = [...campaigns].sort(
    (one, other) => visitsOf(other) - visitsOf(one) || Number(one.active === false) - Number(other.active === false),
  );
  const seen = lists?.isWhole ? sorted.filter((campaign) => visitsOf(campaign) >= 0).length : sorted.length;
  await ask(sorted.slice(0, seen + spotChecks));
  const rest = sorted.slice(seen + spotChecks);
  const isRight =
    sorted.slice(seen, seen + spotChecks).every((campaign) => viewsOf(read.get(campaign)) === 0) &&
    [...read.values()].reduce((sum, outcome) => sum + viewsOf(outcome), 0) <= (lists?.rows ?? 0);
  if (!isRight) await ask(rest);
  const quiet = isRight ? rest.length : 0;
  const nothing: Did = {
    now: noFigures,
    before: asked.before && noFigures,
    pages: [],
    pagesBefore: asked.before && [],
  };
  const results = campaigns.map((campaign) => {
    const unread: Outcome<Did> = quiet > 0 ? { kind: 'answer', value: nothing } : { kind: 'not-asked' };
    return { campaign, outcome: read.get(campaign) ?? unread };
  });
  if (results.every(({ outcome }) => outcome.kind !== 'not-asked')) context.pastFigures?.dropOpen();
  const soThat = asked.kinds.length === 0 ? 'they are 0, and' : 'their pages are in no row, and they';
  const notices = [
    ...(quiet > 0
      ? [`${quiet} campaigns are in no list of visitors or conversions of these days: ${soThat} were not asked about.`]
      : []),
    ...(isLarge && !lists
      ? ['The lists of all visitors and conversions name no campaigns here, so each has to be asked about.']
      : []),
  ];
  return { results, lists, notices };
}

/** Of many campaigns one that hangs must not hold the others up: a report may take this part of the call's time. */
const maxPartOfOne = 1 / 2;

async function readNowAndBefore(
  id: string,
  { now, before, timezone, kinds }: Asked,
  context: CallContext,
  isOneOfMany: boolean,
): Promise<Did> {
  const read = ({ start, end }: Span) => {
    const days = { start_date: start, end_date: end, timezone };
    const ask = (limited: CallContext) => readCampaignReport(id, days, limited, { goesOn: true, kinds });
    return isOneOfMany ? askQuickly(context, ask, maxPartOfOne) : ask(context);
  };
  const first = await read(now);
  const second = before && (await read(before));
  return { now: first.figures, before: second?.figures, pages: first.pages, pagesBefore: second?.pages };
}

/** The views of a campaign; 0 if it could not be read, of which nothing can be said, and NaN if its report has none. */
function viewsOf(outcome: Outcome<Did> | undefined): number {
  if (outcome?.kind !== 'answer') return 0;
  const { now, before } = outcome.value;
  return (now.views ?? Number.NaN) + (before ? (before.views ?? Number.NaN) : 0);
}

function readListsOf(
  campaigns: readonly ListedCampaign[],
  { now, before, timezone, kinds }: Asked,
  context: CallContext,
) {
  // The lists are cut in the tracker's own zone, whatever zone the reports are asked in.
  const margin = timezone === undefined ? 0 : 1;
  const span = { start: shiftDays((before ?? now).start, -margin), end: shiftDays(now.end, margin) };
  return readAccountLists(campaigns, span, kinds.includes('offer') ? 'all' : 'default', context);
}

/** What is missing must be known, or the totals mislead: in a line, since of hundreds a list of names helps no one. */
function unreadNotice(results: readonly Result[]): string[] {
  const failed = results.flatMap(({ campaign, outcome }) =>
    outcome.kind === 'failure' ? [{ campaign, failure: outcome.failure }] : [],
  );
  const late = results.filter(({ outcome }) => outcome.kind === 'not-asked').length;
  const [first, ...others] = failed;
  const reasons = [
    ...(first
      ? [
          `Not read, and in no total: ${nameCampaigns([first.campaign])} (${first.failure.message})` +
            `${others.length > 0 ? `, and ${others.length} more that failed` : ''}.`,
        ]
      : []),
    ...(late > 0
      ? [
          `There was no time to read ${late} of ${results.length} campaigns, which are in no row and no total. ` +
            `Call again: it goes on with these. What was read serves for ${pastKeptForMs / 60_000} minutes, for days that are not over ${openKeptForMs / 60_000}. ` +
            'Or choose campaigns with where, status or campaign_ids, or raise TRACKER_TIMEOUT_MS.',
        ]
      : []),
  ];
  return reasons.length === 0 ? [] : [reasons.join(' ')];
}

import { Failure } from '../../api/failure.ts';
import { joinWords } from '../../api/rules.ts';
import { Table } from '../../api/table.ts';
import { fromTracker, rawCell, rawText } from '../../api/text/tracker-text.ts';
import { askMany, askQuickly, type Outcome, optional } from '../asking.ts';
import { type ListedCampaign, listCampaigns, nameCampaigns } from '../campaigns.ts';
import type { CallContext } from '../define-tool.ts';
import { type Figures, openKeptForMs, pastKeptForMs } from '../past-figures.ts';
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
import { indexOfColumn as indexOfName } from '../present/view.ts';
import { type Condition, rowsThatMatch } from '../present/where.ts';
import { campaignFinder } from './campaign-of-row.ts';
import { addFigures, type Column, noFigures, readCampaignFigures } from './figures.ts';
import { readVisitsInSlices, type Span } from './read-visits.ts';

export type AccountQuestion = Days & {
  readonly by: 'campaign' | 'traffic_source';
  readonly period?: Period | undefined;
  readonly compare_to: 'previous' | 'none';
  readonly status: 'all' | 'active' | 'inactive';
  readonly campaign_ids?: readonly number[] | undefined;
  readonly where?: readonly Condition[] | undefined;
};

export interface Row {
  readonly tracker?: string | undefined;
  readonly currency?: string | undefined;
  readonly campaign: Pick<ListedCampaign, 'id' | 'name' | 'source' | 'active'>;
  readonly now: Figures;
  readonly before: Figures | undefined;
}

export const campaignColumns: readonly Column<Pick<Row, 'campaign'>>[] = [
  { name: 'ID', cell: ({ campaign }) => rawText(campaign.id) },
  { name: 'Name', cell: ({ campaign }) => rawText(campaign.name) },
  { name: 'Traffic source', cell: ({ campaign }) => rawCell(campaign.source) },
  { name: 'Active', cell: ({ campaign }) => (campaign.active === undefined ? null : campaign.active ? 'yes' : 'no') },
];

const campaignColumnNames = campaignColumns.map(({ name }) => name);

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
  const isCompared = given.compare_to === 'previous';
  const spans: Spans = { now: { start, end }, before: isCompared ? before : undefined, timezone: given.timezone };

  const { campaigns, notices: chosen } = await chooseCampaigns(given, context);
  const { results, notices: skipped } = await readCampaigns(campaigns, spans, context, deadline);
  const { trackerName: tracker, currency } = context;
  const read = results.flatMap(({ campaign, outcome }): Row[] =>
    outcome.kind === 'answer' ? [{ tracker, currency, campaign, ...outcome.value }] : [],
  );
  const failed = results.find(({ outcome }) => outcome.kind === 'failure')?.outcome;
  if (read.length === 0 && failed?.kind === 'failure') throw failed.failure;
  return {
    query,
    rows: given.by === 'campaign' ? read : bySource(read),
    notices: [
      ...chosen,
      ...(isCompared ? [`Before: ${before.start} to ${before.end}.`] : []),
      ...wholeDaysNotice(given, end, isCompared, context),
      ...zoneNotice(query, context),
      ...skipped,
      ...unreadNotices(results),
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

function wholeDaysNotice(given: AccountQuestion, end: string, isCompared: boolean, context: CallContext): string[] {
  if (namesNoDays(given)) return [`The last ${usualDays} whole days: today is not in them (period today).`];
  if (!isCompared || isOver(end, given, context)) return [];
  return [openDayNotice(end)];
}

interface Spans {
  readonly now: Span;
  readonly before: Span | undefined;
  readonly timezone: string | undefined;
}

type NowAndBefore = Pick<Row, 'now' | 'before'>;

interface Result {
  readonly campaign: ListedCampaign;
  readonly outcome: Outcome<NowAndBefore>;
}

/** With no more campaigns than these, lists of the whole account cost more than they spare. */
const maxUnsorted = 40;

/** As many that the lists do not have are asked all the same, to see that the lists are right. */
const spotChecks = 3;

async function readCampaigns(
  campaigns: readonly ListedCampaign[],
  spans: Spans,
  context: CallContext,
  deadline: number,
): Promise<{ readonly results: readonly Result[]; readonly notices: readonly string[] }> {
  const read = new Map<ListedCampaign, Outcome<NowAndBefore>>();
  const ask = async (some: readonly ListedCampaign[]) => {
    const outcomes = await askMany(
      some,
      (campaign, inTime) => readNowAndBefore(rawText(campaign.id), spans, inTime),
      context,
      'campaigns read',
      deadline,
    );
    for (const [index, campaign] of some.entries()) read.set(campaign, outcomes[index] ?? { kind: 'not-asked' });
  };
  const traffic = campaigns.length > maxUnsorted ? await readTraffic(campaigns, spans, context) : undefined;
  const visitsOf = (campaign: ListedCampaign) => traffic?.visits.get(campaign) ?? -1;
  // Those with traffic first, then those that are active.
  const sorted = [...campaigns].sort(
    (one, other) => visitsOf(other) - visitsOf(one) || Number(one.active === false) - Number(other.active === false),
  );
  const seen = traffic?.isWhole ? sorted.filter((campaign) => visitsOf(campaign) >= 0).length : sorted.length;
  await ask(sorted.slice(0, seen + spotChecks));
  const rest = sorted.slice(seen + spotChecks);
  const isRight =
    sorted.slice(seen, seen + spotChecks).every((campaign) => viewsOf(read.get(campaign)) === 0) &&
    [...read.values()].reduce((sum, outcome) => sum + viewsOf(outcome), 0) <= (traffic?.rows ?? 0);
  if (!isRight) await ask(rest);
  const quiet = isRight ? rest.length : 0;
  const results = campaigns.map((campaign) => {
    const unread: Outcome<NowAndBefore> =
      quiet > 0
        ? { kind: 'answer', value: { now: noFigures, before: spans.before && noFigures } }
        : { kind: 'not-asked' };
    return { campaign, outcome: read.get(campaign) ?? unread };
  });
  if (results.every(({ outcome }) => outcome.kind !== 'not-asked')) context.pastFigures?.dropOpen();
  const notice = `${quiet} campaigns are in no list of visitors or conversions of these days: they are 0, and were not asked about.`;
  return { results, notices: quiet > 0 ? [notice] : [] };
}

async function readNowAndBefore(
  id: string,
  { now, before, timezone }: Spans,
  context: CallContext,
): Promise<NowAndBefore> {
  const read = ({ start, end }: Span) =>
    readCampaignFigures(id, { start_date: start, end_date: end, timezone }, context, true);
  return { now: await read(now), before: before && (await read(before)) };
}

/** The views of a campaign; if they could not be read, nothing can be said of it. */
function viewsOf(outcome: Outcome<NowAndBefore> | undefined): number {
  if (outcome?.kind !== 'answer') return 0;
  return (outcome.value.now.views ?? 0) + (outcome.value.before?.views ?? 0);
}

interface Traffic {
  readonly visits: ReadonlyMap<ListedCampaign, number>;
  readonly rows: number;
  /** Whether a campaign that is in none had nothing. */
  readonly isWhole: boolean;
}

/** A list that is not whole by then says who has traffic, and no more. */
const accountList = { columnSet: 'default', maxRecords: 50_000, maxSlices: 12 } as const;

async function readTraffic(
  campaigns: readonly ListedCampaign[],
  { now, before, timezone }: Spans,
  context: CallContext,
): Promise<Traffic | undefined> {
  // The lists are cut in the tracker's own zone, whatever zone the reports are asked in.
  const margin = timezone === undefined ? 0 : 1;
  const span = { start: shiftDays((before ?? now).start, -margin), end: shiftDays(now.end, margin) };
  const find = campaignFinder(campaigns);
  const visits = new Map<ListedCampaign, number>();
  let rows = 0;
  let isWhole = true;
  const count = (table: Table, weight: number) => {
    const found = find(table);
    for (let row = 0; row < table.rowCount; row += 1) {
      const campaign = found(row);
      if (campaign) visits.set(campaign, (visits.get(campaign) ?? 0) + weight);
      else isWhole = false;
    }
  };
  const addVisits = (table: Table) => {
    rows += table.rowCount;
    count(table, 1);
  };
  const readLists = async (quick: CallContext) => {
    const sold = { campaign_id: 0, start_date: span.start, end_date: span.end };
    const [read, sales] = await Promise.all([
      readVisitsInSlices('0', span, undefined, quick, addVisits, accountList),
      quick.client.read('list_conversions', sold, { signal: quick.signal }),
    ]);
    for (const table of sales.reply.tables) count(table, 0);
    return read.cutDays.length === 0 && read.unreadDays.length === 0;
  };
  const isRead = (await optional(() => askQuickly({ ...context, onProgress: undefined }, readLists), context)) ?? false;
  // A tracker that takes "all" for one campaign lists that one alone.
  return visits.size === 0 ? undefined : { visits, rows, isWhole: isRead && isWhole && visits.size > 1 };
}

const maxNamed = 5;

function bySource(rows: readonly Row[]): Row[] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const source = rawCell(row.campaign.source) ?? '(none named)';
    groups.set(source, [...(groups.get(source) ?? []), row]);
  }
  return [...groups].map(([source, group]) => ({
    tracker: group[0]?.tracker,
    currency: group[0]?.currency,
    campaign: { id: fromTracker(''), name: fromTracker(''), source: fromTracker(source), active: undefined },
    now: addFigures(group.map(({ now }) => now)),
    before: group.some(({ before }) => before) ? addFigures(group.map(({ before }) => before ?? {})) : undefined,
  }));
}

/** The conditions on what the list of campaigns says, and those on what they did. */
export function splitConditions(where: readonly Condition[]) {
  const isListed = ({ column }: Condition) => indexOfName(campaignColumnNames, column) !== undefined;
  return { ofCampaigns: where.filter(isListed), ofFigures: where.filter((condition) => !isListed(condition)) };
}

async function chooseCampaigns(
  { status, campaign_ids: ids, where = [] }: AccountQuestion,
  { client, signal }: CallContext,
): Promise<{ readonly campaigns: readonly ListedCampaign[]; readonly notices: readonly string[] }> {
  const listed = await listCampaigns(client, signal, status);
  if (listed.length === 0)
    return {
      campaigns: [],
      notices: [`The tracker lists no campaigns${status === 'all' ? '' : ` that are ${status}`}.`],
    };
  const campaigns = ids ? byIds(listed, ids, status) : listed;
  const { ofCampaigns } = splitConditions(where);
  if (ofCampaigns.length === 0) return { campaigns, notices: [] };
  const cells = campaigns.map((campaign) => campaignColumns.map(({ cell }) => cell({ campaign })));
  const rows = rowsThatMatch(
    Table.fromRows('campaigns', campaignColumnNames, cells),
    ofCampaigns.map((condition) => ({ ...condition, index: indexOfName(campaignColumnNames, condition.column) ?? -1 })),
  );
  return {
    campaigns: [...rows].flatMap((row) => campaigns[row] ?? []),
    notices: [`${rows.length} of ${campaigns.length} campaigns match; only these were read, and totals are over them.`],
  };
}

function byIds(listed: readonly ListedCampaign[], ids: readonly number[], status: AccountQuestion['status']) {
  const byId = new Map(listed.map((campaign) => [rawText(campaign.id), campaign]));
  const unknown = ids.filter((id) => !byId.has(String(id)));
  if (unknown.length > 0) {
    throw new Failure(
      `There is no campaign ${joinWords(unknown.map(String), 'or')}${status === 'all' ? '' : ` that is ${status}`}.`,
      `The campaigns are: ${nameCampaigns(listed)}.`,
    );
  }
  return ids.flatMap((id) => byId.get(String(id)) ?? []);
}

/** What is missing must be known, or the totals mislead. */
function unreadNotices(results: readonly Result[]): string[] {
  const failed = results.flatMap(({ campaign, outcome }) =>
    outcome.kind === 'failure' ? [`${nameCampaigns([campaign])} (${outcome.failure.message})`] : [],
  );
  const late = results.filter(({ outcome }) => outcome.kind === 'not-asked').length;
  return [
    ...(failed.length > 0
      ? [
          `Not read, and in no total: ${failed.slice(0, maxNamed).join('; ')}${failed.length > maxNamed ? `; and ${failed.length - maxNamed} more` : ''}.`,
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
}

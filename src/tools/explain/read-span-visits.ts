import type { SpanDays, SpanVisit, SpanVisits } from '../../analysis/profit-change.ts';
import { dimensions, missingFigures, type Reader, readerOf, visitsIn } from '../../analysis/visit-groups.ts';
import { Failure } from '../../api/failure.ts';
import { yieldIfBusy } from '../../api/running-call.ts';
import type { Table } from '../../api/table.ts';
import { fromOutside, mention, rawText } from '../../api/text/tracker-text.ts';
import { extraSlots } from '../../api/token-slots.ts';
import { type AccountVisits, readAccountVisits } from '../account/account-visits.ts';
import {
  answersInWords,
  describeReasons,
  missingIn,
  readVisitsInSlices,
  rowsOf,
  type Span,
  type VisitsRead,
  wholeListOptions,
} from '../account/read-visits.ts';
import { cutsOf } from '../account/visit-cuts.ts';
import { optional } from '../asking.ts';
import { duplicateNames, type ListedCampaign, listCampaigns, nameCampaigns, type Visited } from '../campaigns.ts';
import type { CallContext } from '../define-tool.ts';
import { missingFigureNotices } from '../missing-figures.ts';
import { dayInWords, lengthInDays, listDays, shiftDays } from '../period.ts';
import { labelsByCampaign, type TokenLabels, tokenLabels, tokenNames } from '../tokens.ts';

/** The two spans of days that are compared, of the same length. */
export interface Spans {
  readonly before: Span;
  readonly after: Span;
  /** If the later span ends today: the current hour in the tracker's zone. Both last days are compared up to it. */
  readonly untilHour: number | undefined;
}

/** Two spans as `Tue 17 Nov` or `Tue 17 Nov to Mon 23 Nov`, with years if they are in different ones. */
export function spansInWords({ before, after }: Spans): readonly [before: string, after: string] {
  const yearOf = (day: string) => day.slice(0, 4);
  const isOneYear = yearOf(before.start) === yearOf(after.end) && yearOf(before.end) === yearOf(after.start);
  const write = (day: string) => dayInWords(day) + (isOneYear ? '' : ` ${yearOf(day)}`);
  const inWords = ({ start, end }: Span) => (start === end ? write(start) : `${write(start)} to ${write(end)}`);
  return [inWords(before), inWords(after)];
}

export interface SpanVisitsRead {
  readonly visits: SpanVisits;
  /** Whether the lists have the cost of visits. */
  readonly hasCost: boolean;
  readonly days: SpanDays;
  /** Whether all visits of these days were read. */
  readonly isWhole: boolean;
  /** What the figures are based on, one sentence each. */
  readonly basis: readonly string[];
}

/** Visitor lists, and how to read them. */
interface Lists {
  readonly tables: readonly Table[];
  readonly dimensions: readonly { readonly name: string; readonly readerOf: Reader }[];
  /** The campaign whose list a row is from; undefined if all rows are from one list. */
  readonly campaignOf: (table: Table) => (row: number) => ListedCampaign | undefined;
  /** The days whose visits were not all read. */
  readonly missingDays: (campaign: ListedCampaign | undefined) => readonly string[];
  /** Whether visits of any campaign may be missing. */
  readonly hasGaps: boolean;
  readonly basis: readonly string[];
}

/** All but the dimensions that the spans themselves determine. */
const usualDimensions = dimensions.filter((name) => name !== 'day' && name !== 'weekday');

/**
 * Reads the visits of two spans from the visitor list, with all dimensions that it has.
 * @param campaignId 0 is all
 * @throws Failure if the tracker cannot be asked or refuses, there were no visits, or no revenue can be read
 */
export async function readSpanVisits(campaignId: number, spans: Spans, context: CallContext): Promise<SpanVisitsRead> {
  const { before, after, untilHour } = spans;
  const toRead = spansToRead(spans);
  const lists = campaignId === 0 ? await readAccount(toRead, context) : await readCampaign(campaignId, toRead, context);
  const { tables } = lists;
  const listed = lists.dimensions.filter(({ readerOf }) => tables.some((table) => readerOf(table)));
  const visits = await visitsOf(lists, listed, spans);
  const count = rowsOf(tables);
  if (visits.length === 0) {
    const isTimeless = count > 0 && !tables.some(hasTimes);
    const [then, now] = spansInWords(spans);
    if (lists.hasGaps) {
      throw new Failure(
        `No visit of ${then} or ${now} was read, but not all visits could be read, so no change can be explained. ${lists.basis.join(' ')}`,
        'Call again, or ask for fewer days or for one campaign.',
      );
    }
    throw new Failure(
      `Neither ${then} nor ${now} has visits${isTimeless ? ` that can be read: none of ${count} rows has a time` : ''}, so there is no change to explain.`,
      isTimeless ? 'Look at list_visitors.' : 'Try other days.',
    );
  }
  const missing = missingFigures(tables);
  if (missing.includes('revenue')) {
    throw new Failure(
      'The visitor list of this tracker has no revenue that can be read, so a change of profit cannot be explained.',
      'get_overview with these days has the figures of the reports.',
    );
  }
  const { rows, days, notices } = comparableVisits(visits, lists.missingDays, spans);
  return {
    visits: { dimensions: listed.map(({ name }) => name), rows },
    hasCost: !missing.includes('cost'),
    days,
    isWhole: notices.length === 0,
    basis: [
      ...lists.basis,
      'A sale counts on the day of its visit.',
      ...(visits.length < count ? [`Of these, ${visits.length} are in the two spans.`] : []),
      ...notices,
      ...missingFigureNotices(tables, 'explain'),
      ...(untilHour === undefined
        ? []
        : [`${after.end} is not over: on this day and ${before.end} the hours before ${untilHour}:00 are compared.`]),
    ],
  };
}

async function readCampaign(campaignId: number, spans: readonly Span[], context: CallContext): Promise<Lists> {
  const labels = await tokenLabels(campaignId, context);
  const tables: Table[] = [];
  const reads: VisitsRead[] = [];
  const take = (table: Table) => tables.push(table);
  for (const span of spans) {
    const options = { ...wholeListOptions, proves: true };
    reads.push(await readVisitsInSlices(String(campaignId), span, undefined, context, take, options));
  }
  const nameOf = (dimension: string) => {
    const label = labels.get(dimension);
    return label === undefined ? dimension : mention(fromOutside(label));
  };
  const names = [...usualDimensions, 'path', ...extraSlots];
  const requests = reads.reduce((sum, read) => sum + read.requests, 0);
  const gaps = reads.flatMap((read) => describeReasons(read) || []).map((reasons) => ` It is not whole: ${reasons}.`);
  return {
    tables,
    dimensions: names.map((name) => ({ name: nameOf(name), readerOf: readerOf(name) })),
    campaignOf: () => () => undefined,
    missingDays: () => reads.flatMap(missingIn),
    hasGaps: reads.some((read) => missingIn(read).length > 0),
    basis: [
      `Counted from ${rowsOf(tables)} visits of the visitor list, in ${answersInWords(requests)}.${gaps.join('')}`,
    ],
  };
}

/** Tokens with more names than these would take long and explain little. */
const maxTokens = 20;

async function readAccount(spans: readonly Span[], context: CallContext): Promise<Lists> {
  const deadline = performance.now() + context.client.leftMs;
  const listing = listCampaigns(context.client, context.signal);
  const labelled = optional(async () => labelsByCampaign(await listing, context), context);
  const reads: AccountVisits[] = [];
  for (const span of spans) {
    const question = { span, listing, needsCampaigns: true, needsSales: false, deadline };
    reads.push(await readAccountVisits(question, context));
  }
  const lists = reads.flatMap((read) => read.lists);
  const labels = (await labelled) ?? new Map<ListedCampaign, TokenLabels>();
  const campaignByTable = new Map(lists.map((list) => [list.table, list.campaignOf]));
  const visitedIn = (table: Table): ((row: number) => Visited) => campaignByTable.get(table) ?? (() => unknownCampaign);
  const nameOf = campaignNames(reads[0]?.campaigns ?? []);
  const tokens = tokenNames(labels.values());
  // The same path number means different pages in different campaigns.
  const others = usualDimensions.filter((name) => name !== 'campaign' && name !== 'path');
  const otherDimensions = [...others, ...tokens.slice(0, maxTokens)].map((name) => {
    // A token has a different slot in each campaign, and a traffic source may come from the campaign list.
    const [cut] = cutsOf({ asked: [name], labels, sales: undefined }, visitedIn);
    const readerOf: Reader = (table) => {
      const read = cut?.readerOf(table);
      return read && ((row) => read(row) ?? null);
    };
    return { name: tokens.includes(name) ? mention(fromOutside(name)) : name, readerOf };
  });
  const campaignReader: Reader = (table) => {
    const visited = visitedIn(table);
    return (row) => nameOf(visited(row));
  };
  return {
    tables: lists.map(({ table }) => table),
    dimensions: [{ name: 'campaign', readerOf: campaignReader }, ...otherDimensions],
    campaignOf: (table) => {
      const visited = visitedIn(table);
      return (row) => visited(row).listed;
    },
    missingDays: (campaign) => (campaign ? reads.flatMap((read) => read.missingDays(campaign)) : []),
    hasGaps: reads.some(({ campaigns, missingDays }) => campaigns.some((campaign) => missingDays(campaign).length > 0)),
    basis: [
      ...new Set(reads.flatMap(({ notices }) => notices)),
      ...(tokens.length > maxTokens
        ? [`Of ${tokens.length} tokens, the ${maxTokens} that most campaigns have are included.`]
        : []),
    ],
  };
}

const unknownCampaign: Visited = { id: null, name: null, listed: undefined };

/** The name of a campaign, with its ID if several have that name. */
function campaignNames(campaigns: readonly ListedCampaign[]): (campaign: Visited) => string | null {
  const sharedNames = duplicateNames(campaigns);
  return ({ id, name, listed }) => {
    if (!listed) return name ?? id;
    return sharedNames.has(rawText(listed.name)) ? `${name} (ID ${id})` : name;
  };
}

function hasTimes(table: Table): boolean {
  const day = readerOf('day')(table);
  return (
    day !== undefined && Array.from({ length: table.rowCount }, (_, row) => day(row)).some((text) => text !== null)
  );
}

/** Spans that are close together are read as one. */
function spansToRead({ before, after }: Spans): readonly Span[] {
  const [first, last] = before.start < after.start ? [before, after] : [after, before];
  const between = lengthInDays(first.end, last.start) - 2;
  return between <= lengthInDays(first.start, first.end) ? [{ start: first.start, end: last.end }] : [first, last];
}

interface DatedVisit extends SpanVisit {
  /** NaN if the list does not have it. */
  readonly hour: number;
  readonly campaign: ListedCampaign | undefined;
}

async function visitsOf(
  { tables, campaignOf }: Lists,
  listed: Lists['dimensions'],
  { before, after, untilHour }: Spans,
): Promise<DatedVisit[]> {
  const visits: DatedVisit[] = [];
  for (const table of tables) {
    const [dayOf, hourOf] = [readerOf('day')(table), readerOf('hour')(table)];
    const readers = listed.map((dimension) => dimension.readerOf(table));
    const campaignIn = campaignOf(table);
    const inSpans = visitsIn(table, readers, (row) => {
      const day = dayOf?.(row) ?? null;
      if (day === null) return undefined;
      const isAfter = day >= after.start && day <= after.end;
      if (!isAfter && !(day >= before.start && day <= before.end)) return undefined;
      const isLast = day === (isAfter ? after.end : before.end);
      const hour = Number(hourOf?.(row) ?? Number.NaN);
      if (isLast && untilHour !== undefined && hour >= untilHour) return undefined;
      return { isAfter, day, hour, campaign: campaignIn(row) };
    });
    for (const visit of inSpans) {
      visits.push(visit);
      await yieldIfBusy();
    }
  }
  return visits;
}

interface ComparableVisits {
  readonly rows: readonly SpanVisit[];
  readonly days: SpanDays;
  /** What was left out; empty if nothing was. */
  readonly notices: readonly string[];
}

const maxNamed = 3;

/**
 * The visits of the hours that were read in both spans. A list that is cut off within a day has only its latest visits, so the day it
 * is compared with is cut to the same hours. Otherwise unread visits would look like a change.
 * @throws Failure if no hour was read in both spans
 */
function comparableVisits(
  visits: readonly DatedVisit[],
  missingDays: Lists['missingDays'],
  { before, after }: Spans,
): ComparableVisits {
  const pairs = listDays(before.start, before.end).map((day, index) => [day, shiftDays(after.start, index)] as const);
  const daysIn = (some: typeof pairs) => ({ before: some.map(([day]) => day), after: some.map(([, day]) => day) });
  const campaigns = [...new Set(visits.map(({ campaign }) => campaign))];
  const missing = new Map(campaigns.map((campaign) => [campaign, new Set(missingDays(campaign))]));
  if (campaigns.every((campaign) => missing.get(campaign)?.size === 0))
    return { rows: visits, days: daysIn(pairs), notices: [] };
  const oldestHours = new Map(campaigns.map((campaign) => [campaign, new Map<string, number>()]));
  for (const { campaign, day, hour } of visits) {
    const hours = oldestHours.get(campaign);
    hours?.set(day, Math.min(hours.get(day) ?? 23, hour));
  }
  // The hour of the oldest visit is incomplete as well.
  const firstHour = (campaign: ListedCampaign | undefined, day: string) =>
    missing.get(campaign)?.has(day) ? (oldestHours.get(campaign)?.get(day) ?? 23) + 1 : 0;
  const pairByDay = new Map(pairs.flatMap((pair) => pair.map((day) => [day, pair])));
  const rows = visits.filter(({ campaign, day, hour }) => {
    const from = Math.max(...(pairByDay.get(day) ?? []).map((paired) => firstHour(campaign, paired)));
    return from === 0 || hour >= from;
  });
  if (rows.length === 0) {
    throw new Failure(
      'The visitor list could not be read whole: no hour was read in both spans, so they cannot be compared.',
      'Ask for fewer days, or for one campaign.',
    );
  }
  const coveredDays = new Set(rows.map(({ day }) => day));
  const isWhole = (day: string) => campaigns.every((campaign) => !missing.get(campaign)?.has(day));
  const compared = pairs.filter((pair) => pair.some((day) => coveredDays.has(day)) || pair.every(isWhole));
  const covered = new Set(rows.map(({ campaign }) => campaign));
  const leftOut = campaigns.flatMap((campaign) => (campaign && !covered.has(campaign) ? [campaign] : []));
  const names = leftOut.length > 0 ? `; none of ${nameCampaigns(leftOut, maxNamed)}` : '';
  const notice = `Of days that are not whole, only the hours that both spans have are compared: ${rows.length} of ${visits.length} visits${names}.`;
  return { rows, days: daysIn(compared), notices: rows.length === visits.length ? [] : [notice] };
}

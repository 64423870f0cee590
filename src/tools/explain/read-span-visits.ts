import { bytesOf, countListed, mapCoded, rowsThat, sameInAll, valueAt } from '../../analysis/coded.ts';
import { gatherVisits, type SpanDays, type VisitColumns, type VisitsOfList } from '../../analysis/profit-change.ts';
import type { Money } from '../../analysis/sale-status.ts';
import { namesVisits } from '../../analysis/shared-values.ts';
import { at } from '../../analysis/statistics/history.ts';
import { type Reader, type Reading, readerOf, visitTimes } from '../../analysis/visit-dimensions.ts';
import { amountsIn, missingFigures, readAll, readFigures, type VisitAmounts } from '../../analysis/visit-groups.ts';
import { distinct, type Note, type Notice, sayNotice } from '../../answer/notes.ts';
import { spansInWords } from '../../answer/profit-change.ts';
import type { Coded } from '../../api/cells.ts';
import { dimensions } from '../../api/dimensions.ts';
import { Failure } from '../../api/failure.ts';
import type { Table } from '../../api/table.ts';
import { fromOutside, mention } from '../../api/text/tracker-text.ts';
import { extraSlots } from '../../api/token-slots.ts';
import { type AccountVisits, readAccountVisits } from '../account/account-visits.ts';
import { compareWithReports } from '../account/compared-reports.ts';
import {
  endOfReading,
  isWithin,
  listRead,
  missingIn,
  oddRowsNote,
  readVisitsInSlices,
  rowsOf,
  type Span,
  type VisitsRead,
  wholeListOptions,
} from '../account/read-visits.ts';
import { findUnlistedViews } from '../account/unlisted-views.ts';
import { cutsOf } from '../account/visit-cuts.ts';
import { type TrafficOf, trafficInAccount, trafficInCampaign } from '../account/visited-days.ts';
import { optional, paceOf } from '../asking.ts';
import { campaignNames, type ListedCampaign, listCampaigns, namedCampaign, type Visited } from '../campaigns.ts';
import type { CallContext } from '../define-tool.ts';
import { lengthInDays, listDays, shiftDays } from '../period.ts';
import { placementIn, placementsNote, withoutPlacements } from '../placements.ts';
import {
  dimensionOfSlot,
  labelsByCampaign,
  placementDimension,
  type TokenLabels,
  tokenLabels,
  tokenNames,
} from '../tokens.ts';
import { countByCampaign, heldAfter, visitedCampaigns } from './count-spans.ts';

/** The two spans of days that are compared, of the same length. */
export interface Spans {
  readonly before: Span;
  readonly after: Span;
  /** If the later span ends today: the current hour in the tracker's zone. Both last days are compared up to it. */
  readonly untilHour: number | undefined;
}

export interface SpanVisitsRead {
  readonly visits: VisitColumns;
  readonly readTraffic: () => Promise<TrafficOf>;
  readonly hasCost: boolean;
  readonly days: SpanDays;
  /** Whether all visits of these days were read. */
  readonly isWhole: boolean;
  /** What the figures are based on. */
  readonly basis: readonly Notice[];
}

/** Visitor lists, and how to read them. */
interface Lists {
  readonly tables: readonly Table[];
  readonly dimensions: readonly { readonly name: string; readonly readerOf: Reader }[];
  /** What the dimensions are read from. */
  readonly columns: readonly string[];
  /** The name of the one that says where an ad was shown, if there is one. */
  readonly placement: string | undefined;
  /** The campaigns whose lists the rows are from; undefined if all rows are from one list. */
  readonly campaignsOf: (table: Table) => Coded<ListedCampaign | undefined>;
  /** The days whose visits were not all read. */
  readonly missingDays: (campaign: ListedCampaign | undefined) => readonly string[];
  /** Whether visits of any campaign may be missing. */
  readonly hasGaps: boolean;
  readonly readTraffic: () => Promise<TrafficOf>;
  readonly basis: readonly Notice[];
}

/** All but the dimensions that the spans themselves determine. */
const usualDimensions = [...dimensions.filter((name) => name !== 'day' && name !== 'weekday'), 'user_agent'];

/**
 * Reads the visits of two spans from the visitor list, with all dimensions that it has.
 * @param campaignId 0 is all
 * @param money which revenue counts
 * @throws Failure if the tracker cannot be asked or refuses, there were no visits, or no revenue of this state can be read
 */
export async function readSpanVisits(
  campaignId: number,
  spans: Spans,
  money: Money,
  context: CallContext,
): Promise<SpanVisitsRead> {
  const { before, after, untilHour } = spans;
  const toRead = spansToRead(spans);
  const pace = paceOf(context);
  const lists = campaignId === 0 ? await readAccount(toRead, context) : await readCampaign(campaignId, toRead, context);
  const { tables, campaignsOf, hasGaps } = lists;
  const ofCampaigns = tables.map((table) => ({
    table,
    visited: mapCoded(campaignsOf(table), (listed) => ({ listed })),
  }));
  const beside = hasGaps ? undefined : await compareWithReports(campaignId, ofCampaigns, after, context);
  const readings: (Reading | undefined)[][] = [];
  const readers = lists.dimensions.map(({ readerOf }) => readerOf);
  for (const table of tables) {
    readings.push(await readAll(table, readers, pace, lists.columns));
    await readFigures(table, pace, money);
  }
  const isListed: boolean[] = [];
  for (const index of lists.dimensions.keys()) {
    const listed = readings.flatMap((ofTable) => ofTable[index] ?? []);
    isListed.push(listed.length > 0 && !namesVisits(listed));
    await pace.rest();
  }
  const listed = lists.dimensions.filter((_, index) => isListed[index]);
  const listedReadings = readings.map((ofTable) => ofTable.filter((_, index) => isListed[index]));
  const amounts = tables.map((table) => amountsIn(table, money));
  await pace.rest();
  const visitsOf = (some: Spans) => visitsIn(lists, listedReadings, amounts, some);
  const inSpans = visitsOf(spans);
  await pace.rest();
  const [count, visits] = [rowsOf(tables), countListed(inSpans)];
  if (visits === 0) {
    const isTimeless = count > 0 && !tables.some(hasTimes);
    const [then, now] = spansInWords(spans);
    if (hasGaps) {
      throw new Failure(
        `No visit of ${then} or ${now} was read, but not all visits could be read, so no change can be explained. ${lists.basis.map(sayNotice).join(' ')}`,
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
  const compared = comparableVisits(inSpans, lists.missingDays, spans);
  const { days, notices } = compared;
  await pace.rest();
  // A report has whole days.
  const wholeDays = () => (untilHour === undefined ? inSpans : visitsOf({ before, after, untilHour: undefined }));
  const counts = notices.length > 0 ? [] : countByCampaign(campaignId, wholeDays(), spans);
  const busiest = counts.toSorted((one, other) => other.count - one.count)[0]?.id;
  const unlisted = await findUnlistedViews(counts, context, (id) => id === busiest);
  await pace.rest();
  const names = listed.map(({ name }) => name);
  const columns = await gatherVisits(names, compared.lists, pace, lists.placement);
  await pace.rest();
  return {
    visits: columns,
    readTraffic: lists.readTraffic,
    hasCost: !missing.includes('cost'),
    days: { ...days, untilHour },
    isWhole: notices.length + unlisted.length === 0,
    basis: [
      ...unlisted,
      ...heldAfter(compared.lists, money),
      ...lists.basis,
      ...(beside?.sums ?? []),
      { code: 'sale-on-visit-day' },
      ...(visits < count ? [{ code: 'visits-in-spans', visits } as const] : []),
      ...notices,
      ...missing.map((figure) => ({ code: 'figure-missing', figure, use: 'explain' }) as const),
      ...(untilHour === undefined
        ? []
        : [{ code: 'hours-before', day: after.end, against: before.end, hour: untilHour } as const]),
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
  const placement = labels.placement === undefined ? undefined : dimensionOfSlot(labels.placement);
  const nameOf = (dimension: string) => {
    const label = labels.get(dimension);
    if (label !== undefined) return mention(fromOutside(label));
    return dimension === placement ? placementDimension : dimension;
  };
  const names = [...usualDimensions, 'path', ...extraSlots];
  return {
    tables,
    dimensions: names.map((name) => ({ name: nameOf(name), readerOf: readerOf(name) })),
    columns: names,
    placement: placement && nameOf(placement),
    campaignsOf: ({ rowCount }) => sameInAll(rowCount, undefined),
    missingDays: () => reads.flatMap(missingIn),
    hasGaps: reads.some((read) => missingIn(read).length > 0),
    readTraffic: () => trafficInCampaign(String(campaignId), tables, reads, spans, context),
    basis: [
      { code: 'counted-in-spans', visits: rowsOf(tables), reads: reads.map(listRead) },
      ...oddRowsNote(reads),
      ...(placement === undefined ? [] : [placementsNote([labels])]),
    ],
  };
}

/** Tokens with more names than these would take long and explain little. */
const maxTokens = 20;

async function readAccount(spans: readonly Span[], context: CallContext): Promise<Lists> {
  const deadline = endOfReading(context);
  const listing = listCampaigns(context.client, context.signal);
  const labelled = optional(async () => labelsByCampaign(await listing, context), context);
  const reads: AccountVisits[] = [];
  for (const span of spans) {
    const question = { span, listing, needsCampaigns: true, needsSales: false, deadline };
    reads.push(await readAccountVisits(question, context));
  }
  const lists = reads.flatMap((read) => read.lists);
  const labels = (await labelled) ?? new Map<ListedCampaign, TokenLabels>();
  const visitedByTable = new Map(lists.map(({ table, visited }) => [table, visited]));
  const visitedIn = (table: Table): Coded<Visited> =>
    visitedByTable.get(table) ?? sameInAll(table.rowCount, unknownCampaign);
  const nameOf = campaignNames(reads[0]?.campaigns ?? []);
  const placement = placementIn(labels.values());
  const tokens = tokenNames(placement === placementDimension ? withoutPlacements(labels.values()) : labels.values());
  // The same path number means different pages in different campaigns.
  const others = usualDimensions.filter((name) => name !== 'campaign' && name !== 'path');
  const placements = placement === placementDimension ? [placement] : [];
  const otherDimensions = [...others, ...placements, ...tokens.slice(0, maxTokens)].map((name) => {
    // A token has a different slot in each campaign, and a traffic source may come from the campaign list.
    const cut = cutsOf({ asked: [name], labels, sales: undefined }, visitedIn).at(-1);
    const readerOf: Reader = (table) => {
      const reading = cut?.readerOf(table);
      return reading && mapCoded(reading, (value) => value ?? null);
    };
    return { name: tokens.includes(name) ? mention(fromOutside(name)) : name, readerOf };
  });
  const campaignReader: Reader = (table) => mapCoded(visitedIn(table), nameOf);
  return {
    tables: lists.map(({ table }) => table),
    dimensions: [{ name: 'campaign', readerOf: campaignReader }, ...otherDimensions],
    columns: [...others, ...[...labels.values()].flatMap((own) => [...own.keys()].map(dimensionOfSlot))],
    placement:
      placement === undefined || placement === placementDimension ? placement : mention(fromOutside(placement)),
    campaignsOf: (table) => mapCoded(visitedIn(table), ({ listed }) => listed),
    missingDays: (campaign) => (campaign ? reads.flatMap((read) => read.missingDays(campaign)) : []),
    hasGaps: reads.some(({ campaigns, missingDays }) => campaigns.some((campaign) => missingDays(campaign).length > 0)),
    readTraffic: () => trafficInAccount(reads, spans, context),
    basis: [
      ...distinct(reads.flatMap(({ notices }) => notices)),
      ...(placement === undefined ? [] : [placementsNote(labels.values())]),
      ...(tokens.length > maxTokens
        ? [{ code: 'most-common-tokens', tokens: tokens.length, included: maxTokens } as const]
        : []),
    ],
  };
}

const unknownCampaign: Visited = { id: null, name: null, listed: undefined };

function hasTimes(table: Table): boolean {
  return visitTimes(table)?.days.values.some((day) => day !== null) === true;
}

/** Spans that are close together are read as one. */
function spansToRead({ before, after }: Spans): readonly Span[] {
  const [first, last] = before.start < after.start ? [before, after] : [after, before];
  const between = lengthInDays(first.end, last.start) - 2;
  return between <= lengthInDays(first.start, first.end) ? [{ start: first.start, end: last.end }] : [first, last];
}

interface SpanList extends VisitsOfList {
  readonly hours: Coded<number | null>;
  readonly campaigns: Coded<ListedCampaign | undefined>;
}

/** @param readings the dimensions of each table @param amounts its figures */
function visitsIn(
  { tables, campaignsOf }: Lists,
  readings: readonly SpanList['readings'][],
  amounts: readonly VisitAmounts[],
  { before, after, untilHour }: Spans,
): SpanList[] {
  return tables.flatMap((table, index) => {
    const times = visitTimes(table);
    if (!times) return [];
    const { days, hours } = times;
    // A last day ends with the hour so far; visits without a time of day count.
    const untilOf = (day: string | null) => {
      const span = [after, before].find((one) => isWithin(day, one));
      if (!span) return 0;
      return day === span.end ? 1 + (untilHour ?? 24) : 25;
    };
    const end = bytesOf(mapCoded(days, untilOf));
    const hour = bytesOf(mapCoded(hours, (one) => (one === null ? 0 : 1 + one)));
    const rows = rowsThat(table.rowCount, (row) => (hour[row] ?? 0) < (end[row] ?? 0));
    const isAfter = bytesOf(mapCoded(days, (day) => Number(isWithin(day, after))));
    const list = { rows, isAfter, days, hours, readings: readings[index] ?? [], amounts: at(amounts, index) };
    return [{ ...list, campaigns: campaignsOf(table) }];
  });
}

interface ComparableVisits {
  readonly lists: readonly SpanList[];
  readonly days: SpanDays;
  /** What was left out; empty if nothing was. */
  readonly notices: readonly Note[];
}

/**
 * The visits of the hours that were read in both spans. A list that is cut off within a day has only its latest visits, so the day it
 * is compared with is cut to the same hours. Otherwise unread visits would look like a change.
 * @throws Failure if no hour was read in both spans
 */
function comparableVisits(
  lists: readonly SpanList[],
  missingDays: Lists['missingDays'],
  { before, after }: Spans,
): ComparableVisits {
  const pairs = listDays(before.start, before.end).map((day, index) => [day, shiftDays(after.start, index)] as const);
  const daysIn = (some: typeof pairs) => ({ before: some.map(([day]) => day), after: some.map(([, day]) => day) });
  const campaigns = [...visitedCampaigns(lists)];
  const missing = new Map(campaigns.map((campaign) => [campaign, new Set(missingDays(campaign))]));
  if (campaigns.every((campaign) => missing.get(campaign)?.size === 0))
    return { lists, days: daysIn(pairs), notices: [] };
  const oldestHours = new Map(campaigns.map((campaign) => [campaign, new Map<string, number>()]));
  for (const list of lists)
    for (const row of list.rows) {
      const { campaign, day, hour } = datedVisit(list, row);
      const hours = oldestHours.get(campaign);
      hours?.set(day, Math.min(hours.get(day) ?? 23, hour));
    }
  // The hour of the oldest visit is incomplete as well.
  const firstHour = (campaign: ListedCampaign | undefined, day: string) =>
    missing.get(campaign)?.has(day) ? (oldestHours.get(campaign)?.get(day) ?? 23) + 1 : 0;
  const pairByDay = new Map(pairs.flatMap((pair) => pair.map((day) => [day, pair])));
  const compared = lists.map((list) => ({
    ...list,
    rows: list.rows.filter((row) => {
      const { campaign, day, hour } = datedVisit(list, row);
      const from = Math.max(...(pairByDay.get(day) ?? []).map((paired) => firstHour(campaign, paired)));
      return from === 0 || hour >= from;
    }),
  }));
  const [count, all] = [countListed(compared), countListed(lists)];
  if (count === 0) {
    throw new Failure(
      'The visitor list could not be read whole: no hour was read in both spans, so they cannot be compared.',
      'Ask for fewer days, or for one campaign.',
    );
  }
  const coveredDays = new Set(
    compared.flatMap(({ rows, days }) => Array.from(rows, (row) => valueAt(days, row) ?? '')),
  );
  const isWhole = (day: string) => campaigns.every((campaign) => !missing.get(campaign)?.has(day));
  const comparedDays = pairs.filter((pair) => pair.some((day) => coveredDays.has(day)) || pair.every(isWhole));
  const covered = visitedCampaigns(compared);
  const leftOut = campaigns.flatMap((campaign) => (campaign && !covered.has(campaign) ? [campaign] : []));
  const note: Note = { code: 'hours-of-both', visits: count, of: all, without: leftOut.map(namedCampaign) };
  return { lists: compared, days: daysIn(comparedDays), notices: count === all ? [] : [note] };
}

/** The hour is NaN if the list has no time of day. */
function datedVisit({ campaigns, days, hours }: SpanList, row: number) {
  return {
    campaign: valueAt(campaigns, row),
    day: valueAt(days, row) ?? '',
    hour: valueAt(hours, row) ?? Number.NaN,
  };
}

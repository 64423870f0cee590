import { pairCoded } from '../../analysis/coded.ts';
import { indexOfColumn } from '../../analysis/columns/columns.ts';
import type { MeasuredPage, PlacedPage } from '../../analysis/page-rows.ts';
import type { Note } from '../../answer/notes.ts';
import type { WhyNoLists } from '../../answer/visit-notes.ts';
import type { Table } from '../../api/table.ts';
import { rawCell, rawText } from '../../api/text/tracker-text.ts';
import { thingsOf } from '../../api/vocabulary.ts';
import { askMany, askQuickly, type Outcome, optional } from '../asking.ts';
import { campaignsIn, type ListedCampaign } from '../campaigns.ts';
import type { CallContext } from '../define-tool.ts';
import type { Figures } from '../past-figures.ts';
import { listDays, shiftDays } from '../period.ts';
import { isUnsettled, knowsMore, noFigures, readCampaignReport } from './figures.ts';
import { missingIn, readVisitsInSlices, rowsOf, type Span } from './read-visits.ts';
import { type TrafficOf, trafficInAccount } from './visited-days.ts';
import { activeFirst, countVisits } from './visits-by-campaign.ts';

export interface CampaignQuestion {
  readonly now: Span;
  readonly before: Span | undefined;
  readonly timezone: string | undefined;
  readonly kinds: readonly PlacedPage['kind'][];
}

/** The figures of a campaign, and its pages if requested. Figures of the period before are undefined if not requested. */
export interface CampaignFigures {
  readonly now: Figures;
  readonly before: Figures | undefined;
  readonly pages: readonly MeasuredPage[];
  readonly pagesBefore: readonly MeasuredPage[] | undefined;
  /** The currency of its money, if one is written next to it. */
  readonly unit?: string | undefined;
  readonly isAssumed?: boolean;
}

export interface CampaignResult {
  readonly campaign: ListedCampaign;
  readonly outcome: Outcome<CampaignFigures>;
}

interface CampaignsRead {
  readonly results: readonly CampaignResult[];
  readonly lists: AccountLists | undefined;
  readonly notices: readonly Note[];
}

/** Up to this many campaigns, lists of the whole account cost more requests than they save. */
const maxWithoutLists = 40;

/** Campaigns missing in the lists whose reports are read anyway, to verify the lists. */
const spotChecks = 3;

/** Reads the reports of campaigns, those with traffic first. Campaigns that surely had no visits are not asked. */
export async function readCampaigns(
  campaigns: readonly ListedCampaign[],
  question: CampaignQuestion,
  context: CallContext,
  deadline: number,
): Promise<CampaignsRead> {
  const isLarge = campaigns.length > maxWithoutLists;
  const { lists, unused } = isLarge ? await readAccountLists(campaigns, question, context) : noLists;
  const visitsOf = (campaign: ListedCampaign) => lists?.visits.get(campaign) ?? -1;
  const outcomeByCampaign = new Map<ListedCampaign, Outcome<CampaignFigures>>();
  const askOnce = async (asked: readonly ListedCampaign[], isReread: boolean) => {
    const outcomes = await askMany(
      asked,
      (campaign, inTime) => readFigures(rawText(campaign.id), question, inTime, isLarge, isReread),
      context,
      'campaigns read',
      deadline,
    );
    for (const [index, campaign] of asked.entries())
      outcomeByCampaign.set(campaign, outcomes[index] ?? { kind: 'not-asked' });
  };
  const ask = async (asked: readonly ListedCampaign[]) => {
    await askOnce(asked, false);
    const unsettled = asked.filter((campaign) => isUnsettled(outcomeByCampaign.get(campaign)));
    if (unsettled.length > 0 && knowsMore(context)) await askOnce(unsettled, true);
  };
  const sorted = campaigns.toSorted((one, other) => visitsOf(other) - visitsOf(one) || activeFirst(one, other));
  const listed = lists?.isWhole ? sorted.filter((campaign) => visitsOf(campaign) >= 0).length : sorted.length;
  const checked = sorted.slice(listed, listed + spotChecks);
  const rest = sorted.slice(listed + spotChecks);
  await ask([...sorted.slice(0, listed), ...checked]);
  const areListsVerified =
    checked.length === 0 || checked.some((campaign) => outcomeByCampaign.get(campaign)?.kind === 'answer');
  const areListsRight =
    areListsVerified &&
    checked.every((campaign) => viewsOf(outcomeByCampaign.get(campaign)) === 0) &&
    [...outcomeByCampaign.values()].reduce((sum, outcome) => sum + viewsOf(outcome), 0) <= (lists?.rows ?? 0);
  if (!areListsRight) await ask(rest);
  const quiet = areListsRight ? rest.length : 0;
  const zero: CampaignFigures = {
    now: noFigures,
    before: question.before && noFigures,
    pages: [],
    pagesBefore: question.before && [],
  };
  const unread: Outcome<CampaignFigures> = areListsRight ? { kind: 'answer', value: zero } : { kind: 'not-asked' };
  const results = campaigns.map((campaign) => ({ campaign, outcome: outcomeByCampaign.get(campaign) ?? unread }));
  if (results.every(({ outcome }) => outcome.kind !== 'not-asked')) context.pastFigures?.dropOpen();
  return { results, lists, notices: isLarge ? listNotes(unused, quiet, question) : [] };
}

/** The lists of the account, or why they are of no use. */
interface ListsRead {
  readonly lists?: AccountLists;
  readonly unused?: WhyNoLists;
}

const noLists: ListsRead = {};

/** How the lists were used. @param quiet campaigns that are in no list, and count as 0 */
function listNotes(unused: WhyNoLists | undefined, quiet: number, { kinds }: CampaignQuestion): Note[] {
  if (unused !== undefined) return [{ code: 'lists-unused', why: unused }];
  return quiet === 0 ? [] : [{ code: 'campaigns-in-no-list', campaigns: quiet, arePages: kinds.length > 0 }];
}

/** The part of a call's time for one report of many, so that one that hangs does not block the others. */
const maxPartOfOne = 1 / 2;

async function readFigures(
  id: string,
  { now, before, timezone, kinds }: CampaignQuestion,
  context: CallContext,
  isOneOfMany: boolean,
  isReread: boolean,
): Promise<CampaignFigures> {
  const read = ({ start, end }: Span) => {
    const days = { start_date: start, end_date: end, timezone };
    const ask = (limited: CallContext) => readCampaignReport(id, days, limited, { resumes: true, kinds, isReread });
    return isOneOfMany ? askQuickly(context, ask, maxPartOfOne) : ask(context);
  };
  const first = await read(now);
  const second = before && (await read(before));
  const isAssumed = first.isAssumed === true || second?.isAssumed === true;
  const unit = first.unit ?? second?.unit;
  return {
    now: first.figures,
    before: second?.figures,
    pages: first.pages,
    pagesBefore: second?.pages,
    unit,
    isAssumed,
  };
}

/** The views of a campaign; 0 if it could not be read. NaN if its report has no views, so that no comparison holds. */
function viewsOf(outcome: Outcome<CampaignFigures> | undefined): number {
  if (outcome?.kind !== 'answer') return 0;
  const { now, before } = outcome.value;
  return (now.views ?? Number.NaN) + (before ? (before.views ?? Number.NaN) : 0);
}

/** What the lists of all visitors and conversions show. */
export interface AccountLists {
  /** The number of visits by campaign; unknown campaigns count under undefined. */
  readonly visits: ReadonlyMap<ListedCampaign | undefined, number>;
  readonly rows: number;
  readonly readTraffic: () => Promise<TrafficOf>;
  /** Whether a campaign that is in no list surely had no traffic. */
  readonly isWhole: boolean;
  /** The network (offer source) of an offer by its name; undefined if unknown, or two lists disagree. */
  readonly networkOf: (campaign: ListedCampaign, offer: string) => string | undefined;
}

/** Lists that are cut off on a few days still show which campaigns have traffic. */
const bounds = { maxRecords: 50_000, maxSlices: 40, maxCutDays: () => 3 } as const;

/**
 * Reads the lists of the whole account in at most a third of the time of a call.
 * @returns undefined if the tracker refuses them, or they name no campaign
 */
export async function readAccountLists(
  campaigns: readonly ListedCampaign[],
  { now, before, timezone, kinds }: CampaignQuestion,
  context: CallContext,
): Promise<ListsRead> {
  // Lists are in the tracker's own time zone, reports may be in another one.
  const margin = timezone === undefined ? 0 : 1;
  const span = { start: shiftDays((before ?? now).start, -margin), end: shiftDays(now.end, margin) };
  // The default columns may lack networks.
  const columnSet = kinds.includes('offer') ? 'all' : 'default';
  const days = { campaign_id: 0, start_date: span.start, end_date: span.end, column_set: columnSet } as const;
  const visitors: Table[] = [];
  const sales: Table[] = [];
  const take = (table: Table) => visitors.push(table);
  const readLists = async (quick: CallContext) => {
    const [read, sold] = await Promise.all([
      readVisitsInSlices('0', span, undefined, quick, take, { ...bounds, columnSet }),
      quick.client.read('list_conversions', days, { signal: quick.signal }),
    ]);
    sales.push(...sold.reply.tables);
    return missingIn(read);
  };
  // If time runs out, the visitors that were read still count.
  const missing =
    (await optional(() => askQuickly({ ...context, onProgress: undefined }, readLists), context)) ??
    listDays(span.start, span.end);
  const isRead = missing.length === 0;
  const visits = countVisits(campaigns, visitors, sales);
  const seen = visits.size - Number(visits.has(undefined));
  if (seen === 0) {
    const isEmpty = rowsOf([...visitors, ...sales]) === 0;
    return { unused: !isEmpty ? 'unnamed' : isRead ? 'empty' : 'unread' };
  }
  const lists: AccountLists = {
    visits,
    rows: rowsOf(visitors),
    // A tracker that takes campaign 0 for one campaign lists only that one.
    isWhole: isRead && seen === visits.size && seen > 1,
    networkOf: findNetworks(campaigns, [...visitors, ...sales]),
    readTraffic: () => {
      const find = campaignsIn(campaigns);
      const read = visitors.map((table) => ({ table, visited: find(table) }));
      return trafficInAccount([{ campaigns, lists: read, missingDays: () => missing }], [span], context);
    },
  };
  return { lists };
}

const { offer: offerNames, network: networkNames } = thingsOf('dimension');

/** The networks of offers by their names, in a campaign or otherwise in any. */
export function findNetworks(
  campaigns: readonly ListedCampaign[],
  tables: readonly Table[],
): AccountLists['networkOf'] {
  const find = campaignsIn(campaigns);
  const networks = new Map<string, string | undefined>();
  const keysOf = (campaign: ListedCampaign | undefined, offer: string) => [
    ...(campaign ? [JSON.stringify([rawText(campaign.id), offer])] : []),
    offer,
  ];
  for (const table of tables) {
    const [offerColumn, networkColumn] = [indexOfColumn(table, offerNames), indexOfColumn(table, networkNames)];
    if (offerColumn === undefined || networkColumn === undefined) continue;
    const sold = pairCoded(table.coded(offerColumn), table.coded(networkColumn), (offer, network) => ({
      offer: rawCell(offer),
      network: rawCell(network),
    }));
    const { values } = pairCoded(sold, find(table), (pair, { listed }) => ({ ...pair, listed }));
    for (const { offer, network, listed } of values) {
      if (offer === null || network === null) continue;
      for (const key of keysOf(listed, offer))
        networks.set(key, networks.has(key) && networks.get(key) !== network ? undefined : network);
    }
  }
  return (campaign, offer) =>
    keysOf(campaign, offer)
      .map((key) => networks.get(key))
      .find((network) => network !== undefined);
}

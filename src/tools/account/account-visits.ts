import { Failure } from '../../api/failure.ts';
import type { Table } from '../../api/table.ts';
import { optional, paceOf } from '../asking.ts';
import {
  type CampaignText,
  campaignsIn,
  codeCampaigns,
  duplicateNames,
  type ListedCampaign,
  readCampaigns,
} from '../campaigns.ts';
import type { CallContext } from '../define-tool.ts';
import { shiftDays } from '../period.ts';
import {
  askForVisits,
  endOfReading,
  type ListLimits,
  listRead,
  missingIn,
  newLimits,
  oddRowsNote,
  readVisitsInSlices,
  type Span,
  wholeListOptions,
} from './read-visits.ts';
import { readSales, type Sales } from './visit-cuts.ts';
import {
  type AccountList,
  areAllAsked,
  countRows,
  type DatedList,
  type Doubt,
  isOutside,
  readByCampaign,
  type Turns,
  type VisitsOfCampaigns,
} from './visits-by-campaign.ts';

export type { VisitList } from './visits-by-campaign.ts';

export interface VisitsAsked {
  readonly span: Span;
  /** The list of campaigns, which may still be loading. If it fails, that only matters if the campaigns have to be asked one by one. */
  readonly listing: Promise<readonly ListedCampaign[]>;
  readonly needsCampaigns: boolean;
  /** Whether the conversion list is read, too. */
  readonly needsSales: boolean;
  /** Whether the newest visits of each day will do, where a list of the account is cut off within days. */
  readonly takesSample?: boolean;
  /** By performance.now; default: the time for reading of a call. */
  readonly deadline?: number;
  /** The order in which campaigns are asked one by one; it is updated with the outcome. */
  readonly turns?: Turns | undefined;
}

export interface AccountVisits extends VisitsOfCampaigns {
  readonly campaigns: readonly ListedCampaign[];
  /** From the conversion list of all campaigns; undefined if not needed or not readable. */
  readonly sales: Sales | undefined;
}

/**
 * Reads the visits of all campaigns: from the visitor list of the whole account if the tracker has one and it can be read day by day,
 * otherwise campaign by campaign.
 * @throws Failure if nothing can be read, or `listing` failed and is needed
 */
export async function readAccountVisits(asked: VisitsAsked, context: CallContext): Promise<AccountVisits> {
  const { span, needsSales, turns, deadline = endOfReading(context) } = asked;
  const limits = newLimits(context, deadline);
  let campaigns: readonly ListedCampaign[] = [];
  const maxCutDays = () => (campaigns.length > 0 && areAllAsked(campaigns) ? enoughCutDays : maxCutDaysOfMany);
  const [list, sales] = await Promise.all([
    readAccountList(span, maxCutDays, limits, context),
    needsSales ? readSales(0, span, context) : undefined,
    optional(async () => {
      campaigns = await asked.listing;
    }, context),
  ]);
  const found = await doubtAbout(list, asked, campaigns, limits, context);
  const doubt = asked.takesSample && found?.why.because === 'cut' ? undefined : found;
  const visitedIn = campaignsIn(campaigns);
  const lists = list.tables
    .filter((dated) => !doubt || isOutside(dated, doubt.span))
    .map((dated) => ({ ...dated, visited: visitedIn(dated.table), sales }));
  if (doubt) {
    const account = { campaigns: await asked.listing, sales, needsSales, turns, limits, deadline };
    const byCampaign = await readByCampaign(list, doubt, account, context);
    return { ...byCampaign, campaigns, sales, lists: [...lists, ...byCampaign.lists] };
  }
  const missing = missingIn(list.read);
  return {
    campaigns,
    sales,
    lists,
    notices: [
      { code: 'counted-in-account', visits: countRows(list.tables), read: listRead(list.read) },
      ...oddRowsNote([list.read]),
    ],
    isWhole: missing.length === 0,
    missingDays: () => missing,
  };
}

/** A day that is cut off has to be read campaign by campaign, which takes as many requests as all days do. */
const enoughCutDays = 1;

/** The same where there are many: after this many days it is clear which of them have traffic. */
const maxCutDaysOfMany = 12;

async function readAccountList(
  span: Span,
  maxCutDays: () => number,
  limits: ListLimits,
  context: CallContext,
): Promise<AccountList> {
  const tables: DatedList[] = [];
  const options = { ...wholeListOptions, maxCutDays, proves: true, limits, quick: true, keepsRest: true };
  try {
    const take = async (table: Table, days: Span) => {
      await codeCampaigns(table, paceOf(context));
      tables.push({ table, days });
    };
    return { tables, read: await readVisitsInSlices('0', span, undefined, context, take, options) };
  } catch (failure) {
    if (!(failure instanceof Failure) || context.signal?.aborted) throw failure;
    return { tables: [], read: { requests: 0, cutDays: [], unreadDays: [], stoppedBy: undefined }, failure };
  }
}

/** Why the list of all campaigns cannot be used; undefined if it can. */
async function doubtAbout(
  { tables, read, failure }: AccountList,
  { needsCampaigns, span }: VisitsAsked,
  campaigns: readonly ListedCampaign[],
  limits: ListLimits,
  context: CallContext,
): Promise<Doubt | undefined> {
  if (failure) return { why: { because: 'unread', failure: failure.happened }, isAll: false, span };
  const lists = tables.map(({ table }) => table).filter(({ rowCount }) => rowCount > 0);
  await paceOf(context).rest();
  if (!lists.every(readCampaigns)) return { why: { because: 'no campaigns' }, isAll: false, span };
  const seen = campaignsNamedIn(lists);
  const proof = campaigns.length === 1 ? 1 : 2;
  if (seen.size < proof) {
    // A tracker may take campaign 0 for one campaign, or for none: earlier days show it.
    const before = { start: shiftDays(span.start, -30), end: shiftDays(span.start, -1) };
    const ask = () => askForVisits('0', before, context, { columnSet: 'all', maxRecords: 1000, quick: true });
    if (campaignsNamedIn((await optional(ask, context)) ?? []).size < proof)
      return { why: { because: seen.size === 0 ? 'empty' : 'one campaign' }, isAll: false, span };
  }
  const sharedNames = duplicateNames(campaigns);
  const isUnclear = ({ id, name }: CampaignText) => id === null && name !== null && sharedNames.has(name);
  if (needsCampaigns && lists.some((table) => campaignTexts(table).some(isUnclear)))
    return { why: { because: 'same names' }, isAll: true, span };
  if (read.cutDays.length === 0 && !read.failure) return undefined;
  const gaps = missingIn(read);
  return {
    why: read.failure
      ? { because: 'not whole', failure: read.failure.happened }
      : { because: 'cut', rows: limits.maximum },
    isAll: !read.failure,
    span: { start: gaps[0] ?? span.start, end: gaps.at(-1) ?? span.end },
  };
}

function campaignTexts(table: Table): readonly CampaignText[] {
  return readCampaigns(table)?.values ?? [];
}

function campaignsNamedIn(tables: readonly Table[]): ReadonlySet<string | null> {
  return new Set(tables.flatMap((table) => campaignTexts(table).map(({ id, name }) => id ?? name)));
}

import { Failure } from '../../api/failure.ts';
import type { Table } from '../../api/table.ts';
import { optional } from '../asking.ts';
import type { ListedCampaign } from '../campaigns.ts';
import type { CallContext } from '../define-tool.ts';
import { shiftDays } from '../period.ts';
import { answers, gapsOf, readSales, type Sales, useOf } from './break-down-visits.ts';
import { type CampaignText, campaignsIn, readCampaigns, sharedNames } from './campaign-of-row.ts';
import { askForVisits, type ListLimits, newLimits, readVisitsInSlices, type Span, wholeList } from './read-visits.ts';
import type { Turns } from './turns.ts';
import {
  type AccountList,
  countRows,
  type DatedList,
  type Doubt,
  isOutside,
  missingIn,
  readByCampaign,
  type VisitsOfCampaigns,
} from './visits-by-campaign.ts';

export type { VisitList } from './visits-by-campaign.ts';

/** What is asked of the visits of all campaigns. */
export interface VisitsAsked {
  readonly span: Span;
  /** The list of campaigns, which may still be on its way. */
  readonly listing: Promise<readonly ListedCampaign[]>;
  /** Whether it matters of which campaign a visit is, and whether its sales are to be read from the conversion list. */
  readonly needsCampaigns: boolean;
  readonly needsSales: boolean;
  /** By performance.now; a call's whole time if it is not given. */
  readonly deadline?: number;
  /** Whose turn it is if campaigns have to be asked one by one; takes what became of them. */
  readonly turns?: Turns | undefined;
}

/** The visits of all campaigns in some days. */
export interface AccountVisits extends VisitsOfCampaigns {
  readonly campaigns: readonly ListedCampaign[];
  /** What the conversion list of all campaigns says of the sales. */
  readonly sales: Sales | undefined;
}

/**
 * Reads the visits of all campaigns: from the account-wide visitor list if the tracker has one and a day fits into it, else campaign
 * by campaign.
 * @throws Failure if nothing can be read, or `listing` fails
 */
export async function readAccountVisits(asked: VisitsAsked, context: CallContext): Promise<AccountVisits> {
  const { span, needsSales, deadline = performance.now() + context.client.timeoutMs } = asked;
  const limits = newLimits(context, deadline);
  const [list, sales, campaigns] = await Promise.all([
    readAccountList(span, limits, context),
    needsSales ? readSales(0, span, context) : undefined,
    asked.listing,
  ]);
  const doubt = await doubtOf(list, asked, campaigns, limits, context);
  const campaignOf = campaignsIn(campaigns);
  const lists = list.tables
    .filter((dated) => !doubt || isOutside(dated, doubt.span))
    .map((dated) => ({ ...dated, campaignOf: campaignOf(dated.table), sales }));
  if (doubt) {
    const known = { campaigns, sales, needsSales, turns: asked.turns };
    const own = await readByCampaign(list, doubt, known, { limits, deadline }, context);
    return { ...own, campaigns, sales, lists: [...lists, ...own.lists] };
  }
  const missing = missingIn(list.read);
  return { campaigns, sales, lists, notices: [basisOf(list)], missingDays: () => missing, whyUnread: undefined };
}

/** After so many days that are cut off, those that were seen show which campaigns have traffic. */
const maxCutDays = 12;

async function readAccountList(span: Span, limits: ListLimits, context: CallContext): Promise<AccountList> {
  const tables: DatedList[] = [];
  const options = { ...wholeList, maxCutDays, proves: true, limits, quick: true };
  try {
    const take = (table: Table, days: Span) => tables.push({ table, days });
    return { tables, read: await readVisitsInSlices('0', span, undefined, context, take, options) };
  } catch (failure) {
    if (!(failure instanceof Failure) || context.signal?.aborted) throw failure;
    return { tables: [], read: { requests: 0, cutDays: [], unreadDays: [], stoppedBy: undefined }, failure };
  }
}

/** Why the list of all campaigns does not do; undefined if it does. */
async function doubtOf(
  { tables, read, failure }: AccountList,
  { needsCampaigns, span }: VisitsAsked,
  campaigns: readonly ListedCampaign[],
  limits: ListLimits,
  context: CallContext,
): Promise<Doubt | undefined> {
  if (failure) return { why: `could not be read (${failure.happened})`, isAll: false, span };
  const lists = tables.map(({ table }) => table).filter(({ rowCount }) => rowCount > 0);
  if (!lists.every(readCampaigns)) return { why: 'names no campaigns', isAll: false, span };
  const seen = namesIn(lists);
  if (seen.size < 2 && campaigns.length !== 1) {
    // A tracker may take "all" for one campaign, or for none: earlier days show whether it does.
    const before = { start: shiftDays(span.start, -30), end: shiftDays(span.start, -1) };
    const ask = () => askForVisits('0', before, context, { columnSet: 'all', maxRecords: 1000, quick: true });
    if (namesIn((await optional(ask, context)) ?? []).size < 2)
      return { why: seen.size === 0 ? 'is empty' : 'has one campaign alone in it', isAll: false, span };
  }
  const isShared = sharedNames(campaigns);
  const isUnclear = ({ id, name }: CampaignText) => id === null && name !== null && isShared.has(name);
  if (needsCampaigns && lists.some((table) => [...campaignTexts(table)].some(isUnclear)))
    return { why: 'does not tell campaigns of one name apart', isAll: true, span };
  if (read.cutDays.length === 0) return undefined;
  const gaps = missingIn(read);
  return {
    why: `is cut off by its own maximum of ${limits.maximum} rows within one day`,
    isAll: true,
    span: { start: gaps[0] ?? span.start, end: gaps.at(-1) ?? span.end },
  };
}

function* campaignTexts(table: Table): Generator<CampaignText> {
  const read = readCampaigns(table);
  for (let row = 0; read && row < table.rowCount; row += 1) yield read(row);
}

function namesIn(tables: readonly Table[]): ReadonlySet<string | null> {
  return new Set(tables.flatMap((table) => [...campaignTexts(table)].map(({ id, name }) => id ?? name)));
}

function basisOf({ tables, read }: AccountList): string {
  const base = `Counted from ${countRows(tables)} visits of the visitor list of all campaigns, in ${answers(read.requests)}`;
  const gaps = gapsOf(read);
  if (gaps === '') return `${base}, none of which was cut off.`;
  return `A sample: ${base.charAt(0).toLowerCase()}${base.slice(1)}. ${useOf(read)}${gaps}`;
}

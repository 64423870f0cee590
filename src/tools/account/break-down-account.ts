import { VisitGroups } from '../../analysis/visit-groups.ts';
import { Failure } from '../../api/failure.ts';
import type { Table } from '../../api/table.ts';
import { optional } from '../asking.ts';
import { type ListedCampaign, listCampaigns } from '../campaigns.ts';
import type { CallContext } from '../define-tool.ts';
import { shiftDays } from '../period.ts';
import { labelsByCampaign, type TokenLabels } from '../tokens.ts';
import { type AccountList, byCampaign, type DatedList, type Doubt, sharedNames } from './break-down-campaigns.ts';
import {
  addVisits,
  answers,
  type Breakdown,
  gapsOf,
  needsLabels,
  needsSales,
  present,
  readSales,
  salesNotices,
  sameNameNotices,
  useOf,
} from './break-down-visits.ts';
import { type CampaignText, readCampaigns } from './campaign-of-row.ts';
import {
  askForVisits,
  type ListLimits,
  newLimits,
  readVisitsInSlices,
  type Span,
  type VisitsRead,
  wholeList,
} from './read-visits.ts';
import { campaignsIn, cutsOf, needsCampaigns, type Question, tokenNotices, tokensIn } from './visit-cuts.ts';

/**
 * The visits of all campaigns, cut: from the account-wide visitor list if the tracker has one and a day fits into it, else
 * campaign by campaign.
 * @throws Failure if nothing can be read, or the lists do not carry what they are to be cut by
 */
export async function byAccount(asked: readonly string[], span: Span, context: CallContext): Promise<Breakdown> {
  const deadline = performance.now() + context.client.timeoutMs;
  const limits = newLimits(context);
  const [list, sales, campaigns = []] = await Promise.all([
    readAccountList(span, limits, context),
    needsSales(asked) ? readSales(0, span, context) : undefined,
    optional(() => listCampaigns(context.client, context.signal), context),
  ]);
  const labels =
    (needsLabels(asked) && (await optional(() => labelsByCampaign(campaigns, context), context))) ||
    new Map<ListedCampaign, TokenLabels>();
  const question: Question = { asked, span, campaigns, labels, sales };
  const groups = new VisitGroups();
  const doubt = await doubtOf(list, question, limits, context);
  const cuts = cutsOf(question, campaignsIn(campaigns));
  const isKept = ({ days }: DatedList) => !doubt || days.end < doubt.span.start || days.start > doubt.span.end;
  for (const { table } of list.tables.filter(isKept)) addVisits(groups, table, cuts, sales, tokensIn(labels));
  const rest = doubt
    ? await byCampaign(groups, list, doubt, question, limits, deadline, context)
    : [accountNotice(groups.counted, list.read)];
  return present(groups, cuts, new Map(), [
    ...rest,
    ...salesNotices(sales),
    ...tokenNotices(groups, question),
    ...sameNameNotices(asked, [...labels.values()]),
  ]);
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
  { asked, campaigns, span }: Question,
  limits: ListLimits,
  context: CallContext,
): Promise<Doubt | undefined> {
  if (failure) return { why: `could not be read (${failure.message})`, isAll: false, span };
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
  if (needsCampaigns(asked) && lists.some((table) => [...campaignTexts(table)].some(isUnclear)))
    return { why: 'does not tell campaigns of one name apart', isAll: true, span };
  if (read.cutDays.length === 0) return undefined;
  const gaps = [...read.cutDays, ...read.unreadDays].sort();
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

function accountNotice(counted: number, read: VisitsRead): string {
  const base = `Counted from ${counted} visits of the visitor list of all campaigns, in ${answers(read.requests)}`;
  const gaps = gapsOf(read);
  if (gaps === '') return `${base}, none of which was cut off.`;
  return `A sample: ${base.charAt(0).toLowerCase()}${base.slice(1)}. ${useOf(read)}${gaps}`;
}

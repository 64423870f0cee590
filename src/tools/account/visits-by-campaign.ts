import { Failure } from '../../api/failure.ts';
import type { Table } from '../../api/table.ts';
import { rawText } from '../../api/text/tracker-text.ts';
import { keptForMs } from '../../client/answer-cache.ts';
import { askMany, type Outcome } from '../asking.ts';
import { type ListedCampaign, nameCampaigns } from '../campaigns.ts';
import type { CallContext } from '../define-tool.ts';
import { listDays } from '../period.ts';
import { answers, gapsOf, readSales, type Sales, useOf } from './break-down-visits.ts';
import { campaignFinder, sharedNames, type Visited, visited } from './campaign-of-row.ts';
import { type ListLimits, readVisitsInSlices, rowsOf, type Span, type VisitsRead, wholeList } from './read-visits.ts';
import type { Turns } from './turns.ts';

export interface DatedList {
  readonly table: Table;
  readonly days: Span;
}

/** A part of the visitor list. */
export interface VisitList extends DatedList {
  readonly campaignOf: (row: number) => Visited;
  /** What the conversion list says of its sales, if that was asked for and can be read. */
  readonly sales: Sales | undefined;
}

export interface VisitsOfCampaigns {
  readonly lists: readonly VisitList[];
  /** What they rest on, a sentence each. */
  readonly notices: readonly string[];
  /** The days of which not all visits of a campaign were read, in order. A day without visits is none of them. */
  readonly missingDays: (campaign: ListedCampaign) => readonly string[];
  /** What the tracker said of the first campaign that it refused, or that there was no time. */
  readonly whyUnread: string | undefined;
}

/** The visitor list of all campaigns, as far as it was read. */
export interface AccountList {
  readonly tables: readonly DatedList[];
  readonly read: VisitsRead;
  readonly failure?: Failure;
}

/** Why that list does not do. */
export interface Doubt {
  /** To be read behind "the list of all campaigns". */
  readonly why: string;
  /** Whether it is of all campaigns, as far as it goes. */
  readonly isAll: boolean;
  /** The days that it does not do for. */
  readonly span: Span;
}

/** So many campaigns that a list does not show are asked all the same, if only a part of the list is known. */
const maxUnseen = 100;

const maxNamed = 5;

interface KnownOfAccount {
  readonly campaigns: readonly ListedCampaign[];
  /** The sales of all campaigns; if they are needed and the tracker does not list them, they are read of each campaign. */
  readonly sales: Sales | undefined;
  readonly needsSales: boolean;
  readonly turns: Turns | undefined;
}

interface OwnList {
  readonly tables: readonly DatedList[];
  readonly read: VisitsRead;
  readonly sales: Sales | undefined;
}

/**
 * Reads the visits of some days campaign by campaign, those with traffic first.
 * @throws Failure if there is no campaign, or none can be read
 */
export async function readByCampaign(
  list: AccountList,
  doubt: Doubt,
  known: KnownOfAccount,
  { limits, deadline }: { readonly limits: ListLimits; readonly deadline: number },
  context: CallContext,
): Promise<VisitsOfCampaigns> {
  const { span } = doubt;
  const { campaigns, sales, needsSales, turns } = known;
  if (campaigns.length === 0)
    throw (
      list.failure ?? new Failure(`The visitor list of all campaigns ${doubt.why}, and the tracker lists no campaigns.`)
    );
  const { chosen, unseen } = await chooseCampaigns(list, doubt, known, context);
  const outcomes = new Map<ListedCampaign, Outcome<OwnList>>();
  const readOne = async (campaign: ListedCampaign, inTime: CallContext, proves: boolean): Promise<OwnList> => {
    const tables: DatedList[] = [];
    const take = (table: Table, days: Span) => tables.push({ table, days });
    const options = { ...wholeList, maxSlices: chosen.length + 400, proves, limits, reuse: true, quick: true };
    const id = rawText(campaign.id);
    const read = await readVisitsInSlices(id, span, undefined, inTime, take, options);
    const isAlone = needsSales && !sales && countRows(tables) > 0;
    return { tables, read, sales: isAlone ? await readSales(Number(id), span, inTime) : sales };
  };
  const ask = async (some: readonly ListedCampaign[], proves = false) => {
    const read = (campaign: ListedCampaign, inTime: CallContext) => readOne(campaign, inTime, proves);
    const answered = await askMany(some, read, context, 'campaigns read', deadline);
    for (const [index, outcome] of answered.entries()) {
      // A list that could not be proved is there all the same.
      if (!proves || outcome.kind === 'answer') outcomes.set(some[index] as ListedCampaign, outcome);
    }
  };
  const lists = () =>
    [...outcomes].flatMap(([campaign, outcome]) => (outcome.kind === 'answer' ? [{ campaign, ...outcome.value }] : []));
  await ask(chosen);
  // The longest list shows whether any is cut off.
  const [longest] = lists().sort((one, other) => countRows(other.tables) - countRows(one.tables));
  if (limits.maximum === undefined && longest) await ask([longest.campaign], true);
  const { maximum = Number.POSITIVE_INFINITY } = limits;
  const cut = lists().filter(({ tables, read }) => read.requests === 1 && countRows(tables) >= maximum);
  await ask(cut.map(({ campaign }) => campaign));

  const failures = [...outcomes].flatMap(([campaign, outcome]) =>
    outcome.kind === 'failure' ? [{ campaign, failure: outcome.failure }] : [],
  );
  const isReached = ({ failure }: (typeof failures)[number]) => failure.outcome !== 'not-sent';
  const failed = failures.filter(isReached).map(({ campaign }) => campaign);
  const isRead = new Set([...failed, ...lists().flatMap(({ campaign, read }) => (read.stoppedBy ? [] : [campaign]))]);
  turns?.note(idsOf(chosen.filter((campaign) => !isRead.has(campaign))), idsOf(failed));
  if (failures[0] && lists().length === 0) throw failures[0].failure;
  const named = failures.map(({ campaign, failure }) => `${nameCampaigns([campaign])} (${failure.message})`);
  const late = [...outcomes.values()].filter(({ kind }) => kind === 'not-asked').length;
  const reads = lists().map(({ read }) => read);
  const requests = reads.reduce((sum, read) => sum + read.requests, 0);
  const partly = lists().filter(({ read }) => gapsOf(read) !== '');
  const all = (days: 'cutDays' | 'unreadDays') => [...new Set(reads.flatMap((read) => read[days]))].sort();
  const parts: VisitsRead = {
    requests,
    cutDays: all('cutDays'),
    unreadDays: all('unreadDays'),
    stoppedBy: reads.find(({ stoppedBy }) => stoppedBy)?.stoppedBy,
  };
  const own = lists().flatMap(({ campaign, tables, sales: sold }) =>
    tables.map((dated) => ({ ...dated, campaignOf: () => visited(campaign), sales: sold })),
  );
  const days = new Map(lists().map(({ campaign, read }) => [campaign, missingIn(read)]));
  const isUnread = new Set([...chosen, ...unseen]);
  const before = countRows(list.tables.filter((dated) => isOutside(dated, span)));
  const notices = [
    `Counted campaign by campaign, since the tracker’s visitor list of all campaigns ${doubt.why}: from ${countRows(own)} visits of the visitor lists of ${reads.length} campaigns, in ${answers(requests)}.`,
    ...(before > 0
      ? [`Days before ${span.start} and behind ${span.end} are ${before} visits of the list of all campaigns.`]
      : []),
    ...(partly.length > 0
      ? [
          `A sample for ${partly.length} of them: ${nameCampaigns(partly.slice(0, maxNamed).map(({ campaign }) => campaign))}. ${useOf(parts)}${gapsOf(parts)}`,
        ]
      : []),
    ...(named.length > 0
      ? [
          `Not read, and in no row and no total: ${named.slice(0, maxNamed).join('; ')}${named.length > maxNamed ? `; and ${named.length - maxNamed} more` : ''}.`,
        ]
      : []),
    ...(late > 0
      ? [
          `There was no time to read ${late} of ${chosen.length} campaigns, which are in no row and no total${doubt.isAll ? '; those with most visits came first' : ''}. Call again within ${keptForMs / 1000} s: it goes on with these.`,
        ]
      : []),
    ...(unseen.length > 0
      ? [
          `${unseen.length} campaigns are in no part of the list of all campaigns that was read, and sold nothing: they were not asked, and are in no row and no total.`,
        ]
      : []),
  ];
  return {
    lists: own,
    notices,
    missingDays: (campaign) => days.get(campaign) ?? (isUnread.has(campaign) ? listDays(span.start, span.end) : []),
    whyUnread:
      failures[0]?.failure.message ?? (late > 0 ? 'there was no time, and they come first the next time' : undefined),
  };
}

/** Whether a list has none of these days. */
export const isOutside = ({ days }: DatedList, { start, end }: Span): boolean => days.end < start || days.start > end;

const idsOf = (campaigns: readonly ListedCampaign[]) => campaigns.map(({ id }) => rawText(id));

/** The days that are not whole. */
export const missingIn = ({ cutDays, unreadDays }: VisitsRead): readonly string[] => [...cutDays, ...unreadDays].sort();

export const countRows = (lists: readonly DatedList[]): number => rowsOf(lists.map(({ table }) => table));

/** The campaigns to ask, those with most visits first, and those that are left out as they have hardly any. */
async function chooseCampaigns(
  { tables, read }: AccountList,
  { isAll, span }: Doubt,
  { campaigns, sales, turns }: KnownOfAccount,
  context: CallContext,
): Promise<{ readonly chosen: readonly ListedCampaign[]; readonly unseen: readonly ListedCampaign[] }> {
  const find = campaignFinder(campaigns);
  const visits = new Map<ListedCampaign | undefined, number>();
  const count = (table: Table, weight: number) => {
    const found = find(table);
    for (let row = 0; row < table.rowCount; row += 1) visits.set(found(row), (visits.get(found(row)) ?? 0) + weight);
  };
  for (const { table } of tables) count(table, 1);
  for (const table of (sales ?? (await readSales(0, span, context)))?.tables ?? []) count(table, 0);
  // A name that several have is that of any of them.
  const isShared = sharedNames(campaigns);
  const isSeen = (campaign: ListedCampaign) =>
    visits.has(campaign) || (visits.has(undefined) && isShared.has(rawText(campaign.name)));
  const weight = (campaign: ListedCampaign) => visits.get(campaign) ?? (isSeen(campaign) ? 0 : -1);
  const turn = new Map(campaigns.map((campaign) => [campaign, turns?.of(rawText(campaign.id)) ?? 0]));
  const sorted = campaigns.toSorted(
    (one, other) =>
      (turn.get(one) ?? 0) - (turn.get(other) ?? 0) ||
      weight(other) - weight(one) ||
      Number(one.active === false) - Number(other.active === false),
  );
  const unseen = sorted.filter((campaign) => !isSeen(campaign));
  const isPart = read.cutDays.length > 0;
  if (!isAll || (isPart && unseen.length <= maxUnseen)) return { chosen: sorted, unseen: [] };
  return { chosen: sorted.filter(isSeen), unseen: isPart ? unseen : [] };
}

import { sameInAll, valueAt } from '../../analysis/coded.ts';
import { type Note, sayNotice } from '../../answer/notes.ts';
import type { WhyNotAll, WhyUnreviewed } from '../../answer/visit-notes.ts';
import type { Coded } from '../../api/cells.ts';
import { Failure } from '../../api/failure.ts';
import type { Table } from '../../api/table.ts';
import { rawText } from '../../api/text/tracker-text.ts';
import { cachedForMs } from '../../client/answer-cache.ts';
import { askMany, type Outcome } from '../asking.ts';
import {
  campaignsIn,
  duplicateNames,
  type ListedCampaign,
  namedCampaign,
  type Visited,
  visited,
} from '../campaigns.ts';
import type { CallContext } from '../define-tool.ts';
import { listDays } from '../period.ts';
import {
  endOfReading,
  isAtMaximum,
  isFarBelow,
  type ListLimits,
  listRead,
  missingIn,
  newLimits,
  oddRowsNote,
  readVisitsInSlices,
  rowsOf,
  type Span,
  type VisitsRead,
  wholeListOptions,
} from './read-visits.ts';
import { readSales, type Sales } from './visit-cuts.ts';

export interface DatedList {
  readonly table: Table;
  readonly days: Span;
}

export interface VisitList extends DatedList {
  readonly visited: Coded<Visited>;
  /** Its sales from the conversion list; undefined if not needed or not readable. */
  readonly sales: Sales | undefined;
}

export interface VisitsOfCampaigns {
  readonly lists: readonly VisitList[];
  readonly notices: readonly Note[];
  /** Whether all visits of all campaigns were read. */
  readonly isWhole: boolean;
  /** The days whose visits were not all read for a campaign, in order. A day without visits is not missing. */
  readonly missingDays: (campaign: ListedCampaign) => readonly string[];
  /** Why the first campaign could not be read; absent if all were. */
  readonly whyUnread?: WhyUnreviewed | undefined;
}

/** The visitor list of all campaigns, as far as it was read. */
export interface AccountList {
  readonly tables: readonly DatedList[];
  readonly read: VisitsRead;
  readonly failure?: Failure;
}

/** The campaigns of the longest list, and of the few that are about as long. */
function longestOf(lists: readonly { campaign: ListedCampaign; tables: readonly DatedList[] }[]): ListedCampaign[] {
  const sorted = lists
    .map(({ campaign, tables }) => ({ campaign, rows: countRows(tables) }))
    .sort((one, other) => other.rows - one.rows)
    .slice(0, 4);
  return sorted.filter(({ rows }) => !isFarBelow(rows, { maximum: sorted[0]?.rows })).map(({ campaign }) => campaign);
}

export interface Doubt {
  readonly why: WhyNotAll;
  /** Whether the part of it that was read covers all campaigns. */
  readonly isAll: boolean;
  /** The days for which it cannot be used. */
  readonly span: Span;
}

interface Account {
  readonly campaigns: readonly ListedCampaign[];
  /** The sales of all campaigns; if needed and not listed, they are read per campaign. */
  readonly sales: Sales | undefined;
  readonly needsSales: boolean;
  readonly turns: Turns | undefined;
  readonly limits: ListLimits;
  readonly deadline: number;
}

interface CampaignVisits {
  readonly tables: readonly DatedList[];
  readonly read: VisitsRead;
  readonly sales: Sales | undefined;
}

/**
 * Reads the visits of some days campaign by campaign, those with traffic first.
 * @throws Failure if visits are listed and no campaign is, or none can be read
 */
export async function readByCampaign(
  list: AccountList,
  doubt: Doubt,
  account: Account,
  context: CallContext,
): Promise<VisitsOfCampaigns> {
  const { span } = doubt;
  const { campaigns } = account;
  if (campaigns.length === 0) {
    const what: Note = { code: 'no-list-and-no-campaigns', why: doubt.why };
    if (list.failure || countRows(list.tables) > 0) throw list.failure ?? new Failure(sayNotice(what));
    // A new account has neither: that is an answer.
    return { lists: [], isWhole: true, missingDays: () => [], notices: [what] };
  }
  const { chosen, unseen } = await chooseCampaigns(list, doubt, account, context);
  const read = await readEach(chosen, span, account, context);
  const [first] = read.failures;
  const hasOtherDays = list.tables.some((dated) => isOutside(dated, span));
  if (first && read.lists.length === 0 && !hasOtherDays) throw first.failure;
  return {
    ...visitsIn(read, [...chosen, ...unseen], span),
    notices: [
      ...basisNotes(list, doubt, read.lists),
      ...unreadNotes(read, chosen.length, doubt.isAll, hasOtherDays ? span : undefined),
      ...(unseen.length > 0 ? [{ code: 'campaigns-not-asked', campaigns: unseen.length } as const] : []),
    ],
  };
}

/**
 * Reads the visits of a few campaigns, and not the list of all.
 * @throws Failure if none can be read
 */
export async function readVisitsOf(
  campaigns: readonly ListedCampaign[],
  span: Span,
  context: CallContext,
): Promise<VisitsOfCampaigns> {
  const [limits, deadline] = [newLimits(context), endOfReading(context)];
  const asked = { sales: undefined, needsSales: false, turns: undefined, limits, deadline };
  const read = await readEach(campaigns, span, asked, context);
  const [first] = read.failures;
  if (first && read.lists.length === 0) throw first.failure;
  return {
    ...visitsIn(read, campaigns, span),
    notices: [
      ...read.lists.map(
        ({ tables, read: of }) =>
          ({ code: 'counted-in-campaign', visits: countRows(tables), read: listRead(of) }) as const,
      ),
      ...unreadNotes(read, campaigns.length, true, undefined),
    ],
  };
}

interface ReadEach {
  readonly lists: readonly (CampaignVisits & { readonly campaign: ListedCampaign })[];
  readonly failures: readonly { readonly campaign: ListedCampaign; readonly failure: Failure }[];
  /** How many were not asked in time. */
  readonly late: number;
}

/** Reads the visits of campaigns one by one, in their order. */
async function readEach(
  chosen: readonly ListedCampaign[],
  span: Span,
  { sales, needsSales, turns, limits, deadline }: Omit<Account, 'campaigns'>,
  context: CallContext,
): Promise<ReadEach> {
  const outcomes = new Map<ListedCampaign, Outcome<CampaignVisits>>();
  const readOne = async (campaign: ListedCampaign, inTime: CallContext, proves: boolean): Promise<CampaignVisits> => {
    const tables: DatedList[] = [];
    const take = (table: Table, days: Span) => tables.push({ table, days });
    const options = { ...wholeListOptions, maxSlices: chosen.length + 400, proves, limits, ...readsInPart };
    const id = rawText(campaign.id);
    const read = await readVisitsInSlices(id, span, undefined, inTime, take, options);
    const isAlone = needsSales && !sales && countRows(tables) > 0;
    return { tables, read, sales: isAlone ? await readSales(Number(id), span, inTime) : sales };
  };
  const ask = async (asked: readonly ListedCampaign[], proves = false) => {
    const read = (campaign: ListedCampaign, inTime: CallContext) => readOne(campaign, inTime, proves);
    const answered = await askMany(asked, read, context, 'campaigns read', deadline);
    for (const [index, campaign] of asked.entries()) {
      const outcome = answered[index];
      // If the proof fails, the list that was read before stays.
      if (outcome && (!proves || outcome.kind === 'answer')) outcomes.set(campaign, outcome);
    }
  };
  const lists = () =>
    [...outcomes].flatMap(([campaign, outcome]) => (outcome.kind === 'answer' ? [{ campaign, ...outcome.value }] : []));
  await ask(chosen);
  // The longest lists show whether any is cut off.
  if (limits.maximum === undefined) await ask(longestOf(lists()), true);
  const cut = lists().filter(({ tables, read }) => read.requests === 1 && isAtMaximum(countRows(tables), limits));
  await ask(cut.map(({ campaign }) => campaign));

  const failures = [...outcomes].flatMap(([campaign, outcome]) =>
    outcome.kind === 'failure' ? [{ campaign, failure: outcome.failure }] : [],
  );
  const failed = failures.filter(({ failure }) => failure.outcome !== 'not-sent').map(({ campaign }) => campaign);
  const done = new Set([...failed, ...lists().flatMap(({ campaign, read }) => (read.stoppedBy ? [] : [campaign]))]);
  turns?.note(idsOf(chosen.filter((campaign) => !done.has(campaign))), idsOf(failed));
  const late = [...outcomes.values()].filter(({ kind }) => kind === 'not-asked').length;
  return { lists: lists(), failures, late };
}

function visitsIn(
  { lists, failures: [first], late }: ReadEach,
  campaigns: readonly ListedCampaign[],
  span: Span,
): Omit<VisitsOfCampaigns, 'notices'> {
  const missing = new Map(lists.map(({ campaign, read }) => [campaign, missingIn(read)]));
  const wanted = new Set(campaigns);
  return {
    lists: lists.flatMap(({ campaign, tables, sales: sold }) =>
      tables.map((dated) => ({
        ...dated,
        visited: sameInAll(dated.table.rowCount, visited(campaign)),
        sales: sold,
      })),
    ),
    isWhole: [...wanted].every((campaign) => missing.get(campaign)?.length === 0),
    missingDays: (campaign) => missing.get(campaign) ?? (wanted.has(campaign) ? listDays(span.start, span.end) : []),
    whyUnread: first || late > 0 ? { failure: first?.failure.happened } : undefined,
  };
}

const readsInPart = { reuse: true, quick: true, keepsRest: true } as const;

const maxNamed = 5;

function basisNotes(
  list: AccountList,
  { why, span }: Doubt,
  lists: readonly (CampaignVisits & { readonly campaign: ListedCampaign })[],
): Note[] {
  const reads = lists.map(({ read }) => read);
  const partly = lists.filter(({ read }) => missingIn(read).length > 0).map(({ campaign }) => campaign);
  const all = (days: 'cutDays' | 'unreadDays') => [...new Set(reads.flatMap((read) => read[days]))].sort();
  const read = listRead({
    requests: reads.reduce((sum, { requests }) => sum + requests, 0),
    cutDays: all('cutDays'),
    unreadDays: all('unreadDays'),
    stoppedBy: reads.find(({ stoppedBy }) => stoppedBy)?.stoppedBy,
    failure: reads.find(({ failure }) => failure)?.failure,
  });
  const visits = countRows(lists.flatMap(({ tables }) => tables));
  const others = countRows(list.tables.filter((dated) => isOutside(dated, span)));
  const sample = { count: partly.length, campaigns: partly.slice(0, maxNamed).map(namedCampaign), read };
  return [
    { code: 'counted-by-campaign', visits, campaigns: reads.length, read, why },
    ...oddRowsNote(reads),
    ...(others > 0 ? [{ code: 'counted-in-account-too', ...span, visits: others } as const] : []),
    ...(partly.length > 0 ? [{ code: 'sample-of-campaigns', ...sample } as const] : []),
  ];
}

/** @param days that these were asked for, if others were read otherwise */
function unreadNotes({ failures, late }: ReadEach, asked: number, isByVisits: boolean, days: Span | undefined): Note[] {
  const named = failures
    .slice(0, maxNamed)
    .map(({ campaign, failure }) => ({ ...namedCampaign(campaign), failure: failure.happened }));
  const unread = { campaigns: named, days, more: Math.max(failures.length - maxNamed, 0) };
  const keptFor = cachedForMs / 1000;
  return [
    ...(failures.length > 0 ? [{ code: 'lists-of-campaigns-unread', ...unread } as const] : []),
    ...(late > 0 ? [{ code: 'no-time-for-lists', late, of: asked, isByVisits, keptFor } as const] : []),
  ];
}

export const isOutside = ({ days }: DatedList, { start, end }: Span): boolean => days.end < start || days.start > end;

const idsOf = (campaigns: readonly ListedCampaign[]) => campaigns.map(({ id }) => rawText(id));

export const countRows = (lists: readonly DatedList[]): number => rowsOf(lists.map(({ table }) => table));

/** Max campaigns that are asked although the part of the list that was read does not have them. */
const maxUnseen = 100;

export const areAllAsked = (unseen: readonly ListedCampaign[]): boolean => unseen.length <= maxUnseen;

/** The campaigns to ask, those with most visits first, and those that are skipped because they have hardly any. */
async function chooseCampaigns(
  { tables, read }: AccountList,
  { isAll, span }: Doubt,
  { campaigns, sales, turns }: Account,
  context: CallContext,
): Promise<{ readonly chosen: readonly ListedCampaign[]; readonly unseen: readonly ListedCampaign[] }> {
  const sold = (sales ?? (await readSales(0, span, context)))?.tables ?? [];
  const visitors = tables.map(({ table }) => table);
  const visits = countVisits(campaigns, visitors, sold);
  // A shared name may mean any of the campaigns that have it.
  const sharedNames = duplicateNames(campaigns);
  const isSeen = (campaign: ListedCampaign) =>
    visits.has(campaign) || (visits.has(undefined) && sharedNames.has(rawText(campaign.name)));
  const weight = (campaign: ListedCampaign) => visits.get(campaign) ?? (isSeen(campaign) ? 0 : -1);
  const turn = new Map(campaigns.map((campaign) => [campaign, turns?.of(rawText(campaign.id)) ?? 0]));
  const sorted = campaigns.toSorted(
    (one, other) =>
      (turn.get(one) ?? 0) - (turn.get(other) ?? 0) || weight(other) - weight(one) || activeFirst(one, other),
  );
  const unseen = sorted.filter((campaign) => !isSeen(campaign));
  const isPart = read.cutDays.length > 0;
  if (!isAll || (isPart && areAllAsked(unseen))) return { chosen: sorted, unseen: [] };
  return { chosen: sorted.filter(isSeen), unseen: isPart ? unseen : [] };
}

export const activeFirst = (one: ListedCampaign, other: ListedCampaign): number =>
  Number(one.active === false) - Number(other.active === false);

/**
 * The number of visits by campaign in lists of the whole account. Unknown campaigns count under undefined; a campaign with only sales
 * counts 0.
 */
export function countVisits(
  campaigns: readonly ListedCampaign[],
  visitors: readonly Table[],
  sales: readonly Table[],
): ReadonlyMap<ListedCampaign | undefined, number> {
  const find = campaignsIn(campaigns);
  const counts = new Map<ListedCampaign | undefined, number>();
  for (const table of [...visitors, ...sales]) {
    const campaignOfRow = find(table);
    const perRow = visitors.includes(table) ? 1 : 0;
    for (let row = 0; row < table.rowCount; row += 1) {
      const listed = valueAt(campaignOfRow, row)?.listed;
      counts.set(listed, (counts.get(listed) ?? 0) + perRow);
    }
  }
  return counts;
}

/**
 * The order in which campaigns are asked if there may not be time for all: first those not reached before, longest waiting first; last
 * those that failed, so that one that hangs does not block the others.
 */
export class Turns {
  #first: readonly string[];
  #last: readonly string[];

  /** @param earlier from `toJSON` */
  constructor({
    first = [],
    last = [],
  }: { readonly first?: readonly string[]; readonly last?: readonly string[] } = {}) {
    this.#first = first;
    this.#last = last;
  }

  /** The sort key of a campaign: negative before all others, positive after them. */
  of(id: string): number {
    const index = this.#first.indexOf(id);
    return index < 0 ? this.#last.indexOf(id) + 1 : index - this.#first.length;
  }

  /** Learns the outcome of a round, in the order in which campaigns were asked. */
  note(unreached: readonly string[], failed: readonly string[]): void {
    const unreachedIds = new Set(unreached);
    const last = new Set([...this.#last.filter((id) => unreachedIds.has(id)), ...failed]);
    const waiting = this.#first.filter((id) => unreachedIds.has(id));
    this.#first = [...new Set([...waiting, ...unreached])].filter((id) => !last.has(id));
    this.#last = [...last];
  }

  toJSON() {
    return { first: [...this.#first], last: [...this.#last] };
  }
}

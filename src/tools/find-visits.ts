import { usualDigits } from '../analysis/given-subids.ts';
import { groupBy } from '../analysis/statistics/history.ts';
import { clickNumberOf } from '../analysis/visit-story.ts';
import type { Wanted, WantedVisits } from '../analysis/wanted-visits.ts';
import { Failure } from '../api/failure.ts';
import type { Table } from '../api/table.ts';
import { rawText } from '../api/text/tracker-text.ts';
import { isPlainRefusal } from '../client/errors.ts';
import { askMany, paceOf } from './asking.ts';
import { type ListedCampaign, listCampaignsIfOffered } from './campaigns.ts';
import type { CallContext } from './define-tool.ts';
import { shiftDays, today } from './period.ts';

/** Fewer visits of a campaign, or of the account, are looked up one by one: a list costs a tracker more than two lookups. */
const [minForList, minForAccount] = [3, 5];

/** With more campaigns, the lists of the account are read instead. */
export const maxCampaigns = 8;

/** How many days back lists are read: a network reports most conversions within weeks. */
const [campaignDays, accountDays] = [60, 30];

/** Max rows of a visitor list; a tracker may return fewer. */
export const maxRecords = 10_000;

/** Max lookups by ClickID of subIDs that the tracker does not know: they only find subIDs with a different beginning. */
const maxByClickId = 20;

/** A list that finds fewer visits costs more than lookups would. */
const minFound = 2;

/** Max part of a call's time for lists. */
const partForLists = 0.6;

/** What a search returns. The visits that it found are stored in each `Wanted`. */
export interface Search {
  /** undefined if the list could not be read */
  readonly campaigns: readonly ListedCampaign[] | undefined;
  /** The first failure of a request, other than "no such visitor". */
  readonly failure: Failure | undefined;
  /** Unknown subIDs whose ClickID alone was not looked up. */
  readonly uncheckedClickIds: number;
  /** The visitor lists that were read, which may overlap. */
  readonly lists: readonly Table[];
}

/**
 * Finds visitors with few requests: in the conversion list and then the visitor list of each campaign, and the rest one by one. Skips
 * what there is no time for.
 * @throws Failure if the tracker answered no request
 */
export async function findVisits(visits: WantedVisits, context: CallContext): Promise<Search> {
  const { leftMs } = context.client;
  const startedAt = performance.now();
  const requests = new Requests();
  const lookUp = (some: readonly Wanted[], asked = ({ subid }: Wanted) => subid) => {
    const ask = (one: Wanted, inTime: CallContext) => lookUpOne(one, asked(one), visits, requests, inTime);
    return askMany(some, ask, context, 'subIDs', startedAt + leftMs);
  };
  const campaigns = await listCampaignsIfOffered(context);
  const isListed = (id: string) => id === '0' || (campaigns?.some((one) => rawText(one.id) === id) ?? true);
  const listed = visits.all.filter(({ campaignId = '0' }) => isListed(campaignId));
  const readGroups = (groups: readonly ListGroup[]) => {
    const read = (group: ListGroup, inTime: CallContext) => readLists(group, visits, requests, inTime);
    return askMany(groups, read, context, 'lists', startedAt + leftMs * partForLists);
  };
  await readGroups(groupsOf(listed));
  requests.throwIfAllFailed();
  // A tracker may refuse the lists of the whole account.
  if (listed.every(({ salesSince }) => salesSince === undefined)) {
    await readGroups(
      groupsOf(listed.filter(isOpen), Number.POSITIVE_INFINITY).filter(({ campaignId }) => campaignId > 0),
    );
  }
  // For a campaign that the tracker does not list, two visitors show whether it knows any.
  const unlisted = [...byCampaign(visits.all)].filter(([id]) => !isListed(id)).map(([, some]) => some);
  await lookUp(unlisted.flatMap((some) => some.slice(0, 2)));
  for (const some of unlisted) {
    if (some.slice(0, 2).every(({ lookup }) => lookup === 'none')) for (const one of some) one.lookup = 'none';
  }
  await lookUp(visits.all.filter(isOpen));
  requests.throwIfAllFailed();
  const unknown = visits.all.filter(
    ({ subid, lookup, others }) => lookup === 'none' && others.size === 0 && clickIdOf(subid) !== subid,
  );
  await lookUp(unknown.slice(0, maxByClickId), ({ subid }) => clickIdOf(subid));
  const uncheckedClickIds = Math.max(0, unknown.length - maxByClickId);
  return { campaigns, failure: requests.failure, uncheckedClickIds, lists: requests.lists };
}

/** Sends requests, and remembers the first failure and the visitor lists. */
class Requests {
  failure: Failure | undefined;
  readonly lists: Table[] = [];
  #hasAnswered = false;

  /** Returns the answer, or the failure. "No such visitor" counts as an answer. */
  async send<Result>(ask: () => Promise<Result>, { signal }: CallContext): Promise<Result | Failure> {
    try {
      const result = await ask();
      this.#hasAnswered = true;
      return result;
    } catch (error) {
      if (!(error instanceof Failure) || signal?.aborted) throw error;
      if (isPlainRefusal(error)) this.#hasAnswered = true;
      else this.failure ??= error;
      return error;
    }
  }

  /** @throws Failure if all requests failed, for example because of a wrong key */
  throwIfAllFailed(): void {
    if (this.failure && !this.#hasAnswered) throw this.failure;
  }
}

interface ListGroup {
  /** 0 for the account. */
  readonly campaignId: number;
  readonly wanted: readonly Wanted[];
}

function byCampaign(some: readonly Wanted[]): ReadonlyMap<string, readonly Wanted[]> {
  return groupBy(some, ({ campaignId = '0' }) => campaignId);
}

/** The lists to read: campaigns with enough visitors each, and the account for the rest. */
function groupsOf(wanted: readonly Wanted[], max = maxCampaigns): ListGroup[] {
  const groups = [...byCampaign(wanted)].map(([id, some]) => ({ campaignId: Number(id), wanted: some }));
  const own = groups.filter((group) => group.campaignId !== 0 && group.wanted.length >= minForList);
  const kept = own.length > max ? [] : own;
  const rest = groups.filter((group) => !kept.includes(group)).flatMap((group) => group.wanted);
  return rest.length < minForAccount ? kept : [...kept, { campaignId: 0, wanted: rest }];
}

/** Reads the lists of a campaign, the latest visitors first, as long as they find more than lookups would. */
async function readLists(
  { campaignId, wanted }: ListGroup,
  visits: WantedVisits,
  requests: Requests,
  context: CallContext,
): Promise<void> {
  const { client, signal, timeZone, now } = context;
  const pace = paceOf(context);
  // The tracker's day may be one after ours.
  const newest = shiftDays(today(timeZone, now()), 1);
  const first = shiftDays(newest, -(campaignId === 0 ? accountDays : campaignDays));
  const question = { campaign_id: campaignId, start_date: first, end_date: newest, column_set: 'all' } as const;
  const sales = await requests.send(() => client.read('list_conversions', question, { signal }), context);
  if (!(sales instanceof Failure)) {
    for (const table of sales.reply.tables) await visits.takeSales(table, wanted, pace);
    for (const one of wanted) one.salesSince = first;
  }
  let last = newest;
  let hasProbed = false;
  const read = new Set<string>();
  for (let open = wanted.filter(isOpen); open.length >= minForList; open = wanted.filter(isOpen)) {
    const { from = first, to = last } = visits.daysAround(open);
    // Days as YYYY-MM-DD sort by date.
    const [end = last] = [to, last].sort();
    const span = { start_date: from, end_date: end };
    if (span.start_date > span.end_date || read.has(JSON.stringify(span))) return;
    read.add(JSON.stringify(span));
    const page = await requests.send(
      () => client.read('list_visitors', { ...question, ...span, max_records: maxRecords }, { signal }),
      context,
    );
    if (page instanceof Failure) return;
    requests.lists.push(...page.reply.tables);
    let oldest: string | undefined;
    for (const table of page.reply.tables) {
      const ofTable = await visits.takeVisits(table, pace);
      oldest ??= ofTable;
    }
    const left = wanted.filter(isOpen);
    // The latest come first: a list that ends after the first day may have been cut off.
    if (oldest !== undefined && oldest >= span.start_date) {
      last = oldest < span.end_date ? oldest : shiftDays(oldest, -1);
      if (open.length - left.length >= minFound) continue;
    }
    if (hasProbed || left.length < minForList) return;
    // The oldest and the newest show the days of the others.
    hasProbed = true;
    const byAge = left.toSorted((one, other) => Number(clickNumberOf(one.subid)) - Number(clickNumberOf(other.subid)));
    for (const one of byAge.slice(0, 1).concat(byAge.slice(-1)))
      await lookUpOne(one, one.subid, visits, requests, context);
  }
}

async function lookUpOne(
  one: Wanted,
  asked: string,
  visits: WantedVisits,
  requests: Requests,
  context: CallContext,
): Promise<void> {
  const { client, signal } = context;
  const answer = await requests.send(() => client.read('lookup_subid', { subid: asked }, { signal }), context);
  if (!(answer instanceof Failure)) visits.takeLookup(one, answer.reply.groups, asked);
  else if (one.lookup === undefined) one.lookup = isPlainRefusal(answer) ? 'none' : 'failed';
}

/** Whether it is neither found nor looked up. */
function isOpen({ visit, lookup }: Wanted): boolean {
  return visit === undefined && lookup === undefined;
}

/** The ClickID with its usual zeros. */
export function clickIdOf(subid: string): string {
  return (subid.split('_').at(-1) ?? '').padStart(usualDigits, '0');
}

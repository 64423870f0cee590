import type { TrackingFault, TrackingNeed } from '../answer/tracking-faults.ts';
import { dayMs } from '../api/durations.ts';
import { type Pace, unhurried } from '../api/running-call.ts';
import { isoDay } from './columns/times.ts';
import { daysFrom } from './sale-delay.ts';
import { groupBy, sum } from './statistics/history.ts';
import { campaignRules, reachedOffers } from './tracking/campaign-rules.ts';
import { changeIn, medianOf, sumOf, together } from './tracking/counts.ts';
import { type Looked, paidAmounts, type Rule, type Sign, UsualCosts } from './tracking/rules.ts';
import { lacksVisit, saleRules } from './tracking/sale-rules.ts';
import { rowsPerStep, type SeenCampaign, seeVisits } from './tracking/seen.ts';
import { findStrangers } from './tracking/strangers.ts';
import { formOf, type SubidForm } from './tracking/subids.ts';
import { tokenRules } from './tracking/token-rules.ts';
import {
  countVisits,
  type KnownVisits,
  type TrackedCampaign,
  type TrackedSale,
  type TrackedVisits,
} from './tracking/tracked.ts';
import { clickNumberOf } from './visit-story.ts';

export { isPlainId, type Token } from './tracking/macros.ts';
export { isUnlisted } from './tracking/seen.ts';
export { parametersOf } from './tracking/token-rules.ts';
export type { TrackedCampaign, TrackedSale, TrackedVisits } from './tracking/tracked.ts';

export interface TrackedAccount {
  /** All that the tracker lists. */
  readonly campaigns: readonly TrackedCampaign[];
  readonly lists: readonly TrackedVisits[];
  readonly sales: readonly TrackedSale[];
  readonly lacks: ReadonlySet<TrackingNeed>;
  /** If some campaigns were read whole and of the others a few days alone: the lists of the others, and their first day. */
  readonly usual?: { readonly lists: readonly TrackedVisits[]; readonly since: string };
  /** Whether all visits of the days were read, so that one that is missing does not exist. */
  readonly isWhole: boolean;
  /** The first day that was read, and the first and the last that are asked for. */
  readonly days: { readonly read: string; readonly first: string; readonly last: string };
  /** The moment as of which they are looked at; default the end. */
  readonly until?: number;
}

/** So many subIDs show how all are written. */
const maxLearned = 20_000;

/** Finds why the figures of an account are wrong: most money first, then most visits. */
export async function findTrackingFaults(account: TrackedAccount, pace: Pace = unhurried): Promise<TrackingFault[]> {
  const { campaigns, lists, usual, lacks, days, until = Number.POSITIVE_INFINITY } = account;
  const form = (usual && (await formIn(usual.lists, pace))) ?? (await formIn(lists, pace));
  await pace.rest();
  const counted = await countVisits(lists, { read: days.read, until, pace });
  const first = daysFrom(days.read, days.first);
  const all = await seeVisits(counted, form, { from: usual ? daysFrom(days.read, usual.since) : 0, first }, pace);
  await findStrangers(counted, all, pace);
  const dayOf = ({ day }: TrackedSale) => (day === null ? first : daysFrom(days.read, day));
  const sales = account.sales.filter((sale) => sale.at === null || sale.at <= until);
  const lastSale = sales.reduce((latest, { at }) => Math.max(latest, at ?? latest), Number.NEGATIVE_INFINITY);
  const looked: Looked = {
    ...{ first, all, campaigns, form, dayOf, lastSale, lastVisit: Math.max(...all.map(({ latest }) => latest)) },
    ...{ offers: sumOffers(all), paidByOffer: paidByOffer(sales), usualCosts: await usualCosts(all, pace) },
    visits: await knownVisits(sales, account, pace),
  };
  const sold = groupBy(
    sales.filter((sale) => dayOf(sale) >= 0),
    ({ campaign }) => campaign,
  );
  const faults: TrackingFault[] = [];
  const apply = async <Seen>(
    rules: readonly Rule<Seen>[],
    counts: TrackingFault['counts'],
    seen: readonly (readonly [TrackedCampaign | undefined, Seen])[],
  ) => {
    for (const rule of rules.filter(({ needs }) => !needs || !lacks.has(needs))) {
      const signs: PlacedSign[] = [];
      for (const [campaign, one] of seen) {
        await pace.rest();
        for (const sign of rule.find(one, looked))
          signs.push({ campaign, source: campaign?.source ?? undefined, sign });
      }
      for (const placed of rule.isOfSource ? bySource(signs, all) : signs)
        faults.push(...faultOf(rule, counts, placed, days.read, first));
    }
  };
  const visited = all.map((seen) => [seen.campaign, seen] as const);
  await apply([...tokenRules, ...campaignRules], 'visit', visited);
  await apply(saleRules, 'sale', [...sold]);
  return faults
    .filter((fault) => !faults.some((cause) => cause !== fault && explains(cause, fault)))
    .sort((one, other) => other.money - one.money || other.visits - one.visits);
}

interface PlacedSign {
  readonly campaign: TrackedCampaign | undefined;
  readonly source: string | undefined;
  readonly sign: Sign;
}

/** Signs as one of a source, if all of its campaigns have it. */
function bySource(signs: readonly PlacedSign[], all: readonly SeenCampaign[]): PlacedSign[] {
  return [...groupBy(signs, ({ source }) => source)].flatMap(([source, group]) => {
    const [one] = group;
    const ofSource = all.filter(({ campaign, unpaid }) => campaign.source === source && sumOf(unpaid).of > 0);
    if (!one || source === undefined || group.length < Math.max(ofSource.length, 2)) return group;
    const { link: _, ...sign } = one.sign;
    const days = together(group.map((each) => each.sign.days));
    return [{ campaign: undefined, source, sign: { ...sign, days } }];
  });
}

/** After so many visits or sales without it, a fault is over. */
const minAfter = 10;

/** The fault that a sign shows; none if the asked days have too few. */
function faultOf(
  { code, at, min }: Pick<Rule, 'code' | 'at' | 'min'>,
  counts: TrackingFault['counts'],
  { campaign, source, sign: { days, ...details } }: PlacedSign,
  read: string,
  first: number,
): TrackingFault[] {
  const { since, isOlder } = changeIn(days);
  // What was there before is usual.
  const from = Math.max(since ?? 0, first);
  const last = days.findLastIndex((day) => day !== undefined && day.bad > 0);
  const isOver = sumOf(days, last + 1).of >= Math.max(min, minAfter);
  const { bad, of, money } = sumOf(isOver ? days.slice(0, last + 1) : days, from);
  if (since === undefined || bad < Math.max(min, 1)) return [];
  const dayAfter = (count: number) => isoDay(Date.parse(read) + count * dayMs);
  const told = { code, at, source, example: null, ...details, counts, visits: bad, of, money };
  const who = campaign && { id: campaign.id, name: campaign.name };
  const until = isOver ? dayAfter(last) : undefined;
  const span = { since: dayAfter(since), counted: dayAfter(from), isOlder, until };
  return [{ ...told, campaign: who, ...span }];
}

/** Whether a fault follows from another one of the same campaign. */
function explains(cause: TrackingFault, { campaign, code, counts, since }: TrackingFault): boolean {
  if (cause.campaign?.id !== campaign?.id) return false;
  if (cause.counts === 'visit' && counts === 'sale')
    return cause.code === code || (code === 'sale_without_visit' && cause.code.endsWith('_subid'));
  return cause.code === 'cut_link' && (code === 'no_cost' || code === 'empty_token') && cause.since === since;
}

/** How the subIDs of some lists are written. */
async function formIn(lists: readonly TrackedVisits[], pace: Pace): Promise<SubidForm | undefined> {
  const subids = new Set<string>();
  await eachSubid(lists, pace, (subid) => subids.add(subid).size < maxLearned);
  await pace.rest();
  return formOf([...subids]);
}

/**
 * @param take whether to go on
 * @param areSold only those of visits that sold
 */
async function eachSubid(
  lists: readonly TrackedVisits[],
  pace: Pace,
  take: (subid: string) => boolean,
  areSold = false,
): Promise<void> {
  for (const list of lists)
    for (let from = 0; from < list.rowCount; from += rowsPerStep) {
      await pace.rest();
      if (!takeSome(list, from, take, areSold)) return;
    }
}

function takeSome(
  { rowCount, subids, amounts }: TrackedVisits,
  from: number,
  take: (subid: string) => boolean,
  areSold: boolean,
): boolean {
  const end = subids ? Math.min(from + rowsPerStep, rowCount) : from;
  for (let row = from; row < end; row += 1) {
    const subid = areSold && amounts.conversions[row] === 0 ? null : subids?.at(row);
    if (subid != null && !take(subid)) return false;
  }
  return true;
}

/** The visits of sales, as far as they were read; undefined if others may be missing. */
async function knownVisits(
  sales: readonly TrackedSale[],
  { lists, isWhole, days }: TrackedAccount,
  pace: Pace,
): Promise<KnownVisits | undefined> {
  // Where no sale has a subID, the list does not show them.
  if (!isWhole || sales.every(({ subid }) => subid === null)) return undefined;
  const wanted = new Set(sales.flatMap(({ subid }) => (subid === null ? [] : [subid, clickNumberOf(subid)])));
  const needsClicks = sales.some(({ visitDay }) => visitDay === null);
  const subids = new Set<string>();
  let [first, last, isAny] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, false];
  const take = (subid: string) => {
    isAny = true;
    if (wanted.has(subid)) subids.add(subid);
    if (!needsClicks) return true;
    const click = Number(clickNumberOf(subid));
    if (click < first) first = click;
    if (click > last) last = click;
    return true;
  };
  // A tracker may keep visits for fewer days than sales: those of days before its first ones, and of that day in part, are not known.
  const [firstDay = days.read] = lists.flatMap((list) => list.days?.values.flatMap((day) => day ?? []) ?? []).sort();
  const since = firstDay > days.read ? isoDay(Date.parse(firstDay) + dayMs) : days.read;
  const known = (): KnownVisits => ({ subids, clicks: [first, last], days: [since, days.last] });
  // Nearly all sales have a visit that sold; the others are only looked at for the rest.
  await eachSubid(lists, pace, take, true);
  if (needsClicks || sales.some((sale) => sale.subid !== null && lacksVisit(sale, known())))
    await eachSubid(lists, pace, take);
  return isAny ? known() : undefined;
}

/** What all campaigns sold, and how many of their visits reached an offer. */
const sumOffers = (all: readonly SeenCampaign[]): Looked['offers'] => ({
  sales: sum(all.map(({ sales }) => sales)),
  reached: sum(all.map((seen) => reachedOffers(seen).of)),
});

async function usualCosts(all: readonly SeenCampaign[], pace: Pace): Promise<UsualCosts> {
  const usual = new Map<SeenCampaign, number>();
  for (const seen of all) {
    await pace.rest();
    usual.set(seen, medianOf(...seen.costs.filter((ofDay) => ofDay !== undefined)));
  }
  return new UsualCosts(usual);
}

/** What the sales of each offer paid, over all campaigns. */
const paidByOffer = (sales: readonly TrackedSale[]): Looked['paidByOffer'] =>
  new Map([...groupBy(sales, ({ offer }) => offer)].map(([offer, own]) => [offer, paidAmounts(own)]));

import type { Pace } from '../../api/running-call.ts';
import type { Coded } from '../../api/table.ts';
import type { TokenSlot } from '../../api/token-slots.ts';
import { mapCoded, valueAt } from '../coded.ts';
import { daysFrom } from '../sale-delay.ts';
import type { Reading, VisitAmounts } from '../visit-groups.ts';
import { countOn, type DayCounts } from './counts.ts';
import { type Odd, oddIn, type Token } from './macros.ts';
import { type SubidFault, type SubidForm, subidFault } from './subids.ts';

/** A campaign as the tracker lists it. */
export interface TrackedCampaign {
  readonly id: string;
  readonly name: string;
  readonly source: string | null;
  /** Undefined if the list does not tell, as below. */
  readonly active: boolean | undefined;
  readonly bid: number | undefined;
  readonly passesSubidToOffer: boolean | undefined;
  readonly link: string | null;
  /** The tokens of its source in the order of its link; empty if the tracker shows none. */
  readonly tokens: readonly Token[];
}

/** A conversion as the tracker lists it. */
export interface TrackedSale {
  readonly campaign: TrackedCampaign | undefined;
  readonly subid: string | null;
  readonly offer: string | null;
  readonly amount: number;
  /** The part of the amount that counts: nothing of a rejected sale. */
  readonly revenue: number;
  /** The offer's payout, if the list has it beside the amount. */
  readonly payout: number | null;
  readonly transaction: string | null;
  /** Days as YYYY-MM-DD, and moments on the tracker's clock. */
  readonly day: string | null;
  readonly at: number | null;
  readonly visitDay: string | null;
  readonly visitedAt: number | null;
}

/** The visits that were read, to look for those of sales. */
export interface KnownVisits {
  readonly subids: ReadonlySet<string>;
  /** The numbers of the first and the last ClickID. */
  readonly clicks: readonly [first: number, last: number];
  readonly days: readonly [first: string, last: string];
}

export interface TrackedVisits {
  readonly rowCount: number;
  readonly campaigns: Coded<TrackedCampaign | undefined>;
  readonly days: Coded<string | null> | undefined;
  readonly momentOf: (row: number) => number | null;
  /** By slot, without those that the list lacks. */
  readonly slots: ReadonlyMap<TokenSlot, Reading>;
  readonly subid: Reading | undefined;
  readonly landingPage: Reading | undefined;
  readonly offer: Reading | undefined;
  readonly amounts: VisitAmounts;
}

/** The visits of a campaign with a value of a token. */
export interface SeenValue {
  readonly value: string;
  readonly odd: Odd | undefined;
  readonly days: DayCounts;
}

export interface SeenToken {
  readonly token: Token;
  /** Visits that have other tokens; bad are those without this one. */
  readonly empty: DayCounts;
  /** Those that were seen first, up to a number; the others. */
  readonly values: Map<string, SeenValue>;
  readonly others: Set<string>;
}

export interface SeenPage {
  readonly name: string;
  /** Bad are those without a subID, and those without a click. */
  readonly subids: DayCounts;
  readonly unclicked: DayCounts;
}

/** Visits of a campaign that have the values of another one: an ad of that has the link of this. */
export interface Strangers {
  readonly other: SeenCampaign;
  /** Those that show it if they came up on a day, and those that show it if it was always so. */
  readonly days: DayCounts;
  readonly always: DayCounts;
  readonly example: string;
}

/** The visits of a campaign, by day. */
export interface SeenCampaign {
  readonly campaign: TrackedCampaign;
  /** Bad are those without any token. */
  readonly visits: DayCounts;
  readonly tokens: readonly SeenToken[];
  /** Visits with tokens; bad are those whose cost is 0 or the campaign's bid. Their costs. */
  readonly unpaid: DayCounts;
  readonly costs: number[][];
  readonly landings: Map<string, SeenPage>;
  readonly offers: Map<string, SeenPage>;
  readonly subids: Map<SubidFault, { readonly days: DayCounts; readonly example: string }>;
  /** Visits with values of their own campaign, and of others. */
  readonly strangers: { readonly own: DayCounts; readonly others: Map<SeenCampaign, Strangers> };
  revenue: number;
  sales: number;
  latest: number;
}

/** More values of a token are IDs of visits. */
export const maxValues = 300;

/** Takes a few milliseconds. */
const rowsPerStep = 1000;

/** The visits that count. */
export interface Span {
  /** The first day that was read. */
  readonly read: string;
  /** The moment of the last visit. */
  readonly until: number;
  /** Once it is over, no further visits are looked at. */
  readonly pace: Pace;
}

/** Goes over the visits of a list that count, with their day since the first that was read. Other calls run in between. */
export async function eachVisit(
  list: TrackedVisits,
  { read, until, pace }: Span,
  take: (row: number, campaign: TrackedCampaign, day: number, at: number) => void,
): Promise<void> {
  const days = list.days && mapCoded(list.days, (day) => (day === null ? -1 : daysFrom(read, day)));
  for (let row = 0; days && row < list.rowCount; row += 1) {
    if (row % rowsPerStep === 0) {
      await pace.rest();
      if (pace.isOver) return;
    }
    const [campaign, day = -1] = [valueAt(list.campaigns, row), valueAt(days, row)];
    const at = list.momentOf(row) ?? Number.NEGATIVE_INFINITY;
    if (campaign && day >= 0 && at <= until) take(row, campaign, day, at);
  }
}

export async function seeVisits(
  lists: readonly TrackedVisits[],
  form: SubidForm | undefined,
  span: Span,
): Promise<SeenCampaign[]> {
  const all = new Map<TrackedCampaign, SeenCampaign>();
  for (const list of lists)
    await eachVisit(list, span, (row, campaign, day, at) => {
      const seen = all.get(campaign) ?? newSeen(campaign, list);
      all.set(campaign, seen);
      seen.latest = Math.max(seen.latest, at);
      addVisit(seen, list, form, row, day);
    });
  return [...all.values()];
}

function newSeen(campaign: TrackedCampaign, { slots }: TrackedVisits): SeenCampaign {
  // Where the tracker shows no tokens, the slots still show macros that were not replaced.
  const unnamed = [...slots.keys()].map((slot) => ({ slot, label: slot, parameter: null, placeholder: '' }));
  const shown = campaign.tokens.length > 0 ? campaign.tokens.filter(({ slot }) => slots.has(slot)) : unnamed;
  return {
    ...{ campaign, visits: [], unpaid: [], costs: [], landings: new Map(), offers: new Map(), subids: new Map() },
    tokens: shown.map((token) => ({ token, empty: [], values: new Map(), others: new Set() })),
    strangers: { own: [], others: new Map() },
    ...{ revenue: 0, sales: 0, latest: Number.NEGATIVE_INFINITY },
  };
}

function addVisit(seen: SeenCampaign, list: TrackedVisits, form: SubidForm | undefined, row: number, day: number) {
  const { amounts, slots } = list;
  const textIn = (reading: Reading | undefined) => (reading && valueAt(reading, row)) ?? null;
  const [cost, revenue, subid] = [amounts.cost(row), amounts.revenue(row), textIn(list.subid)];
  const money = cost + revenue;
  const hasTokens = seen.tokens.some(({ token }) => textIn(slots.get(token.slot)) !== null);
  countOn(seen.visits, day, !hasTokens, money);
  seen.sales += amounts.conversions(row);
  seen.revenue += revenue;
  if (hasTokens || seen.tokens.length === 0) {
    seen.costs[day] ??= [];
    seen.costs[day].push(cost);
    countOn(seen.unpaid, day, cost === 0 || cost === seen.campaign.bid, money);
  }
  for (const token of hasTokens ? seen.tokens : []) {
    const value = textIn(slots.get(token.token.slot));
    countOn(token.empty, day, value === null, money);
    const found = value === null ? undefined : seenValue(value, token);
    if (found) countOn(found.days, day, true, money);
  }
  for (const [pages, name] of [
    [seen.landings, textIn(list.landingPage)],
    [seen.offers, textIn(list.offer)],
  ] as const) {
    if (!name) continue;
    const page = pages.get(name) ?? { name, subids: [], unclicked: [] };
    pages.set(name, page);
    if (list.subid) countOn(page.subids, day, !subid, money);
    countOn(page.unclicked, day, amounts.clicks(row) === 0, money);
  }
  const fault = subid && form ? subidFault(subid, seen.campaign.id, form) : undefined;
  if (!subid || !fault) return;
  const found = seen.subids.get(fault) ?? { days: [], example: subid };
  seen.subids.set(fault, found);
  countOn(found.days, day, true, money);
}

function seenValue(value: string, { token, values, others }: SeenToken): SeenValue | undefined {
  const known = values.get(value);
  if (known || others.has(value)) return known;
  const found = { value, odd: oddIn(value, token), days: [] };
  if (values.size < (found.odd ? 2 : 1) * maxValues) values.set(value, found);
  else others.add(value);
  return values.get(value);
}

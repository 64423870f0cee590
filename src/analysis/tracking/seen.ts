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

/** The visits of a list. */
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
  /** Those that were seen first, up to a number. */
  readonly values: Map<string, SeenValue>;
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

/** What the visits of each campaign show. */
export async function seeVisits(
  lists: readonly TrackedVisits[],
  form: SubidForm | undefined,
  span: Span,
): Promise<SeenCampaign[]> {
  const all = new Map<TrackedCampaign, SeenCampaign>();
  for (const list of lists) {
    const adders = new Map<TrackedCampaign, ReturnType<typeof adderOf>>();
    await eachVisit(list, span, (row, campaign, day, at) => {
      const seen = all.get(campaign) ?? newSeen(campaign, list);
      const add = adders.get(campaign) ?? adderOf(seen, list, form);
      all.set(campaign, seen);
      adders.set(campaign, add);
      seen.latest = Math.max(seen.latest, at);
      add(row, day);
    });
  }
  return [...all.values()];
}

function newSeen(campaign: TrackedCampaign, { slots }: TrackedVisits): SeenCampaign {
  // Where the tracker shows no tokens, the slots still show macros that were not replaced.
  const unnamed = [...slots.keys()].map((slot) => ({ slot, label: slot, parameter: null, placeholder: '' }));
  const shown = campaign.tokens.length > 0 ? campaign.tokens.filter(({ slot }) => slots.has(slot)) : unnamed;
  return {
    ...{ campaign, visits: [], unpaid: [], costs: [], landings: new Map(), offers: new Map(), subids: new Map() },
    tokens: shown.map((token) => ({ token, empty: [], values: new Map() })),
    strangers: { own: [], others: new Map() },
    ...{ revenue: 0, sales: 0, latest: Number.NEGATIVE_INFINITY },
  };
}

/** Adds the visits of a list to what was seen of their campaign. */
function adderOf(seen: SeenCampaign, list: TrackedVisits, form: SubidForm | undefined) {
  const { amounts } = list;
  const addTokens = seen.tokens.map((token) => tokenAdder(token, list.slots.get(token.token.slot)));
  const addPages = [pageAdder(seen.landings, list, list.landingPage), pageAdder(seen.offers, list, list.offer)];
  return (row: number, day: number) => {
    const [cost, revenue] = [amounts.cost(row), amounts.revenue(row)];
    const money = cost + revenue;
    const hasTokens = addTokens.some(({ has }) => has(row));
    countOn(seen.visits, day, !hasTokens, money);
    seen.sales += amounts.conversions(row);
    seen.revenue += revenue;
    if (hasTokens || seen.tokens.length === 0) {
      seen.costs[day] ??= [];
      seen.costs[day].push(cost);
      countOn(seen.unpaid, day, cost === 0 || cost === seen.campaign.bid, money);
    }
    if (hasTokens) for (const { add } of addTokens) add(row, day, money);
    for (const add of addPages) add(row, day, money);
    const subid = list.subid && valueAt(list.subid, row);
    const fault = subid && form ? subidFault(subid, seen.campaign.id, form) : undefined;
    if (!subid || !fault) return;
    const found = seen.subids.get(fault) ?? { days: [], example: subid };
    seen.subids.set(fault, found);
    countOn(found.days, day, true, money);
  };
}

function tokenAdder(seen: SeenToken, reading: Reading | undefined) {
  const readingOf = (row: number) => (reading && valueAt(reading, row)) ?? null;
  // Values that came when there were enough of them.
  const others = new Set<string>();
  return {
    has: (row: number) => readingOf(row) !== null,
    add: (row: number, day: number, money: number) => {
      const value = readingOf(row);
      countOn(seen.empty, day, value === null, money);
      if (value === null || others.has(value)) return;
      const found = seenValue(value, seen);
      if (found) countOn(found.days, day, true, money);
      else others.add(value);
    },
  };
}

function seenValue(value: string, { token, values }: SeenToken): SeenValue | undefined {
  const known = values.get(value);
  if (known) return known;
  const found = { value, odd: oddIn(value, token), days: [] };
  if (values.size >= (found.odd ? 2 : 1) * maxValues) return undefined;
  values.set(value, found);
  return found;
}

function pageAdder(pages: Map<string, SeenPage>, { subid, amounts }: TrackedVisits, reading: Reading | undefined) {
  return (row: number, day: number, money: number) => {
    const name = reading && valueAt(reading, row);
    if (!name) return;
    const page = pages.get(name) ?? { name, subids: [], unclicked: [] };
    pages.set(name, page);
    if (subid) countOn(page.subids, day, !valueAt(subid, row), money);
    countOn(page.unclicked, day, amounts.clicks(row) === 0, money);
  };
}

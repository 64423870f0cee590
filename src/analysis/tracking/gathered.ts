import { yieldIfBusy } from '../../api/running-call.ts';
import type { TokenSlot } from '../../api/token-slots.ts';
import { mapCoded, valueAt } from '../coded.ts';
import type { Reading, VisitAmounts } from '../visit-groups.ts';
import { countOn, type Days } from './counts.ts';
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
  readonly campaignOf: (row: number) => TrackedCampaign | undefined;
  readonly dayOf: (row: number) => string | null;
  readonly momentOf: (row: number) => number | null;
  /** By slot, without those that the list lacks. */
  readonly slots: ReadonlyMap<TokenSlot, Reading>;
  readonly subid: Reading | undefined;
  readonly landingPage: Reading | undefined;
  readonly offer: Reading | undefined;
  readonly amounts: VisitAmounts;
}

/** The visits of a campaign with a value that is odd. */
interface OddValue extends Odd {
  readonly value: string;
  readonly days: Days;
}

export interface GatheredToken {
  readonly token: Token;
  /** Visits that have other tokens; bad are those without this one. */
  readonly empty: Days;
  readonly odd: Map<string, OddValue>;
  /** Visits by value, up to a number of values. */
  readonly values: Map<string, Days>;
  /** Whether there were more values. */
  isOpen: boolean;
}

export interface GatheredPage {
  readonly kind: 'landing' | 'offer';
  readonly name: string;
  /** Bad are those without a subID. */
  readonly subids: Days;
  /** Bad are those without a click. */
  readonly unclicked: Days;
}

/** The visits of a campaign, by day. */
export interface Gathered {
  readonly campaign: TrackedCampaign;
  /** Bad are those without any token. */
  readonly visits: Days;
  readonly tokens: readonly GatheredToken[];
  /** Visits with tokens; bad are those whose cost is 0 or the campaign's bid. */
  readonly unpaid: Days;
  /** The costs of visits with tokens. */
  readonly costs: Map<string, number[]>;
  readonly pages: Map<string, GatheredPage>;
  readonly subids: Map<SubidFault, { readonly days: Days; readonly example: string }>;
  revenue: number;
  sales: number;
  latest: number;
}

/** More values of a token are IDs of visits. */
const maxValues = 300;

/** Takes a few milliseconds. */
export const rowsPerStep = 1000;

/** Gathers the visits of all campaigns. Other calls run in between. */
export async function gatherVisits(lists: readonly TrackedVisits[], form: SubidForm | undefined): Promise<Gathered[]> {
  const all = new Map<TrackedCampaign, Gathered>();
  for (const list of lists) {
    const readOdd = oddReader(list);
    for (let row = 0; row < list.rowCount; row += 1) {
      if (row % rowsPerStep === 0) await yieldIfBusy();
      const [campaign, day] = [list.campaignOf(row), list.dayOf(row)];
      if (!campaign || day === null) continue;
      const gathered = all.get(campaign) ?? newGathered(campaign, list);
      all.set(campaign, gathered);
      gatherVisit(gathered, list, row, day, readOdd, form);
    }
  }
  return [...all.values()];
}

function newGathered(campaign: TrackedCampaign, { slots }: TrackedVisits): Gathered {
  // Where the tracker shows no tokens, the slots still show macros that were not replaced.
  const unnamed = [...slots.keys()].map((slot) => ({ slot, label: slot, parameter: null, placeholder: '' }));
  const shown = campaign.tokens.length > 0 ? campaign.tokens.filter(({ slot }) => slots.has(slot)) : unnamed;
  return {
    campaign,
    visits: new Map(),
    tokens: shown.map((token) => ({ token, empty: new Map(), odd: new Map(), values: new Map(), isOpen: false })),
    unpaid: new Map(),
    costs: new Map(),
    pages: new Map(),
    subids: new Map(),
    revenue: 0,
    sales: 0,
    latest: Number.NEGATIVE_INFINITY,
  };
}

type ReadOdd = (token: Token, row: number) => Odd | undefined;

/** Reads each value of a token once. */
function oddReader({ slots }: TrackedVisits): ReadOdd {
  const known = new Map<Token, ReturnType<typeof mapCoded<unknown, Odd | undefined>>>();
  return (token, row) => {
    const reading = slots.get(token.slot);
    if (!reading) return undefined;
    const coded = known.get(token) ?? mapCoded(reading, (value) => (value ? oddIn(value, token) : undefined));
    known.set(token, coded);
    return valueAt(coded, row);
  };
}

function gatherVisit(
  gathered: Gathered,
  list: TrackedVisits,
  row: number,
  day: string,
  readOdd: ReadOdd,
  form: SubidForm | undefined,
): void {
  const { slots, amounts } = list;
  const [cost, revenue] = [amounts.cost(row), amounts.revenue(row)];
  const money = cost + revenue;
  const values = gathered.tokens.map(({ token }) => valueAt(slots.get(token.slot) as Reading, row) ?? null);
  const hasTokens = values.some((value) => value !== null);
  countOn(gathered.visits, day, !hasTokens, money);
  gathered.sales += amounts.conversions(row);
  gathered.revenue += revenue;
  gathered.latest = Math.max(gathered.latest, list.momentOf(row) ?? Number.NEGATIVE_INFINITY);
  if (hasTokens || gathered.tokens.length === 0) {
    const costs = gathered.costs.get(day) ?? [];
    gathered.costs.set(day, costs);
    costs.push(cost);
    countOn(gathered.unpaid, day, cost === 0 || cost === gathered.campaign.bid, money);
  }
  if (hasTokens) {
    for (const [index, seen] of gathered.tokens.entries()) {
      const value = values[index] ?? null;
      countOn(seen.empty, day, value === null, money);
      if (value === null) continue;
      const odd = readOdd(seen.token, row);
      if (odd) {
        const known = seen.odd.get(value) ?? { ...odd, value, days: new Map() };
        if (seen.odd.size < maxValues) seen.odd.set(value, known);
        countOn(known.days, day, true, money);
      }
      const days = seen.values.get(value);
      if (days) countOn(days, day, true, money);
      else if (seen.values.size >= maxValues) seen.isOpen = true;
      else seen.values.set(value, new Map([[day, { of: 1, bad: 1, money, worth: money }]]));
    }
  }
  gatherPages(gathered, list, row, day, money);
  const subid = list.subid && valueAt(list.subid, row);
  const fault = subid && form ? subidFault(subid, gathered.campaign.id, form) : undefined;
  if (!subid || !fault) return;
  const found = gathered.subids.get(fault) ?? { days: new Map(), example: subid };
  gathered.subids.set(fault, found);
  countOn(found.days, day, true, money);
}

function gatherPages(gathered: Gathered, list: TrackedVisits, row: number, day: string, money: number): void {
  const [landing, offer] = [list.landingPage, list.offer].map((reading) => reading && valueAt(reading, row));
  const add = (kind: GatheredPage['kind'], name: string) => {
    const key = `${kind} ${name}`;
    const page = gathered.pages.get(key) ?? { kind, name, subids: new Map(), unclicked: new Map() };
    gathered.pages.set(key, page);
    if (list.subid) countOn(page.subids, day, !valueAt(list.subid, row), money);
    countOn(page.unclicked, day, list.amounts.clicks(row) === 0, money);
  };
  if (landing) add('landing', landing);
  if (offer) add('offer', offer);
}

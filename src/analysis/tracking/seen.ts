import type { Pace } from '../../api/running-call.ts';
import { type Steps, withRests } from '../../api/steps.ts';
import type { Coded } from '../../api/table.ts';
import type { TokenSlot } from '../../api/token-slots.ts';
import { rowsByValue } from '../rows-by-value.ts';
import { daysFrom } from '../sale-delay.ts';
import type { Reading } from '../visit-dimensions.ts';
import type { VisitAmounts } from '../visit-groups.ts';
import { countOn, type DayCounts } from './counts.ts';
import { contentOf, type Odd, oddIn, type Token } from './macros.ts';
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
  /** Of the subIDs of sales, those that a visit has. */
  readonly subids: ReadonlySet<string>;
  /** The numbers of the first and the last ClickID, if the day of some sale's visit is not known. */
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
  /** Undefined if the list has no subIDs. They are not coded: each visit has its own. */
  readonly subidOf: ((row: number) => string | null) | undefined;
  readonly landingPage: Reading | undefined;
  readonly offer: Reading | undefined;
  readonly amounts: VisitAmounts;
}

/** The visits of a campaign with a value of a token. */
export interface SeenValue {
  readonly value: string;
  readonly odd: Odd | undefined;
  /** Of what may be a fault itself: an odd value, or the ID of a click. Others have too many. */
  readonly days: DayCounts | undefined;
  /** Those of the days on which all campaigns are known, and of these before the asked days. */
  whole: number;
  before: number;
}

/** The first day on which all campaigns are known, and the first that is asked for. */
export type KnownDays = Readonly<Record<'from' | 'first', number>>;

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
export const rowsPerStep = 16_000;

/** The visits that count. */
export interface Span {
  /** The first day that was read. */
  readonly read: string;
  /** The moment of the last visit. */
  readonly until: number;
  /** Once it is over, no further visits are looked at. */
  readonly pace: Pace;
}

/** The visits of a campaign in a list, as far as they count. */
export interface CountedVisits {
  readonly list: TrackedVisits;
  readonly campaign: TrackedCampaign;
  /** In their order. */
  readonly rows: Uint32Array;
  /** The day of a row since the first that was read. */
  readonly dayOf: (row: number) => number;
  /** The moment of the latest one. */
  readonly latest: number;
}

/** The visits that count, list by list, and each campaign's where its first one is. Other calls run in between. */
export async function countVisits(
  lists: readonly TrackedVisits[],
  { read, until, pace }: Span,
): Promise<CountedVisits[]> {
  const counted: CountedVisits[] = [];
  for (const list of lists) {
    await pace.rest();
    if (pace.isOver) break;
    const { days, momentOf } = list;
    if (!days) continue;
    const dayByCode = days.values.map((day) => (day === null ? -1 : daysFrom(read, day)));
    const dayOf = (row: number) => dayByCode[days.codes[row] ?? 0] ?? -1;
    const timeOf = (row: number) => momentOf(row) ?? Number.NEGATIVE_INFINITY;
    const isCounted = (row: number) => dayOf(row) >= 0 && timeOf(row) <= until;
    for (const [campaign, rows] of rowsByValue(list.campaigns, isCounted)) {
      const latest = rows.reduce((most, row) => Math.max(most, timeOf(row)), Number.NEGATIVE_INFINITY);
      counted.push({ list, campaign, rows, dayOf, latest });
    }
  }
  return counted;
}

export async function seeVisits(
  counted: readonly CountedVisits[],
  form: SubidForm | undefined,
  known: KnownDays,
  pace: Pace,
): Promise<SeenCampaign[]> {
  const all = new Map<TrackedCampaign, SeenCampaign>();
  const odds = new OddValues();
  for (const visits of counted) {
    await pace.rest();
    if (pace.isOver) break;
    const seen = all.get(visits.campaign) ?? newSeen(visits.campaign, visits.list);
    all.set(visits.campaign, seen);
    await withRests(seeCampaign(seen, visits, form, { odds, known }), pace.rest);
  }
  return [...all.values()];
}

/** What is odd about values, found once for each placeholder and value. */
class OddValues {
  readonly #known = new Map<string, Map<string, Odd | undefined>>();

  of(token: Token): (value: string) => Odd | undefined {
    const known = this.#known.get(token.placeholder) ?? new Map<string, Odd | undefined>();
    this.#known.set(token.placeholder, known);
    return (value) => {
      const odd = known.get(value);
      if (odd !== undefined || known.has(value)) return odd;
      const found = oddIn(value, token);
      known.set(value, found);
      return found;
    };
  }
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

/** What is known of the account. */
interface OfAccount {
  readonly odds: OddValues;
  readonly known: KnownDays;
}

/** By visit, in their order. */
interface OfVisits {
  /** 1 if it has any token. */
  readonly hasTokens: Uint8Array;
  readonly hasSubid: Uint8Array;
  readonly money: Float64Array;
}

/** Adds visits to what was seen of their campaign, one column after the other. */
function* seeCampaign(
  seen: SeenCampaign,
  visits: CountedVisits,
  form: SubidForm | undefined,
  account: OfAccount,
): Steps<void> {
  const { list, rows, latest } = visits;
  const hasTokens = new Uint8Array(rows.length);
  const ofVisits = { hasTokens, hasSubid: new Uint8Array(rows.length), money: new Float64Array(rows.length) };
  seen.latest = Math.max(seen.latest, latest);
  for (const { token } of seen.tokens) markFilled(hasTokens, rows, list.slots.get(token.slot));
  yield;
  seeMoney(seen, visits, ofVisits);
  for (let from = 0; list.subidOf && from < rows.length; from += subidsPerStep) {
    yield;
    seeSubids(seen, visits, ofVisits, form, from);
  }
  for (const token of seen.tokens) {
    yield;
    seeToken(token, visits, ofVisits, account);
  }
  yield;
  seePages(seen.landings, visits, list.landingPage, ofVisits);
  yield;
  seePages(seen.offers, visits, list.offer, ofVisits);
}

function markFilled(marks: Uint8Array, rows: Uint32Array, reading: Reading | undefined): void {
  if (!reading) return;
  const { codes, values } = reading;
  for (let visit = 0; visit < rows.length; visit += 1)
    if (values[codes[rows[visit] ?? 0] ?? 0] != null) marks[visit] = 1;
}

function seeMoney(seen: SeenCampaign, { list, rows, dayOf }: CountedVisits, { hasTokens, money }: OfVisits): void {
  const { amounts } = list;
  const { visits, unpaid, costs, campaign, tokens } = seen;
  for (let visit = 0; visit < rows.length; visit += 1) {
    const row = rows[visit] ?? 0;
    const day = dayOf(row);
    const cost = amounts.cost[row] ?? 0;
    const revenue = amounts.revenue[row] ?? 0;
    money[visit] = cost + revenue;
    countOn(visits, day, hasTokens[visit] === 0, cost + revenue);
    seen.sales += amounts.conversions[row] ?? 0;
    seen.revenue += revenue;
    if (hasTokens[visit] === 0 && tokens.length > 0) continue;
    costs[day] ??= [];
    costs[day].push(cost);
    countOn(unpaid, day, cost === 0 || cost === campaign.bid, cost + revenue);
  }
}

/** A subID is a text that is made when it is looked at. */
export const subidsPerStep = 4000;

function seeSubids(
  { subids, campaign }: SeenCampaign,
  { list, rows, dayOf }: CountedVisits,
  { hasSubid, money }: OfVisits,
  form: SubidForm | undefined,
  from: number,
): void {
  for (let visit = from; visit < Math.min(from + subidsPerStep, rows.length); visit += 1) {
    const row = rows[visit] ?? 0;
    const subid = list.subidOf?.(row);
    if (!subid) continue;
    hasSubid[visit] = 1;
    const fault = form && subidFault(subid, campaign.id, form);
    if (!fault) continue;
    const found = subids.get(fault) ?? { days: [], example: subid };
    subids.set(fault, found);
    countOn(found.days, dayOf(row), true, money[visit] ?? 0);
  }
}

function seeToken(
  seen: SeenToken,
  { list, rows, dayOf }: CountedVisits,
  { hasTokens, money }: OfVisits,
  { odds, known }: OfAccount,
): void {
  const reading = list.slots.get(seen.token.slot);
  // A number is how many visits have a value that came when there were enough of them.
  const byCode = new Map<number, SeenValue | number>();
  const [oddOf, isClick] = [odds.of(seen.token), contentOf(seen.token) === 'click'];
  const count = (found: SeenValue, visit: number) => {
    const day = dayOf(rows[visit] ?? 0);
    if (day >= known.from) found.whole += 1;
    if (day >= known.from && day < known.first) found.before += 1;
    if (found.days) countOn(found.days, day, true, money[visit] ?? 0);
  };
  for (let visit = 0; visit < rows.length; visit += 1) {
    if (hasTokens[visit] === 0) continue;
    const row = rows[visit] ?? 0;
    const code = reading?.codes[row] ?? 0;
    const value = reading?.values[code] ?? null;
    const [day, worth] = [dayOf(row), money[visit] ?? 0];
    countOn(seen.empty, day, value === null, worth);
    if (value === null) continue;
    const earlier = byCode.get(code) ?? 0;
    if (typeof earlier !== 'number') {
      count(earlier, visit);
      continue;
    }
    const found = seenValue(value, seen, oddOf, { isClick, visits: earlier + 1 });
    byCode.set(code, found ?? earlier + 1);
    // Those that were let go count, too, once the value turns out to be frequent.
    for (let one = earlier > 0 ? 0 : visit; found && one <= visit; one += 1)
      if (hasTokens[one] === 1 && reading?.codes[rows[one] ?? 0] === code) count(found, one);
  }
}

/** A value that so many visits of a list have is no ID of one, and kept whenever it comes. */
const often = 10;

function seenValue(
  value: string,
  { values }: SeenToken,
  oddOf: (value: string) => Odd | undefined,
  { isClick, visits }: { readonly isClick: boolean; readonly visits: number },
): SeenValue | undefined {
  const known = values.get(value);
  if (known) return known;
  const odd = oddOf(value);
  const found = { value, odd, days: odd || isClick ? [] : undefined, whole: 0, before: 0 };
  if (values.size >= (odd || visits >= often ? 2 : 1) * maxValues) return undefined;
  values.set(value, found);
  return found;
}

function seePages(
  pages: Map<string, SeenPage>,
  { list, rows, dayOf }: CountedVisits,
  reading: Reading | undefined,
  { hasSubid, money }: OfVisits,
): void {
  if (!reading) return;
  const byCode = new Map<number, SeenPage | null>();
  for (let visit = 0; visit < rows.length; visit += 1) {
    const row = rows[visit] ?? 0;
    const code = reading.codes[row] ?? 0;
    let page = byCode.get(code);
    if (page === undefined) {
      page = pageNamed(reading.values[code], pages);
      byCode.set(code, page);
    }
    if (!page) continue;
    const [day, worth] = [dayOf(row), money[visit] ?? 0];
    if (list.subidOf) countOn(page.subids, day, hasSubid[visit] === 0, worth);
    countOn(page.unclicked, day, list.amounts.clicks[row] === 0, worth);
  }
}

function pageNamed(name: string | null | undefined, pages: Map<string, SeenPage>): SeenPage | null {
  if (!name) return null;
  const page = pages.get(name) ?? { name, subids: [], unclicked: [] };
  pages.set(name, page);
  return page;
}

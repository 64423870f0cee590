import type { Pace } from '../../api/running-call.ts';
import { type Steps, withRests } from '../../api/steps.ts';
import type { TokenSlot } from '../../api/token-slots.ts';
import type { Reading } from '../visit-dimensions.ts';
import { countOn, type DayCounts } from './counts.ts';
import { contentOf, macroIn, type Odd, oddIn, type Token } from './macros.ts';
import { type SubidFault, type SubidForm, subidFault } from './subids.ts';
import type { CountedVisits, TrackedCampaign, TrackedVisits } from './tracked.ts';

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
  readonly isOfClick: boolean;
  /** The word of the macro that fills it. */
  readonly declared: string | undefined;
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
  /** What stands in the slots that every visit has, where the tracker lists only other tokens. It shows macros, and nothing else. */
  readonly unlisted: readonly SeenToken[];
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

/** Takes a few milliseconds, also the first time, when V8 has not compiled what looks at them. */
export const rowsPerStep = 4000;

/** Some visits in parts, before each of which other calls may run. */
export function* inParts(count: number, look: (from: number, to: number) => void): Steps<void> {
  for (let from = 0; from < count; from += rowsPerStep) {
    yield;
    look(from, Math.min(from + rowsPerStep, count));
  }
}

export async function seeVisits(
  counted: readonly CountedVisits[],
  form: SubidForm | undefined,
  known: KnownDays,
  pace: Pace,
): Promise<SeenCampaign[]> {
  const all = new Map<TrackedCampaign, SeenCampaign>();
  const byCode = new ByCode();
  for (const visits of counted) {
    await pace.rest();
    if (pace.isOver) break;
    const seen = all.get(visits.campaign) ?? newSeen(visits.campaign, visits.list);
    all.set(visits.campaign, seen);
    await withRests(seeCampaign(seen, visits, form, known, byCode), pace.rest);
  }
  return [...all.values()];
}

const newToken = (token: Token): SeenToken => ({
  ...{ token, isOfClick: contentOf(token) === 'click', declared: macroIn(token.placeholder)?.word },
  ...{ empty: [], values: new Map() },
});

/** Slots that every visit has. Some trackers list the tokens of the others alone. */
const fixedSlots: ReadonlySet<TokenSlot> = new Set(['Keyword', 'AdValue', 'ExternalID']);

/** Whether a campaign, which has tokens, has none in a slot that every visit has. */
export const isUnlisted = (slot: TokenSlot, { tokens }: TrackedCampaign): boolean =>
  fixedSlots.has(slot) && tokens.length > 0 && !tokens.some((token) => token.slot === slot);

function newSeen(campaign: TrackedCampaign, { slots }: TrackedVisits): SeenCampaign {
  // Where the tracker shows no tokens, the slots still show macros that were not replaced.
  const unnamed = [...slots.keys()].map((slot) => ({ slot, label: slot, parameter: null, placeholder: '' }));
  const areListed = campaign.tokens.length > 0;
  const shown = areListed ? campaign.tokens.filter(({ slot }) => slots.has(slot)) : unnamed;
  const unlisted = areListed ? unnamed.filter(({ slot }) => isUnlisted(slot, campaign)) : [];
  return {
    ...{ campaign, visits: [], unpaid: [], costs: [], landings: new Map(), offers: new Map(), subids: new Map() },
    tokens: shown.map(newToken),
    unlisted: unlisted.map(newToken),
    strangers: { own: [], others: new Map() },
    ...{ revenue: 0, sales: 0, latest: Number.NEGATIVE_INFINITY },
  };
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
  known: KnownDays,
  byCode: ByCode,
): Steps<void> {
  const { list, rows, latest } = visits;
  const hasTokens = new Uint8Array(rows.length);
  const ofVisits = { hasTokens, hasSubid: new Uint8Array(rows.length), money: new Float64Array(rows.length) };
  seen.latest = Math.max(seen.latest, latest);
  for (const { token } of seen.tokens) {
    const reading = list.slots.get(token.slot);
    if (reading) yield* inParts(rows.length, (from, to) => markFilled(hasTokens, rows, reading, from, to));
  }
  yield* inParts(rows.length, (from, to) => seeMoney(seen, visits, ofVisits, from, to));
  if (list.subids) yield* inParts(rows.length, (from, to) => seeSubids(seen, visits, ofVisits, form, from, to));
  const withUnlisted = { ...ofVisits, hasTokens: hasTokens.slice() };
  for (const { token } of seen.unlisted) {
    const reading = list.slots.get(token.slot);
    if (reading) yield* inParts(rows.length, (from, to) => markFilled(withUnlisted.hasTokens, rows, reading, from, to));
  }
  for (const [tokens, marks] of [
    [seen.tokens, ofVisits],
    [seen.unlisted, withUnlisted],
  ] as const)
    for (const token of tokens) yield* seeToken(token, visits, marks, known, byCode);
  for (const [pages, reading] of [
    [seen.landings, list.landingPage],
    [seen.offers, list.offer],
  ] as const)
    if (reading) yield* inParts(rows.length, (from, to) => seePages(pages, visits, reading, ofVisits, from, to));
}

function markFilled(marks: Uint8Array, rows: Uint32Array, { codes, values }: Reading, from: number, to: number): void {
  for (let visit = from; visit < to; visit += 1) if (values[codes[rows[visit] ?? 0] ?? 0] != null) marks[visit] = 1;
}

function seeMoney(
  seen: SeenCampaign,
  { list, rows, days }: CountedVisits,
  { hasTokens, money }: OfVisits,
  from: number,
  to: number,
): void {
  const { amounts } = list;
  const { visits, unpaid, costs, campaign, tokens } = seen;
  for (let visit = from; visit < to; visit += 1) {
    const row = rows[visit] ?? 0;
    const day = days[row] ?? 0;
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

function seeSubids(
  { subids, campaign }: SeenCampaign,
  { list, rows, days }: CountedVisits,
  { hasSubid, money }: OfVisits,
  form: SubidForm | undefined,
  from: number,
  to: number,
): void {
  for (let visit = from; visit < to; visit += 1) {
    const row = rows[visit] ?? 0;
    const subid = list.subids?.at(row);
    if (!subid) continue;
    hasSubid[visit] = 1;
    const fault = form && subidFault(subid, campaign.id, form);
    if (!fault) continue;
    const found = subids.get(fault) ?? { days: [], example: subid };
    subids.set(fault, found);
    countOn(found.days, days[row] ?? 0, true, money[visit] ?? 0);
  }
}

/** The values of a column among the visits of one campaign, by their codes. All columns use the same memory. */
class ByCode {
  /** How many visits came before the value was kept, and the kept value. */
  readonly visits: number[] = [];
  readonly kept: (SeenValue | undefined)[] = [];

  makeRoom(count: number): void {
    while (this.visits.length < count) {
      this.visits.push(0);
      this.kept.push(undefined);
    }
  }

  clear({ codes }: Reading, rows: Uint32Array, from: number, to: number): void {
    for (let visit = from; visit < to; visit += 1) {
      const code = codes[rows[visit] ?? 0] ?? 0;
      this.visits[code] = 0;
      this.kept[code] = undefined;
    }
  }
}

/** The column of a slot that a list lacks. */
const noReading: Reading = { codes: new Uint8Array(), values: [null] };

/** Keeps the values of a token, and then counts all visits that have them. */
function* seeToken(
  seen: SeenToken,
  visits: CountedVisits,
  ofVisits: OfVisits,
  known: KnownDays,
  byCode: ByCode,
): Steps<void> {
  const { list, rows } = visits;
  const reading = list.slots.get(seen.token.slot) ?? noReading;
  byCode.makeRoom(reading.values.length);
  yield* inParts(rows.length, (from, to) => keepValues(seen, reading, visits, ofVisits, byCode, from, to));
  yield* inParts(rows.length, (from, to) => countValues(reading, visits, ofVisits, known, byCode, from, to));
  yield* inParts(rows.length, (from, to) => byCode.clear(reading, rows, from, to));
}

function keepValues(
  seen: SeenToken,
  { codes, values }: Reading,
  { rows, days }: CountedVisits,
  { hasTokens, money }: OfVisits,
  byCode: ByCode,
  from: number,
  to: number,
): void {
  for (let visit = from; visit < to; visit += 1) {
    if (hasTokens[visit] === 0) continue;
    const row = rows[visit] ?? 0;
    const code = codes[row] ?? 0;
    const value = values[code] ?? null;
    countOn(seen.empty, days[row] ?? 0, value === null, money[visit] ?? 0);
    if (value === null || byCode.kept[code]) continue;
    const count = (byCode.visits[code] ?? 0) + 1;
    byCode.visits[code] = count;
    byCode.kept[code] = seenValue(value, seen, count);
  }
}

function countValues(
  { codes }: Reading,
  { rows, days }: CountedVisits,
  { hasTokens, money }: OfVisits,
  known: KnownDays,
  { kept }: ByCode,
  from: number,
  to: number,
): void {
  for (let visit = from; visit < to; visit += 1) {
    const row = rows[visit] ?? 0;
    const value = kept[codes[row] ?? 0];
    if (value && hasTokens[visit] === 1) countSeen(value, days[row] ?? 0, money[visit] ?? 0, known);
  }
}

function countSeen(seen: SeenValue, day: number, money: number, known: KnownDays): void {
  if (day >= known.from) seen.whole += 1;
  if (day >= known.from && day < known.first) seen.before += 1;
  if (seen.days) countOn(seen.days, day, true, money);
}

/** A value that so many visits of a list have is no ID of one, and kept even among many. */
const often = 10;

function seenValue(value: string, token: SeenToken, visits: number): SeenValue | undefined {
  const { values } = token;
  const known = values.get(value);
  if (known) return known;
  // One that is odd is kept when it first comes, or there are too many.
  const odd = visits === 1 ? oddIn(value, token.declared) : undefined;
  if (values.size >= (odd || visits >= often ? 2 : 1) * maxValues) return undefined;
  const days = odd || token.isOfClick ? [] : undefined;
  const found = { value, odd, days, whole: 0, before: 0 };
  values.set(value, found);
  return found;
}

function seePages(
  pages: Map<string, SeenPage>,
  { list, rows, days }: CountedVisits,
  reading: Reading,
  { hasSubid, money }: OfVisits,
  from: number,
  to: number,
): void {
  const byCode: (SeenPage | null | undefined)[] = [];
  for (let visit = from; visit < to; visit += 1) {
    const row = rows[visit] ?? 0;
    const code = reading.codes[row] ?? 0;
    const page = byCode[code] === undefined ? pageNamed(reading.values[code], pages) : byCode[code];
    byCode[code] = page;
    if (!page) continue;
    const day = days[row] ?? 0;
    const worth = money[visit] ?? 0;
    if (list.subids) countOn(page.subids, day, hasSubid[visit] === 0, worth);
    countOn(page.unclicked, day, list.amounts.clicks[row] === 0, worth);
  }
}

function pageNamed(name: string | null | undefined, pages: Map<string, SeenPage>): SeenPage | null {
  if (!name) return null;
  const page = pages.get(name) ?? { name, subids: [], unclicked: [] };
  pages.set(name, page);
  return page;
}

import type { Pace } from '../../api/running-call.ts';
import { type Steps, withRests } from '../../api/steps.ts';
import type { TokenSlot } from '../../api/token-slots.ts';
import type { Reading } from '../visit-dimensions.ts';
import { countOn, type DayCounts } from './counts.ts';
import { contentOf, type Odd, oddIn, type Token } from './macros.ts';
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
  /** What is odd about values, found once for each placeholder and value. */
  readonly odds: Map<string, Odd | null>;
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
  const odds = new Map<string, SeenToken['odds']>();
  for (const visits of counted) {
    await pace.rest();
    if (pace.isOver) break;
    const seen = all.get(visits.campaign) ?? newSeen(visits.campaign, visits.list, odds);
    all.set(visits.campaign, seen);
    await withRests(seeCampaign(seen, visits, form, known), pace.rest);
  }
  return [...all.values()];
}

function oddOf(value: string, { token, odds }: SeenToken): Odd | undefined {
  const known = odds.get(value);
  if (known !== undefined) return known ?? undefined;
  const odd = oddIn(value, token);
  odds.set(value, odd ?? null);
  return odd;
}

function newToken(token: Token, odds: Map<string, SeenToken['odds']>): SeenToken {
  const ofPlaceholder = odds.get(token.placeholder) ?? new Map<string, Odd | null>();
  odds.set(token.placeholder, ofPlaceholder);
  return { token, isOfClick: contentOf(token) === 'click', odds: ofPlaceholder, empty: [], values: new Map() };
}

/** Slots that every visit has. Some trackers list the tokens of the others alone. */
const fixedSlots: ReadonlySet<TokenSlot> = new Set(['Keyword', 'AdValue', 'ExternalID']);

/** Whether a campaign, which has tokens, has none in a slot that every visit has. */
export const isUnlisted = (slot: TokenSlot, { tokens }: TrackedCampaign): boolean =>
  fixedSlots.has(slot) && tokens.length > 0 && !tokens.some((token) => token.slot === slot);

function newSeen(
  campaign: TrackedCampaign,
  { slots }: TrackedVisits,
  odds: Map<string, SeenToken['odds']>,
): SeenCampaign {
  // Where the tracker shows no tokens, the slots still show macros that were not replaced.
  const unnamed = [...slots.keys()].map((slot) => ({ slot, label: slot, parameter: null, placeholder: '' }));
  const areListed = campaign.tokens.length > 0;
  const shown = areListed ? campaign.tokens.filter(({ slot }) => slots.has(slot)) : unnamed;
  const unlisted = areListed ? unnamed.filter(({ slot }) => isUnlisted(slot, campaign)) : [];
  return {
    ...{ campaign, visits: [], unpaid: [], costs: [], landings: new Map(), offers: new Map(), subids: new Map() },
    tokens: shown.map((token) => newToken(token, odds)),
    unlisted: unlisted.map((token) => newToken(token, odds)),
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
  if (list.subidOf) yield* inParts(rows.length, (from, to) => seeSubids(seen, visits, ofVisits, form, from, to));
  const withUnlisted = { ...ofVisits, hasTokens: hasTokens.slice() };
  for (const { token } of seen.unlisted) {
    const reading = list.slots.get(token.slot);
    if (reading) yield* inParts(rows.length, (from, to) => markFilled(withUnlisted.hasTokens, rows, reading, from, to));
  }
  for (const [tokens, marks] of [
    [seen.tokens, ofVisits],
    [seen.unlisted, withUnlisted],
  ] as const)
    for (const token of tokens) {
      const column = columnOfToken(token, visits);
      yield* inParts(rows.length, (from, to) => seeToken(token, column, visits, marks, known, from, to));
    }
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
    const subid = list.subidOf?.(row);
    if (!subid) continue;
    hasSubid[visit] = 1;
    const fault = form && subidFault(subid, campaign.id, form);
    if (!fault) continue;
    const found = subids.get(fault) ?? { days: [], example: subid };
    subids.set(fault, found);
    countOn(found.days, days[row] ?? 0, true, money[visit] ?? 0);
  }
}

/** The values of a token in a list. Of those that came when there were enough of them: how many visits have each, and which. */
type ColumnOfToken = Reading & {
  readonly byCode: (SeenValue | undefined)[];
  readonly passed: Uint32Array;
  /** By code, and for each visit the one before it: numbers of visits from 1 on; 0 is none. */
  readonly lastPassed: Uint32Array;
  readonly passedBefore: Uint32Array;
};

/** The column of a slot that a list lacks. */
const noReading: Reading = { codes: new Uint8Array(), values: [null] };

function columnOfToken({ token }: SeenToken, { list, rows }: CountedVisits): ColumnOfToken {
  const reading = list.slots.get(token.slot) ?? noReading;
  const [passed, lastPassed] = [new Uint32Array(reading.values.length), new Uint32Array(reading.values.length)];
  return { ...reading, byCode: [], passed, lastPassed, passedBefore: new Uint32Array(rows.length) };
}

function seeToken(
  seen: SeenToken,
  { codes, values, byCode, passed, lastPassed, passedBefore }: ColumnOfToken,
  { rows, days }: CountedVisits,
  { hasTokens, money }: OfVisits,
  known: KnownDays,
  from: number,
  to: number,
): void {
  for (let visit = from; visit < to; visit += 1) {
    if (hasTokens[visit] === 0) continue;
    const row = rows[visit] ?? 0;
    const code = codes[row] ?? 0;
    const value = values[code] ?? null;
    const [day, worth] = [days[row] ?? 0, money[visit] ?? 0];
    countOn(seen.empty, day, value === null, worth);
    if (value === null) continue;
    const earlier = byCode[code];
    if (earlier) {
      countSeen(earlier, day, worth, known);
      continue;
    }
    const visits = (passed[code] ?? 0) + 1;
    passed[code] = visits;
    const found = seenValue(value, seen, visits);
    byCode[code] = found;
    passedBefore[visit] = lastPassed[code] ?? 0;
    lastPassed[code] = visit + 1;
    if (!found) continue;
    // Those that were let go count, too, once the value turns out to be frequent.
    for (const one of passedUntil(visit, passedBefore))
      countSeen(found, days[rows[one] ?? 0] ?? 0, money[one] ?? 0, known);
  }
}

/** The visits with the value of one up to it, in their order. */
function passedUntil(visit: number, before: Uint32Array): number[] {
  const passed: number[] = [];
  for (let number = visit + 1; number > 0; number = before[number - 1] ?? 0) passed.push(number - 1);
  return passed.reverse();
}

function countSeen(seen: SeenValue, day: number, money: number, known: KnownDays): void {
  if (day >= known.from) seen.whole += 1;
  if (day >= known.from && day < known.first) seen.before += 1;
  if (seen.days) countOn(seen.days, day, true, money);
}

/** A value that so many visits of a list have is no ID of one, and kept whenever it comes. */
const often = 10;

function seenValue(value: string, token: SeenToken, visits: number): SeenValue | undefined {
  const { values } = token;
  const known = values.get(value);
  if (known) return known;
  const odd = oddOf(value, token);
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
    const [day, worth] = [days[row] ?? 0, money[visit] ?? 0];
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

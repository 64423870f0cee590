import { amountInWords, joinWords } from '../api/rules.ts';
import { signed } from './blocks.ts';
import { decimalsFor, doubledInWords, nameValue, sayMove } from './change-notes.ts';
import { type LostSales, sayLostSales } from './held-in-review.ts';
import { causeInWords, chanceInWords, restOf } from './in-views.ts';
import { dayInWords } from './words.ts';

/** What a change of profit is made of, and why. Money is in the tracker's currency, days are YYYY-MM-DD. */

type Span = { readonly start: string; readonly end: string };
type Spans = { readonly before: Span; readonly after: Span };

/** Two spans as `Tue 17 Nov` or `Tue 17 Nov to Mon 23 Nov`, with years if they are in different ones. */
export function spansInWords({ before, after }: Spans): readonly [before: string, after: string] {
  const yearOf = (day: string) => day.slice(0, 4);
  const isOneYear = yearOf(before.start) === yearOf(after.end) && yearOf(before.end) === yearOf(after.start);
  const write = (day: string) => dayInWords(day) + (isOneYear ? '' : ` ${yearOf(day)}`);
  const inWords = ({ start, end }: Span) => (start === end ? write(start) : `${write(start)} to ${write(end)}`);
  return [inWords(before), inWords(after)];
}

/** What factors were on all days before a change, and since then. */
export type FactorRates = Readonly<Partial<Record<Factor, { readonly before: number; readonly after: number }>>>;

/** A factor in both spans; null if its divisor is 0. */
type FactorMove = { readonly factor: Factor; readonly before: number | null; readonly after: number | null };

type NamedVisits = { readonly dimension: string; readonly value: string | null };

type ToldCause = {
  readonly what: string;
  readonly factor: string;
  /** The part of its change that what is told of it carries. */
  readonly carried: number;
  /** The same of a day since then, where the span began earlier. */
  readonly a_day?: number | undefined;
  readonly is_sure: boolean;
};

type ProfitMove = {
  /** What is explained: revenue if cost is unknown. */
  readonly measure: 'Profit' | 'Revenue';
  readonly spans: Spans;
  /** Whether all visits of the spans were read. */
  readonly isWhole: boolean;
  /** Whether the time of the call ended before all causes were looked for. */
  readonly isCut: boolean;
  /** Whether as many causes are told as are looked for. */
  readonly isFull: boolean;
  readonly currency: string | undefined;
  readonly before: Readonly<Record<string, number>>;
  readonly after: Readonly<Record<string, number>>;
  readonly change: number;
  /** The normal difference between two such spans. */
  readonly usual: number;
  /** With their effects, as they are shown. */
  readonly factors: readonly (FactorMove & { readonly effect: number })[];
  /** Those of all visits that no cause is about. */
  readonly restFactors: readonly (FactorMove & { readonly effect: number })[];
  readonly causes: readonly ToldCause[];
  /** What sure causes lost that late sales will not bring. */
  readonly surelyLost: number;
  /** What late sales will probably bring; undefined if that is negligible. */
  readonly expectedRevenue: number | undefined;
  /** What networks will probably reject of the later pending sales, if these count. */
  readonly toReject: number;
  /** What of the later revenue is left out because it is pending; undefined if pending sales count. */
  readonly leftOut: number | undefined;
  /** A time in one of the spans in which sales were lost, and what these would have brought to the later span. */
  readonly lost: (LostSales & { readonly revenue: number }) | undefined;
};

const notFinished = 'The time of the call ended before all causes were looked for';

/**
 * `Profit of Mon 16 Nov to Sun 22 Nov fell by 90.00 USD against Mon 9 Nov to Sun 15 Nov (120.00 to 30.00): -58.00 because landing
 * page “Quiz” stopped getting visits (420 before) since Tue 17 Nov; -32.00 from everything else, which ...`
 */
export function sayProfitChange(moved: ProfitMove): string {
  const { measure, spans, isWhole, isCut, isFull, currency, before, after, change, usual } = moved;
  const { factors, restFactors, causes, expectedRevenue, toReject, leftOut = 0, surelyLost, lost } = moved;
  const unit = currency === undefined ? '' : ` ${currency}`;
  const [then, now] = spansInWords(spans);
  const values = `${amountInWords(before['profit'] ?? 0)} to ${amountInWords(after['profit'] ?? 0)}`;
  const subject = isWhole ? measure : `In the part of the visits that could be read, ${measure.toLowerCase()}`;
  const head = `${subject} of ${now} ${sayMove(change, unit)} against ${then} (${values})`;
  const empty = before['views'] === 0 ? 'earlier' : after['views'] === 0 && causes.length === 0 ? 'later' : undefined;
  if (empty) {
    const [seen, profit, none] = empty === 'earlier' ? [now, after['profit'], then] : [then, before['profit'], now];
    const visits = isWhole ? 'There were no visits' : 'No visits are listed';
    return `${visits} of ${none}, so nothing can be compared: ${subject.toLowerCase()} of ${seen} is ${amountInWords(profit ?? 0)}${unit}.`;
  }
  const hasSureCause = causes.some(({ is_sure }) => is_sure);
  const lateWords = expectedRevenue === undefined ? '' : `expected to bring ${amountInWords(expectedRevenue)} more`;
  // What is only not in yet is no loss, so it is said first where it may be the larger part, and more than what is surely lost.
  const mayExplain = (amount = 0) => change < 0 && amount >= Math.max(-change * minLatePart, surelyLost);
  const ofIt = (amount = 0) =>
    amount < -change * nearlyAll ? `${Math.round((-amount / change) * 100)}% of this` : 'this';
  const isLateFirst = mayExplain(expectedRevenue);
  const isLostFirst = mayExplain(lost?.revenue);
  const missed = isLostFirst || !lost ? '' : ` Sales were lost: ${sayLostSales(lost)}.`;
  const isChanceThen = -change > usual && -change - (expectedRevenue ?? 0) <= usual;
  const withThem = isChanceThen ? ': with them, the total may be chance' : '';
  const late = lateWords === '' || isLateFirst ? '' : ` Late sales are ${lateWords}${withThem}.`;
  const first = [
    ...(mayExplain(leftOut)
      ? [
          `Pending sales may explain ${ofIt(leftOut)}: ${amountInWords(leftOut)} of the later days is not decided, and left out. `,
        ]
      : []),
    ...(isLateFirst ? [`Late sales may explain ${ofIt(expectedRevenue)}: they are ${lateWords}. `] : []),
    ...(isLostFirst && lost ? [`Lost sales may explain ${ofIt(lost.revenue)}: ${sayLostSales(lost)}. `] : []),
  ].join('');
  const isHeld = toReject >= (after['revenue'] ?? 0) * minHeldPart && toReject > 0;
  const held = isHeld
    ? ` The figures have about ${amountInWords(toReject)} of pending revenue that will probably be rejected.`
    : '';
  const end = `${chanceInWords(change, usual, hasSureCause)}${late}${missed}${held}`;
  if (causes.length === 0) {
    const main = mainOf(factors, change);
    const most = main ? `; the main factor, ${signed(main.effect)}, is that it ${describeFactor(main)}` : '';
    const none = isCut ? notFinished : 'No single part of the traffic explains this';
    return `${first}${head}. ${none}${most}. ${end}`;
  }
  const rest = restOf(change, causes);
  const reasons = causes.map((cause) => causeInWords(cause, signed));
  const told = change === 0 || causes.some(({ carried }) => carried * change < 0) ? 0 : 1 - rest / change;
  const by = causes.length > 1 ? ' by these' : '';
  const part = told > 0 && told < 0.5 ? `${Math.round(told * 100)}% of it${by}: ` : '';
  const areAllTold = restFactors.every((factor) => !factor.before && !factor.after);
  const isUntold = ({ factor }: FactorMove) => causes.every((cause) => cause.factor !== factor);
  const main = mainOf(areAllTold ? factors.filter(isUntold) : restFactors, rest);
  const others =
    areAllTold && rest === 0
      ? []
      : [`${signed(rest)} from everything else${main ? `, which ${describeFactor(main)}` : ''}`];
  const cut = isCut
    ? ` ${notFinished}.`
    : isFull && rest !== 0
      ? ' There may be more causes: ask about one campaign, or fewer days.'
      : '';
  const lead = hasSureCause ? ': ' : '. No cause is found. Worth a look, though each may be chance: ';
  return `${first}${head}${lead}${part}${[...reasons, ...others].join('; ')}.${cut} ${end}`;
}

/** Late or pending sales that would make up for this part of a loss are said first; from the larger part on they may explain it all. */
const [minLatePart, nearlyAll] = [0.5, 0.9];

/** Pending sales that will be rejected are worth a word from this part of the revenue on. */
const minHeldPart = 0.05;

/** The factor with the largest effect in the direction of a change. */
function mainOf(factors: ProfitMove['factors'], change: number) {
  const [main] = factors.toSorted((one, other) => (other.effect - one.effect) * Math.sign(change));
  return main && main.effect * change > 0 ? main : undefined;
}

/** `device Phone of landing page “Quiz”`, `other visits of campaign Search` if an earlier cause has some of them. */
export function nameGroups(groups: readonly NamedVisits[], isOfOthers = false): string {
  if (groups.length === 0) return isOfOthers ? 'all other visits' : 'all visits';
  const names = groups.toReversed().map(({ dimension, value }) => nameValue(dimension, value));
  return [...(isOfOthers ? ['other visits'] : []), ...names].join(' of ');
}

/** Visits that moved differently from the rest. */
type MovedVisits = {
  /** One group, or several that overlap. */
  readonly groups: readonly NamedVisits[];
  /** Groups of other dimensions with nearly the same visits. */
  readonly alike: readonly NamedVisits[];
  /** The largest effect first. */
  readonly factors: readonly FactorMove[];
  readonly moved: readonly Factor[];
  readonly since?: string | undefined;
  /** The last day of it, if it is over. */
  readonly until?: string | undefined;
  readonly noneSince?: string | undefined;
  /** What factors were before that day, and since then. */
  readonly rates?: FactorRates | undefined;
  readonly isOfBots?: boolean;
  readonly isSure: boolean;
  readonly share: PartOfTraffic | undefined;
  readonly placement: NamedVisits | undefined;
  /** Whether an earlier cause has some of their visits. */
  readonly isOfOthers?: boolean;
  /** Whether it is a campaign that is inactive now. */
  readonly isInactive?: boolean;
  /** The revenue that late sales will probably bring to these visits. */
  readonly toCome?: number | undefined;
  /** If it is one sale: what it brought. */
  readonly sale?: number | undefined;
  /** If a sale brought more or less because more or fewer were rejected: the part that was, 0 to 1. */
  readonly rejected?: { readonly before: number; readonly after: number } | undefined;
  /** If it is what an offer pays: a sale before and after. */
  readonly payout?: { readonly before: number; readonly after: number } | undefined;
  /** If each of its sales counts as more or fewer conversions: how many. */
  readonly count?: { readonly before: number; readonly after: number } | undefined;
};

/** The change by which this server set other shares; null if it did not, undefined if that is not known. */
export type ShareChange = string | null | undefined;

function byWhom(change: ShareChange): string {
  if (change === undefined) return '';
  return change === null ? ': not changed by this server' : `: changed by this server (change ${change})`;
}

/** In percent. */
type PartOfTraffic = { readonly before: number; readonly after: number };

/** Less is not worth a word. */
const minToCome = 1;

/** Enough names of the same visits. */
const maxAlike = 2;

/**
 * `landing page “Quiz” stopped getting visits (420 before) since Tue 17 Nov`
 * @param unseenBefore the first day of the later span, if the days right before it are not compared: it may have begun on them
 */
export function describeCause(
  {
    groups,
    alike,
    factors,
    moved,
    since,
    until,
    noneSince,
    rates,
    isSure,
    share,
    placement,
    isOfOthers,
    sale,
    payout,
    count,
    isInactive,
    isOfBots,
    rejected,
    toCome = 0,
  }: MovedVisits,
  shareChange: ShareChange,
  unseenBefore?: string,
): string {
  if (sale !== undefined)
    return `${nameGroups(groups)} had one sale of ${amountInWords(sale)} on ${dayInWords(since ?? '')}`;
  const sinceDay = (day: string) => `since ${dayInWords(day)}${day === unseenBefore ? ' or earlier' : ''}`;
  const moves = moved.flatMap((one) => {
    const move = factors.find(({ factor }) => factor === one);
    const rate = rates?.[one];
    const isNone = rate?.after === 0 && noneSince === undefined;
    // Sales of the last days may still come: then there are fewer, not none.
    const isSoFar = isNone && one === 'sales_per_click';
    return move ? [{ ...move, ...(isNone && !isSoFar ? undefined : rate), isSoFar }] : [];
  });
  const named = alike.slice(0, maxAlike).map((group) => nameGroups([group]));
  const more = alike.length > maxAlike ? [`${alike.length - maxAlike} more`] : [];
  const same = alike.length === 0 ? '' : ` (the same visits: ${joinWords([...named, ...more], 'and')})`;
  const [first, ...others] = moves;
  const move = payout ? { factor: 'revenue_per_sale' as const, isSoFar: false, ...payout } : first;
  const moving = rejected && !payout ? describeRejected(rejected) : move ? describeFactor(move) : 'moved';
  const what = share ? describeShare(share) : count ? describeCount(count) : moving;
  const doubled = payout ? doubledInWords(payout.before, payout.after) : '';
  const isAll = move?.after === 0 && !move.isSoFar;
  const isMissing = move?.factor === 'cost_per_visit' && (isAll || noneSince !== undefined);
  const missing = isMissing ? ': its cost is probably missing, which is no gain' : '';
  const day = isAll ? (since ?? noneSince) : since;
  const over = day === undefined || until === undefined ? undefined : ` ${daysInWords(day, until)}, and not since then`;
  const when = over ?? (day === undefined || (noneSince === day && !isAll) ? '' : ` ${sinceDay(day)}`);
  const none = noneSince === undefined || isAll ? '' : `, none ${sinceDay(noneSince)}`;
  const also = others.map((other) => `, and ${describeFactor(other)}`).join('');
  const who = isInactive ? ': it is inactive now' : share ? byWhom(shareChange) : '';
  const isNamed = [...groups, ...alike].some(({ dimension }) => dimension === placement?.dimension);
  const place = placement && !isNamed ? ` (nearly all from ${nameGroups([placement])}, which can be blocked)` : '';
  const late = toCome >= minToCome ? ` (late sales will probably bring ${amountInWords(toCome)})` : '';
  return `${nameGroups(groups, isOfOthers)}${same}${place} ${what}${when}${none}${doubled}${missing}${also}${isOfBots ? ': probably bots' : who}${late}${isSure ? '' : ' (small numbers: this may be chance)'}`;
}

const daysInWords = (first: string, last: string): string =>
  first === last ? `on ${dayInWords(first)}` : `from ${dayInWords(first)} to ${dayInWords(last)}`;

const percent = (part: number) => `${part > 0 && part < 1 ? '<1' : Math.round(part)}%`;

/** `had more of its sales rejected (33% to 70%)` */
function describeRejected({ before, after }: NonNullable<MovedVisits['rejected']>): string {
  const parts = `(${percent(before * 100)} to ${percent(after * 100)})`;
  return after > before ? `had more of its sales rejected ${parts}` : `had fewer of its sales rejected so far ${parts}`;
}

/** `counts each sale twice instead of once` */
const describeCount = ({ before, after }: NonNullable<MovedVisits['count']>): string =>
  `counts each sale ${timesInWords(after)} instead of ${timesInWords(before)}`;

const timesInWords = (count: number): string => ['never', 'once', 'twice'][count] ?? `${count} times`;

/** `got 19% of the traffic instead of 75%` */
function describeShare({ before, after }: PartOfTraffic): string {
  return `got ${percent(after)} of the traffic instead of ${percent(before)}`;
}

export type Factor = keyof typeof factorWords;

/** With none, with less and with more. */
const factorWords = {
  visits: ['stopped getting visits', 'got fewer visits', 'got more visits'],
  cost_per_visit: ['no longer costs anything', 'cost less per visit', 'cost more per visit'],
  clicks_per_visit: ['stopped getting clicks', 'had fewer of its visits click', 'had more of its visits click'],
  sales_per_click: ['stopped selling', 'sold to fewer of its clicks', 'sold to more of its clicks'],
  revenue_per_sale: ['no longer pays', 'paid less per sale', 'paid more per sale'],
} as const;

/**
 * `got fewer visits (420 to 130)`, `paid less per sale (3.00 to 1.50)`, `stopped getting clicks (42.2% before)`
 * @param isSoFar whether what there is none of may still come
 */
function describeFactor({
  factor,
  before,
  after,
  isSoFar = false,
}: FactorMove & { readonly isSoFar?: boolean }): string {
  const [none, less, more] = factorWords[factor];
  if (before === null) return more;
  if (after === null) return none;
  const [scale, unit, minDecimals] = unitOf(factor);
  const decimals = Math.max(decimalsFor(before * scale, after * scale, 3), minDecimals);
  const show = (value: number) => (factor === 'visits' ? String(value) : `${(value * scale).toFixed(decimals)}${unit}`);
  if (after === 0)
    return isSoFar ? `${less} (${show(before)} before, none so far)` : `${none} (${show(before)} before)`;
  return `${after < before ? less : more} (${show(before)} to ${show(after)})`;
}

/** Shares are shown in percent. */
function unitOf(factor: Factor): readonly [scale: number, unit: string, minDecimals: number] {
  return factor === 'clicks_per_visit' || factor === 'sales_per_click' ? [100, '%', 1] : [1, '', 2];
}

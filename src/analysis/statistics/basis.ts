import { type Day, groupBy, type History, historyOf, type PageSums, sum, type Worth } from './history.ts';

export interface ListedConversion {
  readonly value: number;
  /** YYYY-MM-DD; null if the list does not say. */
  readonly date: string | null;
}

/** A page that is compared. */
export interface ComparedPage extends PageSums {
  /** Its weight among the others; null if it is not known. */
  readonly share: number | null;
  /** Its single conversions, if they agree with the report. */
  readonly listed?: readonly ListedConversion[] | undefined;
}

/** How far a list may be off the report: a conversion in a hundred, and the rounding of each. */
const tolerance = 0.01;
const roundingPerConversion = 0.005;

/** Whether listed conversions are those that the report counts. */
export function agreesWithReport(listed: readonly ListedConversion[], { conversions, revenue }: PageSums): boolean {
  const paid = sum(listed.map(({ value }) => value));
  return (
    Math.abs(listed.length - conversions) <= tolerance * conversions &&
    Math.abs(paid - revenue) <= tolerance * Math.abs(revenue) + roundingPerConversion * conversions
  );
}

export type Basis = 'money' | 'conversions';

export interface Material {
  readonly basis: Basis;
  readonly histories: readonly History[];
}

/** So many days that pay the same to the cent show that a page pays nothing else. */
const minFixedDays = 3;

/** Sums are rounded to the cent, and so is what they are compared with. */
const cent = 0.0101;

/**
 * Pages by what they were paid if that is known of every conversion, from the list or since a page always pays the same. Sums of money
 * do not say how much of them is luck, so else conversions are counted.
 *
 * @param days without them the sums are all there is
 * @param used the days that count; payouts are learnt from all of them
 */
export function materialOf(pages: readonly ComparedPage[], days: readonly Day[] | undefined, used = days): Material {
  const paid = sum(pages.map(({ revenue }) => revenue)) > 0 ? byMoney(pages, days, used) : undefined;
  return paid ? { basis: 'money', histories: paid } : { basis: 'conversions', histories: byConversions(pages, used) };
}

/** Pages by the count of their conversions. */
export function byConversions(pages: readonly ComparedPage[], days: readonly Day[] | undefined): readonly History[] {
  return pages.map((page, index) => historyOfValue(page, index, days, 1));
}

/** Pages by their sums, as if each always paid its mean: how money would look if payouts turn out to be fixed. */
export function asIfFixed(pages: readonly ComparedPage[]): readonly History[] {
  return pages.map((page, index) =>
    historyOfValue(page, index, undefined, page.conversions > 0 ? page.revenue / page.conversions : 0),
  );
}

/** Undefined if what some page was paid is open. */
function byMoney(
  pages: readonly ComparedPage[],
  days: readonly Day[] | undefined,
  used: readonly Day[] | undefined,
): readonly History[] | undefined {
  const histories = pages.flatMap((page, index) => historyOfMoney(page, index, days, used) ?? []);
  return histories.length === pages.length ? histories : undefined;
}

function historyOfMoney(
  page: ComparedPage,
  index: number,
  days: readonly Day[] | undefined,
  used: readonly Day[] | undefined,
): History | undefined {
  if (page.listed && !used) return historyOf([{ views: page.views, conversions: grouped(page.listed) }]);
  if (page.listed?.every(({ date }) => date !== null)) {
    const byDate = groupBy(page.listed, ({ date }) => date);
    const listed = used?.map(({ date, pages }) => ({
      views: pages[index]?.views ?? 0,
      conversions: grouped(byDate.get(date) ?? []),
    }));
    return listed && historyOf(listed);
  }
  const value = page.conversions === 0 && page.revenue === 0 ? 0 : fixedPayout(days ?? [], index);
  return value === undefined ? undefined : historyOfValue(page, index, used, value);
}

function historyOfValue(page: PageSums, index: number, days: readonly Day[] | undefined, value: number): History {
  const sums = days ? days.map((day) => day.pages[index]) : [page];
  return historyOf(
    sums.map((day) => ({
      views: day?.views ?? 0,
      conversions: day && day.conversions > 0 ? [{ value, count: day.conversions }] : [],
    })),
  );
}

/** What a page pays for each conversion, if every day says the same. */
function fixedPayout(days: readonly Day[], index: number): number | undefined {
  const paid = days.flatMap(({ pages }) => {
    const day = pages[index];
    return day && (day.conversions > 0 || day.revenue !== 0) ? [day] : [];
  });
  const value = sum(paid.map(({ revenue }) => revenue)) / sum(paid.map(({ conversions }) => conversions));
  const isSame = paid.every((day) => Math.abs(day.revenue - value * day.conversions) < cent);
  return paid.length >= minFixedDays && isSame ? value : undefined;
}

function grouped(listed: readonly ListedConversion[]): readonly Worth[] {
  return [...groupBy(listed, ({ value }) => value)].map(([value, same]) => ({ value, count: same.length }));
}

/** How much less the conversions of the page that converts more may pay before the other earns more, and how it is so far. */
export interface BreakEven {
  /** Percent less, 0 if it has not converted. */
  readonly percent: number;
  /** Percent that they pay more (above 0) or less so far; null if one has no payout to compare. */
  readonly soFarPercent: number | null;
}

/** What a conversion of a page pays, and how far off that may be by chance, as a part of it. */
export interface MeanPayout {
  readonly value: number;
  readonly error: number;
}

/** @param rates conversions per view of the page that converts more, and of the other */
export function breakEvenOf(
  [leader, rival]: readonly [PageSums, PageSums],
  rates: readonly [leader: number, rival: number],
): BreakEven {
  const [own, other] = [leader, rival].map(({ revenue, conversions }) => revenue / conversions);
  const soFar = ((own ?? 0) / (other ?? 0) - 1) * 100;
  return {
    percent: rates[0] > 0 ? (1 - rates[1] / rates[0]) * 100 : 0,
    soFarPercent: Number.isFinite(soFar) ? soFar : null,
  };
}

/** So many standard errors money has to be ahead before a lead in conversions counts. */
const sureOfMoney = 2;

/**
 * How far a page that converts more also earns more so far: the logarithm of the ratio, over the two standard errors it takes. Below 1
 * it may well earn less: a page that converts 1.4 times as often and earns 0.84 would be named in 38 to 49% of campaigns.
 *
 * @param ratio conversions per view of the page that converts more, over those of the other
 */
export function moneyAhead([leader, rival]: readonly [MeanPayout, MeanPayout], ratio: number): number {
  if (!(rival.value > 0 && ratio < Number.POSITIVE_INFINITY)) return Number.POSITIVE_INFINITY;
  if (!(leader.value > 0)) return Number.NEGATIVE_INFINITY;
  return (
    Math.log((leader.value / rival.value) * ratio) /
    (sureOfMoney * Math.hypot(leader.error, rival.error) || Number.EPSILON)
  );
}

/** A sale without which the lead would not be half of what it is. */
export interface DecisiveSale {
  readonly amount: number;
  /** The lead without it, in percent; null if the rival has earned nothing. */
  readonly leadWithout: number | null;
}

/** It is so many times what the others are worth on average. */
const decisiveFactor = 3;

/** @param ratio what the leader earns for each unit of the rival’s; undefined if that has earned nothing */
export function decisiveSaleOf(leader: History, rival: History, ratio: number | undefined): DecisiveSale | undefined {
  const amount = leader.worths.at(-1)?.value ?? 0;
  const others = (leader.worth - amount + rival.worth) / Math.max(leader.conversions + rival.conversions - 1, 1);
  if (!(amount > decisiveFactor * others)) return undefined;
  const left = 1 - amount / leader.worth;
  if (ratio === undefined) return left < 0.5 ? { amount, leadWithout: null } : undefined;
  const leadWithout = (ratio * left - 1) * 100;
  return ratio > 1 && leadWithout < ((ratio - 1) * 100) / 2 ? { amount, leadWithout } : undefined;
}

/** So many days show how much payouts vary. */
const minPaidDays = 3;

/**
 * The mean payout of a page with its standard error as a part of it: that of a ratio of daily sums (Cochran, Sampling Techniques,
 * 3rd ed. 1977, section 2.11), or where days are not known that of payouts that vary as much as they pay.
 *
 * @param days the page on single days, if they are known
 */
export function meanPayoutOf({ revenue, conversions }: PageSums, days: readonly PageSums[] = []): MeanPayout {
  const value = revenue / Math.max(conversions, 1);
  const paid = days.filter((day) => day.conversions > 0);
  if (paid.length < minPaidDays) return { value, error: 1 / Math.sqrt(Math.max(conversions, 1)) };
  const squares = paid.reduce((sum, day) => sum + (day.revenue - value * day.conversions) ** 2, 0);
  const variance = (squares * paid.length) / (paid.length - 1);
  return { value, error: Math.sqrt(variance) / Math.abs(revenue) };
}

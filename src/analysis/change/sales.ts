import type { PayoutChange, Replaced } from '../../answer/change-notes.ts';
import { valueAt } from '../coded.ts';
import { isoDay } from '../columns/times.ts';
import { entropy } from '../statistics/entropy.ts';
import { at, groupBy, sum } from '../statistics/history.ts';
import { profitOf } from './factors.ts';
import { spansOf, sumRows } from './sums.ts';
import { type SoldVisit, soldVisits, type VisitColumns, type Visits } from './visit-columns.ts';

/** A sale that pays many times what others do. */
export interface OutstandingSale {
  /** The index of its visit. */
  readonly visit: number;
  readonly revenue: number;
  /** The day of its visit, YYYY-MM-DD. */
  readonly day: string;
  /** The change of profit without it. */
  readonly changeWithout: number;
  /** Whether it is more than half of that change. */
  readonly isDecisive: boolean;
}

/** An outstanding sale pays this many times the average of the others. One that does not decide pays this many times each other. */
const minMultiple = 5;

/** A sale is worth a word from this part of the change of profit on. */
const minPartOfChange = 0.1;

/** The largest sale, if it is outstanding and much of the change of profit. */
export function findOutstandingSale(
  sales: readonly SaleOfVisit[],
  change: number,
  listed: readonly PaidSale[] = [],
): OutstandingSale | undefined {
  const [largest, ...others] = sales
    .filter(({ conversions }) => conversions === 1)
    .sort((one, other) => other.revenue - one.revenue);
  if (!largest) return undefined;
  const { visit, revenue, day, isAfter, offer } = largest;
  // Of an offer that pays so much each time, a sale is none of luck.
  const isAlike = (sale: Pick<PaidSale, 'offer' | 'revenue'>) =>
    sale.offer === offer && sale.revenue >= revenue * minPartOfAlike;
  if (offer !== null && Math.max(sales.filter(isAlike).length, listed.filter(isAlike).length) > 1) return undefined;
  const isDecisive = revenue > Math.abs(change) / 2;
  const usual = isDecisive
    ? sum(others.map((sale) => sale.revenue)) / others.length
    : (others[0]?.revenue ?? Number.NaN);
  if (!(revenue >= minMultiple * usual) || revenue < Math.abs(change) * minPartOfChange) return undefined;
  return { visit, revenue, day, isDecisive, changeWithout: isAfter ? change - revenue : change + revenue };
}

/** A sale that pays at least this part of another one pays about the same. */
const minPartOfAlike = 0.5;

/** What one sale did is no trend of its offer. */
export function causeOfSale({ visit, revenue, day }: OutstandingSale, columns: VisitColumns) {
  const groups = columns.dimensions
    .filter(({ name, values }) => (name === 'campaign' && values.length > 1) || name === 'offer')
    .map(({ name, values, codes }) => ({ dimension: name, value: at(values, codes[visit] ?? 0) }))
    .filter(({ value }) => value !== null);
  if (groups.length === 0) return undefined;
  const { before, after } = spansOf(sumRows(Uint32Array.of(visit), columns));
  const effect = profitOf(after) - profitOf(before);
  const factor = { factor: 'revenue_per_sale', before: null, after: revenue, effect } as const;
  return {
    ...{ groups, alike: [], before, after, factors: [factor], moved: [factor.factor], isSure: true },
    ...{ since: day, noneSince: undefined, placement: undefined, share: undefined, sale: revenue },
  };
}

/** With fewer sales an offer has no usual payout. */
const minSales = 3;

/** This part of an offer's sales must pay the same amount for it to be the payout. */
const usualPart = 0.7;

/** An offer's current payout is the most common one of its last sales. */
const lastSales = 5;

/** A change that chance explains better than this does not count; as a cause less will do, since an account has many offers. */
const [maxChance, maxChanceOfCause] = [0.01, 0.002];

/** A sale as far as it tells what its offer pays. */
export interface PaidSale {
  readonly offer: string | null;
  readonly campaign: string | null;
  /** Null also if it is not known. */
  readonly country?: string | null;
  /** Of its visit, YYYY-MM-DD. */
  readonly day: string;
  readonly revenue: number;
}

/** A visit that sold, with what it tells. */
export type SaleOfVisit = PaidSale & SoldVisit;

/** A sale of a list. */
export interface BookedSale extends PaidSale {
  readonly visitor: string | number;
  /** The day on which it came in, YYYY-MM-DD. */
  readonly booked: string | null;
}

/** The offers whose usual payout differs between the spans. */
export const findPayoutChanges = (sales: readonly SaleOfVisit[]): PayoutChange[] =>
  payoutChangesIn(sales.filter(({ conversions }) => conversions === 1));

/** The offers whose usual number of conversions of a visit that sold differs: each sale is counted twice, or no longer. */
export const findCountChanges = (sales: readonly SaleOfVisit[]): PayoutChange[] =>
  payoutChangesIn(sales, ({ conversions }) => conversions);

/**
 * The same by a list of sales, where visits do not tell: a pixel that fires twice does so at once. Later ones of a visitor may be
 * payments of a subscription.
 */
export function findCountChangesIn(sales: readonly BookedSale[]): PayoutChange[] {
  const isDated = (sale: BookedSale): sale is BookedSale & { readonly booked: string } => sale.booked !== null;
  const byVisitor = groupBy(sales.filter(isDated), ({ visitor, offer, campaign }) =>
    JSON.stringify([visitor, offer, campaign]),
  );
  return payoutChangesIn(
    [...byVisitor.values()].flatMap((own) => {
      const [first] = own.toSorted((one, other) => (one.booked < other.booked ? -1 : 1));
      return first ? [{ ...first, revenue: own.filter(({ booked }) => booked === first.booked).length }] : [];
    }),
  );
}

export function salesOfVisits(columns: VisitColumns): SaleOfVisit[] {
  const readerOf = (name: string) => {
    const dimension = columns.dimensions.find((one) => one.name === name);
    return ({ visit }: SoldVisit) => (dimension && valueAt(dimension, visit)) ?? null;
  };
  const [offerOf, campaignOf, countryOf] = [readerOf('offer'), readerOf('campaign'), readerOf('country')];
  return soldVisits(columns).map((sale) => ({
    ...sale,
    ...{ offer: offerOf(sale), campaign: campaignOf(sale), country: countryOf(sale) },
  }));
}

/** The offers whose usual payout changed; in a campaign or in a country, if they pay no common amount over all. */
export function payoutChangesIn<Sale extends PaidSale>(
  sales: readonly Sale[],
  amountOf: (sale: Sale) => number = ({ revenue }) => revenue,
): PayoutChange[] {
  return [...groupBy(sales, ({ offer }) => offer)].flatMap(([offer, ofOffer]) => {
    if (offer === null || isOneAmount(ofOffer, amountOf)) return [];
    const ofAll = payoutChangeOf(ofOffer, maxChanceOfCause, amountOf);
    if (ofAll) return [{ offer, ...ofAll }];
    for (const within of ['campaign', 'country'] as const) {
      const parts = [...groupBy(ofOffer, (sale) => sale[within] ?? null)];
      const most = maxChanceOfCause / parts.length;
      const changes = parts.flatMap(([value, own]) => {
        const change = value === null || parts.length < 2 ? undefined : payoutChangeOf(own, most, amountOf);
        return value === null || !change ? [] : [{ offer, [within]: value, ...change }];
      });
      if (changes.length > 0) return changes;
    }
    return [];
  });
}

/** Whether some values are an offer, and the campaign or country, whose payout changed. */
export function isOfPayout(
  { offer, campaign, country }: PayoutChange,
  values: readonly { readonly dimension: string; readonly value: string | null }[],
): boolean {
  const has = (dimension: string, value: string | undefined) =>
    value === undefined || values.some((one) => one.dimension === dimension && one.value === value);
  return has('offer', offer) && has('campaign', campaign) && has('country', country);
}

/** Whether all of some sales are of one amount, as most are: then nothing changed. */
export const isOneAmount = <Sale>(sales: readonly Sale[], amountOf: (sale: Sale) => number | undefined): boolean => {
  const [first] = sales;
  const amount = first && amountOf(first);
  return sales.every((sale) => amountOf(sale) === amount);
};

/** The change of payout in the sales of one offer; undefined if there is none beyond chance. */
export function payoutChangeOf<Sale extends Pick<PaidSale, 'day' | 'revenue' | 'country'>>(
  sales: readonly Sale[],
  most = maxChance,
  amountOf: (sale: Sale) => number = ({ revenue }) => revenue,
): Replaced<number> | undefined {
  if (isOneAmount(sales, amountOf)) return undefined;
  const change = changeOfPayout(
    sales.map((sale) => ({ when: Date.parse(sale.day), revenue: amountOf(sale), country: sale.country })),
  );
  if (!change || change.chance > most) return undefined;
  return { before: change.before, after: change.after, since: isoDay(change.since) };
}

/**
 * Finds the moment after which most sales of an offer pay a new amount. Each sale is one conversion.
 * @param sales with their times, in any unit
 * @returns that moment, and how likely chance alone looks like this; undefined if most sales have no common amount
 */
export function changeOfPayout(
  sales: readonly { readonly when: number; readonly revenue: number; readonly country?: string | null | undefined }[],
): { readonly since: number; readonly before: number; readonly after: number; readonly chance: number } | undefined {
  // Where each country pays its own amount, other countries are no other payout.
  const byCountry = [...groupBy(sales, ({ country }) => country ?? null).values()];
  if (byCountry.length > 1 && byCountry.every((own) => own.every(({ revenue }) => revenue === own[0]?.revenue)))
    return undefined;
  const latest = sales.toSorted((one, other) => other.when - one.when);
  const after = mostCommon(latest.slice(0, lastSales));
  const before = mostCommon(sales.filter(({ revenue }) => revenue !== after));
  if (after === undefined || before === undefined) return undefined;
  const inOrder = latest.reverse();
  let [lead, maxLead, split] = [0, 0, 0];
  for (const [index, { when, revenue }] of inOrder.entries()) {
    lead += Number(revenue === before) - Number(revenue === after);
    // Sales of one moment have no order: sorting them by amount would turn any mixture into a change.
    const isLast = inOrder[index + 1]?.when !== when;
    if (isLast && lead > maxLead) [maxLead, split] = [lead, index + 1];
  }
  const [old, recent] = [inOrder.slice(0, split), inOrder.slice(split)];
  const count = (part: typeof sales, amount: number) => part.filter(({ revenue }) => revenue === amount).length;
  const isUsual = (part: typeof sales, amount: number) =>
    count(part, amount) >= Math.max(minSales, usualPart * part.length);
  if (!isUsual(old, before) || !isUsual(recent, after)) return undefined;
  // Laplace's rule: an amount that was never paid may still be paid now and then. The chance that this many of the last sales paid it
  // is bounded after Herman Chernoff, "A measure of asymptotic efficiency", 1952. If the amount is not new, the change could begin
  // with any sale, which multiplies the chance.
  const chanceOf = (part: typeof sales, amount: number, others: typeof sales) => {
    const share = (count(others, amount) + 1) / (others.length + 2);
    const [same, rest] = [count(part, amount), part.length - count(part, amount)];
    const chance = Math.exp(-entropy(same, part.length * share) - entropy(rest, part.length * (1 - share)));
    return chance * (count(others, amount) > 0 ? sales.length : 1);
  };
  // Both ways: a few old sales at a rare payout do not make it the old payout.
  const chance = Math.min(Math.max(chanceOf(recent, after, old), chanceOf(old, before, recent)), 1);
  return { since: at(recent, 0).when, before, after, chance };
}

function mostCommon(sales: readonly { readonly revenue: number }[]): number | undefined {
  return [...groupBy(sales, ({ revenue }) => revenue)].sort((a, b) => b[1].length - a[1].length)[0]?.[0];
}

export interface Rejected {
  readonly before: number;
  readonly after: number;
}

/** A smaller difference would be the same percentage twice. */
const minRejected = 0.01;

/** The part of sales that is rejected, if this moved what a sale brings more than what the others bring did. */
export function rejectedIn(
  rows: Visits,
  { amounts, unpaid, stretches, days, dayCodes }: VisitColumns,
  since: string | undefined,
): Rejected | undefined {
  const isLater = (row: number) =>
    since === undefined ? (stretches[row] ?? 0) > 0 : at(days, dayCodes[row] ?? 0) >= since;
  const [before, after] = [false, true].map((isAfter) => {
    let [sales, none, revenue] = [0, 0, 0];
    for (const row of rows) {
      if (isLater(row) !== isAfter) continue;
      const own = amounts.conversions[row] ?? 0;
      sales += own;
      if (unpaid[row] === 1) none += own;
      revenue += amounts.revenue[row] ?? 0;
    }
    return { part: none / sales, ofSale: revenue / sales, ofPaid: revenue / (sales - none) };
  });
  if (!before || !after) return undefined;
  const moved = (of: 'ofSale' | 'ofPaid') => Math.abs(Math.log(after[of] / before[of]));
  const isMoved = Math.abs(after.part - before.part) >= minRejected && moved('ofPaid') < moved('ofSale') / 2;
  return isMoved ? { before: before.part, after: after.part } : undefined;
}

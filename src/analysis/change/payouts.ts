import { isoDay } from '../columns/times.ts';
import { at, groupBy } from '../statistics/history.ts';
import { entropy } from './deviations.ts';
import type { SpanVisits } from './span-visits.ts';

/** What a sale of an offer paid, and what it pays from a day on. */
export interface PayoutChange {
  readonly offer: string;
  readonly before: number;
  readonly after: number;
  /** The first day on which most sales paid the new amount, YYYY-MM-DD; days are those of the visits. */
  readonly since: string;
}

/** Fewer sales have no usual payout. */
const minSales = 3;

/** The part of an offer's sales that must pay the same for it to be the payout. */
const usualPart = 0.7;

/** What most of the last sales paid, so many at most, is what an offer pays now. */
const lastSales = 5;

/** A change of payout that luck makes more often is none. */
const maxChance = 0.01;

/** The offers whose usual payout differs between the spans. */
export function findPayoutChanges({ dimensions, rows }: SpanVisits): PayoutChange[] {
  const index = dimensions.indexOf('offer');
  const sales = rows.filter(({ conversions, values }) => conversions === 1 && values[index] !== undefined);
  return [...groupBy(sales, ({ values }) => values[index] ?? null)].flatMap(([offer, own]) => {
    if (offer === null) return [];
    const change = payoutChangeOf(own);
    return change ? [{ offer, ...change }] : [];
  });
}

/** The change of payout in the sales of one offer; undefined if there is none beyond luck. */
export function payoutChangeOf(
  sales: readonly { readonly day: string; readonly revenue: number }[],
): Omit<PayoutChange, 'offer'> | undefined {
  const change = changeOfPayout(sales.map(({ day, revenue }) => ({ when: Date.parse(day), revenue })));
  if (!change || change.chance > maxChance) return undefined;
  return { before: change.before, after: change.after, since: isoDay(change.since) };
}

/**
 * From when on the sales of an offer pay another amount than before; each is of one conversion.
 * @param sales with when they were, in any unit
 * @returns the moment from which on most sales pay the new amount, and how likely luck alone makes it; undefined if most sales pay no one amount
 */
export function changeOfPayout(
  sales: readonly { readonly when: number; readonly revenue: number }[],
): { readonly since: number; readonly before: number; readonly after: number; readonly chance: number } | undefined {
  const latest = sales.toSorted((one, other) => other.when - one.when);
  const after = mostCommon(latest.slice(0, lastSales));
  const before = mostCommon(sales.filter(({ revenue }) => revenue !== after));
  if (after === undefined || before === undefined) return undefined;
  const inOrder = latest.reverse();
  let [lead, best, split] = [0, 0, 0];
  for (const [index, { when, revenue }] of inOrder.entries()) {
    lead += Number(revenue === before) - Number(revenue === after);
    // Which sale of one moment was first is not known: to put some first would make a change of any mixture.
    const isLast = inOrder[index + 1]?.when !== when;
    if (isLast && lead > best) [best, split] = [lead, index + 1];
  }
  const [old, recent] = [inOrder.slice(0, split), inOrder.slice(split)];
  const count = (some: typeof sales, amount: number) => some.filter(({ revenue }) => revenue === amount).length;
  const isUsual = (some: typeof sales, amount: number) =>
    count(some, amount) >= Math.max(minSales, usualPart * some.length);
  if (!isUsual(old, before) || !isUsual(recent, after)) return undefined;
  // Laplace's rule: an amount that was never paid may still be paid now and then. Herman Chernoff, "A measure of asymptotic
  // efficiency", 1952, bounds how likely so many of the last sales paid it; of one known before, any sale may seem the first.
  const chanceOf = (some: typeof sales, amount: number, others: typeof sales) => {
    const share = (count(others, amount) + 1) / (others.length + 2);
    const [same, rest] = [count(some, amount), some.length - count(some, amount)];
    const unlikely = Math.exp(-entropy(same, some.length * share) - entropy(rest, some.length * (1 - share)));
    return unlikely * (count(others, amount) > 0 ? sales.length : 1);
  };
  // A few sales at a rare payout are no old one either.
  const chance = Math.min(Math.max(chanceOf(recent, after, old), chanceOf(old, before, recent)), 1);
  return { since: at(recent, 0).when, before, after, chance };
}

function mostCommon(sales: readonly { readonly revenue: number }[]): number | undefined {
  return [...groupBy(sales, ({ revenue }) => revenue)].sort((a, b) => b[1].length - a[1].length)[0]?.[0];
}

import { at, sum } from './statistics/history.ts';

/** When a visit was and when its sale was booked, each YYYY-MM-DD. */
export interface DatedSale {
  readonly visited: string;
  readonly booked: string;
}

/** How long sales take to come in after their visit. */
export interface SaleDelay {
  readonly meanDays: number;
  /** Days after a visit until 95% of its sales are in: 0 if they come on its own day. */
  readonly daysUntilIn: number;
  /** The part of the sales that is in by so many days after the visit. */
  readonly partIn: (age: number) => number;
}

/** From this part on sales count as in. */
const mostPart = 0.95;

/** Longer delays count as this one: a period has no more days. */
const maxDelay = 92;

/** Rounds after which the estimate no longer moves. */
const rounds = 40;

/**
 * Learns the delay from a list of sales that was cut at both ends: a sale booked before the list began, or after today, is not in
 * it, so that a recent visit shows its quick sales alone. Each sale is weighed by how likely the list was to hold it (Efron and
 * Petrosian, "Nonparametric methods for doubly truncated data", JASA 94, 1999).
 *
 * @param from the first day the list has, YYYY-MM-DD
 * @param to the last one
 * @returns undefined without a sale
 */
export function saleDelayOf(listed: readonly DatedSale[], from: string, to: string): SaleDelay | undefined {
  const sales = listed.filter(({ booked }) => booked >= from && booked <= to);
  if (sales.length === 0) return undefined;
  const limited = (date: string, other: string) => Math.min(Math.max(daysFrom(date, other), 0), maxDelay);
  const counts = Array<number>(maxDelay + 1).fill(0);
  /** Sales by the shortest and the longest delay with which the list would hold them. */
  const windows = new Map<string, { shortest: number; longest: number; count: number }>();
  for (const { visited, booked } of sales) {
    const delay = limited(visited, booked);
    counts[delay] = (counts[delay] ?? 0) + 1;
    const window = windows.get(visited);
    if (window) window.count += 1;
    else {
      const longest = limited(visited, to);
      windows.set(visited, { shortest: Math.min(limited(visited, from), longest), longest, count: 1 });
    }
  }
  const parts = partsOf(counts, [...windows.values()]);
  const partIn = (age: number) => Math.min(sum(parts.slice(0, age + 1)), 1);
  // One sale alone that comes later than all others is luck.
  const isIn = (age: number) => partIn(age) >= mostPart || sum(counts.slice(age + 1)) <= 1;
  return {
    meanDays: sum(parts.map((part, delay) => part * delay)),
    daysUntilIn: [...parts.keys()].find(isIn) ?? maxDelay,
    partIn,
  };
}

/** What is still to come of the sales from the visits of the last days, those that are not all in. */
export interface SalesToCome {
  readonly days: number;
  readonly part: number;
  readonly count: number;
}

/** @param asOf the last day that sales are known of, YYYY-MM-DD */
export function salesToCome(delay: SaleDelay, sales: readonly DatedSale[], asOf: string): SalesToCome {
  const days = delay.daysUntilIn;
  const ages = Array.from({ length: days }, (_, age) => delay.partIn(age));
  const partIn = days === 0 ? 1 : sum(ages) / days;
  const seen = sales.filter(({ visited }) => daysFrom(visited, asOf) < days).length;
  return { days, part: 1 - partIn, count: partIn > 0 ? Math.round((seen * (1 - partIn)) / partIn) : 0 };
}

function partsOf(
  counts: readonly number[],
  windows: readonly { readonly shortest: number; readonly longest: number; readonly count: number }[],
): readonly number[] {
  const all = sum(counts);
  let parts = counts.map((count) => count / all);
  for (let round = 0; round < rounds; round += 1) {
    const until = [0];
    for (const [delay, part] of parts.entries()) until.push(at(until, delay) + part);
    // By how many visits a delay could have been seen, each by how much of all delays it shows.
    const steps = Array<number>(maxDelay + 2).fill(0);
    for (const { shortest, longest, count } of windows) {
      const shown = at(until, longest + 1) - at(until, shortest);
      if (!(shown > 0)) continue;
      steps[shortest] = at(steps, shortest) + count / shown;
      steps[longest + 1] = at(steps, longest + 1) - count / shown;
    }
    let seeing = 0;
    const next = counts.map((count, delay) => {
      seeing += at(steps, delay);
      return count > 0 && seeing > 0 ? count / seeing : 0;
    });
    const total = sum(next);
    parts = next.map((part) => part / total);
  }
  return parts;
}

/** Whole days from one date to another, YYYY-MM-DD; below 0 if the other is earlier. */
export function daysFrom(date: string, other: string): number {
  return Math.round((Date.parse(other) - Date.parse(date)) / 86_400_000);
}

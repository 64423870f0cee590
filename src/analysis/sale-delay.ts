import { dayMs } from '../api/durations.ts';
import { at, groupBy, sum } from './statistics/history.ts';

/** The days of a visit and of its sale, each YYYY-MM-DD. */
export interface DatedSale {
  readonly visited: string;
  readonly booked: string;
}

/** How long after their visit sales come in. */
export interface SaleDelay {
  readonly meanDays: number;
  /** Days after a visit until 95% of its sales are in: 0 if they come on the same day. */
  readonly daysUntilIn: number;
  /** The part of the sales that is in `age` days after the visit. */
  readonly partIn: (age: number) => number;
}

/** If this part is in, the sales of a day count as complete. */
const mostPart = 0.95;

/** The longest period in days; longer delays count as this. */
const maxDelay = 92;

/** The estimate has converged after this many rounds. */
const rounds = 40;

/**
 * Learns the delay from a list of sales that is cut off at both ends: sales booked before its first day or after today are missing, so
 * a recent visit shows only its quick sales. Each sale is weighted by how likely the list is to contain it (Efron and
 * Petrosian, "Nonparametric methods for doubly truncated data", JASA 94, 1999).
 *
 * @param from the first day of the list, YYYY-MM-DD
 * @param to the last one
 * @returns undefined without a sale
 */
export function saleDelayOf(listed: readonly DatedSale[], from: string, to: string): SaleDelay | undefined {
  const sales = listed.filter(({ booked }) => booked >= from && booked <= to);
  if (sales.length === 0) return undefined;
  const limited = (date: string, other: string) => Math.min(Math.max(daysFrom(date, other), 0), maxDelay);
  const counts = Array<number>(maxDelay + 1).fill(0);
  for (const { visited, booked } of sales) {
    const delay = limited(visited, booked);
    counts[delay] = at(counts, delay) + 1;
  }
  const windows = [...groupBy(sales, ({ visited }) => visited)].map(([visited, { length }]) => {
    const longest = limited(visited, to);
    return { shortest: Math.min(limited(visited, from), longest), longest, count: length };
  });
  const parts = partsOf(counts, windows);
  const partIn = (age: number) => Math.min(sum(parts.slice(0, age + 1)), 1);
  // A single sale that comes later than all others is luck.
  const isIn = (age: number) => partIn(age) >= mostPart || sum(counts.slice(age + 1)) <= 1;
  return {
    meanDays: sum(parts.map((part, delay) => part * delay)),
    daysUntilIn: [...parts.keys()].find(isIn) ?? maxDelay,
    partIn,
  };
}

/** The sales of one visit day, and the shortest and longest delay that the list can show for that day. */
interface Window {
  readonly shortest: number;
  readonly longest: number;
  readonly count: number;
}

/** The part of all sales by their delay in days. */
function partsOf(counts: readonly number[], windows: readonly Window[]): readonly number[] {
  const all = sum(counts);
  let parts = counts.map((count) => count / all);
  for (let round = 0; round < rounds; round += 1) {
    const until = [0];
    for (const [delay, part] of parts.entries()) until.push(at(until, delay) + part);
    // For each delay, the estimated sales of all delays in the windows that can show it; kept as steps from one delay to the next.
    const steps = Array<number>(maxDelay + 2).fill(0);
    for (const { shortest, longest, count } of windows) {
      const shown = at(until, longest + 1) - at(until, shortest);
      if (!(shown > 0)) continue;
      steps[shortest] = at(steps, shortest) + count / shown;
      steps[longest + 1] = at(steps, longest + 1) - count / shown;
    }
    let visible = 0;
    const next = counts.map((count, delay) => {
      visible += at(steps, delay);
      return count > 0 && visible > 0 ? count / visible : 0;
    });
    const total = sum(next);
    parts = next.map((part) => part / total);
  }
  return parts;
}

/** The sales from the visits of the last `days` days that are still to come. */
export interface SalesToCome {
  readonly days: number;
  readonly part: number;
  readonly count: number;
  /** The range of the count; absent if only the delay in days is known. */
  readonly range?: { readonly low: number; readonly high: number };
}

/** @param asOf the last day whose sales are known, YYYY-MM-DD */
export function salesToCome(delay: SaleDelay, sales: readonly DatedSale[], asOf: string): SalesToCome {
  const days = delay.daysUntilIn;
  const ages = Array.from({ length: days }, (_, age) => delay.partIn(age));
  const partIn = days === 0 ? 1 : sum(ages) / days;
  const recent = sales.filter(({ visited }) => daysFrom(visited, asOf) < days).length;
  return { days, part: 1 - partIn, count: partIn > 0 ? Math.round((recent * (1 - partIn)) / partIn) : 0 };
}

/** Whole days from one date to another, YYYY-MM-DD; negative if the other is earlier. */
export function daysFrom(date: string, other: string): number {
  return Math.round((Date.parse(other) - Date.parse(date)) / dayMs);
}

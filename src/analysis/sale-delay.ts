/** When a visit was and when its sale was booked, each YYYY-MM-DD. */
export interface DatedSale {
  readonly visited: string;
  readonly booked: string;
}

/** How long sales take to come in after their visit. */
export interface SaleDelay {
  /** How many sales say so. */
  readonly sales: number;
  readonly meanDays: number;
  /** Days after a visit until 95% of its sales are in: 0 if they come on its own day. */
  readonly daysUntilIn: number;
  /** The part of the sales that is in by so many days after the visit, with its range of 95%. */
  readonly partIn: (age: number) => { readonly part: number; readonly low: number; readonly high: number };
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
  const counts = new Float64Array(maxDelay + 1);
  /** Sales by the shortest and the longest delay with which the list would hold them. */
  const windows = new Map<string, { shortest: number; longest: number; count: number }>();
  for (const { visited, booked } of sales) {
    const delay = Math.min(Math.max(daysFrom(visited, booked), 0), maxDelay);
    counts[delay] = (counts[delay] ?? 0) + 1;
    const window = windows.get(visited);
    if (window) window.count += 1;
    else {
      const longest = Math.min(Math.max(daysFrom(visited, to), 0), maxDelay);
      windows.set(visited, { shortest: Math.min(Math.max(daysFrom(visited, from), 0), longest), longest, count: 1 });
    }
  }
  if (sales.length === 0) return undefined;
  const parts = partsOf(counts, [...windows.values()]);
  const partUntil = (age: number) => parts.subarray(0, Math.max(age + 1, 0)).reduce((total, part) => total + part, 0);
  const countAfter = (age: number) => counts.subarray(age + 1).reduce((total, count) => total + count, 0);
  // One sale alone that comes later than all others is luck.
  const isIn = (age: number) => partUntil(age) >= mostPart || countAfter(age) <= 1;
  const daysUntilIn = Array.from(parts.keys()).find(isIn) ?? maxDelay;
  return {
    sales: sales.length,
    meanDays: parts.reduce((mean, part, delay) => mean + part * delay, 0),
    daysUntilIn,
    partIn: (age) => wilson(Math.min(partUntil(age), 1), sales.length),
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
  const ages = Array.from({ length: days }, (_, age) => delay.partIn(age).part);
  const partIn = days === 0 ? 1 : ages.reduce((sum, part) => sum + part, 0) / days;
  const seen = sales.filter(({ visited }) => daysFrom(visited, asOf) < days).length;
  return { days, part: 1 - partIn, count: partIn > 0 ? Math.round((seen * (1 - partIn)) / partIn) : 0 };
}

function partsOf(
  counts: Float64Array,
  windows: readonly { readonly shortest: number; readonly longest: number; readonly count: number }[],
): Float64Array {
  const all = counts.reduce((total, count) => total + count, 0);
  let parts = counts.map((count) => count / all);
  for (let round = 0; round < rounds; round += 1) {
    const until = new Float64Array(maxDelay + 2);
    for (const [delay, part] of parts.entries()) until[delay + 1] = (until[delay] ?? 0) + part;
    // By how many visits a delay could have been seen, each by how much of all delays it shows.
    const steps = new Float64Array(maxDelay + 2);
    for (const { shortest, longest, count } of windows) {
      const shown = (until[longest + 1] ?? 0) - (until[shortest] ?? 0);
      if (!(shown > 0)) continue;
      steps[shortest] = (steps[shortest] ?? 0) + count / shown;
      steps[longest + 1] = (steps[longest + 1] ?? 0) - count / shown;
    }
    let seeing = 0;
    const next = counts.map((count, delay) => {
      seeing += steps[delay] ?? 0;
      return count > 0 && seeing > 0 ? count / seeing : 0;
    });
    const total = next.reduce((sum, part) => sum + part, 0);
    parts = next.map((part) => part / total);
  }
  return parts;
}

/** A part of so many with its range of 95% (Wilson, JASA 22, 1927). */
function wilson(part: number, count: number): { part: number; low: number; high: number } {
  const z = 1.96 ** 2 / count;
  const center = (part + z / 2) / (1 + z);
  const reach = Math.sqrt(z * part * (1 - part) + z ** 2 / 4) / (1 + z);
  return { part, low: Math.max(center - reach, 0), high: Math.min(center + reach, 1) };
}

/** Whole days from one date to another, YYYY-MM-DD; below 0 if the other is earlier. */
export function daysFrom(date: string, other: string): number {
  return Math.round((Date.parse(other) - Date.parse(date)) / 86_400_000);
}

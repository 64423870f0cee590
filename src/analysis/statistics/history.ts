export interface PageSums {
  readonly views: number;
  readonly conversions: number;
  /** Negative if chargebacks exceed earnings. */
  readonly revenue: number;
}

/** One day of all pages, in the order of the pages. */
export interface Day {
  /** YYYY-MM-DD */
  readonly date: string;
  readonly pages: readonly PageSums[];
}

/** Conversions of the same value: their payout, or 1 if conversions are counted. */
export interface Worth {
  readonly value: number;
  readonly count: number;
}

/** One page on one day, or over the whole period if single days are unknown. */
export interface PageDay {
  readonly views: number;
  readonly conversions: readonly Worth[];
}

/** One page by day, with its sums; all pages of a comparison have the same days. */
export interface History {
  readonly days: readonly PageDay[];
  readonly counts: readonly number[];
  readonly views: number;
  readonly conversions: number;
  /** All payouts of the period, lowest first. */
  readonly worths: readonly Worth[];
  /** The sum of the conversions' values, and of their squares. */
  readonly worth: number;
  readonly squares: number;
}

export function historyOf(days: readonly PageDay[]): History {
  const counts = days.map(({ conversions }) => sum(conversions.map(({ count }) => count)));
  const byValue = new Map<number, number>();
  for (const { value, count } of days.flatMap(({ conversions }) => conversions))
    byValue.set(value, (byValue.get(value) ?? 0) + count);
  const worths = Array.from(byValue, ([value, count]) => ({ value, count })).sort((a, b) => a.value - b.value);
  return {
    days,
    counts,
    views: sum(days.map(({ views }) => views)),
    conversions: sum(counts),
    worths,
    worth: sum(worths.map(({ value, count }) => value * count)),
    squares: sum(worths.map(({ value, count }) => value * value * count)),
  };
}

export function pool(histories: readonly History[]): History {
  const days = histories[0]?.days ?? [];
  return historyOf(
    days.map((_, day) => ({
      views: sum(histories.map((history) => at(history.days, day).views)),
      conversions: histories.flatMap((history) => at(history.days, day).conversions),
    })),
  );
}

export function groupBy<Key, Value>(
  values: readonly Value[],
  keyOf: (value: Value) => Key,
): ReadonlyMap<Key, readonly Value[]> {
  const groups = new Map<Key, Value[]>();
  for (const value of values) {
    const group = groups.get(keyOf(value));
    if (group) group.push(value);
    else groups.set(keyOf(value), [value]);
  }
  return groups;
}

export function sum(values: readonly number[]): number {
  let total = 0;
  for (let index = 0; index < values.length; index += 1) total += at(values, index);
  return total;
}

/** An element that exists: pages and days are indexed by the length of the same lists. */
export function at<Element>(list: readonly Element[], index: number): Element {
  return list[index] as Element;
}

/** How many of some that are sorted are in front, by bisection. @param isInFront by index */
export function countInFront(length: number, isInFront: (index: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isInFront(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The fit has converged after this many rounds. */
const rounds = 15;

/**
 * Views weighted by how good their day was: a page with more of its traffic in a good week counts as having more views. The rates
 * of pages and of days are fitted in turn until both explain the conversions: the maximum likelihood of independent Poisson counts.
 *
 * @returns one number per page, with the sum of all views
 */
export function seasonalViews(histories: readonly History[]): readonly number[] {
  const plain = histories.map(({ views }) => views);
  const byDay = histories.map(({ days }) => days.map(({ views }) => views));
  const totals = (byDay[0] ?? []).map((_, day) => sum(histories.map(({ counts }) => at(counts, day))));
  let quality: readonly number[] = totals.map(() => 1);
  let views: readonly number[] = plain;
  for (let round = 0; round < rounds; round += 1) {
    views = byDay.map((page) => sum(page.map((seen, day) => seen * at(quality, day))));
    const rates = histories.map(({ conversions }, page) => ratio(conversions, at(views, page)));
    quality = totals.map((total, day) => ratio(total, sum(byDay.map((seen, page) => at(rates, page) * at(seen, day)))));
  }
  // Without conversions there is no season; a page with traffic keeps its views.
  const factor = ratio(sum(plain), sum(views));
  return factor === 0 ? plain : views.map((seen, page) => (seen > 0 ? seen * factor : at(plain, page)));
}

function ratio(part: number, whole: number): number {
  return whole > 0 ? part / whole : 0;
}

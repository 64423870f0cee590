/** What a report says about one page over some days. */
export interface PageSums {
  readonly views: number;
  readonly conversions: number;
  /** Below 0 where chargebacks exceed what was earned. */
  readonly revenue: number;
}

/** One day of all pages, in the order of the pages. */
export interface Day {
  /** YYYY-MM-DD */
  readonly date: string;
  readonly pages: readonly PageSums[];
}

/** Conversions that are worth the same: their payout, or 1 where conversions are counted. */
export interface Worth {
  readonly value: number;
  readonly count: number;
}

/** One page on one day, or over a whole period where its days are not known. */
export interface PageDay {
  readonly views: number;
  readonly conversions: readonly Worth[];
}

/** One page by day, with what is asked of it for every rival; all pages of a comparison have the same days. */
export interface History {
  readonly days: readonly PageDay[];
  /** Conversions of each day. */
  readonly counts: readonly number[];
  readonly views: number;
  readonly conversions: number;
  /** Everything it was paid, whatever the day, lowest first. */
  readonly worths: readonly Worth[];
  /** The sum of what its conversions are worth, and of their squares. */
  readonly worth: number;
  readonly squares: number;
}

export function historyOf(days: readonly PageDay[]): History {
  const counts: number[] = [];
  const byValue = new Map<number, number>();
  for (const { conversions } of days) {
    let ofDay = 0;
    for (const { value, count } of conversions) {
      ofDay += count;
      byValue.set(value, (byValue.get(value) ?? 0) + count);
    }
    counts.push(ofDay);
  }
  const worths = Array.from(byValue, ([value, count]) => ({ value, count })).sort((a, b) => a.value - b.value);
  return {
    days,
    counts,
    views: days.reduce((total, { views }) => total + views, 0),
    conversions: sum(counts),
    worths,
    worth: worths.reduce((total, { value, count }) => total + value * count, 0),
    squares: worths.reduce((total, { value, count }) => total + value * value * count, 0),
  };
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** An element that is there: pages and days are counted by the length of what is given. */
export function at<Element>(list: readonly Element[], index: number): Element {
  return list[index] as Element;
}

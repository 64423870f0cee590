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

/** Rounds after which views by season no longer move. */
const rounds = 15;

/**
 * Views as good as those of the average day: a page that had more of its traffic in a good week has had more than its count says.
 * Rates of pages and of days are fitted in turn until conversions agree with both, the maximum likelihood of independent Poisson
 * counts.
 *
 * @returns one number a page, with the sum of all views
 */
export function seasonalViews(histories: readonly History[]): readonly number[] {
  const plain = histories.map(({ views }) => views);
  const byDay = histories.map(({ days }) => Float64Array.from(days, ({ views }) => views));
  const dayCount = histories[0]?.days.length ?? 0;
  const totals = Array.from({ length: dayCount }, (_, day) => sum(histories.map(({ counts }) => at(counts, day))));
  const quality = new Float64Array(dayCount).fill(1);
  const views = new Float64Array(plain);
  for (let round = 0; round < rounds; round += 1) {
    const expected = new Float64Array(dayCount);
    for (const [page, own] of byDay.entries()) {
      let seen = 0;
      for (let day = 0; day < dayCount; day += 1) seen += (own[day] ?? 0) * (quality[day] ?? 0);
      views[page] = seen;
      const rate = ratio(at(histories, page).conversions, seen);
      for (let day = 0; day < dayCount; day += 1) expected[day] = (expected[day] ?? 0) + rate * (own[day] ?? 0);
    }
    for (const [day, total] of totals.entries()) quality[day] = ratio(total, expected[day] ?? 0);
  }
  // Without a conversion there is no season; a page that has traffic has been seen.
  const factor = ratio(
    sum(plain),
    views.reduce((total, own) => total + own, 0),
  );
  return factor === 0 ? plain : Array.from(views, (own, page) => (own > 0 ? own * factor : at(plain, page)));
}

function ratio(part: number, whole: number): number {
  return whole > 0 ? part / whole : 0;
}

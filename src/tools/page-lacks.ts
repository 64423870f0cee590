import type { Lack } from '../answer/write-notes.ts';

/** What a page got lately is what it got on these days, the last of which may not have begun. */
export const recentDays = 3;

/** Chance alone shows none of so many in less than 1 of 100 cases. */
const minExpected = 5;

export interface Counts {
  readonly visits: number;
  /** NaN where a report has no such column: then nothing is found. */
  readonly clicks: number;
  readonly sales: number;
}

export const noCounts: Counts = { visits: 0, clicks: 0, sales: 0 };

/** The days of a report: what a page of a group got, and what the others of its kind in the group got. */
export interface CountedSpan<Page> {
  /** First day, YYYY-MM-DD. */
  readonly since: string;
  readonly own: (page: Page) => Counts;
  readonly others: (page: Page) => Counts;
}

/**
 * What a page should get and does not.
 * @param spans the last days, and a longer time that ends with them
 */
export function lackOf<Page>(
  page: Page,
  kind: 'landing' | 'offer',
  spans: readonly [lately: CountedSpan<Page>, whole: CountedSpan<Page>],
): Lack | undefined {
  const earlier = combine(spans[1].own(page), spans[0].own(page), -1);
  const ownRate = rateOf(earlier.clicks, earlier.visits);
  for (const { since, own, others } of kind === 'landing' ? spans : []) {
    const { clicks, visits } = others(page);
    const rate = ownRate > 0 ? ownRate : rateOf(clicks, visits);
    const found = none('clicks', own(page), rate, since, ownRate > 0 ? 'page' : 'others');
    if (found) return found;
  }
  // Sales come late, to all pages alike: the same days of the others show how many are due, of a page that sold fewer before its own rate.
  const soldBefore = rateOf(earlier.sales, earlier.visits);
  for (const { since, own, others } of spans) {
    const { sales, visits } = others(page);
    const ofOthers = rateOf(sales, visits);
    const isOwn = soldBefore > 0 && soldBefore < ofOthers;
    const found = none('sales', own(page), isOwn ? soldBefore : ofOthers, since, isOwn ? 'page' : 'others');
    if (found) return found;
  }
  return undefined;
}

function none(lacks: Lack['lacks'], own: Counts, rate: number, since: string, rate_of: Lack['rate_of']) {
  const expected = own.visits * rate;
  const isLacking = own[lacks] === 0 && expected >= minExpected;
  return isLacking ? { lacks, visits: own.visits, expected: Math.round(expected), rate_of, since } : undefined;
}

const rateOf = (part: number, whole: number) => (whole > 0 ? part / whole : 0);

export function combine(one: Counts, other: Counts, sign: 1 | -1): Counts {
  return {
    visits: one.visits + sign * other.visits,
    clicks: one.clicks + sign * other.clicks,
    sales: one.sales + sign * other.sales,
  };
}

import type { GroupFigures, ListedVisit } from '../visit-groups.ts';

/** The visits of two spans, one row each: what is known of it, by dimension, and what it came to. */
export interface SpanVisits {
  readonly dimensions: readonly string[];
  readonly rows: readonly SpanVisit[];
}

export interface SpanVisit extends ListedVisit {
  /** Whether it is of the later span. */
  readonly isAfter: boolean;
  /** YYYY-MM-DD, in the zone of the tracker. */
  readonly day: string;
}

export interface SpanSums {
  readonly before: GroupFigures;
  readonly after: GroupFigures;
}

export const noVisits = (): GroupFigures => ({ views: 0, clicks: 0, conversions: 0, cost: 0, revenue: 0 });

export function sumVisits(visits: readonly SpanVisit[]): SpanSums {
  const sums = { before: noVisits(), after: noVisits() };
  for (const { isAfter, clicks, conversions, cost, revenue } of visits) {
    const own = isAfter ? sums.after : sums.before;
    own.views += 1;
    own.clicks += clicks;
    own.conversions += conversions;
    own.cost += cost;
    own.revenue += revenue;
  }
  return sums;
}

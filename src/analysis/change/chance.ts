import { at, groupBy, sum } from '../statistics/history.ts';
import { profitOf } from './factors.ts';
import { type SpanVisits, sumVisits } from './span-visits.ts';

/** How far profit moves between two such spans though nothing happened: 19 of 20 changes are smaller. */
export interface UsualMove {
  readonly amount: number;
  readonly conversions: number;
}

/** Two-sided 95%, by degrees of freedom (Student); beyond the table the last. */
const quantiles = [12.71, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.2, 2.18, 2.16, 2.14, 2.13, 2.12, 2.11];

/**
 * From how the days of each span scatter about their own mean, and at least from how single visits scatter: those that come one by
 * one vary by the sum of the squares of what they earn and cost.
 * @param days the days of both spans, those without a visit too
 */
export function usualMove(
  { rows }: SpanVisits,
  days: { readonly before: readonly string[]; readonly after: readonly string[] },
): UsualMove {
  const byDay = groupBy(rows, ({ day }) => day);
  const squaresOf = (span: 'before' | 'after') => {
    const profits = days[span].map((day) => {
      const { before, after } = sumVisits(byDay.get(day) ?? []);
      return profitOf(before) + profitOf(after);
    });
    const mean = sum(profits) / Math.max(profits.length, 1);
    return sum(profits.map((profit) => (profit - mean) ** 2));
  };
  const freedom = days.before.length + days.after.length - 2;
  const ofDay = freedom > 0 ? (squaresOf('before') + squaresOf('after')) / freedom : 0;
  const ofDays = ofDay * (days.before.length + days.after.length);
  const ofVisits = sum(rows.map(({ revenue, cost }) => (revenue - cost) ** 2));
  const quantile =
    freedom > 0 && ofDays > ofVisits ? (quantiles[freedom - 1] ?? at(quantiles, quantiles.length - 1)) : 1.96;
  return {
    amount: quantile * Math.sqrt(Math.max(ofDays, ofVisits)),
    conversions: sum(rows.map(({ conversions }) => conversions)),
  };
}

/** A sale without which profit would have moved otherwise. */
export interface DecisiveSale {
  readonly revenue: number;
  /** Of its visit, YYYY-MM-DD. */
  readonly day: string;
  /** What profit would have moved by without it. */
  readonly changeWithout: number;
}

/** So many times what others pay on average makes a sale one of its own. */
const outstanding = 5;

/** The largest sale, if it outstands the others and is more than half of what profit moved by. */
export function findDecisiveSale({ rows }: SpanVisits): DecisiveSale | undefined {
  const sales = rows.filter(({ conversions }) => conversions === 1);
  const [first, ...others] = sales.toSorted((one, other) => other.revenue - one.revenue);
  const { before, after } = sumVisits(rows);
  const change = profitOf(after) - profitOf(before);
  const usual = sum(others.map(({ revenue }) => revenue)) / others.length;
  if (!first || !(first.revenue >= outstanding * usual) || first.revenue <= Math.abs(change) / 2) return undefined;
  const { revenue, day, isAfter } = first;
  return { revenue, day, changeWithout: isAfter ? change - revenue : change + revenue };
}

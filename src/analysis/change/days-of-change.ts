import { entropy } from '../statistics/entropy.ts';
import { at, sum } from '../statistics/history.ts';
import type { GroupFigures } from '../visit-groups.ts';
import type { Factor } from './factors.ts';
import { readerOf, type VisitColumns, type Visits } from './visit-columns.ts';

/** When a factor changed; days as YYYY-MM-DD. */
export interface DaysOfChange {
  /** Undefined if no day stands out. */
  readonly since: string | undefined;
  /** The day from which on there was nothing of it at all, where chance would have brought some. */
  readonly noneSince: string | undefined;
}

/** The deviance by which a day must stand out to be named; chance reaches it once in 10,000 times. */
const minDayDeviance = 15;

/** Fewer days without sales may be those whose sales are late. */
export const minDaysWithoutSales = 3;

/** With so many expected, chance brings none once in 10,000 times. */
export const minExpected = 9.2;

/** The day on which a factor of some visits changed: the largest deviance of a Poisson rate before and after it. */
export function daysOfChange(factor: Factor, rows: Visits, otherRows: Visits, columns: VisitColumns): DaysOfChange {
  const { days, dayCodes } = columns;
  const sumByDay = (summedRows: Visits, measure: keyof GroupFigures, scale = 1) => {
    const read = readerOf(columns, measure);
    const sums = days.map(() => 0);
    for (let index = 0; index < summedRows.length; index += 1) {
      const row = summedRows[index] ?? 0;
      const day = dayCodes[row] ?? 0;
      sums[day] = at(sums, day) + read(row) * scale;
    }
    return sums;
  };
  const [visits, otherVisits] = [sumByDay(rows, 'views'), sumByDay(otherRows, 'views')];
  const [measure, perMeasure] = ratioByFactor[factor];
  // Poisson rates are of counts: cost counts in cents.
  const parts = sumByDay(rows, measure, measure === 'cost' ? 100 : 1);
  const wholes = perMeasure
    ? sumByDay(rows, perMeasure)
    : otherRows.length > 0
      ? otherVisits.map(atLeastOne)
      : days.map(() => 1);
  const usedDays = [...days.keys()].filter((day) => at(visits, day) + at(otherVisits, day) > 0);
  const total = sum(usedDays.map((day) => at(parts, day)));
  const size = sum(usedDays.map((day) => at(wholes, day)));
  let best = { day: undefined as string | undefined, deviance: minDayDeviance };
  let [before, sizeBefore] = [0, 0];
  for (const day of usedDays) {
    if (sizeBefore > 0 && size > sizeBefore) {
      const expected = (total * sizeBefore) / size;
      const deviance = 2 * (entropy(before, expected) + entropy(total - before, total - expected));
      if (deviance > best.deviance) best = { day: at(days, day), deviance };
    }
    before += at(parts, day);
    sizeBefore += at(wholes, day);
  }
  return { since: best.day, noneSince: noneSince() };

  function noneSince(): string | undefined {
    const last = usedDays.findLastIndex((day) => at(parts, day) > 0);
    const rate = total / sum(usedDays.slice(0, last + 1).map((day) => at(wholes, day)));
    const later = usedDays.slice(last + 1);
    // Sales of the last days may still come.
    if (perMeasure === 'clicks' && later.length < minDaysWithoutSales) return undefined;
    const isNone = last >= 0 && rate * sum(later.map((day) => at(wholes, day))) >= minExpected;
    return isNone && later[0] !== undefined ? days[later[0]] : undefined;
  }
}

/** Where a group is all there is on some days, its first one stands out too. */
const atLeastOne = (visits: number) => Math.max(visits, 1);

/** The two measures of a factor; visits are compared with the visits of the rest. */
export const ratioByFactor: Readonly<Record<Factor, readonly [measure: keyof GroupFigures, per?: keyof GroupFigures]>> =
  {
    visits: ['views'],
    cost_per_visit: ['cost', 'views'],
    clicks_per_visit: ['clicks', 'views'],
    sales_per_click: ['conversions', 'clicks'],
    revenue_per_sale: ['revenue', 'conversions'],
  };

import type { Part } from '../sale-delay.ts';
import { at, sum } from '../statistics/history.ts';
import { amountOf, type VisitColumns } from './visit-columns.ts';

/** Sales that are still to come, with a range that holds in 9 of 10 cases, and what they are worth. */
export interface ExpectedSales {
  readonly count: number;
  readonly low: number;
  readonly high: number;
  readonly revenue: number;
}

/** How many sales of the whole account a campaign's own rate is weighed against. */
const priorSales = 5;

const sidesOf90 = 1.645;

/**
 * The sales still expected of the later span: the visits of each day, times the usual sales a visit, times the part that is still to
 * come. A day without a sale expects as many as one with some. Rates are those of each campaign, drawn towards the account where
 * it has few sales.
 *
 * @param partIn the part of the sales of a day's visits, YYYY-MM-DD, that is in by now
 */
export function expectSales(columns: VisitColumns, partIn: (day: string) => Part): ExpectedSales | undefined {
  const parts = columns.days.map(partIn);
  const campaign = columns.dimensions.find(({ name }) => name === 'campaign');
  const codes = campaign?.values.map((_, code) => code) ?? [0];
  const groups = codes.map(() => ({ exposure: 0, sales: 0, revenue: 0, toCome: 0, least: 0, most: 0 }));
  for (let visit = 0; visit < columns.stretches.length; visit += 1) {
    const group = at(groups, campaign?.codes[visit] ?? 0);
    const { part, low, high } = at(parts, columns.dayCodes[visit] ?? 0);
    group.exposure += part;
    group.sales += amountOf(columns, visit, 'conversions');
    group.revenue += amountOf(columns, visit, 'revenue');
    if ((columns.stretches[visit] ?? 0) === 0) continue;
    group.toCome += 1 - part;
    group.least += 1 - high;
    group.most += 1 - low;
  }
  const all = (measure: 'exposure' | 'sales' | 'revenue') => sum(groups.map((group) => group[measure]));
  const [sales, exposure] = [all('sales'), all('exposure')];
  if (sales === 0 || exposure === 0) return undefined;
  const [usualRate, usualPayout] = [sales / exposure, all('revenue') / sales];
  let [count, revenue, least, most] = [0, 0, 0, 0];
  for (const group of groups) {
    const rate = (group.sales + priorSales) / (group.exposure + priorSales / usualRate);
    const payout = (group.revenue + priorSales * usualPayout) / (group.sales + priorSales);
    count += rate * group.toCome;
    revenue += rate * group.toCome * payout;
    least += rate * group.least;
    most += rate * group.most;
  }
  // Chance, the rate, and the part that is in are uncertain, each on its own.
  const deviation = Math.sqrt(count + count ** 2 / sales + ((most - least) / 3.92) ** 2);
  return {
    count,
    low: Math.max(count - sidesOf90 * deviation, 0),
    high: count + sidesOf90 * deviation,
    revenue,
  };
}

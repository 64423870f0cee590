/** Detectors of rates that fell and did not stop: visits that click less, and clicks that sell less. */

import { testsInRow } from '../change/deviations.ts';
import { usualMove } from '../change/factor-tests.ts';
import { sum } from '../statistics/history.ts';
import type { CampaignHistory } from './campaign-history.ts';
import {
  chanceOfAtMost,
  type Detector,
  type Look,
  minExpected,
  perDay,
  type Rate,
  ratio,
  scatterOver,
  well,
} from './looks.ts';
import { partInOfDays, scatterOfDelay } from './money.ts';
import { daysToCompare, minUsualDays, stepIn } from './steps.ts';

/** A rate that keeps more than this part of what is usual is merely worse. */
const maxPartOfUsual = 0.75;

/** The last whole days without anything are not days of a lower rate: it stopped. */
const isStopped = (counts: readonly number[]): boolean => counts.slice(-2).every((count) => count === 0);

/** A rate, and how far it moves as a rule. */
type MovingRate = Rate & { readonly usual: number };

function fallOf(campaign: CampaignHistory, { what, of, usual }: MovingRate, partIn: (days: number) => number): Look[] {
  const days = daysToCompare(campaign);
  const counts = days.map((day) => day[what]);
  const wholes = days.map((day, index) => day[of] * partIn(days.length - 1 - index));
  if (sum(counts) < 2 * minExpected || isStopped(counts)) return [];
  const { age, before, after } = stepIn(campaign, counts, wholes, { unit: 1, chance: 1, usual });
  const daysBefore = days.length - age;
  const rate = ratio(before[what], sum(wholes.slice(0, daysBefore)));
  const expected = rate * sum(wholes.slice(daysBefore));
  if (expected < minExpected || before[what] < minExpected) return [];
  if (after[what] > expected * maxPartOfUsual) return [well];
  const scatter = scatterOver(age) + 1 / before[what] + scatterOfDelay(partInOfDays(partIn, age));
  // The step was looked for among these days.
  const chance = chanceOfAtMost(after[what], expected, scatter) * testsInRow(days.length - minUsualDays);
  return [
    {
      chance: Math.min(chance, 1),
      age: age * 24,
      moneyPerDay: perDay((expected - after[what]) * ratio(before.revenue, before[what]), age),
      figures: {
        visits: after.views,
        clicks: after.clicks,
        ...(what === 'clicks' ? { expected_clicks: expected } : { sales: after.conversions, expected_sales: expected }),
        days: age,
      },
    },
  ];
}

/** Fewer of a campaign's visits click since a day: another page would not mend it, or all its pages got worse. */
export const fallenClickRate: Detector = (campaign) =>
  fallOf(campaign, { what: 'clicks', of: 'views', usual: usualMove.clicks_per_visit }, () => 1);

/** Fewer of a campaign's clicks sell since a day, though some do. */
export const fallenSales: Detector = (campaign, partIn) =>
  fallOf(campaign, { what: 'conversions', of: 'clicks', usual: usualMove.sales_per_click }, partIn);

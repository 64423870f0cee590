import { isOfVisitors } from './alike.ts';
import type { DaysOfChange } from './days-of-change.ts';
import type { SpanSums } from './sums.ts';
import type { Value } from './visit-columns.ts';

/** Visits of bots click so many times as often as those of people, where so many sales are expected. */
const minTimesClicks = 1.5;

/** With fewer expected, that they are missing is just poor visits. */
export const minExpectedSales = 3;

/** They buy at most this part of what is expected of their clicks; with people among them, who did not click so often before, more. */
export const maxPartOfSales = 0.2;
const maxPartAmongPeople = 0.5;

/**
 * Whether visits click far more than usual, and buy too little for that.
 * @param before the clicks that they would have as they were before; undefined if that is not known
 */
export function clickInVain({
  clicks,
  usualClicks,
  before,
  sales,
  expectedSales,
}: {
  readonly clicks: number;
  readonly usualClicks: number;
  readonly before: number | undefined;
  readonly sales: number;
  readonly expectedSales: number;
}): boolean {
  const haveChanged = before !== undefined && clicks >= minTimesClicks * before;
  const maxPart = haveChanged ? maxPartAmongPeople : maxPartOfSales;
  return (
    clicks >= minTimesClicks * usualClicks && expectedSales >= minExpectedSales && sales <= maxPart * expectedSales
  );
}

/** Visits that grew so much are bots if they hardly click where so many clicks are expected. */
const [minTimesGrown, maxPartOfClicks, minExpectedClicks] = [3, 0.2, 8];

/** Whether visits came or grew, and hardly click. */
export const comeUnclicked = (seen: {
  readonly visits: number;
  readonly usualVisits: number;
  readonly clicks: number;
  readonly usualClicks: number;
}): boolean =>
  seen.visits >= minTimesGrown * seen.usualVisits &&
  seen.usualClicks >= minExpectedClicks &&
  seen.clicks <= maxPartOfClicks * seen.usualClicks;

/** Whether some visits are of bots, as they did before or, if they are new, as others do. Of a page or offer that has other reasons. */
export function areBots(
  groups: readonly Value[],
  { rates = {} }: DaysOfChange,
  { before, after: own }: SpanSums,
  { after: others }: SpanSums,
): boolean {
  if (!groups.some(isOfVisitors)) return false;
  const { clicks, conversions: sales } = own;
  const ofOthers = (own.views * others.clicks) / others.views;
  if (comeUnclicked({ visits: own.views, usualVisits: before.views, clicks, usualClicks: ofOthers })) return true;
  const rate = rates.clicks_per_visit;
  const known = rate && (clicks * rate.before) / rate.after;
  const { before: saleRate, after: saleRateSince } = rates.sales_per_click ?? {
    before: others.conversions / others.clicks,
    after: sales / clicks,
  };
  return clickInVain({
    ...{ clicks, usualClicks: known ?? ofOthers, before: known },
    ...{ sales: clicks * saleRateSince, expectedSales: clicks * saleRate },
  });
}

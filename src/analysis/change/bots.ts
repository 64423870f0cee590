import { isOfVisitors } from './alike.ts';
import type { DaysOfChange } from './days-of-change.ts';
import type { SpanSums } from './sums.ts';
import type { Value } from './visit-columns.ts';

/** How far visits of bots click more than people, and how much less they buy, where so many sales are expected. */
const [minTimesClicks, maxPartOfSales, minExpectedSales] = [1.5, 0.2, 3];

/** Visits that came or grew so much are bots if they hardly click where so many clicks are expected. */
const [minTimesGrown, maxPartOfClicks, minExpectedClicks] = [3, 0.1, 10];

/**
 * Whether some visits click more than they did, or than others if they are new, and buy nothing, or are new and hardly click. Of a page or
 * offer that has other reasons.
 */
export function areBots(
  groups: readonly Value[],
  { rates = {} }: DaysOfChange,
  { before, after: own }: SpanSums,
  { after: others }: SpanSums,
): boolean {
  if (!groups.some(isOfVisitors)) return false;
  const usualClicks = (own.views * others.clicks) / others.views;
  const areNew = own.views >= minTimesGrown * before.views;
  if (areNew && usualClicks >= minExpectedClicks && own.clicks <= maxPartOfClicks * usualClicks) return true;
  const clicks = rates.clicks_per_visit ?? { before: others.clicks / others.views, after: own.clicks / own.views };
  const sales = rates.sales_per_click ?? {
    before: others.conversions / others.clicks,
    after: own.conversions / own.clicks,
  };
  return (
    clicks.after >= minTimesClicks * clicks.before &&
    sales.after <= maxPartOfSales * sales.before &&
    own.clicks * sales.before >= minExpectedSales
  );
}

import type { CampaignHistory, History } from './campaign-history.ts';
import { minExpected, minExpectedOfPoor, minExpectedOfRobots, ratio, robotDays } from './looks.ts';

/** What the visits of a value come to. */
export interface Tally {
  views: number;
  clicks: number;
  sales: number;
  cost: number;
  /** Where they are added. */
  history?: History;
}

/**
 * Whether a value of a campaign is too small to be judged, as most of its keywords and placements are: it sold nothing, it cost less than
 * what counts as a loss, and even at the best rates of the campaign its visits would not have brought the sales whose absence shows robots.
 */
export function smallIn(campaign: CampaignHistory): (value: Tally) => boolean {
  const all = campaign.sum(0);
  const minCost = minExpected * ratio(all.revenue, all.conversions);
  const spans = [
    { whole: all, min: minExpectedOfRobots },
    ...robotDays.map((days) => ({ whole: campaign.sum(0, days), min: minExpectedOfPoor })),
  ].filter(({ whole }) => whole.conversions > 0);
  return ({ views, clicks, sales, cost }) => {
    const most = Math.max(views, clicks);
    const isExpected = spans.some(({ whole, min }) => most * whole.conversions >= min * (whole.clicks - most));
    return sales === 0 && !(cost >= minCost && minCost > 0) && !isExpected;
  };
}

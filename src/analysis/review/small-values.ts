import { minExpectedSales } from '../change/bots.ts';
import { type CampaignHistory, pairNamed, partsOfVisitors } from './campaign-history.ts';
import { clickDays, isPlacement, minExpected, minExpectedOfRobots, minExpectedOfStop, ratio } from './looks.ts';

/** What the visits of a value come to. */
export interface Tally {
  readonly views: number;
  readonly clicks: number;
  readonly sales: number;
  readonly cost: number;
}

/** Whether no value of a dimension can be judged: an offer has too few sales in any country or on any device if its campaign has. */
export const hasNothingIn = (campaign: CampaignHistory, dimension: string): boolean =>
  pairNamed(dimension)?.dimension === 'offer' && campaign.sum(0).conversions < minExpected;

/** Whether a value of a dimension is too small to be judged. */
export function smallIn(campaign: CampaignHistory, dimension: string): (value: Tally) => boolean {
  const pair = pairNamed(dimension);
  if (pair?.dimension === 'offer') return ({ sales }) => sales < minExpected;
  // With too few visits before, what is usual is not known; with too few since, no click proves nothing.
  if (pair || partsOfVisitors.includes(dimension))
    return ({ views, clicks }) => (views - minExpected) * clicks < minExpected * minExpectedOfStop;
  return isPlacement(dimension) || dimension === 'isp' ? smallPlacementIn(campaign) : () => false;
}

/**
 * Most keywords and placements are too small: they sold and clicked too little to stop, they cost less than what counts as a loss, and even
 * at the best rates of the campaign their visits would not have brought the sales whose absence shows robots.
 */
function smallPlacementIn(campaign: CampaignHistory): (value: Tally) => boolean {
  const all = campaign.sum(0);
  const minCost = minExpected * ratio(all.revenue, all.conversions);
  const spans = [
    { whole: all, min: minExpectedOfRobots },
    ...clickDays.map((days) => ({ whole: campaign.sum(0, days), min: minExpectedSales })),
  ].filter(({ whole }) => whole.conversions > 0);
  return ({ views, clicks, sales, cost }) => {
    const most = Math.max(views, clicks);
    const isExpected = spans.some(({ whole, min }) => most * whole.conversions >= min * (whole.clicks - most));
    const isSilent = sales === 0 || (sales < minExpectedOfStop && clicks < minExpected);
    return isSilent && !(cost >= minCost && minCost > 0) && !isExpected;
  };
}

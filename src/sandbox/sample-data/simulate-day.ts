import type { Random } from '../rotation/random.ts';
import type { PlannedCampaign } from './planned-campaign.ts';
import { type Day, drawMoment } from './rhythm.ts';
import { type Journeys, type Progress, simulateVisitor } from './simulate-visitor.ts';

/** Plays one day of all campaigns, its visitors in the order of their arrival; what they do may reach into later days. */
export function simulateDay(
  campaigns: readonly PlannedCampaign[],
  day: Day,
  progress: Progress,
  random: Random,
): Journeys {
  const arrivals = campaigns
    .filter(({ plan }) => day.daysAgo >= (plan.endedDaysAgo ?? 0))
    .flatMap((campaign) =>
      Array.from({ length: Math.round(campaign.plan.visitsPerDay * day.weight) }, () => ({
        campaign,
        at: drawMoment(day, random),
      })),
    )
    .sort((a, b) => a.at - b.at);
  const journeys: Journeys = { visits: [], steps: [], subscribers: [], conversions: [] };
  for (const { campaign, at } of arrivals) simulateVisitor(campaign, at, progress, random, journeys);
  return journeys;
}

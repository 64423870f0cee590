import { seededRandom } from '../rotation/random.ts';
import type { Database } from '../store/database.ts';
import { appendRecords } from '../traffic/append-records.ts';
import { loadCampaigns } from '../traffic/load-campaigns.ts';
import { insertSetup } from './insert-setup.ts';
import { planCampaign } from './planned-campaign.ts';
import { listDays } from './rhythm.ts';
import { settings } from './setup.ts';
import { simulateDay } from './simulate-day.ts';
import type { Journeys, Progress } from './simulate-visitor.ts';
import { trafficPlans } from './traffic-plans.ts';

const dayCount = 30;

/**
 * Fills an empty database with the sample tracker: its set-up, and 30 days of visits that end now, whole or not
 * at all.
 *
 * The same seed and the same day in the tracker's time zone give the same data. A later moment of the day only adds what
 * happened since: nothing that was recorded changes, and nothing lies in the future. `stories.ts` says what there is to find.
 *
 * @param options.onProgress is told after each day how many of the 30 days are written
 */
export async function loadSampleData(
  database: Database,
  { seed, now, onProgress }: { seed: number; now: Date; onProgress?: (done: number, total: number) => void },
): Promise<void> {
  // One transaction: a process that is killed on the way leaves an empty database, which the next one fills.
  await database.transaction(async (writer) => {
    await insertSetup(writer);
    const campaigns = await loadCampaigns(writer);
    const planned = trafficPlans.map((plan) => planCampaign(plan, campaigns));
    const days = await listDays(writer, settings.time_zone, now, dayCount);
    const progress: Progress = { lastClickId: 0, offerVisitors: new Map() };
    for (const day of days) {
      const journeys = simulateDay(planned, day, progress, seededRandom(seed, day.daysAgo));
      await appendRecords(writer, until(now.getTime(), journeys));
      onProgress?.(dayCount - day.daysAgo, dayCount);
    }
  });
}

/** Leaves out what has not happened yet. */
function until(now: number, { visits, steps, subscribers, conversions }: Journeys): Journeys {
  const happened = ({ at }: { at: number }) => at <= now;
  return {
    visits: visits.filter(happened),
    steps: steps.filter(happened),
    subscribers: subscribers.filter(happened),
    conversions: conversions.filter(happened),
  };
}

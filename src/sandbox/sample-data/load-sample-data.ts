import { listValue } from '@duckdb/node-api';
import { seededRandom } from '../rotation/random.ts';
import type { Database, SqlParameters, Writer } from '../store/database.ts';
import { appendRecords } from '../traffic/append-records.ts';
import { loadCampaigns } from '../traffic/load-campaigns.ts';
import { listDays } from './audience.ts';
import * as setup from './setup.ts';
import { settings } from './setup.ts';
import { type Journeys, type Progress, simulateDay } from './simulate-visitor.ts';
import { planCampaign, trafficPlans } from './traffic-plans.ts';

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

/** Writes the set-up of the sample tracker into an empty database. */
export async function insertSetup(writer: Writer): Promise<void> {
  for (const [table, rows] of Object.entries(tables())) {
    const names = Object.keys(rows[0] ?? {});
    const values = rows.map((_, index) => `(${names.map((name) => `$${name}_${index}`).join(', ')})`);
    const parameters = rows.flatMap((row, index) => names.map((name) => [`${name}_${index}`, row[name] ?? null]));
    await writer.execute(
      `INSERT INTO ${table} (${names.join(', ')}) VALUES ${values.join(', ')}`,
      Object.fromEntries(parameters),
    );
  }
}

function tables(): Record<string, SqlParameters[]> {
  return {
    settings: Object.entries(setup.settings).map(([name, value]) => ({ name, value })),
    offer_sources: setup.offerSources.map((name) => ({ name })),
    traffic_sources: setup.trafficSources.map(({ id, name }) => ({ id, name })),
    traffic_source_tokens: setup.trafficSources.flatMap((source) =>
      source.tokens.map(([slot, name, parameter, placeholder]) => ({
        traffic_source_id: source.id,
        slot,
        name,
        parameter,
        placeholder,
      })),
    ),
    landing_pages: setup.landingPages.map(({ id, name, url, active = true, notes = '' }) => ({
      id,
      name,
      url,
      active,
      notes,
    })),
    offers: setup.offers.map(({ id, name, url, source, payout, active = true, notes = '' }) => ({
      id,
      name,
      url,
      active,
      source,
      payout,
      notes,
    })),
    campaigns: setup.campaigns.map((campaign) => ({
      id: campaign.id,
      name: campaign.name,
      type: campaign.type,
      link_key: linkKey(campaign.id),
      traffic_source_id: campaign.trafficSource,
      active: campaign.active ?? true,
      engage_rate: campaign.engageRate ?? 0,
      bid: campaign.bid,
      priority: campaign.priority ?? 0,
      pass_subid_to_landing_page: campaign.passSubidToLandingPage ?? false,
      pass_subid_to_offer: campaign.passSubidToOffer ?? true,
    })),
    campaign_pages: setup.campaigns
      .flatMap((campaign) => campaign.pages.map((page) => ({ campaign, page })))
      .map(({ campaign, page }, index) => ({
        id: index + 1,
        campaign_id: campaign.id,
        page_id: page.pageId,
        kind: page.kind,
        active: page.active ?? true,
        share: page.share,
        level: page.level ?? 1,
        path: page.path ?? 1,
        ...describePage(page),
      })),
    quick_views: setup.quickViews.map(({ id, name, groupBy, metrics }, index) => ({
      id,
      name,
      group_by: listValue(groupBy),
      metrics: listValue(metrics),
      is_default: index === 0,
    })),
  };
}

/** A placed page copies what it was made from. */
function describePage({ kind, predefined }: setup.SamplePage) {
  if (typeof predefined === 'object') return { predefined_id: null, ...predefined, source: null, payout: 0 };
  const records: readonly (setup.PredefinedLandingPage | setup.PredefinedOffer)[] =
    kind === 'offer' ? setup.offers : setup.landingPages;
  const record = records.find(({ id }) => id === predefined);
  if (!record) throw new Error(`The sample set-up has no ${kind} ${predefined}.`);
  const { name, url } = record;
  const { source, payout } = 'source' in record ? record : { source: null, payout: 0 };
  return { predefined_id: predefined, name, url, source, payout };
}

/** 32 hex digits that are the same for every sample tracker; made up by a linear congruence (Knuth's MMIX constants). */
function linkKey(campaignId: number): string {
  let state = BigInt(campaignId) * 0x9e3779b97f4a7c15n;
  const next = () => {
    state = BigInt.asUintN(64, state * 6364136223846793005n + 1442695040888963407n);
    return state.toString(16).padStart(16, '0');
  };
  return next() + next();
}

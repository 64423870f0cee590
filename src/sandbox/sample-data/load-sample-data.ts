import { type Database, givenRows, type PlainRow, rowsGiven, type Writer } from '../store/database.ts';
import { loadCampaigns } from '../store/load-campaigns.ts';
import { listDays } from './crowd.ts';
import * as setup from './setup.ts';
import { simulateVisitors } from './simulate-visitors.ts';
import { trafficPlans } from './traffic-plans.ts';

const dayCount = 30;

interface Wanted {
  readonly seed: number;
  readonly now: Date;
}

/**
 * Fills an empty database with the sample tracker: its setup, and 30 days of visits that end now. The same seed on the same day
 * of the tracker's time zone gives the same data. Later on that day, only what happened since is added. `stories` lists what
 * there is to find.
 */
export async function loadSampleData(database: Database, wanted: Wanted): Promise<void> {
  // One transaction, so that a killed process leaves an empty database, which the next one fills.
  await database.transaction(async (writer) => {
    await insertSetup(writer);
    await insertVisits(writer, wanted);
  });
}

/** Adds the visits to the setup of the sample tracker, as it was inserted. */
export async function insertVisits(writer: Writer, { seed, now }: Wanted): Promise<void> {
  const campaigns = await loadCampaigns(writer);
  const planned = trafficPlans.map((plan) => {
    const campaign = campaigns.get(plan.campaign);
    if (!campaign) throw new Error(`The sample setup has no campaign ${plan.campaign}.`);
    const pages = setup.campaigns.find(({ id }) => id === plan.campaign)?.pages ?? [];
    const networkOf = (pageId: number) => {
      const predefined = pages[pageId - 1]?.predefined;
      return setup.offers.find(({ id }) => id === predefined)?.source;
    };
    return { plan, campaign, networkOf };
  });
  const days = await listDays(writer, setup.settings.time_zone, now, dayCount);
  await simulateVisitors(writer, planned, days, { seed, now: now.getTime() });
}

export async function insertSetup(writer: Writer): Promise<void> {
  for (const [table, rows] of Object.entries(tables())) {
    await writer.execute(`INSERT INTO ${table} BY NAME FROM ${givenRows}`, rowsGiven(rows));
  }
}

function tables(): Record<string, PlainRow[]> {
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
    landing_pages: setup.landingPages.map((page) => ({ active: true, notes: '', ...page })),
    offers: setup.offers.map((offer) => ({ active: true, notes: '', ...offer })),
    campaigns: setup.campaigns.map(({ pages: _, ...campaign }) => ({
      link_key: linkKey(campaign.id),
      active: true,
      engage_rate: 0,
      priority: 0,
      pass_subid_to_landing_page: false,
      pass_subid_to_offer: true,
      ...campaign,
    })),
    campaign_pages: setup.campaigns
      .flatMap(({ id, pages }) =>
        pages.map((page, index) => ({ campaign_id: id, page_id: index + 1, ...describePage(page) })),
      )
      .map((page, index) => ({ id: index + 1, ...page })),
    quick_views: setup.quickViews.map(({ group_by, metrics, ...view }, index) => ({
      ...view,
      group_by,
      metrics,
      is_default: index === 0,
    })),
  };
}

/** A page in a campaign copies the record that it was made from. */
function describePage({ predefined, ...page }: setup.SamplePage) {
  const placed = { active: true, level: 1, path: 1, source: null, payout: 0, ...page };
  if (typeof predefined === 'object') return { ...placed, predefined_id: null, ...predefined };
  const records: readonly (setup.PredefinedLandingPage | setup.PredefinedOffer)[] =
    page.kind === 'offer' ? setup.offers : setup.landingPages;
  const record = records.find(({ id }) => id === predefined);
  if (!record) throw new Error(`The sample setup has no ${page.kind} ${predefined}.`);
  const { id, name, url } = record;
  const paid = 'source' in record ? { source: record.source, payout: record.payout } : {};
  return { ...placed, predefined_id: id, name, url, ...paid };
}

/** 32 hex digits, the same in every sample tracker, from a linear congruential generator (Knuth's MMIX constants). */
function linkKey(campaignId: number): string {
  let state = BigInt(campaignId) * 0x9e3779b97f4a7c15n;
  const next = () => {
    state = BigInt.asUintN(64, state * 6364136223846793005n + 1442695040888963407n);
    return state.toString(16).padStart(16, '0');
  };
  return next() + next();
}

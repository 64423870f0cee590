import { mapCoded, sameInAll } from '../../analysis/coded.ts';
import { PageDays } from '../../analysis/page-days.ts';
import type { PlacedPage } from '../../analysis/page-rows.ts';
import { type MeasuredPage, readPlacedPages } from '../../analysis/page-rows.ts';
import { rawText } from '../../api/text/tracker-text.ts';
import { readAccountVisits } from '../account/account-visits.ts';
import { type LateSales, readLateSales } from '../account/late-sales.ts';
import { missingIn, newLimits, readVisitsInSlices, type Span, wholeListOptions } from '../account/read-visits.ts';
import { optional } from '../asking.ts';
import { type ListedCampaign, listCampaigns } from '../campaigns.ts';
import type { CallContext } from '../define-tool.ts';
import { listDays } from '../period.ts';
import { isDirectAndLanding } from '../rotation/campaign-pages.ts';

/** What outcomes are computed from. */
export interface OutcomeBasis {
  readonly days: PageDays;
  readonly campaigns: ReadonlyMap<string, ListedCampaign>;
  /** The days that were not all read, of a campaign. */
  readonly missing: (campaign: string) => readonly string[];
  readonly late: LateSales;
  /** The pages of a campaign in the reports of the days; undefined if they cannot be read. */
  readonly pagesOf: (campaign: string) => Promise<CampaignReport | undefined>;
  /** The campaigns with most visits. */
  readonly busiest: (count: number) => readonly string[];
}

export interface CampaignReport {
  readonly pages: readonly MeasuredPage[];
  /** Whether landing pages and offers compete for the same visitors. */
  readonly isMixed: boolean;
}

/**
 * Reads the visits of some days, and how late their sales come.
 * @param campaign its ID; undefined is all
 * @throws Failure if no visits can be read
 */
export async function readOutcomeBasis(
  campaign: string | undefined,
  span: Span,
  context: CallContext,
): Promise<OutcomeBasis> {
  const listing = listCampaigns(context.client, context.signal);
  const late = await readLateSales([Number(campaign ?? 0)], span, { ...context, onProgress: undefined });
  const read = campaign === undefined ? readAll(span, listing, context) : readOne(campaign, span, context);
  const { days, missing } = await read;
  const listed = (await optional(() => listing, context)) ?? [];
  const campaigns = new Map(listed.map((one) => [rawText(one.id), one]));
  const reports = new Map<string, Promise<CampaignReport | undefined>>();
  const pagesOf = (id: string) => {
    const report = reports.get(id) ?? optional(() => readReports(id, span, campaigns.get(id), context), context);
    reports.set(id, report);
    return report;
  };
  const all = listDays(span.start, span.end);
  const visitsIn = (id: string) => days.sample(id, 'all', '', all).visits;
  const busiest = (count: number) =>
    [...campaigns.keys()]
      .map((id) => ({ id, visits: visitsIn(id) }))
      .filter(({ visits }) => visits > 0)
      .sort((one, other) => other.visits - one.visits)
      .slice(0, count)
      .map(({ id }) => id);
  return { days, missing, late, campaigns, pagesOf, busiest };
}

async function readOne(campaign: string, span: Span, context: CallContext) {
  const days = new PageDays();
  const options = { ...wholeListOptions, reuse: true, proves: true, limits: newLimits(context) };
  const read = await readVisitsInSlices(
    campaign,
    span,
    undefined,
    context,
    (table) => days.add(table, sameInAll(table.rowCount, campaign)),
    options,
  );
  return { days, missing: () => missingIn(read) };
}

async function readAll(span: Span, listing: Promise<readonly ListedCampaign[]>, context: CallContext) {
  const days = new PageDays();
  const visits = await readAccountVisits({ span, listing, needsCampaigns: true, needsSales: false }, context);
  for (const { table, visited } of visits.lists)
    await days.add(
      table,
      mapCoded(visited, ({ listed, id }) => (listed ? rawText(listed.id) : (id ?? undefined))),
    );
  const byId = new Map(visits.campaigns.map((campaign) => [rawText(campaign.id), campaign]));
  const missing = (id: string) => {
    const listed = byId.get(id);
    return listed ? visits.missingDays(listed) : [];
  };
  return { days, missing };
}

async function readReports(
  id: string,
  { start, end }: Span,
  campaign: ListedCampaign | undefined,
  { client, signal }: CallContext,
): Promise<CampaignReport> {
  const kinds: readonly PlacedPage['kind'][] = ['landing', 'offer'];
  const asked = { campaign_id: Number(id), reports: [...kinds], start_date: start, end_date: end };
  const { reply } = await client.read('get_stats', asked, { signal, reuse: true });
  const pages = kinds.flatMap((kind) =>
    reply.tables.filter(({ name }) => rawText(name) === kind).flatMap((table) => readPlacedPages(table, kind)),
  );
  return { pages, isMixed: isDirectAndLanding(campaign) };
}

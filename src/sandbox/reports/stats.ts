import { hasLevel, hasPath, type PageKind, traitsOf } from '../../api/campaign-types.ts';
import type { EndpointArguments, reportNames } from '../../api/endpoints.ts';
import { extraSlots } from '../../api/token-slots.ts';
import { type Campaign, type Reader, requireCampaign } from '../store/database.ts';
import type { Fields, Rows } from '../wire/render.ts';
import { defaultMetrics, type MetricName } from './metrics.ts';
import { type PageColumn, pageReportSql } from './page-report.ts';
import { readTimeZone, requireTimeZone, resolvePeriod } from './period.ts';
import { readTokens } from './set-up-lists.ts';
import { findQuickView, type QuickView, visitReportSql } from './visit-report.ts';

type StatsQuestion = EndpointArguments<'get_stats'>;

interface Setup {
  readonly campaign: Campaign & { readonly hasDirectViews: boolean };
  readonly view: QuickView;
  readonly extras: readonly string[];
}

type ReportName = Exclude<(typeof reportNames)[number], 'all'>;

const visits = ({ campaign }: Setup, groups: readonly string[], metrics: readonly MetricName[]) =>
  visitReportSql(groups, fitting(campaign, metrics));
const pages = ({ campaign }: Setup, kind: PageKind, metrics: readonly MetricName[]) =>
  pageReportSql(kind, pageColumns(campaign, kind), fitting(campaign, metrics));

/** The SELECT of each report, in the order of an answer. */
const reportSql: Readonly<Record<ReportName, (setup: Setup) => string>> = {
  target: ({ view }) => visitReportSql(view.groups, view.metrics),
  ad: (setup) => visits(setup, ['AdValue', ...setup.extras], defaultMetrics.visits),
  landing: (setup) => pages(setup, 'landing', defaultMetrics.pages),
  thankyou: (setup) => pages(setup, 'thankyou', defaultMetrics.pages),
  offer: (setup) => pages(setup, 'offer', defaultMetrics.offers),
  campaign: (setup) => `
    SELECT campaign.id::VARCHAR AS "ID", campaign.name AS "Name", summary.*
    FROM campaigns AS campaign, (${visits(setup, [], defaultMetrics.campaign)}) AS summary
    WHERE campaign.id = $campaign`,
};

/**
 * Computes the reports that are asked for, all of them if none is named; "Stats" of the specification.
 * Throws a Refusal for an unknown campaign, Quick View or time zone, and for a period that ends before it starts.
 */
export async function readStats(reader: Reader, question: StatsQuestion, now: Date): Promise<Fields> {
  const found = await requireCampaign(reader, question.campaign_id);
  const campaign = { ...found, hasDirectViews: await hasDirectViews(reader, found) };
  const zone = question.timezone ? await requireTimeZone(reader, question.timezone) : await readTimeZone(reader);
  const period = await resolvePeriod(reader, question, zone, now);
  const view = await chooseView(reader, question, campaign);
  const extras = question.include_extra_tokens ? await declaredExtras(reader, campaign) : [];
  const entries: [ReportName, Rows][] = [];
  for (const name of chosenReports(question.reports)) {
    const sql = reportSql[name]({ campaign, view, extras });
    entries.push([name, { element: 'Row', ...(await reader.texts(sql, { campaign: campaign.id, ...period })) }]);
  }
  return { entries };
}

function chosenReports(asked: StatsQuestion['reports'] = ['all']): readonly ReportName[] {
  const names = Object.keys(reportSql) as ReportName[];
  return asked.includes('all') ? names : names.filter((name) => asked.includes(name));
}

/** grcols decides the grouping, else the Quick View, which decides the columns in either case. */
async function chooseView(
  reader: Reader,
  { quick_view_id, group_by }: StatsQuestion,
  campaign: Setup['campaign'],
): Promise<QuickView> {
  const view = await findQuickView(reader, quick_view_id);
  return {
    groups: group_by ?? view?.groups ?? ['Keyword'],
    metrics: view?.metrics.length ? view.metrics : fitting(campaign, defaultMetrics.visits),
  };
}

async function declaredExtras(reader: Reader, { trafficSourceId }: Campaign): Promise<readonly string[]> {
  const tokens = (await readTokens(reader)).get(trafficSourceId) ?? [];
  return extraSlots.filter((extra) => tokens.some(({ slot }) => slot === extra));
}

function fitting({ type, hasDirectViews }: Setup['campaign'], metrics: readonly MetricName[]): readonly MetricName[] {
  const { hasSubscribers = false } = traitsOf(type);
  const canHave: Partial<Record<MetricName, boolean>> = {
    Subscribers: hasSubscribers,
    CPSUB: hasSubscribers,
    DirectViews: hasDirectViews,
  };
  return metrics.filter((metric) => canHave[metric] ?? true);
}

/**
 * Whether visitors of the campaign may come straight from the ad to an offer, and make no click by it: where a path, or a
 * campaign without paths, has no landing page. In a direct-link campaign they do so by design, and it is their click.
 */
async function hasDirectViews(reader: Reader, { id, type }: Campaign): Promise<boolean> {
  const { isDirectLink, hasPaths } = traitsOf(type);
  if (isDirectLink) return false;
  const rows = await reader.query(
    `SELECT 1 FROM campaign_pages AS offer WHERE campaign_id = $id AND kind = 'offer' AND NOT EXISTS (
       SELECT 1 FROM campaign_pages AS landing
       WHERE landing.campaign_id = $id AND landing.kind = 'landing' ${hasPaths ? 'AND landing.path = offer.path' : ''})
     LIMIT 1`,
    { id },
  );
  return rows.length > 0;
}

function pageColumns({ type }: Campaign, kind: PageKind): readonly PageColumn[] {
  return [
    'PageID',
    'Name',
    ...(hasLevel(type, kind) ? (['Level'] as const) : []),
    ...(hasPath(type, kind) ? (['Path'] as const) : []),
    'Share',
    'Inactive',
  ];
}

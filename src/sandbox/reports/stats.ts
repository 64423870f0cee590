import { hasLevel, hasPath, type PageKind, traitsOf } from '../../api/campaign-types.ts';
import type { EndpointArguments, reportNames } from '../../api/endpoints.ts';
import { extraSlots } from '../../api/token-slots.ts';
import type { Reader } from '../store/database.ts';
import { type Campaign, requireCampaign } from '../store/find-campaign.ts';
import type { Fields, Rows } from '../wire/tree.ts';
import { defaultMetrics, type MetricName } from './metrics.ts';
import { type PageColumn, pageReportSql } from './page-report.ts';
import { requireTimeZone, resolvePeriod } from './period.ts';
import { findQuickView, type QuickView } from './quick-view.ts';
import { readTimeZone } from './settings.ts';
import { readTokens } from './tokens.ts';
import { visitReportSql } from './visit-report.ts';

type StatsQuestion = EndpointArguments<'get_stats'>;

/** What the reports are made from. */
interface Setup {
  readonly campaign: Campaign;
  /** The grouping and columns of the target report. */
  readonly view: QuickView;
  /** The Extra columns of the ad report. */
  readonly extras: readonly string[];
}

type ReportName = Exclude<(typeof reportNames)[number], 'all'>;

/** The SELECT of each report, in the order of an answer. */
const reportSql: Readonly<Record<ReportName, (setup: Setup) => string>> = {
  target: ({ view }) => visitReportSql(view.groups, view.metrics),
  ad: ({ campaign, extras }) => visitReportSql(['AdValue', ...extras], fitting(campaign, defaultMetrics.visits)),
  landing: ({ campaign }) =>
    pageReportSql('landing', pageColumns(campaign, 'landing'), fitting(campaign, defaultMetrics.pages)),
  thankyou: ({ campaign }) =>
    pageReportSql('thankyou', pageColumns(campaign, 'thankyou'), fitting(campaign, defaultMetrics.pages)),
  offer: ({ campaign }) => pageReportSql('offer', pageColumns(campaign, 'offer'), defaultMetrics.offers),
  campaign: ({ campaign }) => summarySql(fitting(campaign, defaultMetrics.campaign)),
};

/**
 * Computes the reports that are asked for, all of them when none is named; "Stats" of the specification.
 *
 * Throws a Refusal for an unknown campaign, Quick View or time zone, and for a period that ends before it starts.
 */
export async function readStats(reader: Reader, question: StatsQuestion, now: Date): Promise<Fields> {
  const campaign = await requireCampaign(reader, question.campaign_id);
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

function summarySql(metrics: readonly MetricName[]): string {
  return `
    SELECT campaign.id::VARCHAR AS "ID", campaign.name AS "Name", summary.*
    FROM campaigns AS campaign, (${visitReportSql([], metrics)}) AS summary
    WHERE campaign.id = $campaign`;
}

function chosenReports(asked: StatsQuestion['reports'] = ['all']): readonly ReportName[] {
  const names = Object.keys(reportSql) as ReportName[];
  return asked.includes('all') ? names : names.filter((name) => asked.includes(name));
}

/** grcols decides the grouping, else the Quick View, which decides the columns in either case. */
async function chooseView(
  reader: Reader,
  { quick_view_id, group_by }: StatsQuestion,
  campaign: Campaign,
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

function fitting({ type }: Campaign, metrics: readonly MetricName[]): readonly MetricName[] {
  if (traitsOf(type).hasSubscribers) return metrics;
  return metrics.filter((metric) => metric !== 'Subscribers' && metric !== 'CPSUB');
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

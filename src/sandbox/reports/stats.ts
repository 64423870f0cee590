import { hasLevel, hasPath, type PageKind, traitsOf } from '../../api/campaign-types.ts';
import { type EndpointArguments, groupColumns, type reportNames } from '../../api/endpoints.ts';
import { extraSlots } from '../../api/token-slots.ts';
import { type Campaign, type Reader, type Row, requireCampaign } from '../store/database.ts';
import { type Fields, Refusal, type Rows } from '../wire.ts';
import { readTimeZone, resolvePeriod } from './period.ts';
import { readTokens } from './setup-lists.ts';
import { type MetricName, metricNames, type PageColumn, pageReportSql, visitReportSql } from './stats-sql.ts';

type StatsQuestion = EndpointArguments<'get_stats'>;
type ReportName = Exclude<(typeof reportNames)[number], 'all'>;

type ChooseMetrics = (metrics: readonly MetricName[]) => readonly MetricName[];

interface Setup {
  readonly campaign: Campaign;
  /** Leaves out metrics that the campaign cannot have. */
  readonly possible: ChooseMetrics;
  readonly view: QuickView;
  /** The Extra tokens to group the ad report by. */
  readonly extras: readonly string[];
}

/** What reports show unless a Quick View says otherwise. */
const defaultMetrics = {
  visits: [
    ...(['Views', 'Clicks', 'CTR', 'Subscribers', 'Conversions', 'CR', 'Cost', 'CPV'] as const),
    ...(['Revenue', 'EPV', 'Profit', 'ROI'] as const),
  ],
  pages: ['Views', 'Clicks', 'CTR', 'Subscribers', 'Conversions', 'CR', 'Cost', 'Revenue', 'EPV', 'Profit', 'ROI'],
  offers: ['Views', 'DirectViews', 'Clicks', 'Conversions', 'CR', 'Cost', 'Revenue', 'EPV', 'Profit', 'ROI'],
} as const satisfies Record<string, readonly MetricName[]>;

const byPage = ({ campaign, possible }: Setup, kind: PageKind, metrics: readonly MetricName[]) =>
  pageReportSql(campaign, kind, pageColumns(campaign, kind), possible(metrics));

/** The SELECT of each report, in the order of an answer. */
const reportSql: Readonly<Record<ReportName, (setup: Setup) => string>> = {
  target: ({ campaign, view }) => visitReportSql(campaign, view.groups, view.metrics),
  ad: ({ campaign, possible, extras }) =>
    visitReportSql(campaign, ['AdValue', ...extras], possible(defaultMetrics.visits)),
  landing: (setup) => byPage(setup, 'landing', defaultMetrics.pages),
  thankyou: (setup) => byPage(setup, 'thankyou', defaultMetrics.pages),
  offer: (setup) => byPage(setup, 'offer', defaultMetrics.offers),
  campaign: ({ campaign, possible }) => `
    SELECT campaign.id::VARCHAR AS "ID", campaign.name AS "Name", summary.*
    FROM campaigns AS campaign, (${visitReportSql(campaign, [], possible(metricNames))}) AS summary
    WHERE campaign.id = $campaign`,
};

/**
 * Computes the requested reports, or all of them if none is named; "Stats" of the specification.
 *
 * @throws Refusal for an unknown campaign, Quick View or time zone, and for a period that ends before it starts
 */
export async function readStats(reader: Reader, question: StatsQuestion, now: Date): Promise<Fields> {
  const campaign = await requireCampaign(reader, question.campaign_id);
  const zone = question.timezone || (await readTimeZone(reader));
  const period = await resolvePeriod(reader, question, zone, now);
  const possible = await possibleMetrics(reader, campaign);
  const setup: Setup = {
    campaign,
    possible,
    view: await chooseView(reader, question, possible),
    extras: question.include_extra_tokens ? await declaredExtras(reader, campaign) : [],
  };
  const entries: [ReportName, Rows][] = [];
  for (const name of chosenReports(question.reports)) {
    entries.push([name, await reader.table(reportSql[name](setup), { campaign: campaign.id, ...period })]);
  }
  return { entries };
}

function chosenReports(asked: StatsQuestion['reports'] = ['all']): readonly ReportName[] {
  const names = Object.keys(reportSql) as ReportName[];
  return asked.includes('all') ? names : names.filter((name) => asked.includes(name));
}

interface QuickView {
  readonly groups: readonly string[];
  readonly metrics: readonly MetricName[];
}

/** The Quick View decides the columns. It also decides the grouping, unless grcols is given. */
async function chooseView(
  reader: Reader,
  { quick_view_id, group_by }: StatsQuestion,
  possible: ChooseMetrics,
): Promise<QuickView> {
  const view = await readQuickView(reader, quick_view_id);
  return {
    groups: group_by ?? view?.groups ?? ['Keyword'],
    metrics: view?.metrics.length ? view.metrics : possible(defaultMetrics.visits),
  };
}

/** The Quick View with an ID, or the default one; undefined if there is no default. Throws a Refusal for an invalid ID. */
async function readQuickView(reader: Reader, id?: number): Promise<QuickView | undefined> {
  const [row] = await reader.querySetup(
    `SELECT array_to_string(group_by, ',') AS groups, array_to_string(metrics, ',') AS metrics FROM quick_views
     WHERE ${id === undefined ? 'is_default' : 'id = $id::BIGINT'} ORDER BY id LIMIT 1`,
    id === undefined ? {} : { id },
  );
  if (row) return { groups: knownNames(row['groups'], groupColumns), metrics: knownNames(row['metrics'], metricNames) };
  if (id === undefined) return undefined;
  const views = await reader.querySetup('SELECT id, name FROM quick_views ORDER BY id LIMIT 50');
  const list = views.map((view) => `${view['id']} (${view['name']})`).join(', ');
  throw new Refusal(
    'unknown-record',
    `qv ${id} is not a valid Quick View ID.`,
    list ? `There are ${list}.` : 'There are none.',
  );
}

function knownNames<Name extends string>(list: unknown, names: readonly Name[]): Name[] {
  const words = String(list).split(',');
  return words.flatMap((word) => names.find((name) => name === word) ?? []);
}

async function declaredExtras(reader: Reader, { trafficSourceId }: Campaign): Promise<readonly string[]> {
  const tokens = (await readTokens(reader)).get(trafficSourceId) ?? [];
  return extraSlots.filter((extra) => tokens.some(({ slot }) => slot === extra));
}

/** Subscribers and DirectViews are shown only if the campaign can have any. */
async function possibleMetrics(reader: Reader, campaign: Campaign): Promise<ChooseMetrics> {
  const { hasSubscribers = false } = traitsOf(campaign.type);
  const isPossible: Partial<Record<MetricName, boolean>> = {
    Subscribers: hasSubscribers,
    CPSUB: hasSubscribers,
    DirectViews: await canHaveDirectViews(reader, campaign),
  };
  return (metrics) => metrics.filter((metric) => isPossible[metric] ?? true);
}

/**
 * Whether visitors can come straight from the ad to an offer without a click: if a path, or a campaign without paths, has no
 * landing page. In a direct-link campaign they come that way by design, and it counts as their click.
 */
async function canHaveDirectViews(reader: Reader, { id, type }: Campaign): Promise<boolean> {
  const { isDirectLink, hasPaths } = traitsOf(type);
  if (isDirectLink) return false;
  const rows = await reader.querySetup('SELECT DISTINCT campaign_id, kind, path FROM campaign_pages');
  const pages = rows.filter((page) => page['campaign_id'] === id);
  const landings = pages.filter(({ kind }) => kind === 'landing');
  const isReached = (offer: Row) => landings.some(({ path }) => !hasPaths || path === offer['path']);
  return pages.some((page) => page['kind'] === 'offer' && !isReached(page));
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

import { type CampaignType, campaignTypeNames, type PageKind, traitsOf } from '../../api/campaign-types.ts';
import type { Campaign } from '../store/database.ts';
import { visitTokens } from '../store/schema.ts';
import { isNotBeforePeriod, isWithinPeriod, moneyText, shortDecimal } from './period.ts';

/**
 * The SQL of the stats reports, over `$campaign`, `$start`, `$end` and `$zone`. Every figure belongs to the day of its visit,
 * even if the click or conversion came later, so that the reports of a period agree.
 */

/** What is counted or summed. Every metric is computed from these. `direct`: views of an offer by visitors who came straight from the ad. */
const measures = ['views', 'direct', 'clicks', 'subscribers', 'conversions', 'cost', 'revenue'] as const;
type Measure = (typeof measures)[number];

/** A metric as an SQL expression over columns named as the measures. */
interface Metric {
  readonly dividend: string;
  readonly divisor?: Measure;
  readonly times?: number;
  /** all: every decimal of a sum of money, so that the rows of one report add up to the figure of another. */
  readonly decimals: number | 'all';
}

const profit = '(revenue - cost)';
const count = (dividend: Measure): Metric => ({ dividend, decimals: 0 });
const money = (dividend: string): Metric => ({ dividend, decimals: 'all' });
const moneyPer = (divisor: Measure, dividend: string): Metric => ({ dividend, divisor, decimals: 4 });
const percentOf = (divisor: Measure, dividend: string): Metric => ({ dividend, divisor, times: 100, decimals: 2 });

/** The metrics of all reports in the order of their columns; docs/tracker-facts.md, "Vocabulary and formulas". */
const metrics = {
  Views: count('views'),
  DirectViews: count('direct'),
  Clicks: count('clicks'),
  CTR: percentOf('views', 'clicks'),
  Subscribers: count('subscribers'),
  Conversions: count('conversions'),
  CR: percentOf('clicks', 'conversions'),
  Cost: money('cost'),
  CPV: moneyPer('views', 'cost'),
  CPC: moneyPer('clicks', 'cost'),
  CPSUB: moneyPer('subscribers', 'cost'),
  Revenue: money('revenue'),
  EPV: moneyPer('views', 'revenue'),
  EPC: moneyPer('clicks', 'revenue'),
  PPV: moneyPer('views', profit),
  Profit: money(profit),
  ROI: percentOf('cost', profit),
  CPA: moneyPer('conversions', 'cost'),
} as const satisfies Record<string, Metric>;

export type MetricName = keyof typeof metrics;

export const metricNames = Object.keys(metrics) as readonly MetricName[];

/** The columns of a SELECT that give metrics as text, over a relation with the measures that they need. */
function selectMetrics(names: readonly MetricName[]): string {
  return names.map((name) => `${expression(metrics[name])} AS "${name}"`).join(', ');
}

function measuresOf(names: readonly MetricName[]): Set<Measure> {
  const used = names.map((name) => expression(metrics[name])).join(' ');
  return new Set(measures.filter((measure) => used.includes(measure)));
}

/** Sums of money have at least two decimals, money per unit four, percentages two; a zero denominator gives 0. */
function expression({ dividend, divisor, times = 1, decimals }: Metric): string {
  if (decimals === 'all') return moneyText(`${dividend}::DECIMAL(38, 6)`);
  const value = divisor ? `(CASE WHEN ${divisor} = 0 THEN 0 ELSE ${times} * ${dividend} / ${divisor} END)` : dividend;
  return `${value}::DECIMAL(38, ${decimals})::VARCHAR`;
}

const isVisitInScope = (visits: string) => `${visits}.campaign_id = $campaign AND ${isWithinPeriod(`${visits}."at"`)}`;

/** A cheap first cut of the steps or subscribers that can belong to these visits; a join with the visits makes it exact. */
const isStepInReach = (steps: string) => `${steps}.campaign_id = $campaign AND ${isNotBeforePeriod(`${steps}."at"`)}`;

const pagesOfKind = (kind: PageKind) =>
  `(SELECT id FROM campaign_pages WHERE campaign_id = $campaign AND kind = '${kind}')`;

const directLinkTypes = campaignTypeNames.filter((type) => traitsOf(type).isDirectLink).map((type) => `'${type}'`);

/** A step that is a click: on a page's call to action, or, in a direct-link campaign, from the ad to an offer. */
const isClick = (steps: string) => `(${steps}.from_page IS NOT NULL OR ${steps}.page IN (
  SELECT page.id FROM campaign_pages AS page JOIN campaigns AS campaign ON campaign.id = page.campaign_id
  WHERE page.kind = 'offer' AND campaign.type IN (${directLinkTypes.join(', ')})))`;

/** The same where the type of the campaign is known, which makes a report half as expensive. */
const clickIn =
  (type: CampaignType): typeof isClick =>
  (steps) =>
    traitsOf(type).isDirectLink
      ? `(${steps}.from_page IS NOT NULL OR ${steps}.page IN ${pagesOfKind('offer')})`
      : `${steps}.from_page IS NOT NULL`;

/**
 * One row per visitor, from the steps that a condition on `step` selects: the first landing page, the last offer (both as
 * `campaign_pages.id`), and the moment of the first click.
 */
export const journeysOf = (condition: string) => `(
  SELECT step.click_id,
    min_by(step.page, step."at") FILTER (page.kind = 'landing') AS landing_page,
    max_by(step.page, step."at") FILTER (page.kind = 'offer') AS offer_page,
    min(step."at") FILTER (${isClick('step')}) AS first_click
  FROM steps AS step JOIN campaign_pages AS page ON page.id = step.page
  WHERE ${condition}
  GROUP BY step.click_id
)`;

/** An SQL expression to group by, over `visit` or over a page of the visitor's journey. */
interface Grouping {
  readonly sql: string;
  readonly page?: 'landing_page' | 'offer_page';
}

/** By column name, "grcols" of the specification. */
const groupings: ReadonlyMap<string, Grouping> = new Map([
  ...visitTokens.map(({ slot, column }) => [slot, { sql: `visit.${column}` }] as const),
  ['CampaignID', { sql: 'visit.campaign_id::VARCHAR' }],
  ['Offer', { sql: 'landing_page.name', page: 'landing_page' }],
  ['Offer2', { sql: 'offer_page.name', page: 'offer_page' }],
]);

/** Over `visited`, joined with `conversion` if needed. */
const measureSql = (click: typeof isClick): Readonly<Record<Measure, string>> => ({
  views: 'count(*)',
  clicks: `count(*) FILTER (visited.click_id IN (
    SELECT step.click_id FROM steps AS step
    WHERE ${isStepInReach('step')} AND ${click('step')}))`,
  direct: `count(*) FILTER (visited.click_id IN (
    SELECT step.click_id FROM steps AS step
    WHERE ${isStepInReach('step')} AND step.from_page IS NULL AND step.page IN ${pagesOfKind('offer')}))`,
  subscribers: `count(*) FILTER (visited.click_id IN (
    SELECT subscriber.click_id FROM subscribers AS subscriber WHERE ${isStepInReach('subscriber')}))`,
  conversions: 'count(conversion.click_id)',
  cost: 'coalesce(sum(visited.cost), 0)',
  revenue: 'coalesce(sum(conversion.revenue), 0)',
});

/**
 * The SELECT of a report with a row per group of visits, most views first; without groups, one row. Visits without a value form
 * a group with an empty text.
 *
 * @param groups names of `groupColumns`
 */
export function visitReportSql({ type }: Campaign, groups: readonly string[], metrics: readonly MetricName[]): string {
  const sql = measureSql(clickIn(type));
  const needed = measuresOf(metrics).add('views');
  const names = groups.map((group) => `"${group}"`);
  const selected = groups.map((group, index) => `coalesce(${groupingOf(group).sql}, '') AS ${names[index]}`);
  const pages = new Set(groups.flatMap((group) => groupingOf(group).page ?? []));
  const journey = pages.size > 0 ? `LEFT JOIN ${journeysOf(isStepInReach('step'))} AS journey USING (click_id)` : '';
  const pageJoins = [...pages].map((page) => `LEFT JOIN campaign_pages AS ${page} ON ${page}.id = journey.${page}`);
  return `
    WITH visited AS (
      SELECT ${['visit.click_id', 'visit.cost', ...selected].join(', ')}
      FROM visits AS visit ${journey} ${pageJoins.join(' ')}
      WHERE ${isVisitInScope('visit')}
    ), measured AS (
      SELECT ${[...names, ...[...needed].map((measure) => `${sql[measure]} AS ${measure}`)].join(', ')}
      FROM visited LEFT JOIN conversions AS conversion
        ON conversion.click_id = visited.click_id AND conversion.campaign_id = $campaign
      ${names.length > 0 ? `GROUP BY ${names.join(', ')}` : ''}
    )
    SELECT ${[...names, selectMetrics(metrics)].join(', ')}
    FROM measured ORDER BY ${['measured.views DESC', ...names].join(', ')}`;
}

function groupingOf(name: string): Grouping {
  const grouping = groupings.get(name);
  if (!grouping) throw new Error(`Visits cannot be grouped by ${name}`);
  return grouping;
}

const pageColumns = {
  PageID: 'page.page_id',
  Name: 'page.name',
  Level: 'page.level',
  Path: 'page.path',
  Share: shortDecimal('page.share'),
  Inactive: '(NOT page.active)::INTEGER',
};

export type PageColumn = keyof typeof pageColumns;

/** How the kinds of pages differ. */
interface Attribution {
  /** Clicks are those that led to the page; on other pages they are clicks on the page's own call to action. */
  readonly isGoal?: true;
  /** Which conversions of a visitor count for a page it reached; all of them if left out. */
  readonly conversion?: string;
  /** Which subscriptions do. */
  readonly subscriber?: string;
}

const attributions: Readonly<Record<PageKind, Attribution>> = {
  landing: {},
  offer: { isGoal: true, conversion: 'AND conversion.offer_page = reached.page' },
  thankyou: { subscriber: 'AND subscriber.thank_you_page = reached.page' },
};

/**
 * The SELECT of a report with a row for each page of a kind in the campaign, by page ID, visited or not.
 *
 * - Views: visitors sent to the page, each counted once.
 * - Clicks: visitors who clicked its call to action; for an offer, visitors whom a click led there.
 * - Cost: that of the visits that reached the page.
 * - Conversions count for their offer, and for each landing page and thank-you page that the visitor saw.
 */
export function pageReportSql(
  { type }: Campaign,
  kind: PageKind,
  columns: readonly PageColumn[],
  metrics: readonly MetricName[],
): string {
  const { isGoal, conversion = '', subscriber = '' } = attributions[kind];
  const selected = columns.map((column) => `${pageColumns[column]}::VARCHAR AS "${column}"`);
  // Counting subscribers takes as long as all the rest, so it is left out if no metric needs them.
  const subscribers = measuresOf(metrics).has('subscribers')
    ? `count(*) FILTER (EXISTS (SELECT 1 FROM subscribers AS subscriber
        WHERE subscriber.click_id = reached.click_id ${subscriber}))`
    : '0';
  return `
    WITH reached AS (${reached(kind)}
    ), performance AS (
      SELECT reached.page, count(*) AS views, sum(visit.cost) AS cost,
        count(*) FILTER (reached.from_page IS NULL) AS direct, count(*) FILTER (${clickIn(type)('reached')}) AS goal_clicks,
        ${subscribers} AS subscribers,
        count(conversion.click_id) AS conversions, sum(conversion.revenue) AS revenue
      FROM reached JOIN visits AS visit ON visit.click_id = reached.click_id
      LEFT JOIN conversions AS conversion ON conversion.click_id = reached.click_id
        AND conversion.campaign_id = $campaign ${conversion}
      WHERE ${isVisitInScope('visit')}
      GROUP BY reached.page
    ), clicked AS (${isGoal ? 'SELECT page, goal_clicks AS clicks FROM performance' : clicked(kind)}
    ), measured AS (
      SELECT page.*, coalesce(views, 0) AS views, coalesce(direct, 0) AS direct, coalesce(clicks, 0) AS clicks,
        coalesce(subscribers, 0) AS subscribers, coalesce(conversions, 0) AS conversions, coalesce(cost, 0) AS cost,
        coalesce(revenue, 0) AS revenue
      FROM campaign_pages AS page
      LEFT JOIN performance ON performance.page = page.id
      LEFT JOIN clicked ON clicked.page = page.id
      WHERE page.campaign_id = $campaign AND page.kind = '${kind}'
    )
    SELECT ${[...selected, selectMetrics(metrics)].join(', ')}
    FROM measured AS page ORDER BY page.page_id`;
}

/**
 * Each page and its visitors, each once, with a page whose click led there. A visitor arrives once, so only pages reached by
 * clicks can repeat.
 */
const reached = (kind: PageKind) => `
  SELECT page, click_id, NULL AS from_page FROM ${stepsTo(kind, 'IS NULL')} AS arrival
  UNION ALL
  SELECT page, click_id, any_value(from_page) AS from_page FROM ${stepsTo(kind, 'IS NOT NULL')} AS step
  ANTI JOIN ${stepsTo(kind, 'IS NULL')} AS arrival USING (page, click_id)
  GROUP BY page, click_id`;

const stepsTo = (kind: PageKind, origin: 'IS NULL' | 'IS NOT NULL') => `(
  SELECT step.page, step.click_id, step.from_page FROM steps AS step
  WHERE ${isStepInReach('step')} AND step.from_page ${origin} AND step.page IN ${pagesOfKind(kind)})`;

const clicked = (kind: PageKind) => `
  SELECT click.page, count(*) AS clicks FROM (
    SELECT DISTINCT step.from_page AS page, step.click_id FROM steps AS step
    WHERE ${isStepInReach('step')} AND step.from_page IN ${pagesOfKind(kind)}
  ) AS click JOIN visits AS visit ON visit.click_id = click.click_id
  WHERE ${isVisitInScope('visit')}
  GROUP BY click.page`;

import type { PageKind } from '../../api/campaign-types.ts';
import { type MetricName, measuresOf, selectMetrics } from './metrics.ts';
import { shortDecimal } from './period.ts';
import { isClick, isConversionInReach, isStepInReach, isVisitInScope, pagesOfKind } from './visit-report.ts';

const pageColumns = {
  PageID: 'page.page_id',
  Name: 'page.name',
  Level: 'page.level',
  Path: 'page.path',
  Share: shortDecimal('page.share'),
  Inactive: '(NOT page.active)::INTEGER',
};

export type PageColumn = keyof typeof pageColumns;

/** What differs between the kinds of pages. */
interface Attribution {
  /** Whether the click is what led to the page; other pages have a call to action of their own. */
  readonly isGoal?: true;
  /** Which of a visitor's conversions belong to a page it reached, beside those of the visit. */
  readonly conversion?: string;
  /** Which of its subscriptions do. */
  readonly subscriber?: string;
}

const attributions: Readonly<Record<PageKind, Attribution>> = {
  landing: {},
  offer: { isGoal: true, conversion: 'AND conversion.offer_page = reached.page' },
  thankyou: { subscriber: 'AND subscriber.thank_you_page = reached.page' },
};

/**
 * The SELECT of a report with a row for each page of a kind in the campaign, by page ID, reached or not. Views are visitors
 * that were sent to the page, each once. Clicks are visitors that clicked its call to action, or, of an offer, those that a
 * click led to it. Cost is that of the visits that reached the page. A conversion belongs to its offer, and to each landing
 * page and thank-you page its visitor saw.
 */
export function pageReportSql(kind: PageKind, columns: readonly PageColumn[], metrics: readonly MetricName[]): string {
  const needed = measuresOf(metrics);
  const { isGoal, conversion = '', subscriber = '' } = attributions[kind];
  const countsClicks = needed.has('clicks') && !isGoal;
  const selected = columns.map((column) => `${pageColumns[column]}::VARCHAR AS "${column}"`);
  const subscribers = `count(*) FILTER (EXISTS (
    SELECT 1 FROM subscribers AS subscriber WHERE subscriber.click_id = reached.click_id ${subscriber}))`;
  return `
    WITH reached AS (${reached(kind)}
    ), performance AS (
      SELECT reached.page, count(*) AS views, sum(visit.cost) AS cost,
        count(*) FILTER (reached.from_page IS NULL) AS direct, count(*) FILTER (${isClick('reached')}) AS goal_clicks,
        ${needed.has('subscribers') ? subscribers : '0'} AS subscribers,
        count(conversion.click_id) AS conversions, sum(conversion.revenue) AS revenue
      FROM reached JOIN visits AS visit ON visit.click_id = reached.click_id
      LEFT JOIN conversions AS conversion
        ON conversion.click_id = reached.click_id AND ${isConversionInReach('conversion')} ${conversion}
      WHERE ${isVisitInScope('visit')}
      GROUP BY reached.page
    ), clicked AS (${countsClicks ? clicked(kind) : 'SELECT page, goal_clicks AS clicks FROM performance'}
    ), measured AS (
      SELECT page.*, coalesce(views, 0) AS views, coalesce(direct, 0) AS direct, coalesce(clicks, 0) AS clicks, coalesce(subscribers, 0) AS subscribers,
        coalesce(conversions, 0) AS conversions, coalesce(cost, 0) AS cost, coalesce(revenue, 0) AS revenue
      FROM campaign_pages AS page
      LEFT JOIN performance ON performance.page = page.id
      LEFT JOIN clicked ON clicked.page = page.id
      WHERE page.campaign_id = $campaign AND page.kind = '${kind}'
    )
    SELECT ${[...selected, selectMetrics(metrics)].join(', ')}
    FROM measured AS page ORDER BY page.page_id`;
}

/**
 * Each page and its visitors, each once, with a page whose click led there. A visitor arrives once: only what clicks reached
 * must be freed of repetitions.
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

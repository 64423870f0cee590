import { campaignTypeNames, traitsOf } from '../../api/campaign-types.ts';
import { groupColumns } from '../../api/endpoints.ts';
import { Refusal } from '../refusal.ts';
import type { Reader } from '../store/database.ts';
import { visitTokens } from '../store/schema.ts';
import { type Measure, type MetricName, measuresOf, metricNames, selectMetrics } from './metrics.ts';
import { isNotBeforePeriod, isWithinPeriod } from './period.ts';

/**
 * The fragments of SQL that the stats reports share, over `$campaign`, `$start`, `$end` and `$zone`. Every figure belongs to
 * the day of its visit, also clicks and conversions that follow later, so that a report agrees with itself.
 */

export const isVisitInScope = (visits: string) =>
  `${visits}.campaign_id = $campaign AND ${isWithinPeriod(`${visits}."at"`)}`;

/** The steps that can belong to them, which a join with the visits makes exact. */
export const isStepInReach = (steps: string) =>
  `${steps}.campaign_id = $campaign AND ${isNotBeforePeriod(`${steps}."at"`)}`;

export const isConversionInReach = (conversions: string) => `${conversions}.campaign_id = $campaign`;

export const pagesOfKind = (kind: string) =>
  `(SELECT id FROM campaign_pages WHERE campaign_id = $campaign AND kind = '${kind}')`;

const directLinkTypes = campaignTypeNames.filter((type) => traitsOf(type).isDirectLink).map((type) => `'${type}'`);

/** A step that is a click: on a page's call to action, or, in a direct-link campaign, straight from the ad to an offer. */
export const isClick = (steps: string) => `(${steps}.from_page IS NOT NULL OR ${steps}.page IN (
  SELECT page.id FROM campaign_pages AS page JOIN campaigns AS campaign ON campaign.id = page.campaign_id
  WHERE page.kind = 'offer' AND campaign.type IN (${directLinkTypes.join(', ')})))`;

/**
 * For the visits of the steps that a condition on `step` selects: the landing page they came to first and the offer they were
 * sent to last, as `campaign_pages.id`, and when they first clicked.
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

export interface QuickView {
  readonly groups: readonly string[];
  readonly metrics: readonly MetricName[];
}

/**
 * The Quick View with an ID, else the default one; undefined if no default is configured.
 * Throws a Refusal for an invalid ID ("Stats" of the specification, qv).
 */
export async function findQuickView(reader: Reader, id?: number): Promise<QuickView | undefined> {
  const rows = await reader.query(
    `SELECT array_to_string(group_by, ',') AS groups, array_to_string(metrics, ',') AS metrics FROM quick_views
     WHERE ${id === undefined ? 'is_default' : 'id = $id::BIGINT'} ORDER BY id LIMIT 1`,
    id === undefined ? {} : { id },
  );
  const [row] = rows;
  if (!row && id !== undefined) {
    throw new Refusal('unknown-record', `qv ${id} is not a valid Quick View ID.`, await listQuickViews(reader));
  }
  if (!row) return undefined;
  return {
    groups: knownNames(String(row['groups']), groupColumns),
    metrics: knownNames(String(row['metrics']), metricNames),
  };
}

function knownNames<Name extends string>(list: string, known: readonly Name[]): Name[] {
  return list.split(',').flatMap((word) => known.find((name) => name === word) ?? []);
}

async function listQuickViews(reader: Reader): Promise<string> {
  const rows = await reader.query('SELECT id, name FROM quick_views ORDER BY id LIMIT 50');
  return rows.length > 0 ? `There are ${rows.map(({ id, name }) => `${id} (${name})`).join(', ')}.` : 'There is none.';
}

/** What a visit can be grouped by: an expression over `visit`, or over the page of the visit's journey that it names. */
interface Grouping {
  readonly sql: string;
  readonly page?: 'landing_page' | 'offer_page';
}

/** By the name of the column, "grcols" of the specification. */
const groupings: ReadonlyMap<string, Grouping> = new Map([
  ...visitTokens.map(({ slot, column }) => [slot, { sql: `visit.${column}` }] as const),
  ['CampaignID', { sql: 'visit.campaign_id::VARCHAR' }],
  ['Offer', { sql: 'landing_page.name', page: 'landing_page' }],
  ['Offer2', { sql: 'offer_page.name', page: 'offer_page' }],
]);

/** Over `visited`, joined with `conversion` if that is needed. */
const measureSql: Readonly<Record<Measure, string>> = {
  views: 'count(*)',
  clicks: `count(*) FILTER (visited.click_id IN (
    SELECT step.click_id FROM steps AS step
    WHERE ${isStepInReach('step')} AND ${isClick('step')}))`,
  direct: `count(*) FILTER (visited.click_id IN (
    SELECT step.click_id FROM steps AS step
    WHERE ${isStepInReach('step')} AND step.from_page IS NULL AND step.page IN ${pagesOfKind('offer')}))`,
  subscribers: `count(*) FILTER (visited.click_id IN (
    SELECT subscriber.click_id FROM subscribers AS subscriber WHERE ${isStepInReach('subscriber')}))`,
  conversions: 'count(conversion.click_id)',
  cost: 'coalesce(sum(visited.cost), 0)',
  revenue: 'coalesce(sum(conversion.revenue), 0)',
};

/**
 * The SELECT of a report with a row for each group of visits, by names of `groupColumns`, most views first; without groups,
 * one row. Visits without a value are a group with an empty text. Only what the metrics need is joined.
 */
export function visitReportSql(groups: readonly string[], metrics: readonly MetricName[]): string {
  const needed = measuresOf(metrics).add('views');
  const names = groups.map((group) => `"${group}"`);
  const selected = groups.map((group, index) => `coalesce(${groupingOf(group).sql}, '') AS ${names[index]}`);
  const pages = new Set(groups.flatMap((group) => groupingOf(group).page ?? []));
  const journey = pages.size > 0 ? `LEFT JOIN ${journeysOf(isStepInReach('step'))} AS journey USING (click_id)` : '';
  const pageJoins = [...pages].map((page) => `LEFT JOIN campaign_pages AS ${page} ON ${page}.id = journey.${page}`);
  const conversions =
    needed.has('conversions') || needed.has('revenue')
      ? `LEFT JOIN conversions AS conversion
           ON conversion.click_id = visited.click_id AND ${isConversionInReach('conversion')}`
      : '';
  return `
    WITH visited AS (
      SELECT ${['visit.click_id', 'visit.cost', ...selected].join(', ')}
      FROM visits AS visit ${journey} ${pageJoins.join(' ')}
      WHERE ${isVisitInScope('visit')}
    ), measured AS (
      SELECT ${[...names, ...[...needed].map((measure) => `${measureSql[measure]} AS ${measure}`)].join(', ')}
      FROM visited ${conversions}
      ${names.length > 0 ? `GROUP BY ${names.join(', ')}` : ''}
    )
    SELECT ${[...names, selectMetrics(metrics)].join(', ')}
    FROM measured ORDER BY ${['measured.views DESC', ...names].join(', ')}`;
}

function groupingOf(name: string): Grouping {
  const grouping = groupings.get(name);
  if (!grouping) throw new Error(`No visit can be grouped by ${name}`);
  return grouping;
}

import { visitTokens } from '../store/schema.ts';
import { type Measure, type MetricName, measuresOf, selectMetrics } from './metrics.ts';
import {
  isClick,
  isConversionInReach,
  isStepInReach,
  isVisitInScope,
  journeysOf,
  pagesOfKind,
} from './visits-in-period.ts';

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

/** Over `visited`, joined with `conversion` where that is needed. */
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
 * The SELECT of a report with one row for each group of visits, most views first; without groups, one row. Visits without a
 * value are a group of their own, with an empty text. Only what the metrics need is joined.
 *
 * @param groups names of `groupColumns` in the contract; any other is a defect
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

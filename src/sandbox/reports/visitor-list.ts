import type { EndpointArguments } from '../../api/endpoints.ts';
import type { Reader } from '../store/database.ts';
import { requireCampaign } from '../store/find-campaign.ts';
import type { Rows } from '../wire/tree.ts';
import { type List, selectColumns, visitorListColumns } from './list-columns.ts';
import { isWithinPeriod, resolvePeriod } from './period.ts';
import { readTimeZone } from './settings.ts';
import { journeysOf } from './visits-in-period.ts';

const defaultRecords = 1000;
const maxRecords = 10_000;

const list: List = {
  columns: visitorListColumns,
  defaults: [
    'Date',
    'SubID',
    'ClickID',
    'CampaignID',
    'Keyword',
    'AdValue',
    'IP',
    'Country',
    'Device',
    'OS',
    'Browser',
    'Referrer',
    'LandingPage',
    'Offer',
    'Clicked',
    'Converted',
    'Revenue',
    'Cost',
  ],
  currentSetting: 'visitor_columns_current',
};

/**
 * The visitors of a period, the latest first, at most `max_records` of them; "Visitor stats" of the specification.
 *
 * Throws a Refusal for an unknown campaign and for a period that ends before it starts.
 */
export async function listVisitors(
  reader: Reader,
  question: EndpointArguments<'list_visitors'>,
  now: Date,
): Promise<Rows> {
  const campaign = question.campaign_id === 0 ? 0 : (await requireCampaign(reader, question.campaign_id)).id;
  const period = await resolvePeriod(reader, question, await readTimeZone(reader), now);
  const columns = await selectColumns(reader, list, question.column_set ?? 'default');
  const records = Math.min(question.max_records ?? defaultRecords, maxRecords);
  // The latest are found by their times alone: the wide columns are then read for these few only.
  const sql = `
    WITH latest AS MATERIALIZED (
      SELECT click_id FROM visits AS visit
      WHERE ($campaign = 0 OR visit.campaign_id = $campaign) AND ${isWithinPeriod('visit."at"')}
      ORDER BY visit."at" DESC, visit.click_id DESC LIMIT $records
    )
    SELECT ${columns}
    FROM visits AS visit
    LEFT JOIN campaigns AS campaign ON campaign.id = visit.campaign_id
    LEFT JOIN ${journeysOf('step.click_id IN (SELECT click_id FROM latest)')} AS journey
      ON journey.click_id = visit.click_id
    LEFT JOIN campaign_pages AS landing ON landing.id = journey.landing_page
    LEFT JOIN campaign_pages AS offer ON offer.id = journey.offer_page
    LEFT JOIN conversions AS conversion ON conversion.click_id = visit.click_id
    WHERE visit.click_id IN (SELECT click_id FROM latest)
    ORDER BY visit."at" DESC, visit.click_id DESC`;
  return { element: 'Row', ...(await reader.texts(sql, { campaign, records, ...period })) };
}

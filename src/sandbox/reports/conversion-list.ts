import type { EndpointArguments } from '../../api/endpoints.ts';
import type { Reader } from '../store/database.ts';
import { requireCampaign } from '../store/find-campaign.ts';
import type { Rows } from '../wire/tree.ts';
import { conversionListColumns, type List, selectColumns } from './list-columns.ts';
import { isWithinPeriod, resolvePeriod } from './period.ts';
import { readTimeZone } from './settings.ts';
import { journeysOf } from './visits-in-period.ts';

const list: List = {
  columns: conversionListColumns,
  defaults: [
    'Date',
    'SubID',
    'ClickID',
    'CampaignID',
    'Campaign',
    'Keyword',
    'AdValue',
    'LandingPage',
    'Offer',
    'OfferSource',
    'Revenue',
    'Status',
    'TransactionID',
  ],
  currentSetting: 'conversion_columns_current',
};

/**
 * The conversions of a period, the newest first; "Conversion list" of the specification. The time of the conversion decides,
 * in the time zone of the settings.
 *
 * Throws a Refusal for an unknown campaign and for a period that ends before it starts.
 */
export async function listConversions(
  reader: Reader,
  question: EndpointArguments<'list_conversions'>,
  now: Date,
): Promise<Rows> {
  const campaign = question.campaign_id === 0 ? 0 : (await requireCampaign(reader, question.campaign_id)).id;
  const period = await resolvePeriod(reader, question, await readTimeZone(reader), now);
  const columns = await selectColumns(reader, list, question.column_set ?? 'default');
  const sql = `
    WITH listed AS MATERIALIZED (
      SELECT * FROM conversions AS conversion
      WHERE ($campaign = 0 OR conversion.campaign_id = $campaign) AND ${isWithinPeriod('conversion."at"')}
    )
    SELECT ${columns}
    FROM listed AS conversion
    JOIN visits AS visit ON visit.click_id = conversion.click_id
    LEFT JOIN campaigns AS campaign ON campaign.id = conversion.campaign_id
    LEFT JOIN ${journeysOf('step.click_id IN (SELECT click_id FROM listed)')} AS journey
      ON journey.click_id = conversion.click_id
    LEFT JOIN campaign_pages AS landing ON landing.id = journey.landing_page
    LEFT JOIN campaign_pages AS offer ON offer.id = conversion.offer_page
    ORDER BY conversion."at" DESC, conversion.click_id DESC`;
  return { element: 'Row', ...(await reader.texts(sql, { campaign, ...period })) };
}

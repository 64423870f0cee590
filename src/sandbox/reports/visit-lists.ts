import type { columnSets, EndpointArguments } from '../../api/endpoints.ts';
import { extraSlots } from '../../api/token-slots.ts';
import { type Reader, requireCampaign } from '../store/database.ts';
import type { Rows } from '../wire/render.ts';
import { flagText, isWithinPeriod, localTime, moneyText, readSetting, readTimeZone, resolvePeriod } from './period.ts';
import { journeysOf } from './visit-report.ts';

/** Each column of a list by name, as text over the relations that the list joins. */
export type ListColumns = Readonly<Record<string, string>>;

const named = (names: readonly string[], relation: string): ListColumns =>
  Object.fromEntries(names.map((name) => [name, `${relation}.${name.toLowerCase()}`]));

/** What is known of a visit, over `visit`, `campaign`, `landing` and `offer`. */
const visitColumns: ListColumns = {
  SubID: 'visit.subid',
  ClickID: "split_part(visit.subid, '_', -1)",
  CampaignID: 'visit.campaign_id::VARCHAR',
  Campaign: 'campaign.name',
  Keyword: 'visit.keyword',
  AdValue: 'visit.ad_value',
  LandingPage: 'landing.name',
  Offer: 'offer.name',
  OfferSource: 'offer.source',
  ...named(['IP', 'Country', 'Region', 'City', 'ISP', 'Device', 'OS', 'Browser'], 'visit'),
  UserAgent: 'visit.user_agent',
  Referrer: 'visit.referrer',
  ExternalID: 'visit.external_id',
  ...named(extraSlots, 'visit'),
  Cost: moneyText('visit.cost'),
};

const conversionColumns: ListColumns = {
  Revenue: moneyText('conversion.revenue'),
  Status: 'conversion.status',
  TransactionID: 'conversion.transaction_id',
  ...named(['Custom1', 'Custom2', 'Custom3', 'Custom4', 'Custom5'], 'conversion'),
};

/** The columns of the conversion list; over `conversion`, too. */
const conversionListColumns: ListColumns = {
  Date: localTime('conversion."at"'),
  VisitDate: localTime('visit."at"'),
  ...visitColumns,
  ...conversionColumns,
};

/** The columns of the visitor list; over `journey`, too. A visitor who did not convert has no conversion. */
export const visitorListColumns: ListColumns = {
  Date: localTime('visit."at"'),
  ...visitColumns,
  Path: 'visit.path::VARCHAR',
  Clicked: flagText('journey.first_click IS NOT NULL'),
  Subscribed: flagText('visit.click_id IN (SELECT click_id FROM subscribers)'),
  Converted: flagText('conversion.click_id IS NOT NULL'),
  ConversionDate: localTime('conversion."at"'),
  ...conversionColumns,
};

type ColumnSet = (typeof columnSets)[number];

/** A list and which of its columns it shows, as names separated by commas. */
export interface List {
  readonly columns: ListColumns;
  readonly defaults: string;
  /** The setting that keeps what the page of the list shows. */
  readonly currentSetting: string;
}

/** What a list is asked for: the columns of its SELECT, and its parameters; campaign 0 is all of them. */
async function resolveList(reader: Reader, list: List, question: EndpointArguments<'list_conversions'>, now: Date) {
  const campaign = question.campaign_id === 0 ? 0 : (await requireCampaign(reader, question.campaign_id)).id;
  const period = await resolvePeriod(reader, question, await readTimeZone(reader), now);
  const columns = await selectColumns(reader, list, question.column_set);
  return { columns, parameters: { campaign, ...period } };
}

/** The columns that a SELECT of the list returns; `cols` of the specification says which. */
async function selectColumns(reader: Reader, { columns, defaults, currentSetting }: List, set: ColumnSet = 'default') {
  const setting = set === 'current' ? await readSetting(reader, currentSetting) : undefined;
  const known = (setting ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => Object.hasOwn(columns, name));
  const shown = known.length > 0 ? known : defaults.split(',');
  const names = set === 'all' ? Object.keys(columns) : shown;
  return names.map((name) => `${columns[name]} AS "${name}"`).join(', ');
}

const defaultRecords = 1000;
const maxRecords = 10_000;

const visitorList: List = {
  columns: visitorListColumns,
  defaults:
    'Date,SubID,ClickID,CampaignID,Keyword,AdValue,IP,Country,Device,OS,Browser,Referrer,LandingPage,Offer,Clicked,Converted,Revenue,Cost',
  currentSetting: 'visitor_columns_current',
};

/**
 * The visitors of a period, the latest first, at most `max_records` of them; "Visitor stats" of the specification.
 * Throws a Refusal for an unknown campaign and for a period that ends before it starts.
 */
export async function listVisitors(
  reader: Reader,
  question: EndpointArguments<'list_visitors'>,
  now: Date,
): Promise<Rows> {
  const { columns, parameters } = await resolveList(reader, visitorList, question, now);
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
  return { element: 'Row', ...(await reader.texts(sql, { records, ...parameters })) };
}

const conversionList: List = {
  columns: conversionListColumns,
  defaults:
    'Date,SubID,ClickID,CampaignID,Campaign,Keyword,AdValue,LandingPage,Offer,OfferSource,Revenue,Status,TransactionID',
  currentSetting: 'conversion_columns_current',
};

/**
 * The conversions of a period by their own time, the newest first; "Conversion list" of the specification. Throws a Refusal
 * for an unknown campaign and for a period that ends before it starts.
 */
export async function listConversions(
  reader: Reader,
  question: EndpointArguments<'list_conversions'>,
  now: Date,
): Promise<Rows> {
  const { columns, parameters } = await resolveList(reader, conversionList, question, now);
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
  return { element: 'Row', ...(await reader.texts(sql, parameters)) };
}

import type { columnSets, EndpointArguments } from '../../api/endpoints.ts';
import { extraSlots } from '../../api/token-slots.ts';
import { type Reader, type Row, requireCampaign } from '../store/database.ts';
import { visitTokens } from '../store/schema.ts';
import { type Fields, quoted, Refusal, type WrittenRows } from '../wire.ts';
import { flagText, isWithinPeriod, localTime, moneyText, readSetting, readTimeZone, resolvePeriod } from './period.ts';
import { readTokens, type Token } from './setup-lists.ts';
import { journeysOf } from './stats-sql.ts';

/** The SQL of each column as text, by its name. */
type Columns = Readonly<Record<string, string>>;

const namedAlike = (names: readonly string[], relation: string): Columns =>
  Object.fromEntries(names.map((name) => [name, `${relation}.${name.toLowerCase()}`]));

/** Over `visit`, `campaign`, `landing` and `offer`. */
const visitColumns: Columns = {
  SubID: 'visit.subid',
  ClickID: "split_part(visit.subid, '_', -1)",
  CampaignID: 'visit.campaign_id::VARCHAR',
  Campaign: 'campaign.name',
  Keyword: 'visit.keyword',
  AdValue: 'visit.ad_value',
  LandingPage: 'landing.name',
  Offer: 'offer.name',
  OfferSource: 'offer.source',
  ...namedAlike(['IP', 'Country', 'Region', 'City', 'ISP', 'Device', 'OS', 'Browser'], 'visit'),
  UserAgent: 'visit.user_agent',
  Referrer: 'visit.referrer',
  ExternalID: 'visit.external_id',
  ...namedAlike(extraSlots, 'visit'),
  Cost: moneyText('visit.cost'),
};

const customFields = ['Custom1', 'Custom2', 'Custom3', 'Custom4', 'Custom5'];

/** Over `conversion`. */
const conversionColumns: Columns = {
  Revenue: moneyText('conversion.revenue'),
  Status: 'conversion.status',
  TransactionID: 'conversion.transaction_id',
  ...namedAlike(customFields, 'conversion'),
};

/** A list, the columns that it shows by default, and the setting that holds the columns shown on its page. */
interface List {
  readonly columns: Columns;
  readonly defaults: string;
  readonly currentSetting: string;
}

const conversionList: List = {
  columns: {
    Date: localTime('conversion."at"'),
    VisitDate: localTime('visit."at"'),
    ...visitColumns,
    ...conversionColumns,
  },
  defaults:
    'Date,SubID,ClickID,CampaignID,Campaign,Keyword,AdValue,LandingPage,Offer,OfferSource,Revenue,Status,TransactionID',
  currentSetting: 'conversion_columns_current',
};

/** A visitor who did not convert has no `conversion`. */
const visitorList: List = {
  columns: {
    Date: localTime('visit."at"'),
    ...visitColumns,
    Path: 'visit.path::VARCHAR',
    Clicked: flagText('journey.first_click IS NOT NULL'),
    Subscribed: flagText('visit.click_id IN (SELECT click_id FROM subscribers)'),
    Converted: flagText('conversion.click_id IS NOT NULL'),
    ConversionDate: localTime('conversion."at"'),
    ...conversionColumns,
  },
  defaults:
    'Date,SubID,ClickID,CampaignID,Keyword,AdValue,IP,Country,Device,OS,Browser,Referrer,LandingPage,Offer,Clicked,Converted,Revenue,Cost',
  currentSetting: 'visitor_columns_current',
};

/** The columns to select for a list, and the SQL parameters; campaign 0 means all campaigns. */
async function resolveList(reader: Reader, list: List, question: EndpointArguments<'list_conversions'>, now: Date) {
  const campaign = question.campaign_id === 0 ? 0 : (await requireCampaign(reader, question.campaign_id)).id;
  const period = await resolvePeriod(reader, question, await readTimeZone(reader), now);
  const columns = await selectColumns(reader, list, question.column_set);
  return { columns, parameters: { campaign, ...period } };
}

/** The columns of a SELECT, as `cols` of the specification asks for them. */
async function selectColumns(
  reader: Reader,
  { columns, defaults, currentSetting }: List,
  set: (typeof columnSets)[number] = 'default',
): Promise<string> {
  const setting = set === 'current' ? await readSetting(reader, currentSetting) : undefined;
  const current = (setting ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => Object.hasOwn(columns, name));
  const shown = current.length > 0 ? current : defaults.split(',');
  const names = set === 'all' ? Object.keys(columns) : shown;
  return names.map((name) => `${columns[name]} AS "${name}"`).join(', ');
}

const defaultRecords = 1000;
const maxRecords = 10_000;

/**
 * The visitors of a period, the latest first, at most `max_records`; "Visitor stats" of the specification.
 *
 * @throws Refusal for an unknown campaign, and for a period that ends before it starts
 */
export async function listVisitors(
  reader: Reader,
  question: EndpointArguments<'list_visitors'>,
  now: Date,
): Promise<WrittenRows> {
  const { columns, parameters } = await resolveList(reader, visitorList, question, now);
  const records = Math.min(question.max_records ?? defaultRecords, maxRecords);
  // The latest are found by time alone, so that the wide columns are read only for these few.
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
  return reader.list(sql, { records, ...parameters });
}

/**
 * The conversions of a period by their own time, the newest first; "Conversion list" of the specification.
 *
 * @throws Refusal for an unknown campaign, and for a period that ends before it starts
 */
export async function listConversions(
  reader: Reader,
  question: EndpointArguments<'list_conversions'>,
  now: Date,
): Promise<WrittenRows> {
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
  return reader.list(sql, parameters);
}

/** The fields of a lookup: those of the visitor list, and more. */
const lookupFields: Columns = {
  ...visitorList.columns,
  CampaignType: 'campaign.type',
  TrafficSource: 'traffic_source.name',
  LandingPageID: 'landing.page_id',
  ClickDate: localTime('journey.first_click'),
  Subscribed: flagText('subscriber.click_id IS NOT NULL'),
  SubscriptionDate: localTime('subscriber."at"'),
  OfferID: 'offer.page_id',
  Revenue: moneyText('coalesce(conversion.revenue, 0::DECIMAL(18, 6))'),
  TimeZone: '$zone',
};

const sourceTokens = 'Traffic Source Tokens';

/** The fields of each group. Those of the tokens depend on the traffic source. */
const lookupGroups: Readonly<Record<string, readonly string[]>> = {
  'Campaign Data': (
    'SubID ClickID CampaignID Campaign CampaignType TrafficSource Date Path LandingPageID LandingPage Clicked ClickDate ' +
    'Subscribed SubscriptionDate OfferID Offer OfferSource Converted ConversionDate Cost Revenue TimeZone Referrer'
  ).split(' '),
  'Geo Data': ['IP', 'Country', 'Region', 'City', 'ISP'],
  'Device Data': ['Device', 'OS', 'Browser', 'UserAgent'],
  [sourceTokens]: [],
  'Offer Source Tokens': ['TransactionID', 'Status', ...customFields],
};

const lookupColumns = [
  ...Object.values(lookupGroups).flatMap((names) =>
    names.map((name) => `(${lookupFields[name]})::VARCHAR AS "${name}"`),
  ),
  ...visitTokens.map(({ slot, column }) => `visit.${column} AS "${sourceTokens}/${slot}"`),
  `${moneyText('visit.cost')} AS "${sourceTokens}/Cost"`,
];

const hasClickId = (relation: string) => `${relation}.click_id = $click::BIGINT`;

const lookupSql = `
  SELECT ${lookupColumns.join(', ')}, campaign.traffic_source_id
  FROM visits AS visit
  LEFT JOIN campaigns AS campaign ON campaign.id = visit.campaign_id
  LEFT JOIN traffic_sources AS traffic_source ON traffic_source.id = campaign.traffic_source_id
  LEFT JOIN ${journeysOf(hasClickId('step'))} AS journey ON journey.click_id = visit.click_id
  LEFT JOIN (
    SELECT click_id, min("at") AS "at" FROM subscribers WHERE ${hasClickId('subscribers')} GROUP BY click_id
  ) AS subscriber ON subscriber.click_id = visit.click_id
  LEFT JOIN conversions AS conversion ON conversion.click_id = visit.click_id AND ${hasClickId('conversion')}
  LEFT JOIN campaign_pages AS landing ON landing.id = journey.landing_page
  LEFT JOIN campaign_pages AS offer ON offer.id = coalesce(conversion.offer_page, journey.offer_page)
  WHERE ${hasClickId('visit')} AND coalesce(visit.subid = $subid, true)`;

/** More digits may not fit into a BIGINT. */
const maxClickIdLength = 18;

/**
 * Everything recorded about one visitor, in named groups; "SubID lookup" of the specification. Times are local to the time zone
 * of the settings. A SubID must match as a whole; a ClickID may have leading zeros.
 *
 * @throws Refusal if there is no such visitor
 */
export async function lookUpVisit(reader: Reader, subid: string): Promise<Fields> {
  const click = subid.slice(subid.lastIndexOf('_') + 1).replace(/^0+(?=.)/, '');
  const parameters = { click, subid: subid.includes('_') ? subid : null, zone: await readTimeZone(reader) };
  const [row] = click.length > maxClickIdLength ? [] : await reader.query(lookupSql, parameters);
  if (!row) {
    throw new Refusal(
      'unknown-record',
      `No visitor has the subID ${quoted(subid)}.`,
      'Send a whole SubID, or the ClickID that is its last part.',
    );
  }
  const tokens = (await readTokens(reader)).get(Number(row['traffic_source_id'])) ?? [];
  return {
    element: 'Group',
    entries: Object.entries(lookupGroups).map(([group, names]) => {
      const fields = names.map((name) => [name, String(row[name] ?? '')] as const);
      return [group, { entries: group === sourceTokens ? tokenFields(tokens, row) : fields }];
    }),
  };
}

/** Named as the traffic source declares them. If two tokens share a name, each name is followed by its slot. */
function tokenFields(tokens: readonly Token[], row: Row): Fields['entries'] {
  const isShared = (name: string) => tokens.filter((token) => token.name === name).length > 1;
  return tokens.map(({ name, slot }) => [
    isShared(name) ? `${name} (${slot})` : name,
    String(row[`${sourceTokens}/${slot}`] ?? ''),
  ]);
}

import { quoted, Refusal } from '../refusal.ts';
import type { Reader, Row } from '../store/database.ts';
import { visitTokens } from '../store/schema.ts';
import type { Fields } from '../wire/render.ts';
import { flagText, localTime, moneyText, readTimeZone } from './period.ts';
import { readTokens, type Token } from './set-up-lists.ts';
import { journeysOf } from './visit-report.ts';

const sourceTokens = 'Traffic Source Tokens';

/** The fields of the groups that are the same for every visit, over the relations of the lookup. */
const groups: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Campaign Data': {
    SubID: 'visit.subid',
    ClickID: "split_part(visit.subid, '_', -1)",
    CampaignID: 'visit.campaign_id',
    Campaign: 'campaign.name',
    CampaignType: 'campaign.type',
    TrafficSource: 'traffic_source.name',
    Date: localTime('visit."at"'),
    Path: 'visit.path',
    LandingPageID: 'landing.page_id',
    LandingPage: 'landing.name',
    Clicked: flagText('journey.first_click IS NOT NULL'),
    ClickDate: localTime('journey.first_click'),
    Subscribed: flagText('subscriber.click_id IS NOT NULL'),
    SubscriptionDate: localTime('subscriber."at"'),
    OfferID: 'offer.page_id',
    Offer: 'offer.name',
    OfferSource: 'offer.source',
    Converted: flagText('conversion.click_id IS NOT NULL'),
    ConversionDate: localTime('conversion."at"'),
    Cost: moneyText('visit.cost'),
    Revenue: moneyText('coalesce(conversion.revenue, 0::DECIMAL(18, 6))'),
    TimeZone: '$zone',
    Referrer: 'visit.referrer',
  },
  'Geo Data': {
    IP: 'visit.ip',
    Country: 'visit.country',
    Region: 'visit.region',
    City: 'visit.city',
    ISP: 'visit.isp',
  },
  'Device Data': {
    Device: 'visit.device',
    OS: 'visit.os',
    Browser: 'visit.browser',
    UserAgent: 'visit.user_agent',
  },
  [sourceTokens]: {},
  'Offer Source Tokens': {
    TransactionID: 'conversion.transaction_id',
    Status: 'conversion.status',
    Custom1: 'conversion.custom1',
    Custom2: 'conversion.custom2',
    Custom3: 'conversion.custom3',
    Custom4: 'conversion.custom4',
    Custom5: 'conversion.custom5',
  },
};

const fieldColumns = Object.entries(groups).flatMap(([group, fields]) =>
  Object.entries(fields).map(([field, sql]) => `(${sql})::VARCHAR AS "${group}/${field}"`),
);
const tokenColumns = [
  ...visitTokens.map(({ slot, column }) => `visit.${column} AS "${sourceTokens}/${slot}"`),
  `${moneyText('visit.cost')} AS "${sourceTokens}/Cost"`,
];

const isOfClick = (relation: string) => `${relation}.click_id = $click::BIGINT`;

const lookupSql = `
  SELECT ${[...fieldColumns, ...tokenColumns].join(', ')}, campaign.traffic_source_id
  FROM visits AS visit
  LEFT JOIN campaigns AS campaign ON campaign.id = visit.campaign_id
  LEFT JOIN traffic_sources AS traffic_source ON traffic_source.id = campaign.traffic_source_id
  LEFT JOIN ${journeysOf(isOfClick('step'))} AS journey ON journey.click_id = visit.click_id
  LEFT JOIN (
    SELECT click_id, min("at") AS "at" FROM subscribers WHERE ${isOfClick('subscribers')} GROUP BY click_id
  ) AS subscriber ON subscriber.click_id = visit.click_id
  LEFT JOIN conversions AS conversion ON conversion.click_id = visit.click_id AND ${isOfClick('conversion')}
  LEFT JOIN campaign_pages AS landing ON landing.id = journey.landing_page
  LEFT JOIN campaign_pages AS offer ON offer.id = coalesce(conversion.offer_page, journey.offer_page)
  WHERE ${isOfClick('visit')} AND coalesce(visit.subid = $subid, true)`;

/** Digits that always fit a BIGINT. */
const maxClickIdLength = 18;

/**
 * Everything recorded about one visitor, in named groups; "SubID lookup" of the specification. Times are local to the time
 * zone of the settings.
 *
 * @param subid a SubID, all of which must match, or a ClickID with or without leading zeros
 *
 * Throws a Refusal when there is no such visitor.
 */
export async function lookUpVisit(reader: Reader, subid: string): Promise<Fields> {
  const click = subid.slice(subid.lastIndexOf('_') + 1).replace(/^0+(?=.)/, '');
  const [row] =
    click.length > maxClickIdLength
      ? []
      : await reader.query(lookupSql, {
          click,
          subid: subid.includes('_') ? subid : null,
          zone: await readTimeZone(reader),
        });
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
    entries: Object.entries(groups).map(([name, fields]) => [
      name,
      { entries: name === sourceTokens ? tokenFields(tokens, row) : fieldsOf(name, fields, row) },
    ]),
  };
}

type Entries = readonly (readonly [name: string, value: string])[];

function fieldsOf(group: string, fields: Readonly<Record<string, string>>, row: Row): Entries {
  return Object.keys(fields).map((field) => [field, String(row[`${group}/${field}`] ?? '')]);
}

/** The values by the names the traffic source declares; a name that two tokens share is told apart by the slot. */
function tokenFields(tokens: readonly Token[], row: Row): Entries {
  const isShared = (name: string) => tokens.filter((token) => token.name === name).length > 1;
  return tokens.map(({ name, slot }) => [
    isShared(name) ? `${name} (${slot})` : name,
    String(row[`${sourceTokens}/${slot}`] ?? ''),
  ]);
}

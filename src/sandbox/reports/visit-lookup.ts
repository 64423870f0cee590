import { quoted, Refusal } from '../refusal.ts';
import type { Reader, Row } from '../store/database.ts';
import { visitTokens } from '../store/schema.ts';
import type { Fields } from '../wire/render.ts';
import { flagText, localTime, moneyText, readTimeZone } from './period.ts';
import { readTokens, type Token } from './set-up-lists.ts';
import { type ListColumns, visitorListColumns } from './visit-lists.ts';
import { journeysOf } from './visit-report.ts';

const sourceTokens = 'Traffic Source Tokens';

/** All fields by name, over the relations of the lookup: those of the visitor list, and more. */
const fieldSql: ListColumns = {
  ...visitorListColumns,
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

/** The names of the fields that are the same for every visit, by group. */
const groups: Readonly<Record<string, readonly string[]>> = {
  'Campaign Data': (
    'SubID ClickID CampaignID Campaign CampaignType TrafficSource Date Path LandingPageID LandingPage Clicked ClickDate ' +
    'Subscribed SubscriptionDate OfferID Offer OfferSource Converted ConversionDate Cost Revenue TimeZone Referrer'
  ).split(' '),
  'Geo Data': ['IP', 'Country', 'Region', 'City', 'ISP'],
  'Device Data': ['Device', 'OS', 'Browser', 'UserAgent'],
  [sourceTokens]: [],
  'Offer Source Tokens': ['TransactionID', 'Status', 'Custom1', 'Custom2', 'Custom3', 'Custom4', 'Custom5'],
};

const fieldColumns = Object.values(groups).flatMap((names) =>
  names.map((name) => `(${fieldSql[name]})::VARCHAR AS "${name}"`),
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

const maxClickIdLength = 18;

/**
 * Everything recorded about one visitor, in named groups; "SubID lookup" of the specification. Times are local to the time
 * zone of the settings. All of a SubID must match; a ClickID may have leading zeros or not. Throws a Refusal if there is no
 * such visitor.
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
    entries: Object.entries(groups).map(([group, names]) => [
      group,
      {
        entries:
          group === sourceTokens ? tokenFields(tokens, row) : names.map((name) => [name, String(row[name] ?? '')]),
      },
    ]),
  };
}

/** By the names the traffic source declares; two tokens of one name are followed by their slots. */
function tokenFields(tokens: readonly Token[], row: Row): Fields['entries'] {
  const isShared = (name: string) => tokens.filter((token) => token.name === name).length > 1;
  return tokens.map(({ name, slot }) => [
    isShared(name) ? `${name} (${slot})` : name,
    String(row[`${sourceTokens}/${slot}`] ?? ''),
  ]);
}

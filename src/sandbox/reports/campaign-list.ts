import type { EndpointArguments } from '../../api/endpoints.ts';
import { tokenColumns, tokenSlots } from '../../api/token-slots.ts';
import type { Reader, Row } from '../store/database.ts';
import type { Rows } from '../wire/tree.ts';
import { readTokens, type Token } from './tokens.ts';

const optionColumns = [
  'ID',
  'Name',
  'CampaignUrl',
  'Type',
  'TrafficSourceID',
  'TrafficSource',
  'Bid',
  'EngageRate',
  'Priority',
  'PassSubIdLp',
  'PassSubIdOffer',
  'Inactive',
];

const tokenPairs = tokenSlots.map(tokenColumns).flatMap(({ name, placeholder }) => [name, placeholder]);

/**
 * Lists campaigns by ID with their options, traffic source and tokens; "Campaigns list" of the specification.
 *
 * @param baseUrl where campaign links lead, without a slash at the end
 */
export async function listCampaigns(
  reader: Reader,
  { status }: EndpointArguments<'list_campaigns'>,
  baseUrl: string,
): Promise<Rows> {
  const tokensOfSource = await readTokens(reader);
  const campaigns = await reader.query(
    `SELECT c.id, c.name, c.type, c.link_key, c.traffic_source_id, coalesce(t.name, '') AS traffic_source,
            c.bid, c.engage_rate, c.priority,
            c.pass_subid_to_landing_page, c.pass_subid_to_offer, c.active
     FROM campaigns AS c LEFT JOIN traffic_sources AS t ON t.id = c.traffic_source_id
     WHERE $status = 'all' OR c.active = ($status = 'active')
     ORDER BY c.id`,
    { status },
  );
  return {
    element: 'Row',
    columns: [...optionColumns, ...tokenPairs],
    rows: campaigns.map((campaign) => describe(campaign, tokensOfSource, baseUrl)),
  };
}

function describe(campaign: Row, tokensOfSource: ReadonlyMap<number, readonly Token[]>, baseUrl: string): string[] {
  const tokens = tokensOfSource.get(Number(campaign['traffic_source_id'])) ?? [];
  const tokenOfSlot = new Map(tokens.map((token) => [token.slot, token]));
  const options = [
    campaign['id'],
    campaign['name'],
    campaignUrl(campaign, tokens, baseUrl),
    campaign['type'],
    campaign['traffic_source_id'],
    campaign['traffic_source'],
    withoutTrailingZeros(campaign['bid']),
    withoutTrailingZeros(campaign['engage_rate']),
    campaign['priority'],
    campaign['pass_subid_to_landing_page'] ? 1 : 0,
    campaign['pass_subid_to_offer'] ? 1 : 0,
    campaign['active'] ? 0 : 1,
  ];
  const pairs = tokenSlots.flatMap((slot) => {
    const token = tokenOfSlot.get(slot);
    return [token?.name ?? '', token?.placeholder ?? ''];
  });
  return [...options.map(String), ...pairs];
}

/** The link an ad leads to. Placeholders stay as they are: the traffic source looks for them literally. */
function campaignUrl(campaign: Row, tokens: readonly Token[], baseUrl: string): string {
  const parameters = tokens.map(({ parameter, placeholder }) => `&${encodeURIComponent(parameter)}=${placeholder}`);
  return `${baseUrl}/base.php?c=${campaign['id']}&key=${campaign['link_key']}${parameters.join('')}`;
}

/** A DECIMAL that holds six places, in as few as it needs. */
function withoutTrailingZeros(decimal: Row[string] | undefined): string {
  return String(decimal).replace(/\.?0+$/, '');
}

import type { EndpointArguments } from '../../api/endpoints.ts';
import { type TokenSlot, tokenColumns, tokenSlots } from '../../api/token-slots.ts';
import type { Reader, Row } from '../store/database.ts';
import type { Rows, Tree } from '../wire/render.ts';

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

/** Lists all traffic sources by ID with their tokens; "Traffic sources list" of the specification. */
export async function listTrafficSources(reader: Reader): Promise<Rows> {
  const tokensOfSource = await readTokens(reader);
  const sources = await reader.query('SELECT id, name FROM traffic_sources ORDER BY id');
  return {
    element: 'Row',
    columns: ['ID', 'Name', 'Tokens'],
    rows: sources.map(({ id, name }) => [String(id), String(name), tokenList(tokensOfSource.get(Number(id)))]),
  };
}

/** Without tokens it is the empty text: XML has no other way to write an empty list. */
function tokenList(tokens: readonly Token[] = []): Tree {
  if (tokens.length === 0) return '';
  return {
    element: 'Token',
    columns: ['Slot', 'Name', 'Parameter', 'Placeholder'],
    rows: tokens.map(({ slot, name, parameter, placeholder }) => [slot, name, parameter, placeholder]),
  };
}

/** One token of a traffic source: which URL parameter of an ad fills which slot of a visit. */
export interface Token {
  readonly slot: TokenSlot;
  readonly name: string;
  readonly parameter: string;
  readonly placeholder: string;
}

/** The tokens of every traffic source by its ID, in the order of the slots. */
export async function readTokens(reader: Reader): Promise<ReadonlyMap<number, readonly Token[]>> {
  const rows = await reader.query('SELECT * FROM traffic_source_tokens');
  const tokens = new Map<number, Token[]>();
  for (const { traffic_source_id: source, slot, name, parameter, placeholder } of rows) {
    const ofSource = tokens.get(Number(source)) ?? [];
    ofSource.push({
      slot: String(slot) as TokenSlot,
      name: String(name),
      parameter: String(parameter),
      placeholder: String(placeholder),
    });
    tokens.set(Number(source), ofSource);
  }
  const indexOf = ({ slot }: Token) => tokenSlots.indexOf(slot);
  for (const ofSource of tokens.values()) ofSource.sort((one, other) => indexOf(one) - indexOf(other));
  return tokens;
}

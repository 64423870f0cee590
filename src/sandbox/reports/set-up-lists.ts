import type { EndpointArguments } from '../../api/endpoints.ts';
import { type TokenSlot, tokenColumns, tokenSlots } from '../../api/token-slots.ts';
import type { Reader, Row } from '../store/database.ts';
import type { Rows, Tree } from '../wire/render.ts';
import { shortDecimal } from './period.ts';

/** Over `c` and `t`, as texts. */
const optionColumns: Readonly<Record<string, string>> = {
  ID: 'c.id',
  Name: 'c.name',
  CampaignUrl: "$baseUrl || '/base.php?c=' || c.id || '&key=' || c.link_key",
  Type: 'c.type',
  TrafficSourceID: 'c.traffic_source_id',
  TrafficSource: 't.name',
  Bid: shortDecimal('c.bid'),
  EngageRate: shortDecimal('c.engage_rate'),
  Priority: 'c.priority',
  PassSubIdLp: 'c.pass_subid_to_landing_page::INTEGER',
  PassSubIdOffer: 'c.pass_subid_to_offer::INTEGER',
  Inactive: '(NOT c.active)::INTEGER',
};

const tokenPairs = tokenSlots.map(tokenColumns).flatMap(({ name, placeholder }) => [name, placeholder]);

/**
 * Lists campaigns by ID with options, traffic source and tokens; "Campaigns list" of the specification. Campaign links lead
 * to the base URL.
 */
export async function listCampaigns(
  reader: Reader,
  { status }: EndpointArguments<'list_campaigns'>,
  baseUrl: string,
): Promise<Rows> {
  const tokensOfSource = await readTokens(reader);
  const columns = Object.entries(optionColumns).map(([name, sql]) => `(${sql})::VARCHAR AS "${name}"`);
  const campaigns = await reader.query(
    `SELECT ${columns.join(', ')}
     FROM campaigns AS c LEFT JOIN traffic_sources AS t ON t.id = c.traffic_source_id
     WHERE $status = 'all' OR c.active = ($status = 'active')
     ORDER BY c.id`,
    { status, baseUrl },
  );
  return {
    element: 'Row',
    columns: [...Object.keys(optionColumns), ...tokenPairs],
    rows: campaigns.map((row) => describe(row, tokensOfSource.get(Number(row['TrafficSourceID'])))),
  };
}

function describe(row: Row, tokens: readonly Token[] = []): string[] {
  // Placeholders stay as they are: the traffic source looks for them literally.
  const parameters = tokens.map(({ parameter, placeholder }) => `&${encodeURIComponent(parameter)}=${placeholder}`);
  const campaign: Row = { ...row, CampaignUrl: row['CampaignUrl'] + parameters.join('') };
  const options = Object.keys(optionColumns).map((name) => String(campaign[name] ?? ''));
  const pairs = tokenSlots.flatMap((slot) => {
    const token = tokens.find((one) => one.slot === slot);
    return [token?.name ?? '', token?.placeholder ?? ''];
  });
  return [...options, ...pairs];
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

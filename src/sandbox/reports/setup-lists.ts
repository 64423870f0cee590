import type { EndpointArguments } from '../../api/endpoints.ts';
import { type TokenSlot, tokenColumns, tokenSlots } from '../../api/token-slots.ts';
import type { Reader, Row } from '../store/database.ts';
import type { Rows } from '../wire.ts';
import { shortDecimal } from './period.ts';

/** SQL of each column, over the campaign `c` and its traffic source `t`. */
const campaignColumns: Readonly<Record<string, string>> = {
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

/**
 * Lists campaigns by ID with options, traffic source and tokens; "Campaigns list" of the specification.
 *
 * @param baseUrl where campaign links lead
 */
export async function listCampaigns(
  reader: Reader,
  { status }: EndpointArguments<'list_campaigns'>,
  baseUrl: string,
): Promise<Rows> {
  const tokensBySource = await readTokens(reader);
  const columns = Object.entries(campaignColumns).map(([name, sql]) => `(${sql})::VARCHAR AS "${name}"`);
  const campaigns = await reader.querySetup(
    `SELECT ${columns.join(', ')}
     FROM campaigns AS c LEFT JOIN traffic_sources AS t ON t.id = c.traffic_source_id
     WHERE $status = 'all' OR c.active = ($status = 'active')
     ORDER BY c.id`,
    { status, baseUrl },
  );
  const tokenPairs = tokenSlots.map(tokenColumns).flatMap(({ name, placeholder }) => [name, placeholder]);
  return {
    element: 'Row',
    columns: [...Object.keys(campaignColumns), ...tokenPairs],
    rows: campaigns.map((row) => campaignCells(row, tokensBySource.get(Number(row['TrafficSourceID'])))),
  };
}

function campaignCells(row: Row, tokens: readonly Token[] = []): string[] {
  // Placeholders are not encoded: the traffic source looks for them literally.
  const parameters = tokens.map(({ parameter, placeholder }) => `&${encodeURIComponent(parameter)}=${placeholder}`);
  const campaign: Row = { ...row, CampaignUrl: row['CampaignUrl'] + parameters.join('') };
  const options = Object.keys(campaignColumns).map((name) => String(campaign[name] ?? ''));
  const pairs = tokenSlots.flatMap((slot) => {
    const token = tokens.find((candidate) => candidate.slot === slot);
    return [token?.name ?? '', token?.placeholder ?? ''];
  });
  return [...options, ...pairs];
}

/** Lists all traffic sources by ID with their tokens; "Traffic sources list" of the specification. */
export async function listTrafficSources(reader: Reader): Promise<Rows> {
  const tokensBySource = await readTokens(reader);
  const sources = await reader.querySetup('SELECT id, name FROM traffic_sources ORDER BY id');
  return {
    element: 'Row',
    columns: ['ID', 'Name', 'Tokens'],
    rows: sources.map(({ id, name }) => {
      const tokens = tokensBySource.get(Number(id));
      // XML can write an empty list only as an empty text.
      return [String(id), String(name), tokens ? tokenRows(tokens) : ''];
    }),
  };
}

function tokenRows(tokens: readonly Token[]): Rows {
  return {
    element: 'Token',
    columns: ['Slot', 'Name', 'Parameter', 'Placeholder'],
    rows: tokens.map(({ slot, name, parameter, placeholder }) => [slot, name, parameter, placeholder]),
  };
}

/** A token of a traffic source: the URL parameter of an ad that fills a slot of the visit. */
export interface Token {
  readonly slot: TokenSlot;
  readonly name: string;
  readonly parameter: string;
  readonly placeholder: string;
}

/** The tokens of each traffic source by its ID, in the order of their slots. */
export async function readTokens(reader: Reader): Promise<ReadonlyMap<number, readonly Token[]>> {
  const rows = await reader.querySetup('SELECT * FROM traffic_source_tokens');
  const tokensBySource = new Map<number, Token[]>();
  for (const { traffic_source_id, slot, name, parameter, placeholder } of rows) {
    const token: Token = {
      slot: String(slot) as TokenSlot,
      name: String(name),
      parameter: String(parameter),
      placeholder: String(placeholder),
    };
    const source = Number(traffic_source_id);
    tokensBySource.set(source, [...(tokensBySource.get(source) ?? []), token]);
  }
  const slotIndex = ({ slot }: Token) => tokenSlots.indexOf(slot);
  for (const tokens of tokensBySource.values()) tokens.sort((one, other) => slotIndex(one) - slotIndex(other));
  return tokensBySource;
}

import { indexOfColumn } from '../analysis/columns/columns.ts';
import { endpointNamed, type GivenArguments } from '../api/endpoints.ts';
import { joinSome } from '../api/rules.ts';
import type { Cell, Table } from '../api/table.ts';
import { maxNameLength } from '../api/text/clean-text.ts';
import {
  fromTracker,
  mention,
  type NamedCell,
  quoted,
  rawText,
  shown,
  type TrackerText,
} from '../api/text/tracker-text.ts';
import { fieldNamed, thingsOf } from '../api/vocabulary.ts';
import { isSurelyActive } from '../api/yes-no.ts';
import type { ReadOptions, TrackerClient } from '../client/tracker-client.ts';
import { askQuickly, optional } from './asking.ts';
import type { CallContext } from './define-tool.ts';

export interface ListedRecord {
  readonly id: TrackerText;
  readonly name: TrackerText;
  readonly fields: readonly NamedCell[];
}

export interface ListedCampaign extends ListedRecord {
  /** Its traffic source, by name or else by ID; null if the list does not say. */
  readonly source: Cell;
  /** Whether it is on; undefined if the list does not say. */
  readonly active: boolean | undefined;
}

const names = thingsOf('listed');

/** The campaigns of the tracker, also from an answer kept for paging. Throws a TrackerFailure if it cannot be asked. */
export async function listCampaigns(
  client: TrackerClient,
  signal?: AbortSignal,
  status: 'all' | 'active' | 'inactive' = 'all',
  how: Pick<ReadOptions, 'reuse' | 'once'> = {},
): Promise<readonly ListedCampaign[]> {
  const records = await listRecords(client, 'list_campaigns', signal, { status }, how);
  return records.map((record) => {
    const said = (what: 'source' | 'inactive' | 'active') => fieldNamed(record.fields, names[what]);
    const active = isSurelyActive({ inactive: said('inactive'), active: said('active') });
    return { ...record, source: said('source'), active };
  });
}

/** The campaigns, for a call that can do without; undefined if they are not offered, cannot be read, or there are none. */
export async function listCampaignsIfOffered(context: CallContext): Promise<readonly ListedCampaign[] | undefined> {
  if (!context.guard.offers(endpointNamed('list_campaigns'))) return undefined;
  const listed = await optional(() => listCampaigns(context.client, context.signal), context);
  return listed?.length === 0 ? undefined : listed;
}

/** The records of a list by ID and name; rows without an ID are none. */
export async function listRecords<List extends 'list_campaigns' | 'list_traffic_sources'>(
  client: TrackerClient,
  list: List,
  signal: AbortSignal | undefined,
  given: GivenArguments<List>,
  how: Pick<ReadOptions, 'reuse' | 'once'> = {},
): Promise<readonly ListedRecord[]> {
  const { reply } = await client.read(list, given, { reuse: true, ...how, signal });
  return reply.tables.flatMap(recordsOf);
}

function recordsOf(table: Table): ListedRecord[] {
  const [id, name] = [indexOfColumn(table, names.id) ?? -1, indexOfColumn(table, names.name) ?? -1];
  return Array.from({ length: table.rowCount }, (_, row) => row).flatMap((row) => {
    const recordId = table.text(row, id);
    if (recordId === null) return [];
    return [{ id: recordId, name: table.text(row, name) ?? fromTracker(''), fields: table.fields(row) }];
  });
}

/** The name of the campaign of a call, for its view; undefined if there is none, or the tracker does not say it in time. */
export async function nameCampaign(given: unknown, context: CallContext): Promise<string | undefined> {
  const id = (given as { campaign_id?: unknown } | undefined)?.campaign_id;
  if (id === undefined || !context.guard.offers(endpointNamed('list_campaigns'))) return undefined;
  const asked = askQuickly(context, ({ client, signal }) => listCampaigns(client, signal));
  const found = (await asked.catch(() => undefined))?.find((campaign) => rawText(campaign.id) === String(id));
  return (found && shown(found.name, maxNameLength)) || undefined;
}

const maxNamed = 20;

/** `1 “Search”, 2 “Native” and 40 more` */
export function nameCampaigns(campaigns: readonly ListedRecord[], max = maxNamed): string {
  return joinSome(
    campaigns.map(({ id, name }) => `${mention(id, 40)} ${quoted(name, 60)}`),
    max,
  );
}

import { mapCoded, pairCoded, sameInAll } from '../analysis/coded.ts';
import { indexOfColumn, plainFields } from '../analysis/columns/columns.ts';
import { memoizePerTable } from '../analysis/columns/notation.ts';
import { type NamedCampaign, sayCampaigns } from '../answer/visit-notes.ts';
import type { Coded } from '../api/cells.ts';
import { endpointNamed, type GivenArguments } from '../api/endpoints.ts';
import { Failure } from '../api/failure.ts';
import { joinSome } from '../api/rules.ts';
import type { Pace } from '../api/running-call.ts';
import type { Cell, Table } from '../api/table.ts';
import { maxNameLength } from '../api/text/clean-text.ts';
import {
  fromTracker,
  type NamedCell,
  quoted,
  rawCell,
  rawText,
  shown,
  type TrackerText,
} from '../api/text/tracker-text.ts';
import { fieldNamed, thingsOf } from '../api/vocabulary.ts';
import { isSurelyActive } from '../api/yes-no.ts';
import type { ReadOptions, TrackerClient } from '../client/tracker-client.ts';
import type { Change, ChangeStep } from '../guard/changes.ts';
import { askQuickly, onceInCall, optional } from './asking.ts';
import type { CallContext } from './define-tool.ts';

export interface ListedRecord {
  readonly id: TrackerText;
  readonly name: TrackerText;
  readonly fields: readonly NamedCell[];
}

export interface ListedCampaign extends ListedRecord {
  /** Its traffic source by name, otherwise by ID; null if the list has neither. */
  readonly source: Cell;
  /** Undefined if the list does not tell. */
  readonly active: boolean | undefined;
}

const names = thingsOf('listed');

/** The campaigns of the tracker, possibly from a cached answer. Throws a TrackerFailure if it cannot be asked. */
export async function listCampaigns(
  client: TrackerClient,
  signal?: AbortSignal,
  status: 'all' | 'active' | 'inactive' = 'all',
  how: Pick<ReadOptions, 'reuse' | 'once'> = {},
): Promise<readonly ListedCampaign[]> {
  const records = await listRecords(client, 'list_campaigns', signal, { status }, how);
  return records.map((record) => {
    const cell = (field: 'source' | 'inactive' | 'active') => fieldNamed(record.fields, names[field]);
    const active = isSurelyActive({ inactive: cell('inactive'), active: cell('active') });
    return { ...record, source: cell('source'), active };
  });
}

const listKey = 'campaigns';

/** All campaigns as the tracker lists them now, not from the cache. Throws a TrackerFailure. */
export function listCampaignsNow(
  context: CallContext,
  how: Pick<ReadOptions, 'once'> = {},
): Promise<readonly ListedCampaign[]> {
  const { client, signal } = context;
  return onceInCall(listKey, context, () => listCampaigns(client, signal, 'all', { ...how, reuse: false }));
}

/** The campaigns as a write has listed them; undefined if it has not, or could not. Never throws: the write may be done. */
export async function campaignsInCall({ reads }: CallContext): Promise<readonly ListedCampaign[] | undefined> {
  const listed = reads?.get(listKey) as ReturnType<typeof listCampaignsNow> | undefined;
  return listed?.catch(() => undefined);
}

/** The campaigns, for a call that can do without; undefined if the tool is not offered, fails, or lists none. */
export async function listCampaignsIfOffered(context: CallContext): Promise<readonly ListedCampaign[] | undefined> {
  if (!context.guard.offers(endpointNamed('list_campaigns'))) return undefined;
  const listed = await optional(() => listCampaigns(context.client, context.signal), context);
  return listed?.length === 0 ? undefined : listed;
}

/** The records of a list by ID and name, each once: a list may repeat them for each token. Rows without an ID are left out. */
export async function listRecords<List extends 'list_campaigns' | 'list_traffic_sources'>(
  client: TrackerClient,
  list: List,
  signal: AbortSignal | undefined,
  given: GivenArguments<List>,
  how: Pick<ReadOptions, 'reuse' | 'once'> = {},
): Promise<readonly ListedRecord[]> {
  const { reply } = await client.read(list, given, { reuse: true, ...how, signal });
  const seen = new Set<string>();
  const of = thingsOf(list === 'list_campaigns' ? 'listed' : 'listedSource');
  const records = reply.tables.flatMap((table) => recordsOf(table, of));
  const [rows] = reply.tables.filter(({ rowCount }) => rowCount > 0);
  if (rows && records.length === 0 && list === 'list_campaigns') {
    const columns = rows.columns.map((column) => quoted(column, maxNameLength));
    throw new Failure(
      `The tracker lists campaigns without an ID that is known: none of ${joinSome(columns, 10)} is one.`,
      'Look at list_campaigns, and give the ID.',
    );
  }
  return records.filter(({ id }) => !seen.has(rawText(id)) && seen.add(rawText(id)));
}

function recordsOf(table: Table, of: Readonly<Record<'id' | 'name', readonly string[]>>): ListedRecord[] {
  const [id, name] = [indexOfColumn(table, of.id) ?? -1, indexOfColumn(table, of.name) ?? -1];
  return Array.from({ length: table.rowCount }, (_, row) => row).flatMap((row) => {
    const recordId = table.text(row, id);
    if (recordId === null) return [];
    return [{ id: recordId, name: table.text(row, name) ?? fromTracker(''), fields: plainFields(table, row) }];
  });
}

/** The name of a call's campaign, for its view; undefined if it has none, or the tracker does not answer in time. */
export async function nameCampaign(given: unknown, context: CallContext): Promise<string | undefined> {
  const id = (given as { campaign_id?: unknown } | undefined)?.campaign_id;
  if (id === undefined || !context.guard.offers(endpointNamed('list_campaigns'))) return undefined;
  const list = (quick: CallContext) =>
    quick.reads ? listCampaignsNow(quick) : listCampaigns(quick.client, quick.signal);
  const asked = askQuickly(context, list);
  const campaign = (await asked.catch(() => undefined))?.find((one) => rawText(one.id) === String(id));
  return (campaign && shown(campaign.name, maxNameLength)) || undefined;
}

export const namedCampaign = ({ id, name }: Pick<ListedRecord, 'id' | 'name'>): NamedCampaign => ({
  id: rawText(id),
  name: rawText(name),
});

/** `1 “Search”, 2 “Native” and 40 more` */
export const nameCampaigns = (campaigns: readonly ListedRecord[]): string => sayCampaigns(campaigns.map(namedCampaign));

const { campaignId: idNames, campaign: nameNames } = thingsOf('visitor');

/** The campaign of a row in a list of the whole account. */
export interface CampaignText {
  readonly id: string | null;
  readonly name: string | null;
}

/** Reads the campaign of each row of such a list; undefined if it has no column for campaigns. */
export const readCampaigns = memoizePerTable((table): Coded<CampaignText> | undefined => {
  const [id, name] = [indexOfColumn(table, idNames), indexOfColumn(table, nameNames)];
  if (id === undefined && name === undefined) return undefined;
  const codedIn = (column: number | undefined): Coded<Cell> =>
    column === undefined ? sameInAll(table.rowCount, null) : table.coded(column);
  return pairCoded(codedIn(id), codedIn(name), (ofId, ofName) => ({ id: rawCell(ofId), name: rawCell(ofName) }));
});

/** Codes the campaigns of a long list before their use. Other calls run in between. */
export async function codeCampaigns(table: Table, { rest }: Pace): Promise<void> {
  const columns = [idNames, nameNames].map((known) => indexOfColumn(table, known));
  await table.code(
    columns.filter((column) => column !== undefined),
    rest,
  );
}

const unnamed: CampaignText = { id: null, name: null };

/** The same, with the campaign from the list; undefined if it is not listed, or its name is not unique. */
export interface Visited extends CampaignText {
  readonly listed: ListedCampaign | undefined;
}

export const visited = (listed: ListedCampaign): Visited => ({
  id: rawText(listed.id),
  name: rawText(listed.name),
  listed,
});

/** Finds the campaign of each row of a list of the whole account: by its ID, otherwise by a unique name. */
export function campaignsIn(campaigns: readonly ListedCampaign[]): (table: Table) => Coded<Visited> {
  const all = campaigns.map(visited);
  const byId = new Map(all.map((campaign) => [campaign.id, campaign]));
  const byName = new Map(all.map((campaign) => [campaign.name, campaign]));
  const sharedNames = duplicateNames(campaigns);
  const named = (text: string) => (sharedNames.has(text) ? undefined : (byName.get(text) ?? byId.get(text)));
  const find = ({ id, name }: CampaignText): Visited => {
    // The ID decides: a deleted campaign may have the name of a listed one.
    const campaign = id === null ? named(name ?? '') : (byId.get(id) ?? named(id));
    return campaign ?? { id, name, listed: undefined };
  };
  return (table) => mapCoded(readCampaigns(table) ?? sameInAll(table.rowCount, unnamed), find);
}

export function duplicateNames(campaigns: readonly ListedCampaign[]): ReadonlySet<string> {
  const seen = new Set<string>();
  return new Set(
    campaigns.flatMap(({ name }) => {
      const text = rawText(name);
      if (seen.has(text)) return [text];
      seen.add(text);
      return [];
    }),
  );
}

/** The name of a campaign, with its ID if several have that name. */
export function campaignNames(campaigns: readonly ListedCampaign[]): (campaign: Visited) => string | null {
  const sharedNames = duplicateNames(campaigns);
  return ({ id, name, listed }) => {
    if (!listed) return name ?? id;
    return sharedNames.has(rawText(listed.name)) ? `${name} (ID ${id})` : name;
  };
}

export function campaignNamesById(campaigns: readonly ListedCampaign[]): ReadonlyMap<string, string | null> {
  const nameOf = campaignNames(campaigns);
  return new Map(campaigns.map((campaign) => [rawText(campaign.id), nameOf(visited(campaign))]));
}

/** The campaign of a step; undefined without one. */
export function campaignOf({ arguments: given }: Pick<ChangeStep, 'arguments'>): string | undefined {
  const id = given['campaign_id'];
  return id === undefined ? undefined : String(id);
}

/** The campaigns of these changes by ID, from one request; empty if they cannot be read. */
export async function readChangedCampaigns(
  changes: readonly Pick<Change, 'steps'>[],
  context: CallContext,
): Promise<ReadonlyMap<string, ListedCampaign>> {
  const isNeeded = changes.some(({ steps }) => steps.some((step) => campaignOf(step) !== undefined));
  if (!isNeeded || !context.guard.offers(endpointNamed('list_campaigns'))) return new Map();
  const listed = await optional(
    () => askQuickly(context, ({ client, signal }) => listCampaigns(client, signal, 'all', { once: true })),
    context,
  );
  return new Map(listed?.map((campaign) => [rawText(campaign.id), campaign]));
}

/** The IDs and names of a change's campaigns; undefined without one, or if the names cannot be read. */
export async function campaignsOfChange(
  change: Pick<Change, 'steps'>,
  context: CallContext,
): Promise<string | undefined> {
  return namesOfChange(change, await readChangedCampaigns([change], context));
}

export function namesOfChange(
  { steps }: Pick<Change, 'steps'>,
  campaigns: ReadonlyMap<string, ListedCampaign>,
): string | undefined {
  const named = [...new Set(steps.map(campaignOf))].flatMap((campaign) => campaigns.get(campaign ?? '') ?? []);
  return named.length === 0 ? undefined : nameCampaigns(named);
}

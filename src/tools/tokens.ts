import { shownColumns } from '../analysis/columns/columns.ts';
import { dimensionNamed } from '../analysis/visit-groups.ts';
import { endpointNamed, groupColumns } from '../api/endpoints.ts';
import { Failure } from '../api/failure.ts';
import type { TablesReply } from '../api/table.ts';
import { nearestName, plainName } from '../api/text/names.ts';
import { rawCell, rawText, shown } from '../api/text/tracker-text.ts';
import { tokenColumns, tokenSlots } from '../api/token-slots.ts';
import { optional } from './asking.ts';
import { type ListedCampaign, listCampaigns, listRecords } from './campaigns.ts';
import { show } from './check-arguments.ts';
import type { CallContext } from './define-tool.ts';
import { labelsOf } from './present/labelled.ts';
import { foldNumbered } from './present/names.ts';
import { called, type View } from './present/view.ts';

/** What the slots of a campaign's tokens are called, fit to be shown: slot -> label. */
export type TokenLabels = ReadonlyMap<string, string>;

const maxLabelLength = 60;

/** The names that the traffic source of a campaign gives its token slots; none if the tracker does not say them. */
export async function tokenLabels(campaignId: number, context: CallContext): Promise<TokenLabels> {
  const { client, guard, signal } = context;
  if (!guard.offers(endpointNamed('list_campaigns'))) return new Map();
  const read = async () => {
    const campaign = (await listCampaigns(client, signal)).find(({ id }) => rawText(id) === String(campaignId));
    return campaign && (await labelsByCampaign([campaign], context)).get(campaign);
  };
  return (await optional(read, context)) ?? new Map();
}

/** The same of several campaigns; the traffic sources are read if one says nothing. Throws a TrackerFailure. */
export async function labelsByCampaign(
  campaigns: readonly ListedCampaign[],
  { client, guard, signal }: CallContext,
): Promise<ReadonlyMap<ListedCampaign, TokenLabels>> {
  const own = new Map(campaigns.map((campaign) => [campaign, fitToShow(labelsOf(campaign.fields))]));
  const unsaid = campaigns.filter((campaign) => own.get(campaign)?.size === 0 && campaign.source !== null);
  if (unsaid.length === 0 || !guard.offers(endpointNamed('list_traffic_sources'))) return own;
  const labelsOfSource = new Map<string, TokenLabels>();
  for (const { id, name, fields } of await listRecords(client, 'list_traffic_sources', signal, {})) {
    const labels = fitToShow(labelsOf(fields));
    for (const key of [name, id]) if (!labelsOfSource.has(rawText(key))) labelsOfSource.set(rawText(key), labels);
  }
  for (const campaign of unsaid) {
    const labels = labelsOfSource.get(rawCell(campaign.source) ?? '');
    if (labels) own.set(campaign, labels);
  }
  return own;
}

function fitToShow(labels: ReturnType<typeof labelsOf>): TokenLabels {
  return new Map([...labels].map(([slot, label]) => [slot, shown(label, maxLabelLength)]));
}

/** The labels of the campaign that a call is about, read once, and only if something needs them. */
export function labelsOnDemand(campaignId: number | undefined, context: CallContext): () => Promise<TokenLabels> {
  let labels: Promise<TokenLabels> | undefined;
  return () => {
    labels ??= campaignId ? tokenLabels(campaignId, context) : Promise.resolve(new Map());
    return labels;
  };
}

/** The slot that goes by a label, whatever its letter case and separators; undefined if none does. */
export function slotLabelled(label: string, labels: TokenLabels): string | undefined {
  const plain = plainName(label);
  return [...labels].find(([, own]) => plainName(own) === plain)?.[0];
}

/** The names of the tokens of campaigns, whatever their letter case, those of most campaigns first; not those of a dimension. */
export function tokenNames(labels: Iterable<TokenLabels>): readonly string[] {
  const counts = new Map<string, { readonly label: string; count: number }>();
  for (const label of [...labels].flatMap((own) => [...own.values()])) {
    const known = counts.get(plainName(label));
    if (known) known.count += 1;
    else if (dimensionNamed(label) === undefined) counts.set(plainName(label), { label, count: 1 });
  }
  return [...counts.values()].sort((one, other) => other.count - one.count).map(({ label }) => label);
}

/** The columns of the campaign list that say which token fills which slot: many, and rarely asked for. */
const tokenColumnNames: ReadonlySet<string> = new Set(
  tokenSlots.map(tokenColumns).flatMap(({ name, placeholder }) => [plainName(name), plainName(placeholder)]),
);

export const isTokenColumn = (column: string): boolean => tokenColumnNames.has(plainName(column));

/** What is not shown must be known to be there. */
export function hiddenColumnsNotice({ tables }: TablesReply, { isAside, columns }: View): string[] {
  if (!isAside || columns) return [];
  const aside = tables.flatMap((table) => shownColumns(table).filter(isAside));
  if (aside.length === 0) return [];
  return [`Left out unless named in columns: ${foldNumbered(aside).join(', ')}.`];
}

type GroupColumn = (typeof groupColumns)[number];

const columnNamed = (name: string): GroupColumn | undefined =>
  groupColumns.find((column) => plainName(column) === plainName(name));

/** The columns that `group_by` names, or labels of their slots. Throws a Failure if there is none, or one is named twice. */
export async function resolveGroups(
  asked: readonly string[],
  labelsOf: () => Promise<TokenLabels>,
): Promise<GroupColumn[]> {
  const isLabel = (name: string) => !columnNamed(name) && !/^extra\d+$/.test(plainName(name));
  const labels: TokenLabels = asked.some(isLabel) ? await labelsOf() : new Map();
  const columns = asked.map((name) => columnNamed(name) ?? columnNamed(slotLabelled(name, labels) ?? ''));
  const unknown = asked.find((_, index) => columns[index] === undefined);
  if (unknown !== undefined) throw noGroup(unknown, labels);
  if (new Set(columns).size < columns.length)
    throw new Failure(`get_stats was not called: group_by must name each column once at most; got ${show(asked)}.`);
  return columns.flatMap((column) => column ?? []);
}

function noGroup(name: string, labels: TokenLabels): Failure {
  const near = nearestName(name, [...labels.values(), ...groupColumns]);
  const named = [...labels].filter(([slot]) => columnNamed(slot)).map(([slot, label]) => `${slot} (${called(label)})`);
  return new Failure(
    `get_stats was not called: group_by must be a list of any of ${foldNumbered(groupColumns).join(', ')}, or names of tokens; got ${show(name)}${near === undefined ? '.' : `, did you mean ${show(near)}?`}`,
    `${named.length > 0 ? `The tokens are: ${named.join(', ')}. ` : ''}By other columns get_breakdown groups.`,
  );
}

import { shownColumns } from '../analysis/columns/columns.ts';
import { endpointNamed, groupColumns } from '../api/endpoints.ts';
import { Failure } from '../api/failure.ts';
import type { TablesReply } from '../api/table.ts';
import { nearestName, plainName } from '../api/text/names.ts';
import { fromOutside, mention, rawCell, rawText, shown } from '../api/text/tracker-text.ts';
import { tokenColumns, tokenSlots } from '../api/token-slots.ts';
import { listCampaigns, listRecords } from './campaigns.ts';
import { show } from './check-arguments.ts';
import type { CallContext } from './define-tool.ts';
import { labelsOf } from './present/labelled.ts';
import { foldNumbered } from './present/names.ts';
import type { View } from './present/view.ts';

/** What the slots of a campaign's tokens are called, fit to be shown: slot -> label. */
export type TokenLabels = ReadonlyMap<string, string>;

const maxLabelLength = 60;

/** The names that the traffic source of a campaign gives its token slots; none if the tracker does not say them. */
export async function tokenLabels(campaignId: number, context: CallContext): Promise<TokenLabels> {
  const { client, guard, signal } = context;
  const campaigns = endpointNamed('list_campaigns');
  const sources = endpointNamed('list_traffic_sources');
  try {
    if (!guard.offers(campaigns)) return new Map();
    const campaign = (await listCampaigns(client, signal)).find(({ id }) => rawText(id) === String(campaignId));
    if (!campaign) return new Map();
    const own = labelsOf(campaign.fields);
    const sourceName = rawCell(campaign.source);
    if (own.size > 0 || sourceName === null || !guard.offers(sources)) return fitToShow(own);
    const listed = await listRecords(client, 'list_traffic_sources', signal, {});
    const source = listed.find(({ id, name }) => rawText(name) === sourceName || rawText(id) === sourceName);
    return fitToShow(source ? labelsOf(source.fields) : own);
  } catch (error) {
    if (!(error instanceof Failure) || signal?.aborted) throw error;
    return new Map();
  }
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

/**
 * The columns that `group_by` names, by their own names or by the labels of their slots.
 * @throws Failure if there is no such column, or one is named twice
 */
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
  const named = [...labels]
    .filter(([slot]) => columnNamed(slot))
    .map(([slot, label]) => `${slot} (${mention(fromOutside(label))})`);
  return new Failure(
    `get_stats was not called: group_by must be a list of any of ${foldNumbered(groupColumns).join(', ')}, or names of tokens; got ${show(name)}${near === undefined ? '.' : `, did you mean ${show(near)}?`}`,
    `${named.length > 0 ? `The tokens are: ${named.join(', ')}. ` : ''}By other columns get_breakdown groups.`,
  );
}

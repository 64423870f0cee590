import { isEmptyColumn, shownColumns } from '../analysis/columns/columns.ts';
import { placementAmong } from '../analysis/placements.ts';
import { groupBy } from '../analysis/statistics/history.ts';
import type { Token } from '../analysis/tracking-faults.ts';
import type { Note } from '../answer/notes.ts';
import { dimensionNamed } from '../api/dimensions.ts';
import { endpointNamed, groupColumns } from '../api/endpoints.ts';
import { Failure } from '../api/failure.ts';
import type { Table } from '../api/table.ts';
import { parseJson } from '../api/text/json.ts';
import { keptByName } from '../api/text/kept-by-name.ts';
import { foldedName, foldNumbered, nearestName, plainName } from '../api/text/names.ts';
import { fromTracker, type NamedCell, rawCell, rawText, show, shown } from '../api/text/tracker-text.ts';
import { extraSlots, type TokenSlot, tokenColumns, tokenSlots } from '../api/token-slots.ts';
import { optional } from './asking.ts';
import { type ListedCampaign, type ListedRecord, listCampaigns, listRecords } from './campaigns.ts';
import type { CallContext } from './define-tool.ts';
import { indexOfColumn, mentionName, namesIn, type View } from './present/view.ts';

/**
 * Labels of token slots, which a traffic source sets up: it may name Extra1 "Match type". Trackers list the labels in
 * two columns per slot (`ExtraTokenName1`), or as a list of tokens inside one cell.
 */

/** The labels of a campaign's token slots, cleaned for display: slot -> label. */
export type TokenLabels = ReadonlyMap<string, string> & {
  /** The names of their parameters in links, as far as the tracker lists them: slot -> parameters. */
  readonly parameters?: ReadonlyMap<string, readonly string[]>;
  /** The slot of the token that says where an ad was shown, whatever its source calls it. */
  readonly placement?: string | undefined;
  /** The traffic source, by name if it is listed. */
  readonly source?: string | null;
};

/** The name of the dimension that the tokens for the place of an ad are in all traffic sources. */
export const placementDimension = 'placement';

export const isPlacementName = (name: string): boolean => /^placements?$/.test(plainName(name));

export const maxLabelLength = 60;

/** All slots but Cost: the name of a cost is not a label for the column of costs. */
const labelledSlots = tokenSlots.filter((slot) => slot !== 'Cost');

const slots: ReadonlyMap<string, string> = new Map(labelledSlots.map((slot) => [plainName(slot), slot]));

/** The slot for each column of labels: `ExtraTokenName1`, `ExtraName1`, `Extra1TokenName`, `Extra1Name`. */
const slotByLabelColumn: ReadonlyMap<string, TokenSlot> = new Map(
  tokenSlots.flatMap((slot) => {
    const { name } = tokenColumns(slot);
    return [name, name.replace('Token', ''), `${slot}TokenName`, `${slot}Name`].map(
      (column) => [plainName(column), slot] as const,
    );
  }),
);

const slotByPlaceholderColumn: ReadonlyMap<string, TokenSlot> = new Map(
  tokenSlots.map((slot) => [plainName(tokenColumns(slot).placeholder), slot] as const),
);

const slotOf = keptByName((column): string | undefined => slots.get(plainName(column)));

export const isSlot = (name: string): boolean => slotOf(name) !== undefined;

type ListedToken = { readonly slot: TokenSlot } & Partial<Record<'label' | 'parameter' | 'placeholder', string>>;

/** The tokens in the row of a campaign or a traffic source, by slot. */
function tokensIn(fields: readonly NamedCell[]): ReadonlyMap<TokenSlot, ListedToken> {
  const listed = fields.flatMap(([column, cell]): ListedToken[] => {
    const value = rawCell(cell)?.trim() ?? '';
    const name = plainName(rawText(column));
    const [labelled, linked] = [slotByLabelColumn.get(name), slotByPlaceholderColumn.get(name)];
    if (value === '') return [];
    if (labelled !== undefined) return [{ slot: labelled, label: value }];
    if (linked !== undefined) return [{ slot: linked, placeholder: value }];
    return nestedTokensIn(value);
  });
  return new Map([...groupBy(listed, ({ slot }) => slot)].map(([slot, some]) => [slot, Object.assign({}, ...some)]));
}

/** Whether the row of a campaign shows what is in a slot, or that nothing is: also a list of tokens in one cell does. */
function hasColumnsFor(fields: readonly NamedCell[], slot: TokenSlot): boolean {
  return fields.some(([column, cell]) => {
    const name = plainName(rawText(column));
    const shown = slotByLabelColumn.get(name) ?? slotByPlaceholderColumn.get(name);
    return shown === slot || (shown === undefined && nestedTokensIn(rawCell(cell)).length > 0);
  });
}

const nestedTokensIn = (cell: string | null) => (/^\s*[[{]/.test(cell ?? '') ? nestedTokens(cell?.trim() ?? '') : []);

/** `[{"Slot":"Extra1","Name":"Match type","Parameter":"match","Placeholder":"{matchtype}"}, ...]` or `{"Extra1":"Match type"}`. */
function nestedTokens(text: string): ListedToken[] {
  const tree = parseJson(text);
  const items: unknown[] = Array.isArray(tree)
    ? tree
    : Object.entries(tree ?? {}).map(([slot, name]) => ({ slot, name }));
  return items.flatMap((item): ListedToken[] => {
    const entries = Object.entries(item ?? {}).map(([name, value]) => [plainName(name), String(value)] as const);
    const slot = entries.flatMap(([, value]) => tokenSlots.find((one) => plainName(one) === plainName(value)) ?? [])[0];
    const first = (...names: readonly string[]) =>
      names.flatMap(
        (name) => entries.find(([entry, value]) => entry === name && value.trim() !== '')?.[1].trim() ?? [],
      )[0];
    const named = {
      label: first('name', 'label', 'tokenname'),
      parameter: first('parameter', 'param', 'urlparameter'),
      placeholder: first('placeholder', 'macro', 'value'),
    };
    const given = Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
    return slot === undefined || Object.keys(given).length === 0 ? [] : [{ slot, ...given }];
  });
}

/** The labels in the row of a campaign or a traffic source. */
function labelsIn(fields: readonly NamedCell[], source: string | null): TokenLabels {
  const listed = [...tokensIn(fields).values()].filter(({ slot }) => slot !== 'Cost');
  const inLinks = ({ parameter, placeholder }: ListedToken) => [parameter ?? [], placeholder ?? []].flat();
  const labels = listed.flatMap(({ slot, label }): [string, string][] =>
    label === undefined ? [] : [[slot, shown(fromTracker(label), maxLabelLength)]],
  );
  const named = listed.filter(({ slot }) => slot !== 'ExternalID');
  return Object.assign(new Map(labels), {
    source,
    parameters: new Map(listed.map((token) => [token.slot, inLinks(token)])),
    placement: placementAmong(
      source,
      named.map((token) => ({ slot: token.slot, names: [token.label ?? [], inLinks(token)].flat() })),
    ),
  });
}

/** The labels of a campaign's token slots; empty if the tracker does not list them, or they cannot be read. */
export async function tokenLabels(campaignId: number, context: CallContext): Promise<TokenLabels> {
  return (await optional(() => readTokenLabels(campaignId, context), context)) ?? new Map();
}

/** The same. Throws a Failure if they cannot be read. */
export async function readTokenLabels(campaignId: number, context: CallContext): Promise<TokenLabels> {
  const { client, guard, signal } = context;
  if (!guard.offers(endpointNamed('list_campaigns'))) throw new Failure('list_campaigns is not offered.');
  const campaign = (await listCampaigns(client, signal)).find(({ id }) => rawText(id) === String(campaignId));
  return (campaign && (await labelsByCampaign([campaign], context)).get(campaign)) ?? new Map();
}

/** The labels of several campaigns; reads the traffic sources if a campaign lists none. Throws a TrackerFailure. */
export async function labelsByCampaign(
  campaigns: readonly ListedCampaign[],
  context: CallContext,
): Promise<ReadonlyMap<ListedCampaign, TokenLabels>> {
  const labels = new Map(campaigns.map((campaign) => [campaign, labelsIn(campaign.fields, rawCell(campaign.source))]));
  const unlabelled = campaigns.filter((campaign) => labels.get(campaign)?.size === 0 && campaign.source !== null);
  const sources = unlabelled.length === 0 ? new Map<string, ListedRecord>() : await listSources(context);
  const bySource = new Map([...new Set(sources.values())].map((one) => [one, labelsIn(one.fields, rawText(one.name))]));
  for (const campaign of unlabelled) {
    const source = sources.get(rawCell(campaign.source) ?? '');
    const ofSource = source && bySource.get(source);
    if (ofSource) labels.set(campaign, ofSource);
  }
  return labels;
}

/** The tokens that each campaign's traffic source declares, as far as the tracker lists them. Throws a TrackerFailure. */
export async function tokensByCampaign(
  campaigns: readonly ListedCampaign[],
  context: CallContext,
): Promise<ReadonlyMap<ListedCampaign, readonly Token[]>> {
  const isSourced = campaigns.some(({ source }) => rawCell(source) !== null);
  const sources = isSourced ? await listSources(context) : new Map<string, ListedRecord>();
  const bySource = new Map([...sources].map(([key, { fields }]) => [key, tokensIn(fields)]));
  return new Map(
    campaigns.map((campaign) => {
      const [own, declared] = [tokensIn(campaign.fields), bySource.get(rawCell(campaign.source) ?? '')];
      // A list of campaigns may have columns for some slots alone, such as the Extra ones; the source has the others.
      const others =
        own.size > 0 ? [...(declared ?? [])].filter(([slot]) => !hasColumnsFor(campaign.fields, slot)) : [];
      const listed = [...(own.size > 0 ? new Map([...own, ...others]) : (declared ?? new Map())).values()];
      return [campaign, listed.map((token) => tokenOf({ ...declared?.get(token.slot), ...token }))];
    }),
  );
}

const tokenOf = ({ slot, parameter, label = parameter ?? slot, placeholder = '' }: ListedToken): Token => ({
  ...{ slot, label, parameter: parameter ?? null, placeholder },
});

/** The traffic sources by name and by ID, as campaigns name them; empty if they are not offered. */
async function listSources({ client, guard, signal }: CallContext): Promise<ReadonlyMap<string, ListedRecord>> {
  if (!guard.offers(endpointNamed('list_traffic_sources'))) return new Map();
  const records = await listRecords(client, 'list_traffic_sources', signal, {});
  const keys = records.flatMap((record) => [record.name, record.id].map((key) => [rawText(key), record] as const));
  return new Map(keys.toReversed());
}

/** Reads the labels of a call's campaign when they are first needed. */
export function labelsOnDemand(campaignId: number | undefined, context: CallContext): () => Promise<TokenLabels> {
  let labels: Promise<TokenLabels> | undefined;
  return () => {
    labels ??= campaignId ? tokenLabels(campaignId, context) : Promise.resolve(new Map());
    return labels;
  };
}

/** The slot with a label, in any letter case and with any separators, or that of the placement; undefined if there is none. */
export function slotLabelled(label: string, labels: TokenLabels): string | undefined {
  const plain = plainName(label);
  const [slot] = [...labels].find(([, candidate]) => plainName(candidate) === plain) ?? [];
  return slot ?? (isPlacementName(label) ? labels.placement : undefined);
}

/** With fewer characters, a part of a name means nothing. */
const minPart = 3;

/**
 * The slot that is clearly meant by the parameter of its token in links, some words of its label in any order, or a part of either;
 * undefined if there is none or several. A column of this name is to be looked for before.
 */
export function slotNear(name: string, labels: TokenLabels): string | undefined {
  if (isPlacementName(name)) return labels.placement;
  const [plain, words] = [plainName(name), wordsOf(name)];
  if (plain.length < minPart) return undefined;
  const all = [...labels].map(([slot, label]) => ({
    slot,
    plain: plainName(label),
    words: new Set(wordsOf(label)),
    parameters: (labels.parameters?.get(slot) ?? []).map(plainName),
  }));
  const ways: ((one: (typeof all)[number]) => boolean)[] = [
    ({ parameters }) => parameters.includes(plain),
    (one) => words.length > 0 && words.every((word) => one.words.has(word)),
    (one) => [one.plain, ...one.parameters].some((text) => text.includes(plain)),
  ];
  const [only, ...others] = ways.map((isMeant) => all.filter(isMeant)).find(({ length }) => length > 0) ?? [];
  return others.length === 0 ? only?.slot : undefined;
}

const wordsOf = (name: string): readonly string[] => foldedName(name).match(/[\p{L}\p{N}]+/gu) ?? [];

/** Which token a name was taken for. */
export const tokenMeant = (name: string, slot: string, labels: TokenLabels) =>
  ({ code: 'token-meant', name, token: labels.get(slot) ?? slot, slot }) as const;

/** The dimension of a slot that has one, otherwise the slot: `ad` for AdValue. */
export function dimensionOfSlot(slot: string): string {
  return slot === 'AdValue' ? 'ad' : (dimensionNamed(slot) ?? slot);
}

/** The labels of campaigns that are not names of a dimension, the most common first; letter case does not matter. */
export function tokenNames(labels: Iterable<TokenLabels>): readonly string[] {
  const counts = new Map<string, { readonly label: string; count: number }>();
  for (const label of [...labels].flatMap((labelBySlot) => [...labelBySlot.values()])) {
    const entry = counts.get(plainName(label));
    if (entry) entry.count += 1;
    else if (dimensionNamed(label) === undefined) counts.set(plainName(label), { label, count: 1 });
  }
  return [...counts.values()].sort((one, other) => other.count - one.count).map(({ label }) => label);
}

/** The columns of the campaign list with labels and placeholders: many, and rarely asked for. */
const tokenColumnNames: ReadonlySet<string> = new Set(
  tokenSlots.map(tokenColumns).flatMap(({ name, placeholder }) => [plainName(name), plainName(placeholder)]),
);

export const isTokenColumn = (column: string): boolean => tokenColumnNames.has(plainName(column));

type GroupColumn = (typeof groupColumns)[number];

const groupColumnNamed = (name: string): GroupColumn | undefined =>
  groupColumns.find((column) => plainName(column) === plainName(name));

/** The columns for `group_by`, which takes labels too. Throws a Failure if a name is unknown, or two name one column. */
export async function resolveGroups(
  given: readonly string[],
  readLabels: () => Promise<TokenLabels>,
): Promise<GroupColumn[]> {
  const isLabel = (name: string) => !groupColumnNamed(name) && !/^extra\d+$/.test(plainName(name));
  const labels: TokenLabels = given.some(isLabel) ? await readLabels() : new Map();
  const columns = given.map(
    (name) => groupColumnNamed(name) ?? groupColumnNamed(slotLabelled(name, labels) ?? slotNear(name, labels) ?? ''),
  );
  const unknown = given.find((_, index) => columns[index] === undefined);
  if (unknown !== undefined) throw unknownGroup(unknown, labels);
  if (new Set(columns).size < columns.length)
    throw new Failure(`get_stats was not called: group_by must name each column at most once; got ${show(given)}.`);
  return columns.flatMap((column) => column ?? []);
}

function unknownGroup(name: string, labels: TokenLabels): Failure {
  const near = nearestName(name, [...labels.values(), ...groupColumns]);
  const tokens = [...labels]
    .filter(([slot]) => groupColumnNamed(slot))
    .map(([slot, label]) => `${slot} (${mentionName(label)})`);
  return new Failure(
    `get_stats was not called: group_by must be a list of any of ${foldNumbered(groupColumns).join(', ')}, or names of tokens; got ${show(name)}${near === undefined ? '.' : `, did you mean ${show(near)}?`}`,
    `${tokens.length > 0 ? `The tokens are: ${tokens.join(', ')}. ` : ''}get_breakdown groups by other columns.`,
  );
}

/** Whether labels are worth a request: the view names something that is not a column, or shows a filled Extra slot. */
export function needsLabels(tables: readonly Table[], view: View): boolean {
  if (tables.every(({ rowCount }) => rowCount === 0)) return false;
  return namesIn(view).some((name) => !isColumn(tables, name)) || tables.some((table) => showsExtra(table, view));
}

/** The columns that a view names, by themselves or by their labels, and that no table has; none if no table has columns. */
export function unknownIn(tables: readonly Table[], view: View, labels: TokenLabels | undefined): string[] {
  if (tables.every(({ columns }) => columns.length === 0)) return [];
  return namesIn(labels ? withLabels(tables, view, labels) : view).filter((name) => !isColumn(tables, name));
}

function isColumn(tables: readonly Table[], name: string): boolean {
  return tables.some((table) => indexOfColumn(shownColumns(table), name) !== undefined);
}

const extras: ReadonlySet<string | undefined> = new Set(extraSlots);

function showsExtra(table: Table, { columns }: View): boolean {
  const names = shownColumns(table);
  const indexes = columns?.map((name) => indexOfColumn(names, name)) ?? [...names.keys()];
  return indexes.some(
    (index) => index !== undefined && extras.has(slotOf(names[index] ?? '')) && !isEmptyColumn(table, index),
  );
}

/** The view with labels and slots replaced by columns, and with the labels to show. Trackers use either as a heading. */
export function withLabels(tables: readonly Table[], view: View, labels: TokenLabels): View {
  const { columns, where, sort_by } = view;
  const columnOf = (name: string) => {
    if (isColumn(tables, name)) return name;
    // As a heading of the text shows it: `Extra1 (Match type)`.
    const [, head = name] = /^(\S+) \(.*\)$/.exec(name.trim()) ?? [];
    const plain = plainName(head);
    const entry = [...labels].find(([slot, label]) => plainName(slot) === plain || plainName(label) === plain);
    const near = slotNear(head, labels);
    const candidates = [head, ...(entry ?? []), ...(near === undefined ? [] : [near, labels.get(near) ?? near])];
    return candidates.find((candidate) => isColumn(tables, candidate)) ?? name;
  };
  return {
    ...view,
    columns: columns?.map(columnOf),
    where: where?.map((condition) => ({ ...condition, column: columnOf(condition.column) })),
    sort_by: sort_by === undefined ? undefined : columnOf(sort_by),
    labels: new Map(tables.flatMap((table) => labelsOfColumns(table, labels))),
  };
}

/** Which tokens the names of a view were taken for. */
export function nearNotes(tables: readonly Table[], view: View, labels: TokenLabels): Note[] {
  return [...new Set(namesIn(view))].flatMap((name) => {
    if (isColumn(tables, name) || slotLabelled(name, labels) !== undefined || isSlot(name)) return [];
    const slot = slotNear(name, labels);
    return slot === undefined ? [] : [tokenMeant(name, slot, labels)];
  });
}

/** The labels that differ from the name of their column. */
function labelsOfColumns(table: Table, labels: TokenLabels): [column: string, label: string][] {
  return shownColumns(table).flatMap((column): [string, string][] => {
    const label = labels.get(slotOf(column) ?? '');
    return label === undefined || plainName(label) === plainName(column) ? [] : [[column, label]];
  });
}

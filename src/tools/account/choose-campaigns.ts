import type { Note } from '../../answer/notes.ts';
import { Failure } from '../../api/failure.ts';
import { joinWords } from '../../api/rules.ts';
import { Table } from '../../api/table.ts';
import { rawCell, rawText } from '../../api/text/tracker-text.ts';
import { type ListedCampaign, listCampaigns, nameCampaigns } from '../campaigns.ts';
import type { CallContext } from '../define-tool.ts';
import { indexOfColumn } from '../present/view.ts';
import { type Condition, rowsThatMatch } from '../present/where.ts';
import type { Column } from './figures.ts';

export interface CampaignChoice {
  readonly status: 'all' | 'active' | 'inactive';
  readonly campaign_ids?: readonly number[] | undefined;
  readonly where?: readonly Condition[] | undefined;
}

interface WithCampaign {
  readonly campaign: Pick<ListedCampaign, 'id' | 'name' | 'source' | 'active'>;
}

/** The columns by which campaigns can be chosen before they are read. */
export const campaignColumns: readonly Column<WithCampaign>[] = [
  { name: 'ID', cell: ({ campaign }) => rawText(campaign.id) },
  { name: 'Name', cell: ({ campaign }) => rawText(campaign.name) },
  { name: 'Traffic source', cell: ({ campaign }) => rawCell(campaign.source) },
  { name: 'Active', cell: ({ campaign }) => yesOrNo(campaign.active) },
];

/** The same columns in a table of pages, which has its own ID, name and status. */
export const campaignColumnsOfPages: readonly Column<WithCampaign>[] = campaignColumns.map((column) => ({
  ...column,
  name: { ID: 'Campaign ID', Name: 'Campaign', Active: 'Campaign active' }[column.name] ?? column.name,
}));

export const yesOrNo = (value: boolean | null | undefined): string | null =>
  value == null ? null : value ? 'yes' : 'no';

const columnNames = [campaignColumns, campaignColumnsOfPages].map((columns) => columns.map(({ name }) => name));

function indexOfCampaignColumn(column: string): number | undefined {
  return columnNames.map((names) => indexOfColumn(names, column)).find((index) => index !== undefined);
}

/** The column of a table of campaigns by its name there, or in a table of pages. */
export const campaignColumnNamed = (name: string): string =>
  campaignColumns[indexOfCampaignColumn(name) ?? -1]?.name ?? name;

/** Separates conditions on the list of campaigns from those on figures. */
export function splitConditions(where: readonly Condition[]) {
  const isListed = ({ column }: Condition) => indexOfCampaignColumn(column) !== undefined;
  return { onCampaigns: where.filter(isListed), onFigures: where.filter((condition) => !isListed(condition)) };
}

/**
 * The campaigns that a question is about, by one request.
 * @throws Failure if an ID does not exist, or the tracker cannot be asked
 */
export async function chooseCampaigns(
  { status, campaign_ids: ids, where = [] }: CampaignChoice,
  { client, signal }: CallContext,
): Promise<{ readonly campaigns: readonly ListedCampaign[]; readonly notices: readonly Note[] }> {
  const listed = await listCampaigns(client, signal, status);
  if (listed.length === 0) {
    return { campaigns: [], notices: [{ code: 'no-campaigns', status }] };
  }
  const campaigns = ids ? byIds(listed, ids, status) : listed;
  const { onCampaigns } = splitConditions(where);
  if (onCampaigns.length === 0) return { campaigns, notices: [] };
  const cells = campaigns.map((campaign) => campaignColumns.map(({ cell }) => cell({ campaign })));
  const rows = rowsThatMatch(
    Table.fromRows('campaigns', columnNames[0] ?? [], cells),
    onCampaigns.map((condition) => ({ ...condition, index: indexOfCampaignColumn(condition.column) ?? -1 })),
  );
  return {
    campaigns: [...rows].flatMap((row) => campaigns[row] ?? []),
    notices: [{ code: 'campaigns-match', campaigns: rows.length, of: campaigns.length }],
  };
}

function byIds(listed: readonly ListedCampaign[], ids: readonly number[], status: CampaignChoice['status']) {
  const byId = new Map(listed.map((campaign) => [rawText(campaign.id), campaign]));
  const unknown = ids.filter((id) => !byId.has(String(id)));
  if (unknown.length > 0) {
    throw new Failure(
      `There is no campaign ${joinWords(unknown.map(String), 'or')}${status === 'all' ? '' : ` that is ${status}`}.`,
      `The campaigns are: ${nameCampaigns(listed)}.`,
    );
  }
  // An ID and a name may mean one campaign, which counts once.
  return [...new Set(ids)].flatMap((id) => byId.get(String(id)) ?? []);
}

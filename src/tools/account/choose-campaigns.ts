import { Failure } from '../../api/failure.ts';
import { joinWords } from '../../api/rules.ts';
import { Table } from '../../api/table.ts';
import { rawCell, rawText } from '../../api/text/tracker-text.ts';
import { type ListedCampaign, listCampaigns, nameCampaigns } from '../campaigns.ts';
import type { CallContext } from '../define-tool.ts';
import { indexOfColumn } from '../present/view.ts';
import { type Condition, rowsThatMatch } from '../present/where.ts';
import type { Column } from './figures.ts';

/** Which campaigns a question is about. */
export interface CampaignChoice {
  readonly status: 'all' | 'active' | 'inactive';
  readonly campaign_ids?: readonly number[] | undefined;
  readonly where?: readonly Condition[] | undefined;
}

interface OfCampaign {
  readonly campaign: Pick<ListedCampaign, 'id' | 'name' | 'source' | 'active'>;
}

/** What the list of campaigns says, by which campaigns can be chosen before they are asked about. */
export const campaignColumns: readonly Column<OfCampaign>[] = [
  { name: 'ID', cell: ({ campaign }) => rawText(campaign.id) },
  { name: 'Name', cell: ({ campaign }) => rawText(campaign.name) },
  { name: 'Traffic source', cell: ({ campaign }) => rawCell(campaign.source) },
  { name: 'Active', cell: ({ campaign }) => yesOrNo(campaign.active) },
];

/** The same columns in a table that has others of these names. */
export const campaignColumnsAmongPages: readonly Column<OfCampaign>[] = campaignColumns.map((column) => ({
  ...column,
  name: { ID: 'Campaign ID', Name: 'Campaign', Active: 'Campaign active' }[column.name] ?? column.name,
}));

/** How a table says what is true, false or not known. */
export const yesOrNo = (value: boolean | null | undefined): string | null =>
  value == null ? null : value ? 'yes' : 'no';

const campaignColumnNames = [campaignColumns, campaignColumnsAmongPages].map((columns) =>
  columns.map(({ name }) => name),
);

function indexOfCampaignColumn(column: string): number | undefined {
  return campaignColumnNames.map((names) => indexOfColumn(names, column)).find((index) => index !== undefined);
}

/** The conditions on what the list of campaigns says, and those on what they did. */
export function splitConditions(where: readonly Condition[]) {
  const isListed = ({ column }: Condition) => indexOfCampaignColumn(column) !== undefined;
  return { ofCampaigns: where.filter(isListed), ofFigures: where.filter((condition) => !isListed(condition)) };
}

/**
 * The campaigns that a question is about, by one list.
 * @throws Failure if one is named that there is not, or the tracker cannot be asked
 */
export async function chooseCampaigns(
  { status, campaign_ids: ids, where = [] }: CampaignChoice,
  { client, signal }: CallContext,
): Promise<{ readonly campaigns: readonly ListedCampaign[]; readonly notices: readonly string[] }> {
  const listed = await listCampaigns(client, signal, status);
  if (listed.length === 0) {
    const which = status === 'all' ? '' : ` that are ${status}`;
    return { campaigns: [], notices: [`The tracker lists no campaigns${which}.`] };
  }
  const campaigns = ids ? byIds(listed, ids, status) : listed;
  const { ofCampaigns } = splitConditions(where);
  if (ofCampaigns.length === 0) return { campaigns, notices: [] };
  const cells = campaigns.map((campaign) => campaignColumns.map(({ cell }) => cell({ campaign })));
  const rows = rowsThatMatch(
    Table.fromRows('campaigns', campaignColumnNames[0] ?? [], cells),
    ofCampaigns.map((condition) => ({ ...condition, index: indexOfCampaignColumn(condition.column) ?? -1 })),
  );
  return {
    campaigns: [...rows].flatMap((row) => campaigns[row] ?? []),
    notices: [`${rows.length} of ${campaigns.length} campaigns match; only these were read, and totals are over them.`],
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
  return ids.flatMap((id) => byId.get(String(id)) ?? []);
}

import { indexOfColumn } from '../../analysis/columns/columns.ts';
import type { Table } from '../../api/table.ts';
import { rawCell, rawText } from '../../api/text/tracker-text.ts';
import { thingsOf } from '../../api/vocabulary.ts';
import type { ListedCampaign } from '../campaigns.ts';

const { campaignId: idNames, campaign: nameNames } = thingsOf('visitor');

/** What a row of a list says of its campaign. */
export interface CampaignText {
  readonly id: string | null;
  readonly name: string | null;
}

/** Reads what the rows of an account-wide list say of their campaigns; undefined if it has no column for them. */
export function readCampaigns(table: Table): ((row: number) => CampaignText) | undefined {
  const [id, name] = [indexOfColumn(table, idNames), indexOfColumn(table, nameNames)];
  if (id === undefined && name === undefined) return undefined;
  const textIn = (row: number, column: number | undefined) =>
    column === undefined ? null : rawCell(table.text(row, column));
  return (row) => ({ id: textIn(row, id), name: textIn(row, name) });
}

/** Finds the campaign of a row of an account-wide list: by its ID, else by a name that no other has. */
export function campaignFinder(campaigns: readonly ListedCampaign[]) {
  const byId = new Map(campaigns.map((campaign) => [rawText(campaign.id), campaign]));
  const byName = new Map<string, ListedCampaign | undefined>();
  for (const campaign of campaigns) {
    const name = rawText(campaign.name);
    byName.set(name, byName.has(name) ? undefined : campaign);
  }
  const named = (text: string) => (byName.has(text) ? byName.get(text) : byId.get(text));
  return (table: Table): ((row: number) => ListedCampaign | undefined) => {
    const read = readCampaigns(table);
    return (row) => {
      const { id = null, name = null } = read?.(row) ?? {};
      // A campaign that is not listed any more may have the name of one that is.
      return id === null ? named(name ?? '') : (byId.get(id) ?? named(id));
    };
  };
}

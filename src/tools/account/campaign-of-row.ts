import { indexOfColumn } from '../../analysis/columns/columns.ts';
import type { Table } from '../../api/table.ts';
import { rawCell, rawText } from '../../api/text/tracker-text.ts';
import { thingsOf } from '../../api/vocabulary.ts';
import type { ListedCampaign } from '../campaigns.ts';

const { campaignId: idNames, campaign: nameNames } = thingsOf('visitor');

/** Finds the campaign of a row of an account-wide list: by its ID, else by a name that no other has. */
export function campaignFinder(campaigns: readonly ListedCampaign[]) {
  const byId = new Map(campaigns.map((campaign) => [rawText(campaign.id), campaign]));
  const byName = new Map<string, ListedCampaign | undefined>();
  for (const campaign of campaigns) {
    const name = rawText(campaign.name);
    byName.set(name, byName.has(name) ? undefined : campaign);
  }
  return (table: Table): ((row: number) => ListedCampaign | undefined) => {
    const columns = [indexOfColumn(table, idNames), indexOfColumn(table, nameNames)].filter(
      (index) => index !== undefined,
    );
    return (row) => {
      for (const column of columns) {
        const text = rawCell(table.text(row, column)) ?? '';
        const found = byId.get(text) ?? byName.get(text);
        if (found) return found;
      }
      return undefined;
    };
  };
}

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

/** The campaign of a visit: as it is listed, else as the row has it. */
export interface Visited extends CampaignText {
  readonly listed: ListedCampaign | undefined;
}

/** Says of which campaign each row of a list of all campaigns is. */
export function campaignsIn(campaigns: readonly ListedCampaign[]): (table: Table) => (row: number) => Visited {
  const find = campaignFinder(campaigns);
  const known = new Map(campaigns.map((listed) => [listed, visited(listed)]));
  return (table) => {
    const [found, read] = [find(table), readCampaigns(table)];
    return (row) => {
      const listed = found(row);
      const own = listed && known.get(listed);
      return own ?? { id: null, name: null, ...read?.(row), listed: undefined };
    };
  };
}

/** A campaign as each row of its own list has it. */
export const visited = (listed: ListedCampaign): Visited => ({
  id: rawText(listed.id),
  name: rawText(listed.name),
  listed,
});

/** The names that several campaigns have. */
export function sharedNames(campaigns: readonly ListedCampaign[]): ReadonlySet<string> {
  const names = campaigns.map(({ name }) => rawText(name));
  return new Set(names.filter((name, index) => names.indexOf(name) !== index));
}

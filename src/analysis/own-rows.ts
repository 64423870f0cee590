import type { Table } from '../api/table.ts';
import { rawCell } from '../api/text/tracker-text.ts';
import { thingsOf } from '../api/vocabulary.ts';
import { indexOfColumn } from './columns/columns.ts';

const { campaignId: ids } = thingsOf('visitor');
const { name: names } = thingsOf('listed');

/** The campaign of each row of a campaign report, by ID or else by name; undefined if they do not differ. */
function campaignsOf(report: Table): { readonly own: readonly (string | null)[]; readonly byId: boolean } | undefined {
  if (report.rowCount < 2) return undefined;
  const id = indexOfColumn(report, ids);
  const column = id ?? indexOfColumn(report, names);
  const own = column === undefined ? [] : report.column(column).map(rawCell);
  // A row without a campaign is a part of it, or a total.
  return new Set(own.filter((campaign) => campaign !== null)).size < 2 ? undefined : { own, byId: id !== undefined };
}

/** Whether a campaign report has rows of several campaigns, or of several parts of one. */
export const isOfSeveral = (report: Table): boolean => campaignsOf(report) !== undefined;

/**
 * The rows of one campaign in a campaign report: some trackers list all campaigns, whichever is asked for. All rows if none is surely
 * its own.
 */
export async function ownRows(report: Table, id: string, readName: () => Promise<string | undefined>): Promise<Table> {
  const campaigns = campaignsOf(report);
  if (!campaigns) return report;
  const wanted = campaigns.byId ? id : await readName();
  const others = campaigns.own.flatMap((campaign, row) => (campaign === wanted ? [] : [row]));
  return others.length === report.rowCount ? report : report.withoutRows(others);
}

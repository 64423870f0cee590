import { indexOfColumn } from '../analysis/columns/columns.ts';
import { endpointNamed } from '../api/endpoints.ts';
import type { Cell, Table } from '../api/table.ts';
import type { TrackerClient } from '../client/tracker-client.ts';

/** A campaign as the tracker lists it. */
export interface ListedCampaign {
  readonly id: string;
  readonly name: string;
  readonly fields: Readonly<Record<string, Cell>>;
}

const idNames = ['id', 'campaignid', 'campid', 'camp'];
const nameNames = ['name', 'campaignname', 'campaign', 'title'];

/**
 * The campaigns of the tracker. An answer kept for paging serves here too: names rarely change within a minute.
 *
 * @throws Failure where the tracker cannot be asked
 */
export async function listCampaigns(client: TrackerClient, signal?: AbortSignal): Promise<readonly ListedCampaign[]> {
  const { reply } = await client.read(endpointNamed('list_campaigns'), {}, { reuse: true, signal });
  return reply.kind === 'tables' ? reply.tables.flatMap(campaignsOf) : [];
}

function campaignsOf(table: Table): ListedCampaign[] {
  const [id, name] = [indexOfColumn(table, idNames) ?? -1, indexOfColumn(table, nameNames) ?? -1];
  return Array.from({ length: table.rowCount }, (_, row) => row).flatMap((row) => {
    const campaignId = table.text(row, id);
    if (campaignId === null) return [];
    const fields = Object.fromEntries(table.columns.map((column, index) => [column, table.text(row, index)]));
    return [{ id: campaignId, name: table.text(row, name) ?? '', fields }];
  });
}

import { campaignTypeNames, type PageKind, pageKinds, traitsOf } from '../../api/campaign-types.ts';
import { Failure } from '../../api/failure.ts';
import { type NamedCell, rawCell, rawText, shown } from '../../api/text/tracker-text.ts';
import { tokenColumns, tokenSlots } from '../../api/token-slots.ts';
import type { TrackerClient } from '../../client/tracker-client.ts';
import type { VisitedCampaign, VisitedPage } from '../../sandbox/play-visitor.ts';
import type { PageTally } from '../../sandbox/send-visitors.ts';
import { type ListedCampaign, listCampaigns } from '../../tools/campaigns.ts';

/** Reads the embedded tracker's reports for `sandbox traffic`. Only the columns of this tracker are supported. */

/** The UTC days of the visitors. */
export interface Days {
  readonly start: string;
  readonly end: string;
}

/**
 * Reads what visitors need to know of a campaign.
 *
 * @throws Failure if the campaign does not exist, or is inactive
 */
export async function readVisitedCampaign(client: TrackerClient, id: number, days: Days): Promise<VisitedCampaign> {
  const campaigns = await listCampaigns(client);
  const campaign = campaigns.find((listed) => rawText(listed.id) === String(id));
  if (!campaign) {
    const list = campaigns.map((listed) => `${shown(listed.id)} ${shown(listed.name)}`).join(', ');
    throw new Failure(`There is no campaign ${id}.`, `The campaigns are: ${list}.`);
  }
  const fields = recordOf(campaign.fields);
  if (fields['Inactive'] === '1') {
    throw new Failure(`Campaign ${id} is inactive, and takes no visitors.`, 'Choose an active one.');
  }
  const rows = await readPageRows(client, id, days);
  const pages = rows.map(([kind, row]) => toPage(kind, row));
  const type = campaignTypeNames.find((name) => name === fields['Type']);
  const traits = type && traitsOf(type);
  return {
    link: fields['CampaignUrl'] ?? '',
    placeholders: placeholdersOf(campaign),
    pages: new Map(pages.map((page) => [page.id, page])),
    isDirectLink: traits?.isDirectLink === true,
    hasOptionGroups: traits?.hasOptionGroups === true,
  };
}

export async function readTallies(
  client: TrackerClient,
  campaign: number,
  days: Days,
): Promise<ReadonlyMap<number, PageTally>> {
  const rows = await readPageRows(client, campaign, days);
  return new Map(
    rows.map(([, row]) => [
      Number(row['PageID']),
      {
        visitors: Number(row['Views']),
        clicks: Number(row['Clicks']),
        conversions: Number(row['Conversions']),
        cents: Math.round(Number(row['Revenue']) * 100),
      },
    ]),
  );
}

type Row = Readonly<Record<string, string | null>>;

async function readPageRows(
  client: TrackerClient,
  campaign: number,
  { start, end }: Days,
): Promise<(readonly [PageKind, Row])[]> {
  const period = { start_date: start, end_date: end, timezone: 'UTC' };
  const { reply } = await client.read('get_stats', { campaign_id: campaign, reports: [...pageKinds], ...period });
  return pageKinds.flatMap((kind) => {
    const table = reply.tables.find(({ name }) => rawText(name) === kind);
    if (!table) return [];
    return Array.from({ length: table.rowCount }, (_, row) => [kind, recordOf(table.fields(row))] as const);
  });
}

function recordOf(fields: readonly NamedCell[]): Row {
  return Object.fromEntries(fields.map(([name, value]) => [rawText(name), rawCell(value)]));
}

function toPage(kind: PageKind, row: Row): VisitedPage {
  return {
    id: Number(row['PageID']),
    kind,
    name: row['Name'] ?? '',
    active: row['Inactive'] !== '1' && Number(row['Share']) > 0,
    level: Number(row['Level'] ?? 1),
    path: Number(row['Path'] ?? 1),
  };
}

function placeholdersOf(campaign: ListedCampaign): ReadonlyMap<string, string> {
  const fields = recordOf(campaign.fields);
  const placeholders = tokenSlots.map((slot) => [fields[tokenColumns(slot).placeholder] ?? '', slot] as const);
  return new Map(placeholders.filter(([placeholder]) => placeholder !== ''));
}

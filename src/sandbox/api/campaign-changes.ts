import { hasLevel, hasPath, type PageKind, typesWhere } from '../../api/campaign-types.ts';
import type { EndpointArguments } from '../../api/endpoints.ts';
import { joinWords } from '../../api/rules.ts';
import { Refusal } from '../refusal.ts';
import { type Campaign, type Reader, requireCampaign, type Writer } from '../store/database.ts';
import {
  addRecord,
  changeRow,
  type NewRecord,
  type PredefinedKind,
  predefinedTables,
  requireOfferSource,
  unknownRecord,
} from './predefined-records.ts';

const labels: Readonly<Record<PageKind, string>> = {
  landing: 'landing page',
  offer: 'offer',
  thankyou: 'thank-you page',
};
const maxPageId = 2_147_483_647;

/** How a new page copies the record it is made from. */
const copiedColumns: Readonly<Record<PredefinedKind, string>> = {
  landing: 'record.name, record.url, record.active, $share::DECIMAL(9, 4), $level, $path, NULL, 0',
  offer: 'record.name, record.url, record.active, $share::DECIMAL(9, 4), $level, $path, record.source, record.payout',
};

type NewPage = EndpointArguments<'add_landing_page_to_campaign'> & EndpointArguments<'add_offer_to_campaign'>;

/**
 * Places a landing page or offer in a campaign: the predefined one with the ID, or, without one, a new one that becomes a
 * predefined record too. Share is 100, level and path are 1, the page ID is the next free one unless they are given. Throws a
 * Refusal for an unknown campaign or record, a page ID in use, a level or path the campaign does not have, or a source that
 * is not configured.
 */
export async function addPage(
  writer: Writer,
  kind: PredefinedKind,
  predefinedId: number | undefined,
  given: NewPage,
): Promise<void> {
  const campaign = await requireCampaign(writer, given.campaign_id);
  requireFittingPlace(campaign, kind, given);
  const pageId = given.page_id ?? (await nextPageId(writer, campaign));
  await requireFreePageId(writer, campaign, pageId);
  const recordId = predefinedId ?? (await addRecord(writer, kind, newRecord(given)));
  const added = await writer.query(
    `INSERT INTO campaign_pages
     SELECT (SELECT coalesce(max(id), 0) + 1 FROM campaign_pages), $campaign, $pageId, $kind, record.id,
       ${copiedColumns[kind]}
     FROM ${predefinedTables[kind].table} AS record WHERE record.id = $recordId::BIGINT RETURNING id`,
    {
      campaign: campaign.id,
      pageId,
      kind,
      recordId,
      share: given.share ?? 100,
      level: given.level ?? 1,
      path: given.path ?? 1,
    },
  );
  if (added.length === 0) throw unknownRecord(kind, recordId);
}

/** The rules of the contract leave no other case: without the ID of a record there are a name and a url. */
function newRecord({ name, url, ...given }: NewPage): NewRecord {
  if (name === undefined || url === undefined) throw new TypeError('a new page came without a name or url');
  return { ...given, name, url };
}

const pageColumns = ['name', 'url', 'active', 'share', 'level', 'path', 'source', 'payout', 'page_id'];

/**
 * Changes the given fields of a page inside a campaign; the predefined record stays as it is.
 * Throws a Refusal for an unknown campaign or page, a new page ID in use, a level or path the campaign does not have, source
 * or payout of a page that is no offer, or a source that is not configured.
 */
export async function editPage(writer: Writer, given: EndpointArguments<'edit_campaign_page'>): Promise<void> {
  const campaign = await requireCampaign(writer, given.campaign_id);
  const page = await requirePage(writer, campaign, given.page_id);
  requireFittingPlace(campaign, page.kind, given);
  if (page.kind !== 'offer' && (given.source !== undefined || given.payout !== undefined)) {
    throw new Refusal(
      'invalid',
      `source and payout belong to offers; page ${given.page_id} is a ${labels[page.kind]}.`,
    );
  }
  await requireOfferSource(writer, given.source);
  const newPageId = given.new_page_id;
  if (newPageId !== undefined && newPageId !== given.page_id) await requireFreePageId(writer, campaign, newPageId);
  await changeRow(writer, 'campaign_pages', pageColumns, { ...given, page_id: newPageId }, page.id);
}

async function requirePage(
  reader: Reader,
  campaign: Campaign,
  pageId: number,
): Promise<{ id: number; kind: PageKind }> {
  const [row] = await reader.query(
    'SELECT id, kind FROM campaign_pages WHERE campaign_id = $campaign AND page_id = $pageId::BIGINT',
    { campaign: campaign.id, pageId },
  );
  if (row) return { id: Number(row['id']), kind: String(row['kind']) as PageKind };
  throw new Refusal('unknown-record', `Campaign ${campaign.id} has no page with ID ${pageId}.`);
}

async function nextPageId(reader: Reader, campaign: Campaign): Promise<number> {
  const [row] = await reader.query(
    'SELECT coalesce(max(page_id), 0)::BIGINT + 1 AS next FROM campaign_pages WHERE campaign_id = $campaign',
    { campaign: campaign.id },
  );
  return Number(row?.['next']);
}

async function requireFreePageId(reader: Reader, campaign: Campaign, pageId: number): Promise<void> {
  if (pageId > maxPageId) throw new Refusal('invalid', `A page ID is at most ${maxPageId}.`);
  const rows = await reader.query('SELECT 1 FROM campaign_pages WHERE campaign_id = $campaign AND page_id = $pageId', {
    campaign: campaign.id,
    pageId,
  });
  if (rows.length > 0) throw new Refusal('invalid', `Page ID ${pageId} is already in use in campaign ${campaign.id}.`);
}

function requireFittingPlace(
  campaign: Campaign,
  kind: PageKind,
  { level, path }: Pick<NewPage, 'level' | 'path'>,
): void {
  if (level !== undefined && !hasLevel(campaign.type, kind)) {
    throw new Refusal(
      'invalid',
      `level applies only to landing pages of ${listTypes(hasLevel, 'landing')} campaigns;`,
      `this is ${kind === 'offer' ? 'an' : 'a'} ${labels[kind]} of campaign ${campaign.id}, ${campaign.type}.`,
    );
  }
  if (path !== undefined && !hasPath(campaign.type, kind)) {
    throw new Refusal(
      'invalid',
      `path applies to ${labels[kind]}s only in ${listTypes(hasPath, kind)} campaigns;`,
      `campaign ${campaign.id} is ${campaign.type}.`,
    );
  }
}

function listTypes(...which: Parameters<typeof typesWhere>): string {
  return joinWords(typesWhere(...which), 'and') || 'no';
}

const optionColumns = ['engage_rate', 'bid', 'priority', 'pass_subid_to_landing_page', 'pass_subid_to_offer'];

/** Changes the given options of a campaign; throws a Refusal if there is no such campaign. */
export async function editCampaign(writer: Writer, given: EndpointArguments<'edit_campaign'>): Promise<void> {
  const { id } = await requireCampaign(writer, given.campaign_id);
  await changeRow(writer, 'campaigns', optionColumns, given, id);
}

import { hasLevel, hasPath, type PageKind, typesWhere } from '../../api/campaign-types.ts';
import type { EndpointArguments } from '../../api/endpoints.ts';
import { joinWords } from '../../api/rules.ts';
import { type Campaign, type Reader, requireCampaign, type SqlParameters, type Writer } from '../store/database.ts';
import { quoted, Refusal } from '../wire.ts';

type PredefinedKind = 'landing' | 'offer';

interface PredefinedTable {
  readonly table: string;
  /** The columns that can be set, named as their arguments. */
  readonly columns: readonly string[];
  /** How a page in a campaign copies source and payout of the record. */
  readonly copied: string;
}

const landingColumns = ['name', 'url', 'active', 'notes'];

const predefinedTables: Readonly<Record<PredefinedKind, PredefinedTable>> = {
  landing: { table: 'landing_pages', columns: landingColumns, copied: 'NULL, 0' },
  offer: {
    table: 'offers',
    columns: [...landingColumns, 'source', 'payout'],
    copied: 'record.source, record.payout',
  },
};

const labels: Readonly<Record<PageKind, string>> = {
  landing: 'landing page',
  offer: 'offer',
  thankyou: 'thank-you page',
};

/** An offer has all the fields of a landing page. */
type NewRecord = EndpointArguments<'add_offer'>;

/**
 * Creates a predefined landing page or offer, active by default, and returns its ID; "Landing page management" and "Offer
 * management" of the specification.
 *
 * @throws Refusal for a source that is not configured
 */
export async function addRecord(writer: Writer, kind: PredefinedKind, given: NewRecord): Promise<string> {
  await requireOfferSource(writer, given.source);
  const { table, columns } = predefinedTables[kind];
  const record: SqlParameters = { active: true, notes: '', source: null, payout: 0, ...given };
  const [row] = await writer.query(
    `INSERT INTO ${table} (id, ${columns.join(', ')})
     SELECT (SELECT coalesce(max(id), 0) + 1 FROM ${table}), ${columns.map((column) => `$${column}`).join(', ')}
     RETURNING id`,
    Object.fromEntries(columns.map((column) => [column, record[column] ?? null])),
  );
  return String(row?.['id']);
}

/**
 * Changes the given fields of a predefined landing page or offer, and returns its ID.
 *
 * @throws Refusal for an unknown ID, or a source that is not configured
 */
export async function editRecord(
  writer: Writer,
  kind: PredefinedKind,
  id: number,
  changes: Partial<NewRecord>,
): Promise<string> {
  await requireOfferSource(writer, changes.source);
  const { table, columns } = predefinedTables[kind];
  if (!(await changeRow(writer, table, columns, changes, id))) throw unknownRecord(kind, id);
  return String(id);
}

type NewPage = EndpointArguments<'add_landing_page_to_campaign'> & EndpointArguments<'add_offer_to_campaign'>;

/**
 * Adds a landing page or offer to a campaign: the predefined one with the ID, or, without an ID, a new one that becomes a
 * predefined record too. Defaults: share 100, level and path 1, the next free page ID.
 *
 * @throws Refusal for an unknown campaign or record, a page ID in use, a level or path that the campaign does not have, or a
 * source that is not configured
 */
export async function addPage(
  writer: Writer,
  kind: PredefinedKind,
  predefinedId: number | undefined,
  given: NewPage,
): Promise<undefined> {
  const campaign = await requireCampaign(writer, given.campaign_id);
  requireLevelAndPath(campaign, kind, given);
  const pageId = given.page_id ?? (await nextPageId(writer, campaign));
  await requireFreePageId(writer, campaign, pageId);
  const recordId = predefinedId ?? (await addRecord(writer, kind, newRecord(given)));
  const { table, copied } = predefinedTables[kind];
  const added = await writer.query(
    `INSERT INTO campaign_pages
     SELECT (SELECT coalesce(max(id), 0) + 1 FROM campaign_pages), $campaign, $pageId, $kind, record.id,
       record.name, record.url, record.active, $share::DECIMAL(9, 4), $level, $path, ${copied}
     FROM ${table} AS record WHERE record.id = $recordId::BIGINT RETURNING id`,
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

/** The rules of the endpoints guarantee it: without the ID of a record there are a name and a url. */
function newRecord({ name, url, ...given }: NewPage): NewRecord {
  if (name === undefined || url === undefined) throw new TypeError('a new page came without a name or url');
  return { ...given, name, url };
}

const pageColumns = ['name', 'url', 'active', 'share', 'level', 'path', 'source', 'payout', 'page_id'];

/**
 * Changes the given fields of a page in a campaign; the predefined record is not changed.
 *
 * @throws Refusal for an unknown campaign or page, a new page ID in use, a level or path that the campaign does not have,
 * source or payout of a page that is not an offer, or a source that is not configured
 */
export async function editPage(writer: Writer, given: EndpointArguments<'edit_campaign_page'>): Promise<undefined> {
  const campaign = await requireCampaign(writer, given.campaign_id);
  const page = await requirePage(writer, campaign, given.page_id);
  requireLevelAndPath(campaign, page.kind, given);
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

const optionColumns = ['engage_rate', 'bid', 'priority', 'pass_subid_to_landing_page', 'pass_subid_to_offer'];

export async function editCampaign(writer: Writer, given: EndpointArguments<'edit_campaign'>): Promise<undefined> {
  const { id } = await requireCampaign(writer, given.campaign_id);
  await changeRow(writer, 'campaigns', optionColumns, given, id);
}

/** Sets the columns for which there is a change. Returns whether the row exists. */
async function changeRow(
  writer: Writer,
  table: string,
  columns: readonly string[],
  changes: Readonly<Record<string, unknown>>,
  id: number,
): Promise<boolean> {
  const changed = columns.filter((column) => changes[column] !== undefined);
  const assignments = changed.map((column) => `${column} = $${column}`);
  const values = Object.fromEntries(changed.map((column) => [column, changes[column]])) as SqlParameters;
  const sql = `UPDATE ${table} SET ${assignments.join(', ')} WHERE id = $id::BIGINT RETURNING 1`;
  return (await writer.query(sql, { ...values, id })).length > 0;
}

async function requireOfferSource(reader: Reader, source: string | undefined): Promise<void> {
  if (source === undefined) return;
  const rows = await reader.query('SELECT name FROM offer_sources ORDER BY name');
  const names = rows.map(({ name }) => String(name));
  if (names.includes(source)) return;
  const configured = names.length > 0 ? `Configured are ${joinWords(names, 'and')}.` : 'None is configured.';
  throw new Refusal('invalid', `source ${quoted(source)} is not an offer source of this tracker.`, configured);
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

const maxPageId = 2_147_483_647;

async function requireFreePageId(reader: Reader, campaign: Campaign, pageId: number): Promise<void> {
  if (pageId > maxPageId) throw new Refusal('invalid', `A page ID is at most ${maxPageId}.`);
  const rows = await reader.query('SELECT 1 FROM campaign_pages WHERE campaign_id = $campaign AND page_id = $pageId', {
    campaign: campaign.id,
    pageId,
  });
  if (rows.length > 0) throw new Refusal('invalid', `Page ID ${pageId} is already in use in campaign ${campaign.id}.`);
}

function requireLevelAndPath(
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

function unknownRecord(kind: PredefinedKind, id: number | string): Refusal {
  return new Refusal('unknown-record', `There is no ${labels[kind]} with ID ${id}.`);
}

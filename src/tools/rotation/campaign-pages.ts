import * as z from 'zod';
import { groupPages, type PageGroup, type PlacedPage, readPlacedPages } from '../../analysis/page-rows.ts';
import type { Endpoint, endpoints } from '../../api/endpoints.ts';
import { Failure } from '../../api/failure.ts';
import type { ReceiptReply } from '../../api/table.ts';
import { fromTracker, quoted, rawCell, rawText } from '../../api/text/tracker-text.ts';
import { fieldNamed, namesOf } from '../../api/vocabulary.ts';
import type { ReadOptions } from '../../client/tracker-client.ts';
import { askQuickly, optional } from '../asking.ts';
import { type ListedCampaign, listCampaigns } from '../campaigns.ts';
import type { CallContext, Given } from '../define-tool.ts';
import { shiftDays, today } from '../period.ts';

/** A report may show only pages that had visits: so many days back show those that matter. */
export const reportDays = 30;

/** The landing pages and offers of a campaign as they stand now. */
export interface CampaignPages {
  readonly campaign: ListedCampaign | undefined;
  readonly pages: readonly PlacedPage[];
  readonly groups: readonly PageGroup[];
  /** Whether landing pages and offers compete for the same visitors. */
  readonly sharesOnePool: boolean;
}

/** Reads the pages of a campaign anew. Throws a TrackerFailure if the tracker cannot be asked or refuses. */
export async function readCampaignPages(
  campaignId: number,
  context: CallContext,
  how: Pick<ReadOptions, 'once'> = {},
): Promise<CampaignPages> {
  const [pages, campaign] = await Promise.all([
    readPages(campaignId, context, how),
    // Of the campaign its type is needed, and that a list from a minute ago tells as well.
    optional(() => findCampaign(campaignId, context, { ...how, reuse: true }), context),
  ]);
  const sharesOnePool = isDirectAndLanding(campaign);
  return { campaign, pages, groups: groupPages(pages, sharesOnePool), sharesOnePool };
}

/** Reads what the landing and offer reports of a campaign show, anew. Throws a TrackerFailure if they cannot be had. */
export async function readPages(
  campaignId: number,
  { client, signal, timeZone, now }: CallContext,
  how: Pick<ReadOptions, 'once'> = {},
): Promise<readonly PlacedPage[]> {
  // The tracker's day may be one ahead of ours.
  const end = shiftDays(today(timeZone, now()), 1);
  const reports = ['landing', 'offer'] as const;
  const question = {
    campaign_id: campaignId,
    reports: [...reports],
    start_date: shiftDays(end, -reportDays),
    end_date: end,
  };
  const { reply } = await client.read('get_stats', question, { signal, ...how });
  return reports.flatMap((kind) => {
    const table = reply.tables.find(({ name }) => rawText(name) === kind);
    return table ? readPlacedPages(table, kind) : [];
  });
}

/** The campaign as the list has it. Throws a TrackerFailure if the tracker cannot be asked. */
export async function findCampaign(
  campaignId: number,
  { client, signal }: CallContext,
  how: Pick<ReadOptions, 'once' | 'reuse'>,
): Promise<ListedCampaign | undefined> {
  return (await listCampaigns(client, signal, 'all', how)).find(({ id }) => rawText(id) === String(campaignId));
}

/** Campaigns that send some visitors straight to an offer: all their pages are in one pool. */
export function isDirectAndLanding(campaign: ListedCampaign | undefined): boolean {
  const type = rawCell(fieldNamed(campaign?.fields ?? [], namesOf('listed', 'type'))) ?? '';
  return /direct/i.test(type) && /landing/i.test(type);
}

/** The page with an ID, and the group it is in; undefined if no report shows it. */
export function findPage({ pages, groups }: CampaignPages, pageId: number | undefined) {
  const page = pages.find((candidate) => candidate.pageId === String(pageId));
  const group = page && groups.find((candidate) => candidate.pages.includes(page));
  return group && { page, group };
}

/** The same; the failure names the pages there are. */
export function requirePage(campaign: CampaignPages, pageId: number, campaignId: number) {
  const found = findPage(campaign, pageId);
  if (found) return found;
  const known = campaign.pages.map(describePage).slice(0, maxNamed);
  throw new Failure(
    `Campaign ${campaignId} shows no page ${pageId} in its landing and offer reports.`,
    known.length === 0
      ? 'It shows no pages with IDs at all: get_stats with reports landing and offer has what there is.'
      : `Its pages are: ${known.join('; ')}.`,
  );
}

const maxNamed = 40;

/** `3 “FitTrack coaching” (offer)` */
export function describePage({ pageId, name, kind }: PlacedPage): string {
  const called = name === null ? '' : ` ${quoted(name, 60)}`;
  return `${pageId}${called} (${kind === 'offer' ? 'offer' : 'landing page'})`;
}

type WriteArgument = (typeof endpoints)[number] extends infer Row
  ? Row extends { readonly parameters: infer Parameters }
    ? keyof Parameters
    : never
  : never;

const number = z.number().optional().catch(undefined);
const flag = z.boolean().optional().catch(undefined);

const written = z.object({
  campaign_id: number,
  page_id: number,
  new_page_id: number,
  landing_page_id: number,
  offer_id: number,
  name: z.string().optional().catch(undefined),
  share: number,
  active: flag,
  level: number,
  path: number,
  bid: number,
} satisfies { readonly [Name in WriteArgument]?: z.ZodType });

/** What a write is about, and what of it has an effect beyond its record, by the names in the table of endpoints. */
export function argumentsOf(given: Given): z.output<typeof written> {
  return written.parse(given);
}

/**
 * The reply to a write, with the ID of what it added, without which that could not be taken back: if the tracker did not name
 * it, of the page that its reports show beside those before. The write was sent, so no failure here is thrown.
 */
export async function findAddedPage(
  reply: ReceiptReply,
  { endpoint, given, pages }: { endpoint: Endpoint; given: Given; pages: readonly PlacedPage[] | undefined },
  context: CallContext,
): Promise<ReceiptReply> {
  if (endpoint.access !== 'create') return reply;
  const { id } = reply.receipt;
  const { campaign_id, page_id, landing_page_id, offer_id, name } = argumentsOf(given);
  // A page that is placed from an existing record: a tracker may answer with the ID that it was sent, which is not the page's.
  const source = landing_page_id ?? offer_id;
  const named = source !== undefined && id !== null && rawText(id) === String(source) ? null : id;
  const isKnown = named !== null || !pages || campaign_id === undefined || page_id !== undefined;
  if (isKnown) return { ...reply, receipt: { ...reply.receipt, id: named } };
  const kind = 'offer_id' in endpoint.parameters ? 'offer' : 'landing';
  const before = new Set(pages.filter((page) => page.kind === kind).map((page) => page.pageId));
  const read = askQuickly(context, (quick) => readCampaignPages(campaign_id, quick, { once: true }));
  const now = await read.catch((error: unknown) => context.onDefect?.(error));
  const added = (now?.pages ?? []).filter(
    (page) => page.kind === kind && !before.has(page.pageId) && [undefined, rawCell(page.name)].includes(name),
  );
  const [found] = added.length === 1 ? added : [];
  return { ...reply, receipt: { ...reply.receipt, id: found ? fromTracker(found.pageId) : null } };
}

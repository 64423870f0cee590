import * as z from 'zod';
import {
  finderOf,
  groupPages,
  type MeasuredPage,
  type PageGroup,
  type PlacedPage,
  readPlacedPages,
} from '../../analysis/page-rows.ts';
import { type NamedPage, namePage } from '../../answer/write-notes.ts';
import type { endpoints } from '../../api/endpoints.ts';
import { Failure } from '../../api/failure.ts';
import type { ReceiptReply } from '../../api/table.ts';
import { fromTracker, quoted, rawCell, rawText } from '../../api/text/tracker-text.ts';
import type { ReadOptions } from '../../client/tracker-client.ts';
import type { WriteRequest } from '../../guard/write.ts';
import { askQuickly, onceInCall, optional } from '../asking.ts';
import { type ListedCampaign, listCampaignsNow } from '../campaigns.ts';
import type { CallContext, Given } from '../define-tool.ts';
import { recentDays } from '../page-lacks.ts';
import { daysBack, type Pool, readPool, reportDays } from './pool.ts';

/** The landing pages and offers of a campaign as they are now. */
export interface CampaignPages {
  readonly campaign: ListedCampaign | undefined;
  readonly pages: readonly MeasuredPage[];
  readonly groups: readonly PageGroup[];
  readonly pool: Pool;
  /** The pages with their figures of the last days; undefined if those could not be read. */
  readonly lately: readonly MeasuredPage[] | undefined;
  /** The first days, YYYY-MM-DD, of both reports. */
  readonly since: { readonly pages: string; readonly lately: string };
}

/** Reads the pages of a campaign, not from the cache. Throws a TrackerFailure if that fails. */
export async function readCampaignPages(
  campaignId: number,
  context: CallContext,
  how: Pick<ReadOptions, 'once'> = {},
): Promise<CampaignPages> {
  const [pages, campaign, lately] = await Promise.all([
    readPagesNow(campaignId, context, how),
    // Only its name and type are needed.
    optional(() => findCampaign(campaignId, context, how), context),
    optional(
      () => askQuickly(context, (quick) => readPages(campaignId, quick, { once: true }, daysBack(context, recentDays))),
      context,
    ),
  ]);
  const pool = await readPool({ campaign, pages }, context);
  const since = { pages: daysBack(context, reportDays).start, lately: daysBack(context, recentDays).start };
  return { campaign, pages, groups: groupPages(pages, pool === 'one'), pool, lately, since };
}

/** The pages of a campaign as a write finds them. Throws a TrackerFailure if they cannot be read. */
export function readPagesNow(
  campaignId: number,
  context: CallContext,
  how: Pick<ReadOptions, 'once'> = {},
): Promise<readonly MeasuredPage[]> {
  return onceInCall(`pages of ${campaignId}`, context, () => readPages(campaignId, context, how));
}

/** Reads the pages in the landing and offer reports of a campaign, by default not from the cache. Throws a TrackerFailure if that fails. */
export async function readPages(
  campaignId: number,
  context: CallContext,
  how: Pick<ReadOptions, 'once' | 'reuse'> = {},
  { start, end } = daysBack(context, reportDays),
): Promise<readonly MeasuredPage[]> {
  const { client, signal } = context;
  const reports = ['landing', 'offer'] as const;
  const question = { campaign_id: campaignId, reports: [...reports], start_date: start, end_date: end };
  const { reply } = await client.read('get_stats', question, { signal, ...how });
  const reportOf = finderOf(reply.tables, reports);
  return reports.flatMap((kind) => {
    const table = reportOf(kind);
    return table ? readPlacedPages(table, kind) : [];
  });
}

/** Reads a campaign from the list. Throws a TrackerFailure if that fails. */
export async function findCampaign(
  campaignId: number,
  context: CallContext,
  how: Pick<ReadOptions, 'once'>,
): Promise<ListedCampaign | undefined> {
  return (await listCampaignsNow(context, how)).find(({ id }) => rawText(id) === String(campaignId));
}

/** The page with an ID, and its group. Throws a Failure that names the pages there are. */
export function requirePage({ pages, groups }: CampaignPages, pageId: number, campaignId: number) {
  const page = pages.find((candidate) => candidate.pageId === String(pageId));
  const group = page && groups.find((candidate) => candidate.pages.includes(page));
  if (group) return { page, group };
  const names = pages.map(describePage).slice(0, maxNamed);
  throw new Failure(
    `Campaign ${campaignId} shows no page ${pageId} in its landing and offer reports.`,
    names.length === 0
      ? 'It shows no pages with IDs at all: get_stats with reports landing and offer has what there is.'
      : `Its pages are: ${names.join('; ')}.`,
  );
}

const maxNamed = 40;

export const namedPage = ({ pageId: id, name, kind }: PlacedPage): NamedPage => ({
  ...{ id, name: rawCell(name) ?? undefined, kind },
});

/** `3 “FitTrack coaching” (offer)` */
export const describePage = (page: PlacedPage): string => namePage(namedPage(page));

export function quotedCampaign({ name }: ListedCampaign): string {
  return quoted(name, 80);
}

/** A page's name in quotation marks; undefined if the reports do not show it. */
export function quotedPage(page: PlacedPage | undefined): string | undefined {
  return page?.name ? quoted(page.name, 60) : undefined;
}

type WriteArgument = (typeof endpoints)[number] extends infer Row
  ? Row extends { readonly parameters: infer Parameters }
    ? keyof Parameters
    : never
  : never;

const number = z.number().optional().catch(undefined);

const writeArguments = z.object({
  campaign_id: number,
  page_id: number,
  new_page_id: number,
  landing_page_id: number,
  offer_id: number,
  name: z.string().optional().catch(undefined),
  share: number,
  active: z.boolean().optional().catch(undefined),
  level: number,
  path: number,
  bid: number,
} satisfies { readonly [Name in WriteArgument]?: z.ZodType });

/** The arguments of a write that name its record or affect traffic. */
export function argumentsOf(given: Given): z.output<typeof writeArguments> {
  return writeArguments.parse(given);
}

/** As much of a page as tells it from one that is added. */
export type KnownPage = Pick<PlacedPage, 'kind' | 'pageId'>;

/**
 * The reply to a request, with the ID of the page that it added, which an undo needs. If the tracker does not return the ID, the new
 * page in the reports has it. Never throws a Failure, because the request was sent.
 *
 * @param before the pages before the request; undefined if they are unknown
 */
export async function withAddedPage(
  reply: ReceiptReply,
  request: WriteRequest,
  before: readonly KnownPage[] | undefined,
  context: CallContext,
): Promise<ReceiptReply> {
  if (request.endpoint.access !== 'create') return reply;
  const { id } = reply.receipt;
  const { campaign_id, page_id, landing_page_id, offer_id, name } = argumentsOf(request.arguments);
  // A tracker may return the ID of the predefined record that it was sent, which is not the ID of the page.
  const source = landing_page_id ?? offer_id;
  const returned = source !== undefined && id !== null && rawText(id) === String(source) ? null : id;
  const withId = (pageId: typeof id) => ({ ...reply, receipt: { ...reply.receipt, id: pageId } });
  if (returned !== null || !before || campaign_id === undefined || page_id !== undefined) return withId(returned);
  const kind = kindAdded(request);
  const oldIds = new Set(before.filter((page) => page.kind === kind).map((page) => page.pageId));
  const read = askQuickly(context, (quick) => readPages(campaign_id, quick, { once: true }));
  const after = (await read.catch((error: unknown) => context.onDefect?.(error))) ?? [];
  const [added, ...others] = after.filter(
    (page) => page.kind === kind && !oldIds.has(page.pageId) && [undefined, rawCell(page.name)].includes(name),
  );
  return withId(added && others.length === 0 ? fromTracker(added.pageId) : null);
}

export function kindAdded({ endpoint }: WriteRequest): PlacedPage['kind'] {
  return 'offer_id' in endpoint.parameters ? 'offer' : 'landing';
}

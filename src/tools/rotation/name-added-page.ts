import type { PlacedPage } from '../../analysis/placed-pages.ts';
import type { Endpoint } from '../../api/endpoints.ts';
import { Failure } from '../../api/failure.ts';
import type { ReceiptReply } from '../../api/table.ts';
import { fromTracker, rawCell, rawText } from '../../api/text/tracker-text.ts';
import { askQuickly } from '../asking/ask-quickly.ts';
import type { CallContext, Given } from '../define-tool.ts';
import { readCampaignPages } from './campaign-pages.ts';

/** The pages of the kind that a campaign had before one was added; undefined where nobody could tell, or needs to know. */
export async function pagesAhead(
  endpoint: Endpoint,
  given: Given,
  context: CallContext,
): Promise<readonly PlacedPage[] | undefined> {
  const isNamed = given['page_id'] !== undefined;
  return endpoint.access === 'create' && endpoint.record === 'campaign_page' && !isNamed && !given['dry_run']
    ? pagesOf(endpoint, given, context)
    : undefined;
}

/**
 * The reply to a write, with the ID of what it added where the tracker did not name it and its reports show one page more than
 * ahead of it. Without the ID the addition could not be taken back.
 */
export async function nameAdded(
  reply: ReceiptReply,
  { endpoint, given, ahead }: { endpoint: Endpoint; given: Given; ahead: readonly PlacedPage[] | undefined },
  context: CallContext,
): Promise<ReceiptReply> {
  if (endpoint.access !== 'create') return reply;
  const { id } = reply.receipt;
  // Where a page is placed from an existing record, a tracker may answer with the ID that it was sent, which is not the page's.
  const isEcho = given['landing_page_id'] !== undefined || given['offer_id'] !== undefined;
  const named =
    isEcho && id !== null && rawText(id) === String(given['landing_page_id'] ?? given['offer_id']) ? null : id;
  if (named !== null || !ahead) return { ...reply, receipt: { ...reply.receipt, id: named } };
  const before = new Set(ahead.map(({ pageId }) => pageId));
  const now = (await pagesOf(endpoint, given, context)) ?? [];
  const added = now.filter(
    ({ pageId, name }) => !before.has(pageId) && [undefined, rawCell(name)].includes(textOf(given)),
  );
  const [found] = added.length === 1 ? added : [];
  return { ...reply, receipt: { ...reply.receipt, id: found ? fromTracker(found.pageId) : null } };
}

function textOf({ name }: Given): string | undefined {
  return typeof name === 'string' ? name : undefined;
}

async function pagesOf(
  endpoint: Endpoint,
  given: Given,
  context: CallContext,
): Promise<readonly PlacedPage[] | undefined> {
  const kind = 'offer_id' in endpoint.parameters ? 'offer' : 'landing';
  try {
    const read = await askQuickly(context, (quick) =>
      readCampaignPages(Number(given['campaign_id']), quick, { once: true }),
    );
    return read.pages.filter((page) => page.kind === kind);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return undefined;
  }
}

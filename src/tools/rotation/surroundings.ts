import type { PlacedPage } from '../../analysis/placed-pages.ts';
import { rawCell } from '../../api/text/tracker-text.ts';
import type { TrackerRequest } from '../../client/request.ts';
import { knownRecord, type Present } from './values-before.ts';

/** What a yes rests on beside the values that are changed, as texts that are compared later, by what each is. */
export type Surroundings = Readonly<Record<string, string>>;

/**
 * Reads what a person who agrees to these writes takes for granted: the pages that share the traffic with the one that is
 * changed, and what a predefined offer or landing page is that is placed. A page whose URL has become another one is not the
 * page that traffic was meant for.
 *
 * @throws TrackerFailure where the tracker cannot be asked
 */
export async function surroundingsOf(requests: readonly TrackerRequest[], present: Present): Promise<Surroundings> {
  const found = await Promise.all(requests.map((request) => around(request, present)));
  return Object.fromEntries(found.flat());
}

async function around(
  { endpoint, arguments: given }: TrackerRequest,
  present: Present,
): Promise<readonly (readonly [string, string])[]> {
  if (endpoint.record !== 'campaign_page') return [];
  const campaignId = Number(given['campaign_id']);
  const { groups } = await present.pages(campaignId);
  const pageId = String(given['page_id']);
  const isEdit = endpoint.access === 'update';
  const rivals = groups.flatMap(({ pages }) => (!isEdit || pages.some((page) => page.pageId === pageId) ? pages : []));
  const pages = rivals.map((page) => [`page ${page.pageId} of campaign ${campaignId}`, told(page)] as const);
  const records = (['offer_id', 'landing_page_id'] as const).filter((name) => given[name] !== undefined);
  const placed = records.map(async (name) => {
    const { dry_run: _, ...known } = await knownRecord(name, String(given[name]), present.changes);
    return [`${name.replace('_id', '').replace('_', ' ')} ${given[name]}`, JSON.stringify(known)] as const;
  });
  return [...pages, ...(await Promise.all(placed))];
}

function told({ kind, name, url, source, active, share, level, path, payout }: PlacedPage): string {
  return JSON.stringify([kind, rawCell(name), rawCell(url), rawCell(source), active, share, level, path, payout]);
}

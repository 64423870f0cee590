import { parse as parseCookies } from 'hono/utils/cookie';
import type { Campaign, CampaignPage } from '../rotation/campaign.ts';
import { click } from '../rotation/journey.ts';
import { pageUrl } from '../rotation/page-url.ts';
import { type Answer, readId, redirect, requireActive, requireMethod, subidCookie, unknownSubid } from './answers.ts';
import type { Visitor } from './known-visitors.ts';
import { findLastPage } from './known-visitors.ts';
import type { TrafficServices } from './services.ts';
import { TurnedAway } from './turned-away.ts';
import type { VisitorRequest } from './visitor-request.ts';

/**
 * A click on a page's call to action: `/base2.php?id=<page ID>`, the visitor known by `subid` or by cookie. The ID is that
 * of the page that was clicked, or, where a page has several calls to action, of an offer of the option that was meant.
 */
export async function followCallToAction(
  request: VisitorRequest,
  campaigns: ReadonlyMap<number, Campaign>,
  { visitors, recorder, random, now }: TrafficServices,
): Promise<Answer> {
  requireMethod(request, ['GET']);
  const { parameter, headers } = request;
  const subid = parameter('subid') || parseCookies(headers.cookie ?? '', subidCookie)[subidCookie];
  if (!subid) {
    throw new TurnedAway(
      'malformed',
      'Whose click this is cannot be told: there is neither a subid nor a cookie.',
      'Pass the subID on to the landing page, and from there to this link.',
    );
  }
  const visitor = await visitors.find(subid);
  const campaign = visitor && campaigns.get(visitor.campaignId);
  if (!visitor || !campaign) throw unknownSubid();
  requireActive(campaign);
  const { from, optionGroup } = readCallToAction(parameter('id'), campaign, visitor);
  const { clickId, path } = visitor;
  return recorder.whenRoom(() => {
    const next = click(campaign, { clickId, at: now().getTime(), path, from, optionGroup }, random);
    if (next.kind === 'nowhere') throw new TurnedAway('no-page', next.reason);
    recorder.recordClick(next.step, next.subscriber);
    visitors.moveOn(visitor, next.page.id);
    return redirect(pageUrl(campaign, next.page, subid), next.page.pageId);
  });
}

/** Which page was clicked, and which of its options. */
function readCallToAction(
  id: string | null,
  campaign: Campaign,
  visitor: Visitor,
): { from: CampaignPage; optionGroup: number | undefined } {
  const pageId = id === null ? undefined : readId(id, 'id', 'a page ID');
  const named = campaign.pages.find((page) => page.pageId === pageId);
  if (pageId !== undefined && !named) {
    throw new TurnedAway('unknown-page', `Campaign ${campaign.id} has no page ${pageId}.`);
  }
  const optionGroup = named?.kind === 'offer' ? named.path : undefined;
  if (named && visitor.pages.includes(named.id) && named.kind !== 'offer') return { from: named, optionGroup };
  // A page that this visitor was never sent to cannot have been clicked: the click is on the last one it was sent to.
  const from = findLastPage(visitor, campaign, (page) => page.kind !== 'offer');
  if (!from) throw new TurnedAway('unknown-page', 'This visitor was sent to no landing page.');
  return { from, optionGroup };
}

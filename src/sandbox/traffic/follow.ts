import { parse as parseCookies } from 'hono/utils/cookie';
import { type Campaign, type CampaignPage, hasPaths } from '../rotation/choose-page.ts';
import { arrive, click, pageUrl } from '../rotation/journey.ts';
import type { Random } from '../rotation/random.ts';
import { type Answer, readId, redirect, requireActive, requireMethod, subidCookie, TurnedAway } from './answers.ts';
import { findLastPage, type KnownVisitors, type Visitor } from './known-visitors.ts';
import type { Recorder } from './recorder.ts';
import { readOrigin, type VisitorRequest } from './visitor-request.ts';

export interface TrafficServices {
  readonly visitors: KnownVisitors;
  readonly recorder: Recorder;
  readonly random: Random;
  readonly now: () => Date;
}

const pathCookie = (campaignId: number) => `tracker_path_${campaignId}`;
const cookieAttributes = `; Path=/; Max-Age=${30 * 24 * 60 * 60}; HttpOnly; SameSite=Lax`;

/** A campaign link: `/base.php?c=<campaign>&key=<link key>` and the parameters of the traffic source's tokens. */
export async function followLink(
  request: VisitorRequest,
  campaigns: ReadonlyMap<number, Campaign>,
  { visitors, recorder, random, now }: TrafficServices,
): Promise<Answer> {
  requireMethod(request, ['GET']);
  const { parameter, headers } = request;
  const campaign = campaigns.get(readId(parameter('c'), 'c', 'the campaign ID'));
  if (!campaign) throw new TurnedAway('unknown-campaign', 'There is no campaign with this ID.');
  if (parameter('key') !== campaign.linkKey) {
    throw new TurnedAway(
      'wrong-key',
      'The key of the link is not that of the campaign.',
      'Copy the campaign URL from the campaign list.',
    );
  }
  requireActive(campaign);
  return recorder.whenRoom(() => {
    const pathName = hasPaths(campaign) ? pathCookie(campaign.id) : undefined;
    const clickId = recorder.nextClickId();
    const arrival = arrive(
      campaign,
      {
        clickId,
        at: now().getTime(),
        parameter,
        origin: readOrigin(request),
        referrer: headers.referer || null,
        keptPath: pathName && headers.cookie ? Number(parseCookies(headers.cookie, pathName)[pathName]) : undefined,
      },
      random,
    );
    if (arrival.kind === 'nowhere') throw new TurnedAway('no-page', arrival.reason);
    const { page, visit, step } = arrival;
    recorder.recordVisit(visit, step);
    visitors.add({ clickId, subid: visit.subid, campaignId: campaign.id, path: visit.path, pages: [page.id] });
    const cookies = [`${subidCookie}=${visit.subid}${cookieAttributes}`];
    if (pathName) cookies.push(`${pathName}=${visit.path}${cookieAttributes}`);
    return redirect(pageUrl(campaign, page, visit.subid), page.pageId, cookies);
  });
}

/**
 * A click on a page's call to action: `/base2.php?id=<page ID>`, the visitor known by `subid` or by cookie. The ID is that
 * of the page that was clicked, or, if it has several calls to action, of an offer of the option that was meant.
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
  const { visitor, campaign } = await requireVisitor(subid, visitors, campaigns);
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

/** The visitor with a SubID, and the campaign that it visited. Throws TurnedAway if there is none. */
export async function requireVisitor(subid: string, visitors: KnownVisitors, campaigns: ReadonlyMap<number, Campaign>) {
  const visitor = await visitors.find(subid);
  const campaign = visitor && campaigns.get(visitor.campaignId);
  if (visitor && campaign) return { visitor, campaign };
  const next = 'Send back the whole subID as it was passed on.';
  throw new TurnedAway('unknown-subid', 'No visitor has this subid.', next);
}

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

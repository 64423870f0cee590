import { parse as parseCookies } from 'hono/utils/cookie';
import type { Campaign } from '../rotation/campaign.ts';
import { hasPaths } from '../rotation/choose-page.ts';
import { arrive } from '../rotation/journey.ts';
import { pageUrl } from '../rotation/page-url.ts';
import { type Answer, readId, redirect, requireActive, requireMethod, subidCookie } from './answers.ts';
import { readOrigin } from './read-origin.ts';
import type { TrafficServices } from './services.ts';
import { TurnedAway } from './turned-away.ts';
import type { VisitorRequest } from './visitor-request.ts';

const methods = ['GET'];
const pathCookie = (campaignId: number) => `tracker_path_${campaignId}`;
const cookieAttributes = `; Path=/; Max-Age=${30 * 24 * 60 * 60}; HttpOnly; SameSite=Lax`;

/** A campaign link: `/base.php?c=<campaign>&key=<link key>` and the parameters of the traffic source's tokens. */
export function followLink(
  request: VisitorRequest,
  campaigns: ReadonlyMap<number, Campaign>,
  { visitors, recorder, random, now }: TrafficServices,
): Answer | Promise<Answer> {
  requireMethod(request, methods);
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

import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import { readId, readQuery, redirect, requireActive, requireMethod, subidCookie } from './answers.ts';
import { hasPaths } from './choose-page.ts';
import { arrive } from './journey.ts';
import { pageUrl } from './page-url.ts';
import { readOrigin } from './read-origin.ts';
import type { TrafficServices } from './traffic-services.ts';
import { TurnedAway } from './turned-away.ts';

const pathCookie = (campaignId: number) => `tracker_path_${campaignId}`;
const cookieAttributes = `; Path=/; Max-Age=${30 * 24 * 60 * 60}; HttpOnly; SameSite=Lax`;

/** A campaign link: `/base.php?c=<campaign>&key=<link key>` and the parameters of the traffic source's tokens. */
export async function followLink(
  context: Context,
  { setup, visitors, recorder, random, now }: TrafficServices,
): Promise<Response> {
  requireMethod(context, ['GET']);
  const query = readQuery(context);
  const campaign = (await setup.campaigns()).get(readId(query.get('c'), 'c', 'the campaign ID'));
  if (!campaign) throw new TurnedAway('unknown-campaign', 'There is no campaign with this ID.');
  if (query.get('key') !== campaign.linkKey) {
    throw new TurnedAway(
      'wrong-key',
      'The key of the link is not that of the campaign.',
      'Copy the campaign URL from the campaign list.',
    );
  }
  requireActive(campaign);
  const clickId = recorder.nextClickId();
  const arrival = arrive(
    campaign,
    {
      clickId,
      at: now().getTime(),
      parameter: (name) => query.get(name),
      origin: readOrigin(context),
      referrer: context.req.header('referer') || null,
      keptPath: hasPaths(campaign) ? Number(getCookie(context, pathCookie(campaign.id))) : undefined,
    },
    random,
  );
  if (arrival.kind === 'nowhere') throw new TurnedAway('no-page', arrival.reason);
  const { page, visit, step } = arrival;
  await recorder.record({ visits: [visit], steps: [step] });
  visitors.add({ clickId, subid: visit.subid, campaignId: campaign.id, path: visit.path, pages: [page.id] });
  const cookies = [`${subidCookie}=${visit.subid}${cookieAttributes}`];
  if (hasPaths(campaign)) cookies.push(`${pathCookie(campaign.id)}=${visit.path}${cookieAttributes}`);
  return redirect(pageUrl(campaign, page, visit.subid), cookies);
}

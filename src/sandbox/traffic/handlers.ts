import { parse as parseCookies } from 'hono/utils/cookie';
import { traitsOf } from '../../api/campaign-types.ts';
import { dayMs } from '../../api/durations.ts';
import { ownValue } from '../../api/text/json.ts';
import type { Campaign, CampaignPage } from '../rotation/choose-page.ts';
import { arrive, click, type Postback, pageUrl } from '../rotation/journey.ts';
import type { Random } from '../rotation/random.ts';
import { type Money, parseMoney } from '../rotation/records.ts';
import {
  type Answer,
  plainText,
  readId,
  readOrigin,
  redirect,
  subidCookie,
  TurnedAway,
  type VisitorRequest,
} from './http.ts';
import { findLastPage, type KnownVisitors, type Visitor } from './known-visitors.ts';
import type { Recorder } from './recorder.ts';

export type Campaigns = ReadonlyMap<number, Campaign>;

export interface TrafficServices {
  readonly visitors: KnownVisitors;
  readonly recorder: Recorder;
  readonly random: Random;
  readonly now: () => Date;
}

const pathCookie = (campaignId: number) => `tracker_path_${campaignId}`;
const cookieAttributes = `; Path=/; Max-Age=${(30 * dayMs) / 1000}; HttpOnly; SameSite=Lax`;

/** A campaign link: `/base.php?c=<campaign>&key=<link key>` and the parameters of the traffic source's tokens. */
export async function followLink(
  request: VisitorRequest,
  campaigns: Campaigns,
  { visitors, recorder, random, now }: TrafficServices,
): Promise<Answer> {
  const { parameter, headers } = request;
  const campaign = campaigns.get(readId(parameter('c'), 'c', 'the campaign ID'));
  if (!campaign) throw new TurnedAway(404, 'There is no campaign with this ID.');
  if (parameter('key') !== campaign.linkKey) {
    const next = 'Copy the campaign URL from the campaign list.';
    throw new TurnedAway(403, 'The key of the link is wrong.', next);
  }
  requireActive(campaign);
  return recorder.whenRoom(() => {
    const cookieName = traitsOf(campaign.type).hasPaths && pathCookie(campaign.id);
    const clickId = recorder.nextClickId();
    const arrival = arrive(
      campaign,
      {
        clickId,
        at: now().getTime(),
        parameter,
        origin: readOrigin(request),
        referrer: headers.referer || null,
        keptPath: cookieName ? Number(parseCookies(headers.cookie ?? '', cookieName)[cookieName]) : undefined,
      },
      random,
    );
    if (arrival.kind === 'nowhere') throw new TurnedAway(404, arrival.reason);
    const { page, visit, step } = arrival;
    recorder.recordVisit(visit, step);
    visitors.add({ clickId, subid: visit.subid, campaignId: campaign.id, path: visit.path, pages: [page.id] });
    const cookies = [`${subidCookie}=${visit.subid}${cookieAttributes}`];
    if (cookieName) cookies.push(`${cookieName}=${visit.path}${cookieAttributes}`);
    return redirect(pageUrl(campaign, page, visit.subid), page.pageId, cookies);
  });
}

/**
 * A click on a page's call to action: `/base2.php?id=<page ID>`, from the visitor that `subid` or the cookie names. The ID names
 * the clicked page, or, if the page has several calls to action, an offer of the chosen option group.
 */
export async function followCallToAction(
  request: VisitorRequest,
  campaigns: Campaigns,
  { visitors, recorder, random, now }: TrafficServices,
): Promise<Answer> {
  const { parameter, headers } = request;
  const subid = parameter('subid') || parseCookies(headers.cookie ?? '', subidCookie)[subidCookie];
  if (!subid) {
    throw new TurnedAway(
      400,
      'The visitor is unknown: there is neither a subid nor a cookie.',
      'Pass the subID to the landing page, and from there to this link.',
    );
  }
  const { visitor, campaign } = await requireVisitor(subid, visitors, campaigns);
  requireActive(campaign);
  const { from, optionGroup } = readCallToAction(parameter('id'), campaign, visitor);
  const { clickId, path } = visitor;
  return recorder.whenRoom(() => {
    const next = click(campaign, { clickId, at: now().getTime(), path, from, optionGroup }, random);
    if (next.kind === 'nowhere') throw new TurnedAway(404, next.reason);
    recorder.recordClick(next.step, next.subscriber);
    visitors.moveOn(visitor, next.page.id);
    return redirect(pageUrl(campaign, next.page, subid), next.page.pageId);
  });
}

function readCallToAction(
  id: string | null,
  campaign: Campaign,
  visitor: Visitor,
): { from: CampaignPage; optionGroup: number | undefined } {
  const pageId = id === null ? undefined : readId(id, 'id', 'a page ID');
  const page = campaign.pages.find((candidate) => candidate.pageId === pageId);
  if (pageId !== undefined && !page) throw new TurnedAway(404, `Campaign ${campaign.id} has no page ${pageId}.`);
  const optionGroup = page?.kind === 'offer' ? page.path : undefined;
  if (page && page.kind !== 'offer' && visitor.pages.includes(page.id)) return { from: page, optionGroup };
  // The visitor was never sent to that page, so the click counts for the last page it was sent to.
  const from = findLastPage(visitor, campaign, ({ kind }) => kind !== 'offer');
  if (!from) throw new TurnedAway(404, 'This visitor was not sent to a landing page.');
  return { from, optionGroup };
}

/** A conversion that an offer source reports: `/adclick.php?subid=<subID>&revenue=<amount>`, or the same as a form by POST. */
export async function takePostback(
  request: VisitorRequest,
  campaigns: Campaigns,
  { visitors, recorder, now }: TrafficServices,
): Promise<Answer> {
  const subid = request.parameter('subid');
  if (!subid) {
    const next = 'Send it in the query string, or in a form-encoded body.';
    throw new TurnedAway(400, 'The postback has no subid.', next);
  }
  const { visitor, campaign } = await requireVisitor(subid, visitors, campaigns);
  const offer = findLastPage(visitor, campaign, (page) => page.kind === 'offer');
  const { clickId, campaignId } = visitor;
  await recorder.recordPostback(
    { clickId, campaignId, offerPage: offer?.id ?? null, at: now().getTime() },
    readPostback(request, offer?.payout),
  );
  return plainText('OK', 200);
}

const addWords: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false };

/**
 * Reads `revenue` (by default the payout of the offer), `cladd` (true adds to an earlier conversion), `status`, `txid`, and
 * `custom1` to `custom5`. An empty value counts as left out.
 *
 * @throws TurnedAway for a wrong amount or `cladd`, or if there is neither revenue nor payout
 */
function readPostback({ parameter }: VisitorRequest, payout: Money | undefined): Postback {
  const text = (name: string) => parameter(name) || undefined;
  const amount = text('revenue');
  const revenue = amount === undefined ? payout : parseMoney(amount);
  if (revenue === undefined) {
    throw new TurnedAway(
      400,
      amount === undefined
        ? 'The postback has no revenue, and the visitor was not sent to an offer whose payout could be used.'
        : 'revenue must be an amount such as 12 or 12.50.',
    );
  }
  const add = ownValue(addWords, text('cladd')?.toLowerCase() ?? 'false');
  if (add === undefined) throw new TurnedAway(400, 'cladd must be true or false.');
  return {
    revenue,
    add,
    status: text('status'),
    transactionId: text('txid'),
    custom: [1, 2, 3, 4, 5].map((field) => text(`custom${field}`)),
  };
}

function requireActive(campaign: Campaign): void {
  if (!campaign.active) throw new TurnedAway(404, `Campaign ${campaign.id} is inactive.`);
}

/** Finds the visitor with a SubID, and its campaign. Throws TurnedAway if there is none. */
async function requireVisitor(subid: string, visitors: KnownVisitors, campaigns: Campaigns) {
  const visitor = await visitors.find(subid);
  const campaign = visitor && campaigns.get(visitor.campaignId);
  if (visitor && campaign) return { visitor, campaign };
  throw new TurnedAway(404, 'No visitor has this subid.', 'Send back the whole subID as it was passed on.');
}

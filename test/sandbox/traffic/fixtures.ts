import type { Campaign, CampaignPage } from '../../../src/sandbox/rotation/choose-page.ts';
import { type Origin, parseMoney } from '../../../src/sandbox/rotation/records.ts';

/** A campaign with plain defaults. */
export function makeCampaign(type: Campaign['type'], pages: CampaignPage[], rest: Partial<Campaign> = {}): Campaign {
  const defaults = { id: 7, linkKey: '0123456789abcdef0123456789abcdef', active: true, bid: money('0.25'), tokens: [] };
  return { ...defaults, type, passSubidToLandingPage: false, passSubidToOffer: true, pages, ...rest };
}

/** The declared tokens of a traffic source, as the parameter of each slot. */
export const tokensOf = (parameters: Partial<Record<Campaign['tokens'][number]['slot'], string>>) =>
  Object.entries(parameters).map(([slot, parameter]) => ({ slot, parameter })) as Campaign['tokens'];

export const landing = (pageId: number, rest: Partial<CampaignPage> = {}) => makePage(pageId, 'landing', rest);
export const offer = (pageId: number, rest: Partial<CampaignPage> = {}) => makePage(pageId, 'offer', rest);
export const thanks = (pageId: number, rest: Partial<CampaignPage> = {}) => makePage(pageId, 'thankyou', rest);

/** `campaign_pages.id` is the page ID plus 100, so that a mix-up of the two shows. */
function makePage(pageId: number, kind: CampaignPage['kind'], rest: Partial<CampaignPage>): CampaignPage {
  const defaults = { active: true, share: 100, level: 1, path: 1, payout: money('10') };
  const url = `https://${kind}.example.com/${pageId}`;
  return { id: pageId + 100, pageId, kind, url, ...defaults, ...rest };
}

export function money(text: string): bigint {
  const amount = parseMoney(text);
  if (amount === undefined) throw new Error(`${text} is not an amount`);
  return amount;
}

export const unknownOrigin: Origin = {
  ...{ ip: null, country: null, region: null, city: null, isp: null },
  ...{ userAgent: null, device: null, os: null, browser: null },
};

import type { Campaign, CampaignPage } from './campaign.ts';

const placeholder = '{!subid!}';

/**
 * The URL that a visitor is sent to. `{!subid!}` becomes the visitor's SubID; where the URL has none, `subid=` is appended
 * if the campaign passes the SubID on to pages of that kind (`passsubidlp`, `passsubidoffer`).
 */
export function pageUrl(campaign: Campaign, page: CampaignPage, subid: string): string {
  if (page.url.includes(placeholder)) return page.url.replaceAll(placeholder, subid);
  const passes = page.kind === 'offer' ? campaign.passSubidToOffer : campaign.passSubidToLandingPage;
  if (!passes) return page.url;
  const [address = '', fragment] = page.url.split(/(?=#)/, 2);
  const separator = !address.includes('?') ? '?' : /[?&]$/.test(address) ? '' : '&';
  return `${address}${separator}subid=${subid}${fragment ?? ''}`;
}

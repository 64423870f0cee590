import type { Campaign, CampaignPage } from '../rotation/campaign.ts';
import type { Visitor } from './known-visitors.ts';

/** The last page of a kind that the visitor was sent to. */
export function findLastPage(
  visitor: Visitor,
  campaign: Campaign,
  isMeant: (page: CampaignPage) => boolean,
): CampaignPage | undefined {
  const id = visitor.pages.findLast((visited) => campaign.pages.some((page) => page.id === visited && isMeant(page)));
  return campaign.pages.find((page) => page.id === id);
}

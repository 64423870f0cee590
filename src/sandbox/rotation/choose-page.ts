import { type CampaignTraits, type CampaignType, type PageKind, traitsOf } from '../../api/campaign-types.ts';
import type { TokenSlot } from '../../api/token-slots.ts';
import { pickEvenly, pickWeighted, type Random } from './random.ts';
import type { Money } from './records.ts';

/** The setup of a campaign, as far as it decides what happens to a visitor. */
export interface Campaign {
  readonly id: number;
  readonly type: CampaignType;
  readonly linkKey: string;
  readonly active: boolean;
  /** The cost of a visit if its link has no cost. */
  readonly bid: Money;
  readonly passSubidToLandingPage: boolean;
  readonly passSubidToOffer: boolean;
  /** The tokens that the traffic source declares: other parameters of a link are dropped. */
  readonly tokens: readonly Token[];
  readonly pages: readonly CampaignPage[];
}

export interface Token {
  readonly slot: TokenSlot;
  /** The parameter of the campaign link that carries it. */
  readonly parameter: string;
}

/** A landing page, offer or thank-you page in a campaign. */
export interface CampaignPage {
  /** `campaign_pages.id`, which never changes. `pageId` is the ID that users see and can replace. */
  readonly id: number;
  readonly pageId: number;
  readonly kind: PageKind;
  readonly url: string;
  readonly active: boolean;
  readonly share: number;
  readonly level: number;
  /** Path or option group, depending on the campaign type. */
  readonly path: number;
  readonly payout: Money;
}

/** The page that a visitor is sent to, or why there is none. */
export type Choice =
  | { readonly kind: 'page'; readonly page: CampaignPage; readonly path: number }
  | { readonly kind: 'nowhere'; readonly reason: string };

const onlyPath = 1;

/**
 * Decides where a visitor arrives. Shares are weights among the active pages that compete; a page with share 0 gets no visitors.
 * Paths have no shares: those that lead somewhere have the same chance. Offers compete if a path or campaign has no landing
 * pages.
 *
 * @param keptPath the path of an earlier visit, which the visitor keeps while it leads somewhere
 */
export function chooseArrival(campaign: Campaign, random: Random, keptPath?: number): Choice {
  const traits = traitsOf(campaign.type);
  if (!traits.hasPaths) return choose(entrances(traits, campaign.pages), onlyPath, random, `Campaign ${campaign.id}`);
  const paths = openPaths(traits, campaign);
  const path = keptPath !== undefined && paths.includes(keptPath) ? keptPath : pickEvenly(paths, random);
  const candidates = campaign.pages.filter((page) => page.path === path);
  return choose(entrances(traits, candidates), path ?? onlyPath, random, `No path of campaign ${campaign.id}`);
}

/**
 * Decides where a click on the call to action of a page leads: to a landing page of the next level, to the thank-you page, or to
 * an offer. Offers are those of the visitor's path, or of the clicked option group (by default the first that has an offer).
 */
export function chooseNext(
  campaign: Campaign,
  from: CampaignPage,
  path: number,
  random: Random,
  optionGroup?: number,
): Choice {
  const traits = traitsOf(campaign.type);
  const source = `Page ${from.pageId} of campaign ${campaign.id}`;
  if (optionGroup === undefined) {
    const landingPages = traits.hasLevels ? nextLevel(campaign.pages, from.level) : [];
    if (landingPages.length > 0) return choose(landingPages, path, random, source);
    if (traits.hasSubscribers && from.kind === 'landing') {
      const thankYouPages = campaign.pages.filter((page) => page.kind === 'thankyou' && isOpen(page));
      if (thankYouPages.length > 0) return choose(thankYouPages, path, random, source);
    }
  }
  const offers = campaign.pages.filter((page) => page.kind === 'offer' && (!traits.hasPaths || page.path === path));
  const group = traits.hasOptionGroups ? (optionGroup ?? firstGroup(offers)) : undefined;
  const candidates = group === undefined ? offers : offers.filter((offer) => offer.path === group);
  return choose(candidates, path, random, source);
}

function choose(candidates: readonly CampaignPage[], path: number, random: Random, source: string): Choice {
  const page = pickWeighted(candidates, weight, random);
  if (page) return { kind: 'page', page, path };
  return { kind: 'nowhere', reason: `${source} leads to no active page with a share above 0.` };
}

function weight(page: CampaignPage): number {
  return page.active ? page.share : 0;
}

function isOpen(page: CampaignPage): boolean {
  return weight(page) > 0;
}

function entrances(traits: CampaignTraits, pages: readonly CampaignPage[]): readonly CampaignPage[] {
  const landingPages = pages.filter((page) => page.kind === 'landing');
  if (traits.isDirectLink || landingPages.length === 0) return pages.filter((page) => page.kind !== 'thankyou');
  return traits.hasLevels ? landingPages.filter((page) => page.level === 1) : landingPages;
}

function openPaths(traits: CampaignTraits, { pages }: Campaign): number[] {
  const paths = [...new Set(pages.map((page) => page.path))].sort((a, b) => a - b);
  const pagesOn = (path: number) => pages.filter((page) => page.path === path);
  return paths.filter((path) => entrances(traits, pagesOn(path)).some(isOpen));
}

/** The open landing pages of the lowest level above this one that has any. */
function nextLevel(pages: readonly CampaignPage[], level: number): readonly CampaignPage[] {
  const above = pages.filter((page) => page.kind === 'landing' && page.level > level && isOpen(page));
  const next = Math.min(...above.map((page) => page.level));
  return above.filter((page) => page.level === next);
}

function firstGroup(offers: readonly CampaignPage[]): number | undefined {
  const groups = offers.filter(isOpen).map((offer) => offer.path);
  return groups.length > 0 ? Math.min(...groups) : undefined;
}

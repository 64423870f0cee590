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

/** A way into a campaign: the pages that compete for its arrivals, with their shares as weights. */
interface Way {
  readonly path: number;
  readonly pages: readonly CampaignPage[];
}

/**
 * The ways into a campaign: one if it has no paths, else each path that leads somewhere, with the same chance. Offers compete if a
 * path or campaign has no landing pages.
 */
export function waysInto({ type, pages }: Campaign): readonly Way[] {
  const traits = traitsOf(type);
  if (!traits.hasPaths) return [{ path: onlyPath, pages: entrances(traits, pages) }];
  const paths = [...new Set(pages.map((page) => page.path))].sort((a, b) => a - b);
  return paths
    .map((path) => ({
      path,
      pages: entrances(
        traits,
        pages.filter((page) => page.path === path),
      ),
    }))
    .filter((way) => way.pages.some(isOpen));
}

/**
 * Decides where a visitor arrives. Shares are weights among the active pages that compete; a page with share 0 gets no visitors.
 *
 * @param keptPath the path of an earlier visit, which the visitor keeps while it leads somewhere
 */
export function chooseArrival(campaign: Campaign, random: Random, keptPath?: number): Choice {
  const ways = waysInto(campaign);
  const { hasPaths } = traitsOf(campaign.type);
  const way = hasPaths ? (ways.find(({ path }) => path === keptPath) ?? pickEvenly(ways, random)) : ways[0];
  const source = `${hasPaths ? 'No path of campaign' : 'Campaign'} ${campaign.id}`;
  return choose(way?.pages ?? [], way?.path ?? onlyPath, random, source);
}

/**
 * The pages that a click on the call to action of a page can lead to: landing pages of the next level, thank-you pages, or offers.
 * Offers are those of the visitor's path, or of the clicked option group (by default the first that has an offer).
 */
export function pagesAfter(
  { type, pages }: Campaign,
  from: CampaignPage,
  path: number,
  optionGroup?: number,
): readonly CampaignPage[] {
  const traits = traitsOf(type);
  if (optionGroup === undefined) {
    const landingPages = traits.hasLevels ? nextLevel(pages, from.level) : [];
    if (landingPages.length > 0) return landingPages;
    if (traits.hasSubscribers && from.kind === 'landing') {
      const thankYouPages = pages.filter((page) => page.kind === 'thankyou' && isOpen(page));
      if (thankYouPages.length > 0) return thankYouPages;
    }
  }
  const offers = pages.filter((page) => page.kind === 'offer' && (!traits.hasPaths || page.path === path));
  const group = traits.hasOptionGroups ? (optionGroup ?? firstGroup(offers)) : undefined;
  return group === undefined ? offers : offers.filter((offer) => offer.path === group);
}

/** Decides where a click on the call to action of a page leads. */
export function chooseNext(
  campaign: Campaign,
  from: CampaignPage,
  path: number,
  random: Random,
  optionGroup?: number,
): Choice {
  const source = `Page ${from.pageId} of campaign ${campaign.id}`;
  return choose(pagesAfter(campaign, from, path, optionGroup), path, random, source);
}

function choose(candidates: readonly CampaignPage[], path: number, random: Random, source: string): Choice {
  const page = pickWeighted(candidates, weightOf, random);
  if (page) return { kind: 'page', page, path };
  return { kind: 'nowhere', reason: `${source} leads to no active page with a share above 0.` };
}

/** How likely a page is among those that compete. */
export function weightOf(page: CampaignPage): number {
  return page.active ? page.share : 0;
}

function isOpen(page: CampaignPage): boolean {
  return weightOf(page) > 0;
}

function entrances(traits: CampaignTraits, pages: readonly CampaignPage[]): readonly CampaignPage[] {
  const landingPages = pages.filter((page) => page.kind === 'landing');
  if (traits.isDirectLink || landingPages.length === 0) return pages.filter((page) => page.kind !== 'thankyou');
  return traits.hasLevels ? landingPages.filter((page) => page.level === 1) : landingPages;
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

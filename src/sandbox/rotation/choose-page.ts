import { type CampaignTraits, type CampaignType, type PageKind, traitsOf } from '../../api/campaign-types.ts';
import type { TokenSlot } from '../../api/token-slots.ts';
import { pickWeighted, type Random } from './random.ts';
import type { Money } from './records.ts';

/** Where a visitor is sent, or why the set-up leaves nowhere to send it. */
export type Choice =
  | { readonly kind: 'page'; readonly page: CampaignPage; readonly path: number }
  | { readonly kind: 'nowhere'; readonly reason: string };

const onlyPath = 1;

export function hasPaths(campaign: Campaign): boolean {
  return traitsOf(campaign.type).hasPaths === true;
}

/**
 * Decides where a visitor arrives. Shares are weights among the active pages that compete; a page with share 0 gets nothing.
 * A path has no share: each that has a page to offer is drawn with the same chance, unless `keptPath`, from an earlier visit,
 * still leads somewhere. Offers compete in a path or campaign without landing pages.
 */
export function chooseArrival(campaign: Campaign, random: Random, keptPath?: number): Choice {
  const traits = traitsOf(campaign.type);
  if (!traits.hasPaths) {
    return choose(entrances(traits, campaign.pages), onlyPath, random, () => `Campaign ${campaign.id}`);
  }
  const paths = eligiblePaths(traits, campaign);
  const path =
    keptPath !== undefined && paths.includes(keptPath) ? keptPath : paths[Math.floor(random() * paths.length)];
  const candidates = campaign.pages.filter((page) => page.path === path);
  return choose(entrances(traits, candidates), path ?? onlyPath, random, () => `No path of campaign ${campaign.id}`);
}

/**
 * Decides where a click on the call to action of a page leads: to a landing page of the next level that has one, to the
 * thank-you page, or to an offer of the path that the visitor came by, or of the option group that was clicked (else the
 * first that has an offer).
 */
export function chooseNext(
  campaign: Campaign,
  from: CampaignPage,
  path: number,
  random: Random,
  optionGroup?: number,
): Choice {
  const traits = traitsOf(campaign.type);
  const where = () => `Page ${from.pageId} of campaign ${campaign.id}`;
  if (optionGroup === undefined) {
    const ahead = traits.hasLevels ? nextLevel(campaign.pages, from.level) : [];
    if (ahead.length > 0) return choose(ahead, path, random, where);
    if (traits.hasSubscribers && from.kind === 'landing') {
      const thanks = campaign.pages.filter((page) => page.kind === 'thankyou' && isEligible(page));
      if (thanks.length > 0) return choose(thanks, path, random, where);
    }
  }
  const offers = campaign.pages.filter((page) => page.kind === 'offer' && (!traits.hasPaths || page.path === path));
  const group = traits.hasOptionGroups ? (optionGroup ?? firstGroup(offers)) : undefined;
  const candidates = group === undefined ? offers : offers.filter((offer) => offer.path === group);
  return choose(candidates, path, random, where);
}

function choose(candidates: readonly CampaignPage[], path: number, random: Random, where: () => string): Choice {
  const page = pickWeighted(candidates, weight, random);
  if (page) return { kind: 'page', page, path };
  return { kind: 'nowhere', reason: `${where()} leads to no active page with a share above 0.` };
}

function weight(page: CampaignPage): number {
  return page.active ? page.share : 0;
}

function isEligible(page: CampaignPage): boolean {
  return weight(page) > 0;
}

function entrances(traits: CampaignTraits, pages: readonly CampaignPage[]): readonly CampaignPage[] {
  const landingPages = pages.filter((page) => page.kind === 'landing');
  if (traits.isDirectLink || landingPages.length === 0) return pages.filter((page) => page.kind !== 'thankyou');
  return traits.hasLevels ? landingPages.filter((page) => page.level === 1) : landingPages;
}

function eligiblePaths(traits: CampaignTraits, campaign: Campaign): number[] {
  const paths = [...new Set(campaign.pages.map((page) => page.path))].sort((a, b) => a - b);
  return paths.filter((path) =>
    entrances(
      traits,
      campaign.pages.filter((page) => page.path === path),
    ).some(isEligible),
  );
}

/** The landing pages of the lowest level above this one that has an eligible page. */
function nextLevel(pages: readonly CampaignPage[], level: number): readonly CampaignPage[] {
  const above = pages.filter((page) => page.kind === 'landing' && page.level > level && isEligible(page));
  const next = Math.min(...above.map((page) => page.level));
  return above.filter((page) => page.level === next);
}

function firstGroup(offers: readonly CampaignPage[]): number | undefined {
  const groups = offers.filter(isEligible).map((offer) => offer.path);
  return groups.length > 0 ? Math.min(...groups) : undefined;
}

/** The set-up of a campaign, as far as it decides what happens to a visitor. */
export interface Campaign {
  readonly id: number;
  readonly type: CampaignType;
  readonly linkKey: string;
  readonly active: boolean;
  /** The cost of a visit whose link carries none. */
  readonly bid: Money;
  readonly passSubidToLandingPage: boolean;
  readonly passSubidToOffer: boolean;
  /** What the campaign's traffic source declares: other parameters of its links are dropped. */
  readonly tokens: readonly Token[];
  readonly pages: readonly CampaignPage[];
}

/** A landing page, offer or thank-you page placed in a campaign. */
export interface CampaignPage {
  /** `campaign_pages.id`, which never changes; `pageId` is the ID that users see and may replace. */
  readonly id: number;
  readonly pageId: number;
  readonly kind: PageKind;
  readonly url: string;
  readonly active: boolean;
  readonly share: number;
  readonly level: number;
  /** Path or option group, by the type of the campaign. */
  readonly path: number;
  readonly payout: Money;
}

export interface Token {
  readonly slot: TokenSlot;
  /** The parameter of the campaign link that carries it. */
  readonly parameter: string;
}

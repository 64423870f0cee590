import { plainName } from './text/names.ts';

/** The kinds of pages that a campaign has. The API cannot add a thank-you page: it comes with the campaign. */
export const pageKinds = ['landing', 'offer', 'thankyou'] as const;
export type PageKind = (typeof pageKinds)[number];

/** How visitors move through a campaign of a type, and with it what the level and path of a page mean. */
export interface CampaignTraits {
  /** A visitor is put on one path, and sees only its landing pages and offers. */
  readonly hasPaths?: true;
  /** Landing pages follow each other by level. */
  readonly hasLevels?: true;
  /** The path of an offer is its option group: one for each call to action of the landing page. */
  readonly hasOptionGroups?: true;
  /** Links lead to offers and landing pages alike. Elsewhere they lead to offers only if there is no landing page. */
  readonly isDirectLink?: true;
  /** A landing page leads to a thank-you page, and who reaches it has subscribed. */
  readonly hasSubscribers?: true;
}

/**
 * What each campaign type means: the four that the specification names ("Campaign", "Landing page management" rule 4, "Offer
 * management" rule 3), and two that trackers have beside them.
 */
export const campaignTypes = {
  'Landing Page Sequence': { hasLevels: true, hasOptionGroups: true },
  'Multiple Path': { hasPaths: true },
  'Email FollowUp': { hasPaths: true },
  'Multiple Option': { hasOptionGroups: true },
  'Direct Link and Landing Page': { isDirectLink: true },
  'Lead Capture': { hasSubscribers: true },
} as const satisfies Readonly<Record<string, CampaignTraits>>;

export type CampaignType = keyof typeof campaignTypes;

export const campaignTypeNames = Object.keys(campaignTypes) as readonly CampaignType[];

/** The type that a tracker's name for it means, whatever its letter case and separators. */
export function campaignTypeNamed(name: string): CampaignType | undefined {
  return campaignTypeNames.find((type) => plainName(type) === plainName(name));
}

export function traitsOf(type: CampaignType): CampaignTraits {
  return campaignTypes[type];
}

/** Whether pages of a kind have a level in campaigns of the type. */
export function hasLevel(type: CampaignType, kind: PageKind): boolean {
  return kind === 'landing' && traitsOf(type).hasLevels === true;
}

/** Whether pages of a kind have a path, or an option group in its place. */
export function hasPath(type: CampaignType, kind: PageKind): boolean {
  const { hasPaths, hasOptionGroups } = traitsOf(type);
  return (hasPaths === true && kind !== 'thankyou') || (hasOptionGroups === true && kind === 'offer');
}

/** The types in which pages of a kind have a level or a path. */
export function typesWhere(has: typeof hasLevel, kind: PageKind): readonly CampaignType[] {
  return campaignTypeNames.filter((type) => has(type, kind));
}

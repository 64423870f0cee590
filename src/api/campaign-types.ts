import { plainName } from './text/names.ts';

/** The kinds of pages that a campaign has. The API cannot add a thank-you page: it comes with the campaign. */
export const pageKinds = ['landing', 'offer', 'thankyou'] as const;
export type PageKind = (typeof pageKinds)[number];

/** How visitors move through a campaign, which decides what the level and path of a page mean. */
export interface CampaignTraits {
  /** A visitor gets one path, and sees only its landing pages and offers. */
  readonly hasPaths?: true;
  /** Landing pages follow each other by level. */
  readonly hasLevels?: true;
  /** The path of an offer is its option group, one per call to action of the landing page. */
  readonly hasOptionGroups?: true;
  /** Links lead to offers and landing pages. In other types they lead to offers only if there is no landing page. */
  readonly isDirectLink?: true;
  /** A landing page leads to a thank-you page; a visitor who reaches it has subscribed. */
  readonly hasSubscribers?: true;
}

/**
 * The four campaign types of the specification ("Campaign", "Landing page management" rule 4, "Offer management" rule 3), and
 * two more that trackers have.
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

/** The type by a tracker's name for it, in any letter case and with any separators. */
export function campaignTypeNamed(name: string): CampaignType | undefined {
  return campaignTypeNames.find((type) => plainName(type) === plainName(name));
}

export function traitsOf(type: CampaignType): CampaignTraits {
  return campaignTypes[type];
}

export function hasLevel(type: CampaignType, kind: PageKind): boolean {
  return kind === 'landing' && traitsOf(type).hasLevels === true;
}

/** Whether pages of a kind have a path or an option group in campaigns of the type. */
export function hasPath(type: CampaignType, kind: PageKind): boolean {
  const { hasPaths, hasOptionGroups } = traitsOf(type);
  return (hasPaths === true && kind !== 'thankyou') || (hasOptionGroups === true && kind === 'offer');
}

export function typesWhere(has: typeof hasLevel, kind: PageKind): readonly CampaignType[] {
  return campaignTypeNames.filter((type) => has(type, kind));
}

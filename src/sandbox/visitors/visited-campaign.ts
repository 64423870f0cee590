import type { PageKind } from '../../api/campaign-types.ts';

/** A campaign as far as visitors who are sent to it need to know it. */
export interface VisitedCampaign {
  /** The campaign's link, with the placeholders that a traffic source fills in. */
  readonly link: string;
  /** What each placeholder stands for, by the placeholder: the name of a token slot. */
  readonly placeholders: ReadonlyMap<string, string>;
  /** By page ID. */
  readonly pages: ReadonlyMap<number, VisitedPage>;
  /** Whether to arrive at an offer is a click. */
  readonly isDirectLink: boolean;
  /** Whether a landing page has a call to action for each option group of offers. */
  readonly hasOptionGroups: boolean;
}

export interface VisitedPage {
  readonly id: number;
  readonly kind: PageKind;
  readonly name: string;
  readonly active: boolean;
  /** 1 where landing pages have none. */
  readonly level: number;
  /** Path or option group; 1 where pages have none. */
  readonly path: number;
}

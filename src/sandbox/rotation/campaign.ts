import type { CampaignType, PageKind } from '../../api/campaign-types.ts';
import type { TokenSlot } from '../../api/token-slots.ts';
import type { Money } from './money.ts';

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

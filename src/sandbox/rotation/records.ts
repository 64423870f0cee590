import type { TokenSlot } from '../../api/token-slots.ts';
import type { Money } from './money.ts';

/** What is recorded about visitors. Moments are milliseconds since 1970; pages are `campaign_pages.id`. */

export interface Visit {
  readonly clickId: number;
  readonly subid: string;
  readonly campaignId: number;
  readonly at: number;
  readonly path: number;
  /** What the link carried. Its cost is kept apart, as money. */
  readonly tokens: TokenValues;
  readonly cost: Money;
  readonly origin: Origin;
  readonly referrer: string | null;
}

/** The values of a visit's tokens, without those that the link left out or left empty. */
export type TokenValues = Readonly<Partial<Record<Exclude<TokenSlot, 'Cost'>, string>>>;

/** Where a visitor comes from and with what; null is unknown. Countries are ISO 3166 codes of two letters. */
export interface Origin {
  readonly ip: string | null;
  readonly country: string | null;
  readonly region: string | null;
  readonly city: string | null;
  readonly isp: string | null;
  readonly userAgent: string | null;
  readonly device: string | null;
  readonly os: string | null;
  readonly browser: string | null;
}

export interface Step {
  readonly clickId: number;
  readonly campaignId: number;
  readonly at: number;
  readonly page: number;
  /** The page whose call to action was clicked; null on arrival. */
  readonly fromPage: number | null;
}

export interface Subscriber {
  readonly clickId: number;
  readonly campaignId: number;
  readonly at: number;
  readonly thankYouPage: number | null;
}

export interface Conversion {
  readonly clickId: number;
  readonly campaignId: number;
  readonly at: number;
  readonly offerPage: number | null;
  readonly revenue: Money;
  readonly status: string | null;
  readonly transactionId: string | null;
  /** Five custom fields. */
  readonly custom: readonly (string | null)[];
}

/** Rows to be written together; any list may be left out. */
export interface Records {
  readonly visits?: readonly Visit[];
  readonly steps?: readonly Step[];
  readonly subscribers?: readonly Subscriber[];
  readonly conversions?: readonly Conversion[];
}

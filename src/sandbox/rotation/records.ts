import type { TokenSlot } from '../../api/token-slots.ts';

/** What is recorded about visitors. Moments are milliseconds since 1970; pages are `campaign_pages.id`. */

export interface Visit extends Act {
  readonly subid: string;
  readonly path: number;
  /** What the link carried. Its cost is kept apart, as money. */
  readonly tokens: TokenValues;
  readonly cost: Money;
  readonly origin: Origin;
  readonly referrer: string | null;
}

/** The values of a visit's tokens, without those that the link left out or left empty. */
export type TokenValues = Readonly<Partial<Record<Exclude<TokenSlot, 'Cost'>, string>>>;

/** In the order of the columns of a visit. */
export const originFields = ['ip', 'country', 'region', 'city', 'isp', 'userAgent', 'device', 'os', 'browser'] as const;

/** Where a visitor comes from and with what; null is unknown. Countries are ISO 3166 codes of two letters. */
export type Origin = Readonly<Record<(typeof originFields)[number], string | null>>;

/** What a visitor did, and when. */
export interface Act {
  readonly clickId: number;
  readonly campaignId: number;
  readonly at: number;
}

export interface Step extends Act {
  readonly page: number;
  /** The page whose call to action was clicked; null on arrival. */
  readonly fromPage: number | null;
}

export interface Subscriber extends Act {
  readonly thankYouPage: number | null;
}

export interface Conversion extends Act {
  readonly offerPage: number | null;
  readonly revenue: Money;
  readonly status: string | null;
  readonly transactionId: string | null;
  readonly custom: readonly (string | null)[];
}

/** Rows to be written together; any list may be left out. */
export interface Records {
  readonly visits?: readonly Visit[];
  readonly steps?: readonly Step[];
  readonly subscribers?: readonly Subscriber[];
  readonly conversions?: readonly Conversion[];
}

/** An amount of money as a whole number of millionths: exactly what DECIMAL(18, 6) holds, and never a float. */
export type Money = bigint;

const decimals = 6;
const largest = 10n ** 18n - 1n;

/**
 * Reads an amount such as `12`, `0.35` or `1200.5`; decimals past the sixth are cut off. Undefined if the text is no plain
 * amount, or too large for DECIMAL(18, 6).
 */
export function parseMoney(text: string): Money | undefined {
  const parts = /^(\d{1,12})(?:\.(\d{0,20}))?$/.exec(text);
  if (!parts) return undefined;
  const [, whole = '', fraction = ''] = parts;
  return BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'));
}

/** Turns an amount computed in floating point, such as 0.35, into money. */
export function moneyFrom(amount: number): Money {
  return BigInt(Math.round(amount * 10 ** decimals));
}

/** The sum of two amounts, at most the largest that can be kept. */
export function addMoney(one: Money, other: Money): Money {
  const sum = one + other;
  return sum > largest ? largest : sum;
}

import type { TokenSlot } from '../../api/token-slots.ts';

/** What visitors do. Moments are milliseconds since 1970; pages are `campaign_pages.id`. */
export interface VisitorEvent {
  readonly clickId: number;
  readonly campaignId: number;
  readonly at: number;
}

export interface Visit extends VisitorEvent {
  readonly subid: string;
  readonly path: number;
  readonly tokens: TokenValues;
  readonly cost: Money;
  readonly origin: Origin;
  readonly referrer: string | null;
}

/** The token values of a link, without those that it left out or left empty. The cost is kept as money, in the visit. */
export type TokenValues = Readonly<Partial<Record<Exclude<TokenSlot, 'Cost'>, string>>>;

/** In the order of the columns of a visit. */
export const originFields = ['ip', 'country', 'region', 'city', 'isp', 'userAgent', 'device', 'os', 'browser'] as const;

/** Where a visitor comes from; null is unknown. Countries are ISO 3166 codes of two letters. */
export type Origin = Readonly<Record<(typeof originFields)[number], string | null>>;

export interface Step extends VisitorEvent {
  readonly page: number;
  /** The page whose call to action was clicked; null on arrival. */
  readonly fromPage: number | null;
}

export interface Subscriber extends VisitorEvent {
  readonly thankYouPage: number | null;
}

export interface Conversion extends VisitorEvent {
  readonly offerPage: number | null;
  readonly revenue: Money;
  readonly status: string | null;
  readonly transactionId: string | null;
  readonly custom: readonly (string | null)[];
}

/** An amount of money in whole millionths, which is what DECIMAL(18, 6) holds; never a float. */
export type Money = bigint;

const decimals = 6;
const maxMoney = 10n ** 18n - 1n;

/**
 * Reads an amount such as `12`, `0.35` or `1200.5`; decimals after the sixth are cut off.
 *
 * @returns undefined if the text is not a plain amount, or too large for DECIMAL(18, 6)
 */
export function parseMoney(text: string): Money | undefined {
  const parts = /^(\d{1,12})(?:\.(\d{0,20}))?$/.exec(text);
  if (!parts) return undefined;
  const [, whole = '', fraction = ''] = parts;
  return BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'));
}

/** Adds two amounts; the sum is capped at the largest amount that can be stored. */
export function addMoney(one: Money, other: Money): Money {
  const sum = one + other;
  return sum > maxMoney ? maxMoney : sum;
}

import type { PageSums } from './history.ts';

/** How much less the conversions of the page that converts more may pay before the other earns more, and how it is so far. */
export interface BreakEven {
  /** Percent less. */
  readonly percent: number;
  /** Percent that they pay more (above 0) or less so far; null where one has no payout to compare. */
  readonly soFarPercent: number | null;
}

/** What a conversion of a page pays, and how far off that may be by chance, as a part of it. */
export interface MeanPayout {
  readonly value: number;
  readonly error: number;
}

/** @param rates conversions per view of the page that converts more, and of the other */
export function breakEvenOf(
  [leader, rival]: readonly [PageSums, PageSums],
  rates: readonly [leader: number, rival: number],
): BreakEven {
  const [own, other] = [leader, rival].map(({ revenue, conversions }) => revenue / conversions);
  const soFar = ((own ?? 0) / (other ?? 0) - 1) * 100;
  return { percent: (1 - rates[1] / rates[0]) * 100, soFarPercent: Number.isFinite(soFar) ? soFar : null };
}

/**
 * Whether a page that converts less earns more all the same, as far as payouts tell by more than their own standard error: then the
 * one that converts more is no leader.
 */
export function doesMoneyDisagree(
  [leader, rival]: readonly [MeanPayout, MeanPayout],
  rates: readonly [leader: number, rival: number],
): boolean {
  if (!(rival.value > 0 && rates[1] > 0)) return false;
  if (!(leader.value > 0)) return true;
  const advantage = Math.log(rival.value / leader.value) - Math.log(rates[0] / rates[1]);
  return advantage > Math.hypot(leader.error, rival.error);
}

/** So many days show how much payouts vary. */
const minDays = 3;

/**
 * The mean payout of a page with its standard error as a part of it: that of a ratio of daily sums (Cochran, Sampling Techniques,
 * 3rd ed. 1977, section 2.11), or where days are not known that of payouts that vary as much as they pay.
 *
 * @param days the page on single days, where they are known
 */
export function meanPayoutOf({ revenue, conversions }: PageSums, days: readonly PageSums[] = []): MeanPayout {
  const value = revenue / Math.max(conversions, 1);
  const paid = days.filter((day) => day.conversions > 0);
  if (paid.length < minDays) return { value, error: 1 / Math.sqrt(Math.max(conversions, 1)) };
  const squares = paid.reduce((sum, day) => sum + (day.revenue - value * day.conversions) ** 2, 0);
  const variance = (squares * paid.length) / (paid.length - 1);
  return { value, error: Math.sqrt(variance) / Math.abs(revenue) };
}

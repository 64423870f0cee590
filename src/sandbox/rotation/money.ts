/** An amount of money as a whole number of millionths: exactly what DECIMAL(18, 6) holds, and never a float. */
export type Money = bigint;

const decimals = 6;
const largest = 10n ** 18n - 1n;

/**
 * Reads an amount such as `12`, `0.35` or `1200.5`; decimals past the sixth are cut off.
 *
 * @returns undefined where the text is no plain amount, or too large for DECIMAL(18, 6)
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

/** The sum of two amounts, or the largest amount that can be kept, where it would be more. */
export function addMoney(one: Money, other: Money): Money {
  const sum = one + other;
  return sum > largest ? largest : sum;
}

import { holdsMoney } from '../../analysis/columns/formats.ts';
import { isMoneyArgument } from '../../api/vocabulary.ts';

/** An amount, in its currency where that is known. */
export function moneyInWords(amount: number, currency: string | undefined): string {
  return currency === undefined ? `${amount}` : `${amount} ${currency}`;
}

/** The currency that an answer without units says it is in: its query repeats what the answer was made with. */
export function currencyOf({ currency }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof currency === 'string' ? currency : undefined;
}

/** The word about the currency of values that stand without a unit, where any of these fields is money. */
export function moneyNotice(fields: readonly string[], currency: string | undefined): string[] {
  return currency !== undefined && fields.some(holdsMoney) ? [`Money is in ${currency}.`] : [];
}

/** The currency as a field beside the arguments of a write; no field where none of them is money, or it is not known. */
export function ownCurrency(given: Readonly<Record<string, unknown>>, currency: string | undefined) {
  return currency !== undefined && Object.keys(given).some(isMoneyArgument) ? { currency } : {};
}

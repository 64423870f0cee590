import { isOtherCurrency } from '../columns/formats.ts';
import { mentionSubid } from '../given-subids.ts';
import { groupBy } from '../statistics/history.ts';

interface Amount {
  readonly amount: number | undefined;
  readonly currency?: string | undefined;
}

/** Amounts are equal within half a cent. */
export function isSameAmount(one: number | undefined, other: number | undefined): boolean {
  return one !== undefined && other !== undefined && Math.abs(one - other) < 0.005 + Math.abs(other) * 1e-12;
}

/** The currency in which most amounts of a statement are equal to the tracker's, which does not name its own. */
export function currencyOfEqualAmounts(saleByLine: ReadonlyMap<Amount, Amount>): string | undefined {
  const equal = [...saleByLine].flatMap(([{ amount, currency }, sale]) =>
    currency !== undefined && isSameAmount(amount, sale.amount) ? [currency] : [],
  );
  const [most] = [...groupBy(equal, (currency) => currency).values()].toSorted((a, b) => b.length - a.length);
  return most?.[0];
}

export function compareAmounts(line: Amount, sale: Amount, currency: string | undefined, about: readonly string[]) {
  if (line.currency !== undefined && currency !== undefined && isOtherCurrency(line.currency, currency))
    return {
      class: 'matched' as const,
      about: [...about, `in ${mentionSubid(line.currency)}, so amounts were not compared`],
    };
  const differs = line.amount !== undefined && sale.amount !== undefined && !isSameAmount(line.amount, sale.amount);
  return { class: differs ? ('amount_differs' as const) : ('matched' as const) };
}

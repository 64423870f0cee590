import { amountInWords, numberInWords } from '../api/rules.ts';

// Apart from other words, because the page of views has them.

/** An amount, with its currency if that is known. */
export function moneyInWords(amount: number, currency: string | undefined): string {
  const written = numberInWords(amount, Number.isInteger(amount) ? 0 : 2);
  return currency === undefined ? written : `${written} ${currency}`;
}

/** How far chance alone moves the profit of such spans, compared with the change, and whether one cause is certain. */
export function chanceInWords(change: number, usual: number, hasSureCause: boolean, show = amountInWords): string {
  const within = hasSureCause ? 'the total may be chance, the first cause holds' : 'this may be chance';
  const end = Math.abs(change) <= usual ? within : 'this is more';
  return `Normal variation is up to ${show(usual)} either way (19 times in 20): ${end}.`;
}

/** Min part of a change that a cause must carry to explain all of it. */
const mostPart = 0.75;

/** `-58.00 because landing page “Quiz” stopped getting visits`; both amounts, if these visits changed by more than the cause explains. */
export function causeInWords(
  { what, change, carried }: { readonly what: string; readonly change: number; readonly carried: number },
  show: (amount: number) => string,
): string {
  const isAll = carried / change >= mostPart && carried / change <= 1 / mostPart;
  if (isAll) return `${show(change)} because ${what}`;
  const all = change === 0 ? 'in all, these visits did not change' : `these visits changed by ${show(change)} in all`;
  return `${show(carried)} because ${what} (${all})`;
}

interface Costs {
  readonly basis: 'money' | 'conversions';
  readonly name: string;
  readonly waiting_cost_per_day: number;
  readonly risk_today_per_day: number;
}

export function costsInWords(
  { basis, name, waiting_cost_per_day: waiting, risk_today_per_day: risk }: Costs,
  currency: string | undefined,
): string {
  const amount = (value: number) => (basis === 'money' ? moneyInWords(value, currency) : `${value} conversions`);
  const page = JSON.stringify(name);
  return `Estimated: today’s split gives away ${amount(waiting)} a day against ${page} alone; all traffic to ${page} would risk ${amount(risk)} a day, because another may be better.`;
}

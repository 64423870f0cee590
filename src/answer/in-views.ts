import { amountInWords, numberInWords } from '../api/rules.ts';

// Apart from other words, because the page of views has them.

/** An amount, with its currency if that is known. */
export function moneyInWords(amount: number, currency: string | undefined): string {
  const written = numberInWords(amount, Number.isInteger(amount) ? 0 : 2);
  return currency === undefined ? written : `${written} ${currency}`;
}

/** How far chance alone moves the profit of such spans, compared with the change, and whether a cause is certain. */
export function chanceInWords(change: number, usual: number, hasSureCause: boolean, show = amountInWords): string {
  const within = hasSureCause ? 'the total may be chance, the causes are not unless marked so' : 'this may be chance';
  const end = Math.abs(change) <= usual ? within : 'this is more';
  return `Normal variation is up to ${show(usual)} either way (19 times in 20): ${end}.`;
}

/** What is told of a cause: the money that its factor carries. The rest of what its visits did is a part of everything else. */
type ToldCause = { readonly what: string; readonly carried: number; readonly a_day?: number | undefined };

/** `-58.00 because landing page “Quiz” stopped getting visits since Tue 17 Nov (-9.70 a day since then)` */
export const causeInWords = ({ what, carried, a_day: daily }: ToldCause, show: (amount: number) => string): string =>
  `${show(carried)} because ${what}${daily === undefined ? '' : ` (${show(daily)} a day since then)`}`;

/** What causes leave of a change, so that all that is told adds up to it. */
export const restOf = (change: number, causes: readonly ToldCause[]): number =>
  Math.round(causes.reduce((rest, { carried }) => rest - carried, change) * 100) / 100 || 0;

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

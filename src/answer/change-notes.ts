import { amountInWords, countInWords, inCents } from '../api/rules.ts';
import { noNameOf } from './no-name.ts';
import { type NamedCampaign, sayCampaigns } from './visit-notes.ts';
import { dayInWords, nameOf } from './words.ts';

/** Whether a payout doubled, as far as cents show it; small ones have more digits. */
export const isDouble = (before: number, after: number): boolean =>
  Math.abs(after - 2 * before) < Math.min(0.011, before / 10);

/** What a payout that doubled may be: the end of a sentence; empty if it did not. */
export const doubledInWords = (before: number, after: number): string =>
  isDouble(before, after) ? ', exactly double: a pixel that fires twice looks like this' : '';

/** What was one thing before a day, YYYY-MM-DD, and is another since. */
export interface Replaced<Value extends number | string> {
  /** The campaign in which it is so; absent if it is so in all. */
  readonly campaign?: string;
  readonly before: Value;
  readonly after: Value;
  /** The first day on which most are new. */
  readonly since: string;
}

/** What an offer pays for a sale; in a country, if it pays another amount in each. */
export type PayoutChange = Replaced<number> & { readonly offer: string; readonly country?: string };

/** Nearly all values of a dimension: of each side the one that most visits had. */
export type ReplacedValues = Replaced<string> & { readonly dimension: string };

/** Versions that visitors went over to: the one that lost most visits, and the one that gained most. */
export type ReplacedVersions = Omit<ReplacedValues, 'campaign' | 'since'>;

/** `fell by 90.00 USD`, `did not move` */
export function sayMove(change: number, unit = ''): string {
  const amount = inCents(change);
  return amount === 0 ? 'did not move' : `${amount < 0 ? 'fell' : 'rose'} by ${amountInWords(Math.abs(amount))}${unit}`;
}

/** `“Cash”`, `“Cash” of campaign “Search” in country US` */
const offerInWords = ({ offer, campaign, country }: Pick<PayoutChange, 'offer' | 'campaign' | 'country'>): string =>
  [
    nameOf(offer, 100),
    ...(campaign === undefined ? [] : [`of campaign ${nameOf(campaign, 100)}`]),
    ...(country === undefined ? [] : [`in country ${nameOf(country, 100)}`]),
  ].join(' ');

/** `device Phone`, `landing page “Quiz”` */
export const nameValue = (dimension: string, value: string | null): string =>
  (value ?? '') === '' ? noNameOf(dimension) : `${dimension.replaceAll('_', ' ')} ${nameOf(value ?? '', 100)}`;

/** The decimals that show the difference of two values, and some digits of the smaller one; at most 6. */
export function decimalsFor(before: number, after: number, digits: number): number {
  const smaller = Math.min(Math.abs(before || after), Math.abs(after || before));
  const step = Math.min(smaller / 10 ** (digits - 1), Math.abs(after - before));
  return Math.min(Math.max(-Math.floor(Math.log10(step || 1)), 0), 6);
}

/** An average that moves against all its parts, since their sizes changed: most of all the size of `grown`. */
type MixShift = {
  readonly dimension: string;
  readonly isBetterInParts: boolean;
  readonly before: number;
  readonly after: number;
  readonly grown?:
    | { readonly value: string | null; readonly shareBefore: number; readonly shareAfter: number }
    | undefined;
};

/** `Each device earned more profit per visit, but the average fell because more visits were of device Phone (20% to 80%).` */
function sayMix({ dimension, isBetterInParts, before, after, grown }: MixShift): string {
  const percent = (part: number) => `${Math.round(part * 100)}%`;
  const decimals = decimalsFor(before, after, 2);
  const [each, total] = isBetterInParts ? ['more', 'fell'] : ['less', 'rose'];
  const because = grown
    ? ` because more visits were of ${nameValue(dimension, grown.value)} (${percent(grown.shareBefore)} to ${percent(grown.shareAfter)})`
    : '';
  return `Each ${dimension.replaceAll('_', ' ')} earned ${each} profit per visit, but the average ${total} (${before.toFixed(decimals)} to ${after.toFixed(decimals)})${because}.`;
}

/** What to know about a change of profit, and which visits are compared. Money is in the tracker's currency, days are YYYY-MM-DD. */
export const changeNotes = {
  'other-weekdays': ({ start, end }: { start: string; end: string }) =>
    `The two spans have other weekdays, which may explain this. With the same ones: compare_start ${start}, compare_end ${end}.`,
  'as-many-days': ({ asked, start, end }: { asked: { start: string; end: string }; start: string; end: string }) =>
    `The spans differ in length, so of ${asked.start} to ${asked.end} as many days are compared as of the later one: ${start} to ${end}.`,
  'payout-moved': ({ before, after, since, ...of }: PayoutChange) =>
    `Offer ${offerInWords(of)} pays ${amountInWords(after)} a sale instead of ${amountInWords(before)} since ${dayInWords(since)}${doubledInWords(before, after)}.`,
  'sales-counted': ({ before, after, since, ...of }: PayoutChange) =>
    `Each sale of offer ${offerInWords(of)} counts as ${countInWords(after, 'conversion')} instead of ${before} since ${dayInWords(since)}${after > before ? ': its pixel or postback may fire twice' : ''}.`,
  'values-replaced': ({ dimension, campaign, since, before, after }: ReplacedValues) =>
    `${campaign === undefined ? 'All' : `In campaign ${nameOf(campaign, 100)} all`} values of ${dimension.replaceAll('_', ' ')} are others since ${dayInWords(since)} (mostly ${nameOf(before, 100)} before, ${nameOf(after, 100)} now): renamed, or other ads. They are not compared.`,
  'versions-replaced': ({ dimension, before, after }: ReplacedVersions) =>
    `Visitors updated their ${dimension.replaceAll('_', ' ')} (mostly from ${nameOf(before, 100)} to ${nameOf(after, 100)}), and click and sell as before: these versions are not compared.`,
  'mix-shift': sayMix,
  'few-sales': ({ sales }: { sales: number }) =>
    sales === 0
      ? 'There were no sales in either span, so little can be concluded.'
      : `Only ${countInWords(sales, 'sale')} in both spans: single sales decide, so little can be concluded.`,
  'one-sale-decides': ({ revenue, day, changeWithout }: { revenue: number; day: string; changeWithout: number }) =>
    `One sale of ${amountInWords(revenue)}, of a visit on ${dayInWords(day)}, decides: without it profit ${sayMove(changeWithout)}.`,
  'sale-on-visit-day': () => 'A sale counts on the day of its visit.',
  'visits-in-spans': ({ visits }: { visits: number }) => `Of these, ${visits} are in the two spans.`,
  'hours-before': ({ day, against, hour }: { day: string; against: string; hour: number }) =>
    hour === 0
      ? `${day} has no whole hour yet: it and ${against} are left out.`
      : `${day} is not over: on this day and ${against} the hours before ${hour}:00 are compared.`,
  /** `without`: campaigns of which no visit is compared. */
  'hours-of-both': ({ visits, of, without }: { visits: number; of: number; without: readonly NamedCampaign[] }) =>
    `Of days that are not whole, only the hours that both spans have are compared: ${visits} of ${of} visits${without.length > 0 ? `; none of ${sayCampaigns(without, 3)}` : ''}.`,
  'most-common-tokens': ({ tokens, included }: { tokens: number; included: number }) =>
    `Of ${tokens} tokens, the ${included} that most campaigns have are included.`,
} as const;

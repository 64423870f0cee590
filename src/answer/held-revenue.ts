import { countInWords, joinSome } from '../api/rules.ts';
import { fromOutside, quoted } from '../api/text/tracker-text.ts';

/** How much of the revenue is not surely paid. Money is in the tracker's currency. */
export type HeldRevenue = {
  /** `booked`: revenue has what is pending and unknown; `paid`: it has neither. Rejected money is in none. */
  readonly money: 'booked' | 'paid';
  readonly revenue: number;
  readonly pending: number;
  readonly rejected: number;
  readonly rejectedSales: number;
  /** Of sales whose status says nothing. */
  readonly unknown: number;
  /** These statuses, as the tracker writes them. */
  readonly words: readonly string[];
};

const maxWords = 3;

export function sayHeldRevenue({
  money,
  revenue,
  pending,
  rejected,
  rejectedSales,
  unknown,
  words,
}: HeldRevenue): string {
  const refused = `${countInWords(rejectedSales, 'rejected sale')}${rejected === 0 ? '' : ` of ${rejected.toFixed(2)}`}`;
  const sum = (value: number) => value.toFixed(2);
  const names = joinSome(
    words.map((word) => quoted(fromOutside(word))),
    maxWords,
    'more',
  );
  if (money === 'paid') {
    const left = [
      `${sum(pending)} pending`,
      refused,
      ...(unknown > 0 ? [`${sum(unknown)} of unknown status (${names})`] : []),
    ];
    return `Revenue is what is paid. Left out: ${left.join(', ')}. Conversions are all.`;
  }
  const percent = revenue > 0 ? ` (${Math.round((pending / revenue) * 100)}%)` : '';
  return [
    ...(pending > 0 ? [`Of the revenue ${sum(pending)}${percent} is pending.`] : []),
    ...(rejectedSales > 0 ? [`${refused} ${rejectedSales === 1 ? 'is' : 'are'} in no revenue.`] : []),
    ...(unknown > 0 ? [`${sum(unknown)} of sales whose status is not known (${names}) counts as booked.`] : []),
  ].join(' ');
}

/** Why it is not known. */
export type WhyNotHeld = 'no statuses' | 'list' | 'differs' | 'pages';

const reasons: Readonly<Record<WhyNotHeld, string>> = {
  'no statuses': 'this tracker lists no statuses of sales',
  list: 'the list of conversions of these days cannot be read whole',
  differs: 'the list of conversions adds up to other revenue than the reports',
  pages: 'several pages of a campaign share a name, and the list of conversions does not tell them apart',
};

export const whyNotHeld = (why: WhyNotHeld): string => reasons[why];

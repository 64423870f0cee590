import { countInWords, joinSome } from '../api/rules.ts';
import { fromOutside, mention, quoted } from '../api/text/tracker-text.ts';

/** How much of the revenue is not surely paid. Money is in the tracker's currency. */
export type HeldRevenue = {
  /** `booked`: revenue has what is pending and unknown; `paid`: it has neither; `expected`: what these will bring. */
  readonly money: 'booked' | 'paid' | 'expected';
  readonly revenue: number;
  readonly pending: number;
  readonly rejected: number;
  readonly rejectedSales: number;
  /** Of sales whose status says nothing. */
  readonly unknown: number;
  /** These statuses, as the tracker writes them. */
  readonly words: readonly string[];
  /** What pending sales will probably bring, with the 90% range. */
  readonly expected?: { readonly amount: number; readonly low: number; readonly high: number };
  /** Sales that are pending for longer than usual. */
  readonly late?: { readonly sales: number; readonly amount: number };
  /** Networks that approve clearly more or less than before; parts from 0 to 1. */
  readonly approvals?: readonly { readonly network: string; readonly share: number; readonly earlier: number }[];
};

/** What networks hold of the sales of the last weeks. Money is in the tracker's currency, parts are from 0 to 1. */
export type HeldInReview = {
  readonly pending: number;
  /** What of it will probably be approved, with the 90% range. */
  readonly expected: { readonly amount: number; readonly low: number; readonly high: number };
  /** Sales that are pending for longer than their network usually takes, the oldest first, for its manager. */
  readonly late?: readonly LateSale[];
  readonly more_late?: number;
};

type LateSale = {
  readonly network: string;
  readonly campaign_id?: number;
  readonly offer?: string;
  readonly subid?: string;
  readonly booked: string;
  readonly days: number;
  readonly amount: number;
};

/** What a review says of held money: a sentence each, then the late sales, one a line. */
export function sayHeldInReview({ pending, expected, late = [], more_late: more = 0 }: HeldInReview): string[] {
  const { amount, low, high } = expected;
  const rows = late.map(({ network, booked, days, amount: value, subid = '', offer = '' }) =>
    [network, booked, `${days} days`, value.toFixed(2), subid, offer]
      .filter(Boolean)
      .map((cell) => mention(fromOutside(cell)))
      .join(' '),
  );
  return [
    `Pending: ${pending.toFixed(2)}, of which about ${Math.round(amount)} (${Math.round(low)} to ${Math.round(high)}) will be approved.`,
    ...(late.length === 0
      ? []
      : [`Pending for longer than usual, for the manager of the network (${late.length + more}):`, ...rows]),
  ];
}

export const sayApproval = (network: string, share: number, earlier: number): string =>
  `${quoted(fromOutside(network))} approves about ${Math.round(share * 100)}% of its sales now, ${Math.round(earlier * 100)}% before`;

const maxWords = 3;

export function sayHeldRevenue({
  money,
  revenue,
  pending,
  rejected,
  rejectedSales,
  unknown,
  words,
  expected,
  late,
  approvals = [],
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
  if (money === 'expected' && expected) {
    const { amount, low, high } = expected;
    return [
      `Revenue is what is paid, and what pending sales will probably bring: ${sum(amount)} of ${sum(pending)} (${sum(low)} to ${sum(high)}, 9 times of 10).`,
      ...(rejectedSales > 0 ? [`${refused} ${rejectedSales === 1 ? 'is' : 'are'} left out.`] : []),
      ...approvals.map(({ network, share, earlier }) => `${sayApproval(network, share, earlier)}.`),
      ...(late && late.sales > 0
        ? [
            `${countInWords(late.sales, 'sale')} of ${sum(late.amount)} ${late.sales === 1 ? 'is' : 'are'} pending for longer than the network usually takes: ask its manager.`,
          ]
        : []),
    ].join(' ');
  }
  const percent = revenue > 0 ? ` (${Math.round((pending / revenue) * 100)}%)` : '';
  return [
    ...(pending > 0 ? [`Of all revenue ${sum(pending)}${percent} is pending.`] : []),
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

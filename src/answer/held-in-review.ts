import { amountInWords, numberInWords } from '../api/rules.ts';
import { dayInWords, nameOf, quote } from './words.ts';

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
    [network, booked, `${days} days`, amountInWords(value), subid, offer]
      .filter(Boolean)
      .map((cell) => nameOf(cell))
      .join(' '),
  );
  return [
    `Pending: ${amountInWords(pending)}, of which about ${Math.round(amount)} (${Math.round(low)} to ${Math.round(high)}) will be approved.`,
    ...(late.length === 0
      ? []
      : [`Pending for longer than usual, for the manager of the network (${late.length + more}):`, ...rows]),
  ];
}

/** That less of the sales of a network is approved, or of an offer of a campaign. */
export function sayApproval(of: {
  readonly campaign?: string | undefined;
  readonly value: string;
  readonly share: number;
  readonly earlier: number;
}): string {
  const [now, before] = [of.share, of.earlier].map((share) => `${Math.round(share * 100)}%`);
  if (of.campaign === undefined) return `${quote(of.value)} approves about ${now} of its sales now, ${before} before`;
  return `${quote(of.campaign)}: offer ${nameOf(of.value)}: about ${now} of its sales are approved now, ${before} before`;
}

export type LostSales = {
  /** Undefined if no network's sales came in. */
  readonly network?: string | undefined;
  /** In milliseconds, on the tracker's clock as if that were UTC. */
  readonly from: number;
  readonly to: number;
  readonly expected: number;
  /** What these would have brought. */
  readonly worth: number;
};

/** That no sale came in for a time, though later ones did. */
export function sayLostSales({ network, from, to, expected, worth }: LostSales): string {
  const [first, last] = [from, to].map((moment) => {
    const [day = '', time = ''] = new Date(moment).toISOString().split('T');
    return `${dayInWords(day)} ${time.slice(0, 5)}`;
  });
  const of = network === undefined ? '' : `network ${nameOf(network, 60)}: `;
  return `${of}no sale came in from ${first} to ${last}, where about ${numberInWords(Math.round(expected))}, worth ${amountInWords(worth)}, are usual: postbacks were probably lost, and may be sent again`;
}

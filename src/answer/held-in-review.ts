import { amountInWords, joinSome } from '../api/rules.ts';
import { fromOutside, mention, quoted } from '../api/text/tracker-text.ts';

/** What networks hold of the sales of the last weeks. Money is in the tracker's currency, parts are from 0 to 1. */
export type HeldInReview = {
  readonly pending: number;
  /** What of it will probably be approved, with the 90% range. */
  readonly expected: { readonly amount: number; readonly low: number; readonly high: number };
  /** What each approves in the end, and what it approved before. */
  readonly networks: readonly Readonly<Record<'pending' | 'share' | 'earlier', number> & { network: string }>[];
  /** Sales that are pending for longer than their network usually takes, the oldest first, for its manager. */
  readonly late: readonly LateSale[];
  readonly more_late: number;
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
export function sayHeldInReview({ pending, expected, networks, late, more_late: more }: HeldInReview): string[] {
  const { amount, low, high } = expected;
  const waiting = networks.filter((one) => one.pending > 0);
  const parts = waiting.map(
    ({ network, pending: own, share }) =>
      `${quoted(fromOutside(network))} ${amountInWords(own)}, approves about ${Math.round(share * 100)}%`,
  );
  const rows = late.map(({ network, booked, days, amount: value, subid = '', offer = '' }) =>
    [network, booked, `${days} days`, amountInWords(value), subid, offer]
      .filter(Boolean)
      .map((cell) => mention(fromOutside(cell)))
      .join(' '),
  );
  return [
    `Held: ${amountInWords(pending)} is pending, of which about ${amountInWords(amount)} will be approved (${amountInWords(low)} to ${amountInWords(high)}, 9 times of 10)${parts.length > 0 ? `: ${joinSome(parts, maxNetworks)}` : ''}.`,
    ...(late.length === 0
      ? []
      : [`Pending for longer than usual, for the manager of the network (${late.length + more}):`, ...rows]),
  ];
}

const maxNetworks = 6;

export const sayApproval = (network: string, share: number, earlier: number): string =>
  `${quoted(fromOutside(network))} approves about ${Math.round(share * 100)}% of its sales now, ${Math.round(earlier * 100)}% before`;

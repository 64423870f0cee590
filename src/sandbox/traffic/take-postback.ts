import type { Campaign } from '../rotation/choose-page.ts';
import type { Postback } from '../rotation/journey.ts';
import { type Money, parseMoney } from '../rotation/records.ts';
import { type Answer, plainText, requireMethod, TurnedAway } from './answers.ts';
import { requireVisitor, type TrafficServices } from './follow.ts';
import { findLastPage } from './known-visitors.ts';
import type { VisitorRequest } from './visitor-request.ts';

const addWords: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false };

/** A conversion that an offer source reports: `/adclick.php?subid=<subID>&revenue=<amount>`, or the same as a form by POST. */
export async function takePostback(
  request: VisitorRequest,
  campaigns: ReadonlyMap<number, Campaign>,
  { visitors, recorder, now }: TrafficServices,
): Promise<Answer> {
  requireMethod(request, ['GET', 'POST']);
  const subid = request.parameter('subid');
  if (!subid)
    throw new TurnedAway(
      'malformed',
      'The postback has no subid.',
      'Send it in the query string, or in a form-encoded body.',
    );
  const { visitor, campaign } = await requireVisitor(subid, visitors, campaigns);
  const offer = findLastPage(visitor, campaign, (page) => page.kind === 'offer');
  const { clickId, campaignId } = visitor;
  await recorder.recordPostback(
    { clickId, campaignId, offerPage: offer?.id ?? null, at: now().getTime() },
    readPostback(request, offer?.payout),
  );
  return plainText('OK', 200);
}

/**
 * What an offer source reports: `revenue` (else the payout of the offer), `cladd` (true adds to an earlier conversion),
 * `status`, `txid`, and `custom1` to `custom5`. An empty value is none. Throws TurnedAway for a wrong amount or `cladd`, or
 * without any worth.
 */
function readPostback({ parameter }: VisitorRequest, payout: Money | undefined): Postback {
  const text = (name: string) => parameter(name) || undefined;
  const written = text('revenue');
  const revenue = written === undefined ? payout : parseMoney(written);
  if (revenue === undefined) {
    throw new TurnedAway(
      'malformed',
      written === undefined
        ? 'The postback has no revenue, and the visitor was sent to no offer whose payout could stand in.'
        : 'revenue must be an amount such as 12 or 12.50.',
    );
  }
  const add = addWords[text('cladd')?.toLowerCase() ?? 'false'];
  if (add === undefined) throw new TurnedAway('malformed', 'cladd must be true or false.');
  return {
    revenue,
    add,
    status: text('status'),
    transactionId: text('txid'),
    custom: [1, 2, 3, 4, 5].map((field) => text(`custom${field}`)),
  };
}

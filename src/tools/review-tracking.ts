import { keyOfFinding, reviewedDays, type UnreadData } from '../analysis/account-review.ts';
import { isoDay } from '../analysis/columns/times.ts';
import { daysFrom } from '../analysis/sale-delay.ts';
import { type TrackingFault, whatIsWrong } from '../answer/tracking-faults.ts';
import { maxNameLength } from '../api/text/clean-text.ts';
import { fromOutside, quoted, rawText, shown } from '../api/text/tracker-text.ts';
import type { ListedCampaign } from './campaigns.ts';
import { shiftDays } from './period.ts';
import { beganAt, type Finding, findingAs } from './review-findings.ts';
import type { TrackedLists } from './tracked-account.ts';

/** The faults of tracking as of a moment on the tracker's clock. */
export async function faultsAt(tracked: TrackedLists, clock: number): Promise<readonly TrackingFault[]> {
  const last = isoDay(clock);
  return tracked.faults({ read: shiftDays(last, 1 - reviewedDays), first: shiftDays(last, -askedDays), last }, clock);
}

/** The days before the last one in which a fault counts; those before show what was usual. */
const askedDays = 6;

/** Faults that a review has as findings of their own. */
const toldAs: Partial<Record<TrackingFault['code'], string>> = {
  no_cost: 'cost_missing',
  payout_doubled: 'payout_rose',
  clicks_without_subid: 'page_without_clicks',
  offer_without_subid: 'sales_stopped',
};

/**
 * What faults that came up in these days are, and the keys of all that last: no finding of these is over.
 *
 * @param others the review's own findings
 * @param unlooked the campaigns in which it had no time to look for these
 */
export function trackingFindings(
  faults: readonly TrackingFault[],
  campaigns: readonly ListedCampaign[],
  others: readonly Finding[],
  unlooked: readonly string[],
  unread: Pick<UnreadData, 'days'>,
  clock: number,
): { readonly findings: readonly Finding[]; readonly lasting: ReadonlySet<string> } {
  const byId = new Map(campaigns.map((campaign) => [rawText(campaign.id), campaign]));
  const missingOf = (id = '') => unread.days.get(id) ?? 0;
  const lasting = faults.filter(
    ({ campaign, until }) =>
      until === undefined && (!campaign || byId.has(campaign.id)) && missingOf(campaign?.id) < Infinity,
  );
  const isTold = ({ campaign, code }: TrackingFault) =>
    (toldAs[code] !== undefined && unlooked.includes(campaign?.id ?? '')) ||
    others.some(
      ({ kind, campaign_id: id, campaigns: ids = [id] }) =>
        kind === toldAs[code] && ids.some((one) => String(one) === campaign?.id),
    );
  const findings = lasting
    .filter((fault) => !fault.isOlder && !isTold(fault))
    .map((fault) => findingOf(fault, byId.get(fault.campaign?.id ?? ''), missingOf(fault.campaign?.id), clock));
  return { findings, lasting: new Set(lasting.map(keyOf)) };
}

const keyOf = ({ campaign, source = '', code, token, page }: TrackingFault) =>
  keyOfFinding(campaign?.id, 'tracking_fault', code, token ?? page ?? (campaign ? '' : source));

function findingOf(
  fault: TrackingFault,
  campaign: ListedCampaign | undefined,
  missing: number,
  clock: number,
): Finding {
  const { code, token, page, parameter, example, since, counted, visits, of, money, source, use } = fault;
  const id = Number(fault.campaign?.id ?? 0);
  const text = (value: string) => shown(fromOutside(value), maxNameLength);
  const [dimension, value] = page === undefined ? [token ?? parameter ?? plainCode(code), example] : ['page', page];
  const who = campaign ? quoted(campaign.name, 60) : quoted(fromOutside(source ?? 'unknown campaign'), 60);
  return findingAs({
    ...{ key: keyOf(fault), missing, kind: 'tracking_fault', group: 'doubtful', campaign_id: id },
    ...(campaign ? { campaign: shown(campaign.name, maxNameLength) } : {}),
    dimension: text(dimension),
    ...(value === null ? {} : { value: text(value) }),
    what: `${who}: ${whatIsWrong(fault)}`,
    ...beganAt(`${since} 00:00`),
    money_a_day: Math.round((money / (daysFrom(counted, isoDay(clock)) + 1)) * 100) / 100,
    tracking: {
      code,
      affected: visits,
      of,
      money: Math.round(money * 100) / 100,
      ...(use === undefined ? {} : { use: text(use) }),
    },
    next: { tool: 'check_tracking', arguments: id > 0 ? { campaign_id: id } : source === undefined ? {} : { source } },
  });
}

const plainCode = (code: string) => code.replaceAll('_', ' ');

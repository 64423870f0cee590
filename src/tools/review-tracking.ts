import { keyOfFinding, reviewedDays, type UnreadData } from '../analysis/account-review.ts';
import { isoDay } from '../analysis/columns/times.ts';
import { daysFrom } from '../analysis/sale-delay.ts';
import { groupBy } from '../analysis/statistics/history.ts';
import { sayChange, type TrackingFault, whatIsWrong } from '../answer/tracking-faults.ts';
import { maxNameLength } from '../api/text/clean-text.ts';
import { fromOutside, quoted, rawCell, rawText, shown } from '../api/text/tracker-text.ts';
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
const toldAs: Partial<Record<TrackingFault['code'], readonly string[]>> = {
  no_cost: ['cost_missing'],
  payout_doubled: ['payout_rose'],
  clicks_without_subid: ['page_without_clicks', 'clicks_stopped'],
  offer_without_subid: ['sales_stopped'],
};

/**
 * What faults that came up in these days are, and the keys of all that last: no finding of these is over. A fault that the review found
 * itself is told as that, with the link to use.
 *
 * @param campaigns those that are reviewed
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
): { readonly own: readonly Finding[]; readonly findings: readonly Finding[]; readonly lasting: ReadonlySet<string> } {
  const byId = new Map(campaigns.map((campaign) => [rawText(campaign.id), campaign]));
  const missingOf = (id = '') => unread.days.get(id) ?? 0;
  const bySource = groupBy(campaigns, ({ source }) => rawCell(source) ?? undefined);
  const isOfReviewed = ({ campaign, source }: TrackingFault) =>
    campaign ? byId.has(campaign.id) : source === undefined || bySource.has(source);
  const lasting = faults.filter(
    (fault) => fault.until === undefined && isOfReviewed(fault) && missingOf(fault.campaign?.id) < Infinity,
  );
  const isAbout = (
    { kind, campaign_id: id, campaigns: ids = [id] }: Finding,
    { code, campaign, source }: TrackingFault,
  ) =>
    toldAs[code]?.includes(kind) === true &&
    ids.some((one) => (campaign ? String(one) === campaign.id : isOfSource(byId.get(String(one)), source)));
  const isTold = (fault: TrackingFault) =>
    (toldAs[fault.code] !== undefined && unlooked.includes(fault.campaign?.id ?? '')) ||
    others.some((other) => isAbout(other, fault));
  const findings = lasting
    .filter((fault) => !fault.isOlder && !isTold(fault))
    .map((fault) => findingOf(fault, byId.get(fault.campaign?.id ?? ''), missingOf(fault.campaign?.id), clock));
  const own = others.map((other) => {
    const fault = lasting.find((one) => one.at === 'ads' && one.use !== undefined && isAbout(other, one));
    return fault ? withLink(other, fault) : other;
  });
  return { own, findings, lasting: new Set(lasting.map(keyOf)) };
}

const isOfSource = (campaign: ListedCampaign | undefined, source: string | undefined) =>
  campaign !== undefined && source !== undefined && rawCell(campaign.source) === source;

/** A finding of the review with what to write in the ads' link instead. */
const withLink = (finding: Finding, fault: TrackingFault): Finding => ({
  ...finding,
  what: `${finding.what}; ${sayChange(fault)}`,
  tracking: figuresOf(fault),
  next: nextOf(fault),
});

const nextOf = ({ campaign, source }: TrackingFault): Finding['next'] => ({
  tool: 'check_tracking',
  arguments: campaign ? { campaign_id: Number(campaign.id) } : source === undefined ? {} : { source },
});

const figuresOf = ({ code, visits, of, money, use }: TrackingFault): Readonly<Record<string, string | number>> => ({
  ...{ code, affected: visits, of, money: Math.round(money * 100) / 100 },
  ...(use === undefined ? {} : { use: text(use) }),
});

const text = (value: string) => shown(fromOutside(value), maxNameLength);

const keyOf = ({ campaign, source = '', code, token, page }: TrackingFault) =>
  keyOfFinding(campaign?.id, 'tracking_fault', code, token ?? page ?? (campaign ? '' : source));

function findingOf(
  fault: TrackingFault,
  campaign: ListedCampaign | undefined,
  missing: number,
  clock: number,
): Finding {
  const { code, token, page, parameter, example, since, counted, money, source } = fault;
  const id = Number(fault.campaign?.id ?? 0);
  const [dimension, value] = page === undefined ? [token ?? parameter ?? plainCode(code), example] : ['page', page];
  const who = campaign ? quoted(campaign.name, 60) : quoted(fromOutside(source ?? 'unknown campaign'), 60);
  return findingAs({
    ...{ key: keyOf(fault), missing, kind: 'tracking_fault', group: 'doubtful', campaign_id: id },
    ...(campaign ? { campaign: shown(campaign.name, maxNameLength) } : {}),
    dimension: text(dimension),
    ...(value === null ? {} : { value: text(value) }),
    what: `${who}: ${whatIsWrong(fault)}`,
    ...beganAt(`${since} 00:00`, 'day'),
    money_a_day: Math.round((money / (daysFrom(counted, isoDay(clock)) + 1)) * 100) / 100,
    tracking: figuresOf(fault),
    next: nextOf(fault),
  });
}

const plainCode = (code: string) => code.replaceAll('_', ' ');

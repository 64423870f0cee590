import {
  type AccountFindings,
  type PartInCampaign,
  reviewAccount,
  type Suspicion,
  type UnreadData,
} from '../analysis/account-review.ts';
import { countListed } from '../analysis/coded.ts';
import { isoMinute } from '../analysis/columns/times.ts';
import type { ExpectedSalesOf } from '../analysis/expected-sales.ts';
import { daysFrom } from '../analysis/sale-delay.ts';
import { groupBy, sum } from '../analysis/statistics/history.ts';
import { missingFigures } from '../analysis/visit-groups.ts';
import { groups } from '../answer/findings.ts';
import type { HeldInReview } from '../answer/held-in-review.ts';
import type { LostMost } from '../answer/money-notes.ts';
import type { Note, Notice } from '../answer/notes.ts';
import { dayMs, hourMs } from '../api/durations.ts';
import { Failure } from '../api/failure.ts';
import { rawCell, rawText } from '../api/text/tracker-text.ts';
import { readAccountVisits } from './account/account-visits.ts';
import { readVisitsToCheck, type TrackedRead } from './account/checked-visits.ts';
import { compareWithReports } from './account/compared-reports.ts';
import { type LateSales, lateSalesNote, readLateSales } from './account/late-sales.ts';
import { isOneOf } from './account/listed-sales.ts';
import { moneyOf } from './account/money-of-call.ts';
import { type AccountLists, findNetworks } from './account/read-campaigns.ts';
import { rowsOf } from './account/read-visits.ts';
import { readSaleLists } from './account/sale-lists.ts';
import { findUnlistedViews, type ListedVisits } from './account/unlisted-views.ts';
import { trafficInAccount } from './account/visited-days.ts';
import type { Turns } from './account/visits-by-campaign.ts';
import { paceOf } from './asking.ts';
import { type ListedCampaign, listCampaigns, namedCampaign } from './campaigns.ts';
import type { CallContext } from './define-tool.ts';
import { earlier, shiftDays, today } from './period.ts';
import { chooseReviewed, type ReviewChoice } from './review-choice.ts';
import { describeFinding, type Finding } from './review-findings.ts';
import { lostMost } from './review-losses.ts';
import { heldDays, heldInReview } from './review-money.ts';
import { moneyOfMove } from './review-moved.ts';
import { ageOf } from './review-onsets.ts';
import { joinRobots, placementOfRobots } from './review-placements.ts';
import { faultsAt, trackingFindings } from './review-tracking.ts';
import { type CampaignVisits, clickMoments, historiesAt, visitsByCampaign } from './reviewed-visits.ts';
import { readTracking, type TrackedLists } from './tracked-account.ts';

export { Turns } from './account/visits-by-campaign.ts';
export { blockListsOf, type Finding, type ShownFinding, shownFinding } from './review-findings.ts';

export interface Review extends Pick<AccountFindings, 'isOver' | 'looks' | 'notJudged'> {
  /** The moment of the review in the tracker's zone: `2026-11-23 09:00`. */
  readonly asOf: string;
  /** By group, each with most money first. */
  readonly findings: readonly Finding[];
  /** What could not be looked at, one sentence each. */
  readonly unseen: readonly Notice[];
  readonly campaigns: number;
  readonly campaigns_without_visits: number;
  readonly visits: number;
  readonly lost: LostMost;
  /** What networks hold; undefined if nothing, or the tracker does not tell. */
  readonly held?: HeldInReview;
}

/** The visits of an account over some days. It can be reviewed as of any moment in them. */
export interface ReviewedAccount {
  readonly campaigns: readonly ListedCampaign[];
  readonly visits: readonly CampaignVisits[];
  /** Whether no campaigns were chosen. */
  readonly isAll: boolean;
  /** The part of the visits of all campaigns, 0 to 1. */
  readonly part: number;
  /** The current time or the newest visit, whichever is later, on the tracker's clock as if that were UTC. */
  readonly clock: number;
  /** How late sales come, if it is known. It is kept without the lists that are read: a function made of them would hold them. */
  readonly lateSales: ExpectedSalesOf | undefined;
  /** How many sales of the last days are in, one sentence each; empty if all are. */
  readonly late: readonly Note[];
  /** What could not be looked at, one sentence each. */
  readonly unseen: readonly Notice[];
  readonly unread: UnreadData;
  readonly tracking: TrackedLists;
  readonly money: Awaited<ReturnType<typeof heldInReview>>;
  readonly networkOf: AccountLists['networkOf'];
}

/**
 * Reads the visits of all campaigns, or of some.
 * @param days how many before today
 * @param turns the order of campaigns if there may be no time for all; it is updated
 * @throws Failure if the tracker cannot be asked, the newest days or any visit cannot be read, or a chosen campaign does not exist
 */
export async function readReviewedAccount(
  days: number,
  context: CallContext,
  turns?: Turns,
  choice: ReviewChoice = {},
): Promise<ReviewedAccount> {
  const { client, signal, timeZone, now } = context;
  const end = today(timeZone, now());
  const span = { start: shiftDays(end, -days), end: shiftDays(end, 1) };
  // The next call of a finding takes no other IDs.
  const listing = listCampaigns(client, signal).then((all) => all.filter(({ id }) => /^[1-9]\d*$/.test(rawText(id))));
  const isAll = choice.campaign_ids === undefined && choice.traffic_source === undefined;
  const chosen = isAll ? listing : listing.then((all) => chooseReviewed(all, choice, context));
  const sales = { campaigns: [0], span, since: earlier(span.start, shiftDays(end, -heldDays)) };
  const { money, readLists } = await moneyOf('review_account', {}, sales, context);
  const readSome = async () =>
    readVisitsToCheck(await chosen, await listing, { read: span.start, first: end, last: span.end }, context);
  const reading: Promise<TrackedRead> = isAll
    ? readAccountVisits({ span, listing, needsCampaigns: true, needsSales: false, turns }, context)
    : readSome();
  const readTraffic = async () => trafficInAccount([{ ...(await reading), campaigns: await chosen }], [span], context);
  const [campaigns, account, { tables: conversions }, salesOfAll] = await Promise.all([
    chosen,
    reading,
    readLists(),
    readLateSales(span, readLists, context, readTraffic),
  ]);
  const { lists, missingDays, whyUnread } = account;
  // Only the days after the last gap count: a gap must not look like days without visits.
  // Tomorrow is asked for only because the tracker's clock may be ahead.
  const lastMissingOf = (campaign: ListedCampaign) => missingDays(campaign).findLast((day) => day <= end) ?? '';
  const lastMissing = new Map(campaigns.map((campaign) => [campaign, lastMissingOf(campaign)]));
  const lastNeeded = shiftDays(end, -minWholeDays);
  const unread = campaigns.filter((campaign) => (lastMissing.get(campaign) ?? '') > lastNeeded);
  const [first] = unread;
  if (first && unread.length === campaigns.length) {
    throw new Failure(
      `The account was not reviewed: the visits of ${lastMissing.get(first)} could not be read whole.`,
      'Raise TRACKER_TIMEOUT_MS, or look at campaigns one by one with explain_change.',
    );
  }
  const tables = lists.map(({ table }) => table);
  const pace = paceOf(context);
  const timed = await visitsByCampaign(lists, money, pace);
  if (timed.length === 0 && rowsOf(tables) > 0) {
    throw new Failure(
      `The account was not reviewed: none of the ${rowsOf(tables)} rows of the visitor list has a time and a listed campaign.`,
      'Look at list_visitors and list_campaigns.',
    );
  }
  const unreadSet = new Set(unread);
  const visits = timed.flatMap(({ rows, ...list }) => {
    const missing = lastMissing.get(list.campaign);
    if (missing === undefined || unreadSet.has(list.campaign)) return [];
    const from = missing === '' ? Number.NEGATIVE_INFINITY : Date.parse(shiftDays(missing, 1));
    const known = missing === '' ? rows : rows.filter((row) => (list.moments[row] ?? Number.NaN) >= from);
    return known.length === 0 ? [] : [{ ...list, rows: known }];
  });
  await pace.rest();
  // If the tracker's zone is not known, its clock may be ahead.
  const clock = latestOf(visits, localTime(timeZone, now()));
  await pace.rest();
  const wholeDays = countWholeDays(visits, lastMissing, span.start, end);
  await pace.rest();
  const partlyRead = campaigns.filter((campaign) => lastMissing.get(campaign) !== '' && !unreadSet.has(campaign));
  const sellers = salesOfAll.gap !== undefined && !salesOfAll.late ? bestSelling(visits) : [];
  const lateSales =
    sellers.length > 0
      ? await readLateSales(span, () => readSaleLists({ campaigns: sellers, span }, context), context, readTraffic)
      : salesOfAll;
  const { late, gap } = lateSales;
  await pace.rest();
  const networkOf = findNetworks(campaigns, [...tables, ...conversions]);
  await pace.rest();
  const unlisted = await findUnlistedViews(wholeDays, context);
  const compared = await compareWithReports(
    0,
    lists,
    { start: shiftDays(end, -comparedDays), end },
    context,
    campaigns,
  );
  const areSalesWhole = salesOfAll.gap === undefined;
  const held = await heldInReview(
    conversions,
    campaigns,
    isAll ? undefined : isOneOf(campaigns),
    end,
    areSalesWhole ? (offers) => clickMoments(visits, offers) : undefined,
    pace,
  );
  await pace.rest();
  const missing = missingFigures(tables);
  const of = { of: campaigns.length };
  const missingDaysOf = (day: string) => {
    if (day > lastNeeded) return Number.POSITIVE_INFINITY;
    return day === '' ? 0 : daysFrom(span.start, day) + 1;
  };
  return {
    campaigns,
    visits,
    isAll,
    part: isAll ? 1 : (account.others?.part ?? countListed(visits) / Math.max(countListed(timed), 1)),
    unread: {
      days: new Map([...lastMissing].map(([{ id }, day]) => [rawText(id), missingDaysOf(day)])),
      figures: missing.length,
      areSalesUnread: gap !== undefined && !late,
    },
    clock,
    lateSales: late,
    // What is not looked at would seem to be over, so only a cancelled call stops here.
    tracking: await readTracking(await listing, account, { conversions, money }, context, { ...pace, isOver: false }),
    networkOf,
    money: held,
    late: lateSalesNotes(isAll ? lateSales : { ...lateSales, isMeant: isOneOf(campaigns) }, end, context),
    unseen: [
      ...(unlisted.length > 0 ? unlisted : compared.unlisted),
      ...account.notices.filter(({ code }) => code === 'odd-rows'),
      ...compared.sums,
      ...(first
        ? [{ code: 'campaigns-not-reviewed', campaigns: unread.map(namedCampaign), ...of, why: whyUnread } as const]
        : []),
      ...(partlyRead.length > 0
        ? [{ code: 'campaigns-reviewed-in-part', campaigns: partlyRead.map(namedCampaign), ...of } as const]
        : []),
      ...(gap !== undefined && !late ? [{ code: 'sales-unread', why: gap } as const] : []),
      ...missing.map((figure) => ({ code: 'figure-missing', figure, use: 'review' }) as const),
    ],
  };
}

/** A change that began so many hours from one of this server is that: it is known by days, and zones of clocks may be. */
const hoursAround = 48;

/** With fewer whole days, nothing can be compared. */
const minWholeDays = 5;

/** The days over which lists are compared with a report. */
const comparedDays = 7;

/** The days for which it is reported how many of their sales are in. */
const recentDays = 3;

function lateSalesNotes(late: LateSales, end: string, context: CallContext): Note[] {
  const { gap } = late;
  if (!late.late) return gap === undefined ? [{ code: 'sales-not-dated' }] : [];
  return [
    ...lateSalesNote(late, { start: shiftDays(end, -recentDays), end }, true, context),
    ...(gap === undefined ? [] : [{ code: 'sales-read-in-part', why: gap } as const]),
  ];
}

const maxSellers = 4;

/** The IDs of the campaigns with most sales. They show how late sales come if the list of all campaigns does not. */
function bestSelling(visits: readonly CampaignVisits[]): number[] {
  const sales = [...groupBy(visits, ({ campaign }) => campaign)].map(([{ id }, lists]) => ({
    id: Number(rawText(id)),
    sales: sum(lists.map(({ rows, amounts }) => rows.reduce((all, row) => all + (amounts.conversions[row] ?? 0), 0))),
  }));
  const sorted = sales.sort((one, other) => other.sales - one.sales);
  return sorted.slice(0, maxSellers).map(({ id }) => id);
}

/** The moment of the latest visit, if it is after another one. */
function latestOf(visits: readonly CampaignVisits[], moment: number): number {
  let latest = moment;
  for (const { rows, moments } of visits)
    for (let index = 0; index < rows.length; index += 1) latest = Math.max(latest, moments[rows[index] ?? 0] ?? latest);
  return latest;
}

/** The visits of each campaign whose days are all read, on the days that are over. */
function countWholeDays(
  visits: readonly CampaignVisits[],
  lastMissing: ReadonlyMap<ListedCampaign, string>,
  start: string,
  today: string,
): ListedVisits[] {
  const [from, to] = [Date.parse(start), Date.parse(today)];
  const counts = new Map<ListedCampaign, number>();
  for (const { campaign, rows, moments } of visits) {
    if (lastMissing.get(campaign) !== '') continue;
    let count = counts.get(campaign) ?? 0;
    for (let index = 0; index < rows.length; index += 1) {
      const at = moments[rows[index] ?? 0] ?? Number.NaN;
      if (at >= from && at < to) count += 1;
    }
    if (count > 0) counts.set(campaign, count);
  }
  const span = { start, end: shiftDays(today, -1) };
  return [...counts].map(([campaign, count]) => ({
    id: rawText(campaign.id),
    campaign: namedCampaign(campaign),
    span,
    count,
  }));
}

/** A moment on the clock of a zone, as if that were UTC. */
function localTime(timeZone: string, moment: Date): number {
  const [day, hours] = moment.toLocaleString('sv-SE', { timeZone }).split(' ');
  return Date.parse(`${day}T${hours}Z`);
}

/** Looks over all campaigns for what needs attention, as of a moment. */
export async function reviewAt(account: ReviewedAccount, clock: number, context: CallContext): Promise<Review> {
  const { visits, unread, part } = account;
  // What is known by now counts: the sales of a past day have had more time to come in.
  const daysAgo = Math.floor((account.clock - clock) / dayMs);
  const partIn: PartInCampaign = (age, campaign, offer) =>
    account.lateSales?.usualPartIn(age + daysAgo, campaign, offer) ?? 1;
  const campaignById = new Map(account.campaigns.map((campaign) => [rawText(campaign.id), campaign]));
  const histories = await historiesAt(visits, clock, paceOf(context));
  const { changes } = await context.guard.changes.read();
  const wasChangedHere = (campaign: string, age: number) =>
    changes.some(({ time, steps }) => {
      const hours = (clock - Date.parse(time)) / hourMs;
      const isThen = Math.abs(hours - age) < hoursAround;
      return isThen && steps.some((step) => String(step.arguments['campaign_id']) === campaign);
    });
  const names = {
    networkOf: (id: string, offer: string) => {
      const campaign = campaignById.get(id);
      return campaign && account.networkOf(campaign, offer);
    },
    sourceOf: (id: string) => rawCell(campaignById.get(id)?.source ?? null) ?? undefined,
  };
  const isExplained = ({ kind, age }: Suspicion, campaign: string) =>
    (kind === 'changed_elsewhere' && wasChangedHere(campaign, age)) ||
    (kind === 'campaign_dark' && campaignById.get(campaign)?.active === false);
  const {
    findings: all,
    isOver,
    looks,
    unlooked,
    notJudged,
  } = await reviewAccount(
    { ...names, campaigns: histories, partIn, isExplained, isClockKnown: !context.isZoneAssumed, unread, part },
    paceOf(context),
  );
  const findings = joinRobots(all, visits, clock);
  const described = await Promise.all(
    findings.map((finding) => {
      const about = (finding.campaigns ?? [finding.campaign ?? '']).flatMap((id) => campaignById.get(id) ?? []);
      const campaign = about.length === 1 ? about[0] : undefined;
      const carriedBy = (slot: string) => campaign && placementOfRobots(finding, slot, visits, clock);
      const dated = { ...finding, age: ageOf(finding, visits, clock) };
      const brought = moneyOfMove(dated, visits, clock, partIn);
      return describeFinding(dated, about, clock, carriedBy, brought, context);
    }),
  );
  const own = described.filter((finding, index) => findings[index]?.others || !carriesAnother(finding, described));
  const isNow = clock === account.clock;
  // What could not be read may have visits.
  const isQuiet = (id: string) => !histories.has(id) && unread.days.get(id) !== Number.POSITIVE_INFINITY;
  const allFaults = await faultsAt(account.tracking, clock);
  // Sales of an unknown campaign may be of any.
  const faults = allFaults.filter(({ campaign, source }) => account.isAll || (campaign ?? source) !== undefined);
  const tracking = trackingFindings(faults, account.campaigns, own, unlooked, unread, clock);
  return {
    asOf: isoMinute(clock),
    ...(isNow && account.money.held ? { held: account.money.held } : {}),
    findings: [
      ...tracking.own,
      ...tracking.findings,
      ...(isNow ? account.money.findings.filter((finding) => !isOfStop(finding, own, histories.size === 1)) : []),
    ].sort(
      (one, other) => groups.indexOf(one.group) - groups.indexOf(other.group) || other.money_a_day - one.money_a_day,
    ),
    isOver: (key, missing, age) => !tracking.lasting.has(key) && isOver(key, missing, age),
    unseen: [...account.unseen, ...unlookedNote(unlooked.flatMap((id) => campaignById.get(id) ?? []))],
    campaigns: account.campaigns.length,
    campaigns_without_visits: account.campaigns.filter(({ id }) => isQuiet(rawText(id))).length,
    visits: sum([...histories.values()].map((history) => history.sum(0).views)),
    looks,
    notJudged,
    lost: lostMost(histories, campaignById, own),
  };
}

const unlookedNote = (campaigns: readonly ListedCampaign[]): readonly Note[] =>
  campaigns.length === 0 ? [] : [{ code: 'time-over', campaigns: campaigns.map(namedCampaign) }];

/** Whether sales were lost while those of the account, or of their network, stopped: that some late ones came in is no end of it. */
const isOfStop = ({ kind, value, began }: Finding, all: readonly Finding[], isOneCampaign: boolean) =>
  kind === 'sales_lost' &&
  all.some(
    (other) =>
      other.kind === 'sales_stopped' &&
      (isOneCampaign || other.campaign_id === 0) &&
      (other.value === undefined || other.value === value) &&
      other.began <= began,
  );

/** Whether a placement is found only because of the robots of a provider or user agent that it carries. */
const carriesAnother = ({ kind, campaign_id: id, dimension = '', value }: Finding, all: readonly Finding[]) =>
  all.some(
    (other) =>
      other.kind === kind && other.campaign_id === id && value !== undefined && other.placement?.[dimension] === value,
  );

/** Whether the money per day changed so much that a finding counts as new. */
export function hasMoved(before: number, now: number): boolean {
  return Math.abs(now - before) > 0.5 * Math.max(before, 1);
}

import {
  CampaignHistory,
  type Kind,
  type PartByAge,
  reviewAccount,
  type Suspicion,
} from '../analysis/account-review.ts';
import { isoDay } from '../analysis/columns/times.ts';
import { daysFrom } from '../analysis/sale-delay.ts';
import { type ListedVisit, lackingIn, readerOf, visitsIn, visitTimes } from '../analysis/visit-groups.ts';
import { Failure } from '../api/failure.ts';
import { rawText } from '../api/text/tracker-text.ts';
import { extraSlots } from '../api/token-slots.ts';
import { readAccountVisits, type VisitList } from './account/account-visits.ts';
import { describeLateSales, learnedDays, readLateSales } from './account/late-sales.ts';
import { rowsOf } from './account/read-visits.ts';
import type { Turns } from './account/visits-by-campaign.ts';
import { type ListedCampaign, listCampaigns, nameCampaigns } from './campaigns.ts';
import type { CallContext } from './define-tool.ts';
import { shiftDays, today } from './period.ts';
import { clockTime, describeFinding, type Finding, keyOf, readKey } from './review-words.ts';

export { Turns } from './account/visits-by-campaign.ts';
export type { Finding } from './review-words.ts';

export interface Review {
  /** The moment of the review, in the zone of the tracker: `2026-11-23 09:00`. */
  readonly asOf: string;
  /** Most money first. */
  readonly findings: readonly Finding[];
  /** Whether what an earlier review found, by its key, goes on though it is no finding now: it hovers about the bound, or was not seen to be well. */
  readonly lasts: (key: string) => boolean;
  /** What could not be looked at, a sentence each; empty if everything was. */
  readonly unseen: readonly string[];
  /** By the key of a finding, how much of what it rests on was not read; infinite if nothing was. */
  readonly missing: (key: string) => number;
  readonly campaigns: number;
  readonly visits: number;
  readonly looks: number;
}

/** What a visit is looked at by. */
const dimensions = ['landing_page', 'offer', 'keyword', 'ad', 'isp', ...extraSlots];

const hourMs = 3_600_000;

/** The visits of an account over some days, to be looked at as of any moment in them. */
export interface ReviewedAccount {
  readonly campaigns: readonly ListedCampaign[];
  readonly visits: readonly TimedVisit[];
  /** The moment of the newest, or now by the clock of the tracker, as if that were UTC. */
  readonly clock: number;
  readonly partIn: PartByAge;
  /** How many of the sales of the last days are in, and what says so, a sentence each; none if they all are. */
  readonly late: readonly string[];
  /** What could not be looked at, a sentence each; empty if everything was. */
  readonly unseen: readonly string[];
  /** How many days of campaigns were not read, by their IDs; infinite if too few were for a look. */
  readonly missingDays: ReadonlyMap<string, number>;
  /** Whether the conversions could not be read, so that all sales count as in. */
  readonly areSalesUnread: boolean;
  /** How many figures the visitor list lacks. */
  readonly lacking: number;
}

interface TimedVisit extends ListedVisit {
  readonly campaign: ListedCampaign;
  readonly at: number;
}

/**
 * Reads the visits of all campaigns.
 * @param days how many before today
 * @param turns whose turn it is if there may be no time for all; takes what became of them
 * @throws Failure if the tracker cannot be asked, the newest days cannot be read, or no visit: without them nothing can be said
 */
export async function readReviewedAccount(days: number, context: CallContext, turns?: Turns): Promise<ReviewedAccount> {
  const { client, signal, timeZone, now } = context;
  const end = today(timeZone, now());
  const span = { start: shiftDays(end, -days), end: shiftDays(end, 1) };
  // No call could be about another.
  const listing = listCampaigns(client, signal).then((all) => all.filter(({ id }) => /^[1-9]\d*$/.test(rawText(id))));
  const [{ campaigns, lists, missingDays, whyUnread }, salesOfAll] = await Promise.all([
    readAccountVisits({ span, listing, needsCampaigns: true, needsSales: false, turns }, context),
    readLateSales([0], span, context),
  ]);
  // Behind a gap nothing is known, and a gap is no day without visits.
  const missing = new Map(campaigns.map((campaign) => [campaign, missingDays(campaign).at(-1) ?? '']));
  const lastNeeded = shiftDays(end, -minWholeDays);
  const unread = campaigns.filter((campaign) => (missing.get(campaign) ?? '') > lastNeeded);
  const [first] = unread;
  if (first && unread.length === campaigns.length) {
    throw new Failure(
      `The account was not reviewed: the visits of ${missing.get(first)} could not be read whole.`,
      'Raise TRACKER_TIMEOUT_MS, or look at campaigns one by one with explain_change.',
    );
  }
  const isUnread = new Set(unread);
  const partly = campaigns.filter((campaign) => missing.get(campaign) !== '' && !isUnread.has(campaign));
  const from = new Map([...missing].map(([campaign, day]) => [campaign, day && Date.parse(shiftDays(day, 1))]));
  const isSeen = ({ campaign, at }: TimedVisit) => !isUnread.has(campaign) && at >= Number(from.get(campaign));
  const timed = lists.flatMap(timedVisits);
  const rows = rowsOf(lists.map(({ table }) => table));
  if (timed.length === 0 && rows > 0) {
    throw new Failure(
      `The account was not reviewed: none of the ${rows} rows of the visitor list says a time and a campaign that is listed.`,
      'Look at list_visitors and list_campaigns.',
    );
  }
  const visits = timed.filter(isSeen);
  const sellers = salesOfAll.gap !== undefined && !salesOfAll.partIn ? bestSelling(visits) : [];
  const { partIn, gap } = sellers.length > 0 ? await readLateSales(sellers, span, context) : salesOfAll;
  const areSalesUnread = gap !== undefined && !partIn;
  const lacking = lackingIn(lists.map(({ table }) => table));
  return {
    campaigns,
    visits,
    lacking: lacking.length,
    missingDays: new Map(
      [...missing].map(([{ id }, day]) => [
        rawText(id),
        day > lastNeeded ? Number.POSITIVE_INFINITY : day === '' ? 0 : daysFrom(span.start, day) + 1,
      ]),
    ),
    areSalesUnread,
    // The clock of a tracker whose zone is not known may be ahead.
    clock: visits.reduce((latest, { at }) => Math.max(latest, at), localTime(timeZone, now())),
    partIn: (age) => partIn?.(shiftDays(end, -age)).part ?? 1,
    late: [
      ...describeLateSales(partIn, { start: shiftDays(end, -recentDays), end }, true, context),
      ...(partIn && gap !== undefined ? [`How late is learned from a part of the conversions (${gap}).`] : []),
      ...(partIn || areSalesUnread
        ? []
        : ['The conversion list does not say how late sales come: those of the last days count as all in.']),
    ],
    unseen: [
      ...(first
        ? [
            `${unread.length} of ${campaigns.length} campaigns could not be read: ${nameCampaigns(unread, maxNamed)}${whyUnread === undefined ? '' : ` (${whyUnread})`}.`,
          ]
        : []),
      ...(partly.length > 0
        ? [
            `Only the last days of ${partly.length} of ${campaigns.length} campaigns could be read whole, and are all that is said of: ${nameCampaigns(partly, maxNamed)}.`,
          ]
        : []),
      ...(areSalesUnread
        ? [`How late sales come could not be read (${gap}): those of the last days count as all in, and may be late.`]
        : []),
      ...lacking.map((figure) => `The visitor list says nothing of ${figure} that can be read, so ${blindTo[figure]}.`),
    ],
  };
}

/** What a list that lacks a figure does not show. */
const blindTo = {
  clicks: 'pages without clicks and clicks of robots are not seen',
  conversions: 'a visit with revenue counts as a sale, and other sales are not seen',
  cost: 'losses and missing cost are not seen',
  revenue: 'losses and payouts are not seen',
} as const;

/** The days of which it is said how many of their sales are in. */
const recentDays = 3;

const maxNamed = 3;

/** The campaigns with most sales, which say how late these come where the list of all campaigns does not. */
function bestSelling(visits: readonly TimedVisit[]): number[] {
  const sales = new Map<ListedCampaign, number>();
  for (const { campaign, conversions } of visits) sales.set(campaign, (sales.get(campaign) ?? 0) + conversions);
  const sorted = [...sales].sort((one, other) => other[1] - one[1]);
  return sorted.slice(0, maxAsked).map(([{ id }]) => Number(rawText(id)));
}

const maxAsked = 4;

/** With fewer whole days nothing can be compared. */
const minWholeDays = 5;

/** What is found by how many sales should be in. */
const ofLateSales: ReadonlySet<string> = new Set<Kind>(['sales_stopped', 'loses_money', 'burning_placement']);

/** What goes on until it is seen to be well: the days with which it is compared run out, and nothing is found for that. */
const lasting: ReadonlySet<string> = new Set<Kind>([
  'account_dark',
  'campaign_dark',
  'sales_stopped',
  'page_without_clicks',
]);

/** Looks over all campaigns of a tracker for what needs a person, as of a moment. */
export async function reviewAt(
  { campaigns, visits, partIn, unseen, missingDays, areSalesUnread, lacking }: ReviewedAccount,
  clock: number,
  context: CallContext,
): Promise<Review> {
  const histories = new Map<ListedCampaign, CampaignHistory>();
  for (const { campaign, at, ...visit } of visits) {
    if (at > clock) continue;
    const history = histories.get(campaign) ?? new CampaignHistory(dimensions);
    histories.set(campaign, history);
    history.add({ ...visit, age: (clock - at) / hourMs });
  }
  const { changes } = await context.guard.changes.read();
  const isOurs = (campaign: ListedCampaign) =>
    changes.some(({ time, steps }) => {
      const isRecent = Math.abs(Date.parse(time) - clock) < 2 * 24 * hourMs;
      return isRecent && steps.some((step) => String(step.arguments['campaign_id']) === rawText(campaign.id));
    });
  const isExplained = ({ kind }: Suspicion, campaign: ListedCampaign) =>
    (kind === 'changed_elsewhere' && isOurs(campaign)) || (kind === 'campaign_dark' && campaign.active === false);
  const { findings, fading, well, looks } = reviewAccount(histories, partIn, isExplained, !context.isZoneAssumed);
  const fadingKeys = new Set(fading.map(keyOf));
  const seenWell = new Set(well.map(keyOf));
  return {
    asOf: `${isoDay(clock)} ${clockTime(clock)}`,
    findings: await Promise.all(findings.map((found) => describeFinding(found, clock, context))),
    lasts: (key) => fadingKeys.has(key) || (lasting.has(readKey(key).kind) && !seenWell.has(key)),
    unseen,
    missing: (key) => {
      const { id, kind } = readKey(key);
      const days = missingDays.get(id) ?? 0;
      const ofAccount = [...missingDays.values()].filter((missing) => missing > 0).length;
      const unreadLists = lacking + Number(areSalesUnread && ofLateSales.has(kind));
      return (id === '0' ? ofAccount : days) + unreadLists * learnedDays;
    },
    campaigns: campaigns.length,
    visits: visits.length,
    looks,
  };
}

/** A moment by the clock of a zone, as if that were UTC. */
function localTime(timeZone: string, moment: Date): number {
  const [day, hours] = moment.toLocaleString('sv-SE', { timeZone }).split(' ');
  return Date.parse(`${day}T${hours}Z`);
}

/** The visits of a list whose campaign and time it says. */
function timedVisits({ table, campaignOf }: VisitList): TimedVisit[] {
  const times = visitTimes(table);
  const readings = dimensions.map((name) => readerOf(name)(table));
  return visitsIn(table, readings, (row) => {
    const campaign = campaignOf(row).listed;
    const at = times?.momentOf(row) ?? null;
    return campaign && at !== null ? { campaign, at } : undefined;
  });
}

/** A finding whose money a day is another by half is said as new. */
export function hasMoved(before: number, now: number): boolean {
  return Math.abs(now - before) > 0.5 * Math.max(before, 1);
}

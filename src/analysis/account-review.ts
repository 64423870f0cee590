import { isDouble } from '../answer/change-notes.ts';
import { groups } from '../answer/findings.ts';
import { groupOfTrouble, type TroubleKind } from '../answer/troubles.ts';
import { type Pace, unhurried } from '../api/running-call.ts';
import { burningPlacements } from './review/burning.ts';
import { type CampaignHistory, hoursOfDay, isInHours, reviewedDays, splitPair } from './review/campaign-history.ts';
import { joinRisenCost, oneOfParts, withoutConsequences, withoutExplained } from './review/consequences.ts';
import { pagesUnclickedInHours, unclickedHours, unsoldHours } from './review/dead-hours.ts';
import { unclickedValues, unsoldValues } from './review/dead-values.ts';
import { decliningClicks } from './review/declines.ts';
import { isLook, sureOf } from './review/error-budget.ts';
import { fallenClickRate, fallenSales } from './review/fallen-rates.ts';
import { fallenClicks, fallenSalesOfValues, fallenValueDays } from './review/fallen-values.ts';
import { grownUnsold } from './review/growth.ts';
import {
  type Account,
  type Detector,
  type Finding,
  median,
  type PartByAge,
  type PartInCampaign,
  type Suspicion,
} from './review/looks.ts';
import { decisiveSales, lostMoney, missingCost, pagesBehind, stoppedSales } from './review/money.ts';
import { findNotJudged, type Judged, type NotJudged } from './review/not-judged.ts';
import { oddCost } from './review/odd-cost.ts';
import { campaignCapped, campaignHeldBack, pagesHeldBack, placementsHeldBack } from './review/opportunities.ts';
import { risenCost } from './review/risen-cost.ts';
import { robotClicks } from './review/robots.ts';
import { amounts, newAmounts } from './review/sale-amounts.ts';
import { lookAtShared, type SharedNames, withoutShared } from './review/shared.ts';
import { daysOfSteps } from './review/steps.ts';
import { changedElsewhere, pagesWithoutClicks, stoppedClicks, stoppedVisits, wentDark } from './review/traffic.ts';
import { groupBy, sum } from './statistics/history.ts';

export {
  type AgedVisits,
  CampaignHistory,
  type History,
  inHours,
  joinPair,
  offerInCountry,
  type Pair,
  pairNamed,
  pairs,
  reviewedDays,
  splitPair,
  traits,
} from './review/campaign-history.ts';
export { falseFindingsPerWeek } from './review/error-budget.ts';
export type { Finding, PartInCampaign, Suspicion } from './review/looks.ts';
export type { NotJudged } from './review/not-judged.ts';
export { hasNothingIn, smallIn, type Tally } from './review/small-values.ts';

/** A look at placements or hours alone does not judge a kind: the campaign and its offers may have it, unseen. */
const detectors: readonly (readonly [kind: TroubleKind, detect: Detector, judges?: Judged | 'a part alone'])[] = [
  ['campaign_dark', wentDark],
  ['visits_stopped', stoppedVisits],
  ['sales_stopped', stoppedSales],
  ['sales_stopped', unsoldHours, 'daily_cap'],
  ['sales_stopped', unsoldValues, 'a part alone'],
  ['page_without_clicks', pagesWithoutClicks],
  ['page_without_clicks', pagesUnclickedInHours, 'a part alone'],
  ['clicks_stopped', stoppedClicks, 'a part alone'],
  ['clicks_stopped', unclickedValues],
  ['clicks_stopped', unclickedHours, 'a part alone'],
  ['clicks_fell', fallenClicks],
  ['clicks_declined', decliningClicks],
  ['click_rate_fell', fallenClickRate],
  ['sales_fell', fallenSales],
  ['sales_fell', fallenSalesOfValues, 'a part alone'],
  ['loses_money', lostMoney],
  ['burning_placement', burningPlacements],
  ['clicks_of_no_people', robotClicks],
  ['payout_fell', newAmounts('payout_fell')],
  ['payout_rose', newAmounts('payout_rose')],
  ['sales_counted_twice', newAmounts('sales_counted_twice')],
  ['cost_missing', missingCost],
  ['cost_odd', oddCost],
  ['cost_rose', risenCost],
  ['visits_grew_unsold', grownUnsold],
  ['page_behind', pagesBehind],
  ['changed_elsewhere', changedElsewhere],
  ['decisive_sale', decisiveSales],
  ['page_held_back', pagesHeldBack],
  ['placement_held_back', placementsHeldBack],
  ['campaign_held_back', campaignHeldBack],
  ['campaign_capped', campaignCapped],
];

/** The data of an account that could not be read. */
export interface UnreadData {
  /** Days by campaign ID; infinite if too few days were read for a look. */
  readonly days: ReadonlyMap<string, number>;
  /** The number of figures that the visitor list lacks. */
  readonly figures: number;
  /** Whether the conversions could not be read, so that all sales count as in. */
  readonly areSalesUnread: boolean;
}

/** The data of a review. Campaigns go by their IDs. */
export interface ReviewData extends SharedNames {
  readonly campaigns: ReadonlyMap<string, CampaignHistory>;
  readonly partIn: PartInCampaign;
  /** Whether a suspicion is known not to be trouble. */
  readonly isExplained?: (suspicion: Suspicion, campaign: string) => boolean;
  /** Whether the tracker's clock is known. If not, hours without visits may be due to another time zone. */
  readonly isClockKnown?: boolean;
  readonly unread?: UnreadData;
  /** The part of the account's visits that these campaigns have, 0 to 1; default 1. They get as much of the error budget. */
  readonly part?: number;
}

/** What needs attention. */
export interface AccountFindings {
  /** By group, each with most money first. */
  readonly findings: readonly Finding[];
  /**
   * Whether an earlier finding is over: a look found nothing wrong, or there is nothing left to look at. It is not over while another
   * finding covers it, or less of its data was read than at that time. Lasting trouble is over only if a look found nothing wrong.
   * @param missing how much data the earlier finding lacked
   * @param age hours since it began
   */
  readonly isOver: (key: string, missing: number, age?: number) => boolean;
  readonly looks: number;
  /** Campaigns that were not looked at, since the time of the call ended. */
  readonly unlooked: readonly string[];
  readonly notJudged: readonly NotJudged[];
}

/**
 * Finds what needs attention. The looks at all campaigns share one error budget, so that together they are wrong at most once a week.
 */
export async function reviewAccount(data: ReviewData, pace: Pace = unhurried): Promise<AccountFindings> {
  const { campaigns, partIn, isExplained = () => false, isClockKnown = true, part = 1 } = data;
  const histories = [...campaigns.values()];
  const payouts = histories.map((history) => {
    const { revenue, conversions } = history.sum(0);
    return conversions > 0 ? revenue / conversions : 0;
  });
  const sums = histories.map((history) => history.sum(0));
  const account = {
    maxPayout: Math.max(0, ...payouts),
    usualSale: median(histories.flatMap(({ sales }) => sales.map(({ revenue }) => revenue))),
    usualVisits: median(histories.map((history, index) => (sums[index]?.views ?? 0) / (history.pastDays + 1))),
    usualReturn: median(sums.filter(({ cost }) => cost > 0).map(({ revenue, cost }) => revenue / cost)),
    isSeenUntilNow: isClockKnown || histories.some(({ lastVisit }) => lastVisit <= 1),
  };
  const suspicions: Finding[] = [];
  const judged = new Set<string>();
  const unlooked = new Set<string>();
  for (const [campaign, history] of campaigns) {
    if (pace.isOver) {
      unlooked.add(campaign);
      continue;
    }
    const partOf: PartByAge = (age, offer) => partIn(age, campaign, offer);
    for (const [kind, detect, judges = kind] of detectors) {
      await pace.rest();
      const found = detect(history, partOf, account);
      if (found.length > 0) judged.add(`${judges} ${campaign}`);
      for (const suspicion of found) {
        const finding = findingOf(kind, suspicion, campaign, data.unread);
        if (!isExplained(finding, campaign)) suspicions.push(finding);
      }
    }
  }
  const looked = new Map([...campaigns].filter(([campaign]) => !unlooked.has(campaign)));
  await pace.rest();
  for (const suspicion of lookAtShared(looked, data, partIn))
    suspicions.push({ ...suspicion, ...findingOf(suspicion.kind, suspicion, undefined, data.unread) });
  await pace.rest();
  const isSure = sureOf(suspicions, part);
  await pace.rest();
  const sure = suspicions.filter(isSure).sort(byGroup);
  const causes = withoutExplained(oneOfParts(joinDark(sure, suspicions, data.unread)));
  const isOwnTrouble = (finding: Finding, history: CampaignHistory) =>
    lookAgain(finding, history, partIn, account).some(isSure);
  await pace.rest();
  const own = withoutConsequences(causes, campaigns, isOwnTrouble);
  await pace.rest();
  const findings = foldAlike(withoutShared(joinRisenCost(own), looked, data, partIn)).sort(byGroup);
  // Including findings that are listed with others, or not at all.
  const open = new Set([...suspicions.filter(({ isWell }) => !isWell), ...findings].map(({ key }) => key));
  const well = new Set(suspicions.filter(({ isWell }) => isWell).map(({ key }) => key));
  const isAnyCampaignAlive = suspicions.some(({ kind, isWell }) => isWell && kind === 'campaign_dark');
  return {
    findings,
    isOver: (key, missing, age = 0) => {
      const { campaign, kind, dimension } = parseKey(key);
      if (unlooked.has(campaign ?? '') || (campaign === undefined && unlooked.size > 0)) return false;
      if (open.has(key) || missingData(kind, campaign, data.unread) > missing) return false;
      // The days before it are out of sight, so nothing shows that they are back.
      if (age >= sightOf(kind, dimension) * 24) return false;
      if (kind === 'account_dark') return isAnyCampaignAlive;
      return well.has(key) || !lastingKinds.has(kind);
    },
    looks: suspicions.filter(isLook).length,
    unlooked: [...unlooked],
    notJudged: findNotJudged(looked, (kind, campaign) => judged.has(`${kind} ${campaign}`)),
  };
}

/** Lasting trouble: once the good days are no longer in the history, there is nothing to compare with, and nothing is found. */
const lastingKinds: ReadonlySet<string> = new Set<TroubleKind>([
  'campaign_dark',
  'visits_stopped',
  'sales_stopped',
  'page_without_clicks',
  'clicks_stopped',
  'clicks_fell',
  'clicks_declined',
  'click_rate_fell',
  'sales_fell',
  'cost_missing',
  'payout_fell',
  'payout_rose',
  'sales_counted_twice',
  'changed_elsewhere',
  'cost_rose',
  'visits_grew_unsold',
]);

/** For how many days of lasting trouble there are others to compare with. */
const daysInSight: Partial<Record<string, number>> = {
  changed_elsewhere: reviewedDays - 1,
  clicks_fell: fallenValueDays,
  cost_rose: daysOfSteps,
  click_rate_fell: daysOfSteps,
  sales_fell: daysOfSteps,
  visits_grew_unsold: daysOfSteps,
};

const sightOf = (kind: string, dimension: string): number =>
  kind === 'sales_fell' && dimension !== '' ? fallenValueDays : (daysInSight[kind] ?? Number.POSITIVE_INFINITY);

/** Trouble that shows in the number of sales that should be in. */
const kindsOfLateSales: ReadonlySet<string> = new Set<TroubleKind>([
  'sales_stopped',
  'sales_fell',
  'loses_money',
  'burning_placement',
]);

/** A missing list or figure counts as more days than a campaign can lack. */
const daysOfList = 31;

function missingData(kind: string, campaign: string | undefined, unread?: UnreadData): number {
  if (!unread) return 0;
  const days =
    campaign === undefined
      ? [...unread.days.values()].filter((missing) => missing > 0).length
      : (unread.days.get(campaign) ?? 0);
  return days + (unread.figures + Number(unread.areSalesUnread && kindsOfLateSales.has(kind))) * daysOfList;
}

function findingOf(
  kind: TroubleKind,
  suspicion: Omit<Suspicion, 'kind'>,
  campaign: string | undefined,
  unread?: UnreadData,
): Finding {
  const { dimension = '', value = '' } = suspicion;
  // The hours of a cap come out a little different each day, and a rise may show before the placement that carries it.
  const about = dimension === hoursOfDay ? '' : isInHours(dimension) ? splitPair(value)[0] : value;
  const key =
    kind === 'cost_rose' ? keyOfFinding(campaign, kind, '', '') : keyOfFinding(campaign, kind, dimension, about);
  return { ...suspicion, kind, campaign, key, missing: missingData(kind, campaign, unread) };
}

/** @param campaign its ID; undefined is the account */
export const keyOfFinding = (campaign: string | undefined, kind: string, ...about: readonly string[]): string =>
  JSON.stringify([campaign ?? '0', kind, ...about]);

/** A short name for a key, for people: FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv), in nine digits. */
export function idOfFinding(key: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(key)) hash = Math.imul(hash ^ byte, 0x01000193);
  return String((hash >>> 0) % 1e9).padStart(9, '0');
}

/** Keys come from a file, so this one may be anything. */
function parseKey(key: string) {
  const [, campaign = '', kind = '', dimension = ''] = /^\["(\d+)","(\w+)"(?:,"(\w+)")?/.exec(key) ?? [];
  return { campaign: campaign === '0' ? undefined : campaign, kind, dimension };
}

const rankOf = ({ kind }: Suspicion) => groups.indexOf(groupOfTrouble(kind));

const byGroup = (one: Suspicion, other: Suspicion) =>
  rankOf(one) - rankOf(other) || other.moneyPerDay - one.moneyPerDay;

/** This many campaigns, and this part of all with traffic, go dark at once for a common reason. */
const [minDark, minPartDark] = [3, 0.5];

/** Campaigns go dark at once within this many hours. */
const atOnce = 12;

/** Joins campaigns that went dark at once into one finding about the account. */
function joinDark(findings: readonly Finding[], suspicions: readonly Finding[], unread?: UnreadData) {
  const withTraffic = suspicions.filter(({ kind }) => kind === 'campaign_dark').length;
  const dark = findings.filter(({ kind }) => kind === 'campaign_dark').sort((one, other) => one.age - other.age);
  const medianAge = dark[Math.floor(dark.length / 2)]?.age ?? 0;
  const together = dark.filter(({ age }) => Math.abs(age - medianAge) <= atOnce);
  if (together.length < Math.max(minDark, withTraffic * minPartDark)) return findings;
  const sumOf = (read: (finding: Suspicion) => number) => sum(together.map(read));
  const joined: Suspicion = {
    kind: 'account_dark',
    chance: Math.min(...together.map(({ chance }) => chance)),
    age: together[0]?.age ?? 0,
    moneyPerDay: sumOf(({ moneyPerDay }) => moneyPerDay),
    figures: {
      campaigns: together.length,
      with_traffic: withTraffic,
      visits: sumOf(({ figures }) => figures['visits'] ?? 0),
      usual_visits: sumOf(({ figures }) => figures['usual_visits'] ?? 0),
    },
  };
  return [
    findingOf(joined.kind, joined, undefined, unread),
    ...findings.filter((finding) => !together.includes(finding)),
  ];
}

/** The detectors' suspicions of the same thing, of another history. */
function lookAgain(
  { kind, campaign, dimension, value }: Finding,
  history: CampaignHistory,
  partIn: PartInCampaign,
  account: Account,
) {
  return detectors
    .filter(([detected]) => detected === kind)
    .flatMap(([, detect]) => detect(history, (age, offer) => partIn(age, campaign, offer), account))
    .filter((suspicion) => suspicion.dimension === dimension && suspicion.value === value);
}

/** Max findings per campaign and kind. */
const maxAlike = 3;

function foldAlike(findings: readonly Finding[]): Finding[] {
  const groups = [...groupBy(findings, ({ campaign }) => campaign).values()].flatMap((ofCampaign) => [
    ...groupBy(ofCampaign, ({ kind }) => kind).values(),
  ]);
  return groups.flatMap((group) => {
    const distinct = joinMirrors(joinDoubled(group));
    const others = distinct.slice(maxAlike);
    return distinct
      .slice(0, maxAlike)
      .map((finding, index) => (index === maxAlike - 1 && others.length > 0 ? { ...finding, others } : finding));
  });
}

/** Joins offers of a campaign that pay exactly double or count twice: a pixel of the campaign that fires twice is one cause. */
function joinDoubled(findings: readonly Finding[]): readonly Finding[] {
  const isDoubled = ({ kind, figures }: Finding) => {
    if (!(kind in amounts)) return false;
    const [before, after] = amounts[kind as keyof typeof amounts].figures;
    return isDouble(figures[before] ?? 0, figures[after] ?? 0);
  };
  const doubled = findings.filter(isDoubled);
  const [first, ...together] = doubled;
  if (!first || together.length === 0) return findings;
  const moneyPerDay = sum(doubled.map((finding) => finding.moneyPerDay));
  const age = Math.max(...doubled.map((finding) => finding.age));
  return [{ ...first, moneyPerDay, age, together }, ...findings.filter((finding) => !isDoubled(finding))];
}

/** Joins findings with the same figures: a placement and a provider that have the same visits. */
function joinMirrors(findings: readonly Finding[]): readonly Finding[] {
  const mirrors = groupBy(findings, ({ figures, age }) => JSON.stringify([figures, age]));
  return [...mirrors.values()].flatMap(([first, ...alike]) =>
    first ? [alike.length > 0 ? { ...first, alike } : first] : [],
  );
}

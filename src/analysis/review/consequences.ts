/** What another finding of the same campaign explains, and is not told. */

import type { TroubleKind } from '../../answer/troubles.ts';
import { groupBy } from '../statistics/history.ts';
import {
  type CampaignHistory,
  hoursOfDay,
  isInHours,
  pairNamed,
  partsOfVisitors,
  reviewedDays,
  splitPair,
} from './campaign-history.ts';
import { type Finding, isPlacement, ratio, type Suspicion } from './looks.ts';
import { atUsualCost } from './odd-cost.ts';

/** Findings about values of a dimension that make the others look better. */
const breaksOthers: ReadonlySet<TroubleKind> = new Set([
  ...(['page_behind', 'page_without_clicks', 'sales_stopped', 'payout_fell', 'payout_rose'] as const),
  ...(['sales_counted_twice', 'sales_fell'] as const),
]);

const stops: ReadonlySet<TroubleKind> = new Set(['sales_stopped', 'page_without_clicks', 'clicks_stopped']);
const falls: ReadonlySet<TroubleKind> = new Set(['clicks_fell', 'sales_fell']);
const isStop = ({ kind }: Finding) => stops.has(kind);
const isFall = ({ kind }: Finding) => falls.has(kind);
const isLess = (finding: Finding) => isStop(finding) || isFall(finding);
const isOfSales = ({ kind }: Pick<Finding, 'kind'>) => kind === 'sales_stopped' || kind === 'sales_fell';
const isOfWhole = ({ kind, dimension }: Finding) => kind === 'clicks_stopped' && dimension === undefined;

const isOfVisitors = ({ dimension = '' }: Suspicion): boolean => partsOfVisitors.includes(dimension);
const isOfPlacement = ({ dimension }: Suspicion): boolean => dimension !== undefined && isPlacement(dimension);
const isOfPairOfPage = (finding: Suspicion): boolean =>
  !isOfVisitors(finding) && pairNamed(finding.dimension) !== undefined;

/** Both are pages of a campaign. */
const isPage = (dimension: string | undefined): boolean => dimension === 'offer' || dimension === 'landing_page';

/** The page that a finding is about, alone or with a part of its visitors. */
function pageOf(finding: Suspicion): string | undefined {
  const { dimension, value = '' } = finding;
  if (isPage(dimension)) return `${dimension} ${value}`;
  return isOfPairOfPage(finding) ? `${pairNamed(dimension)?.dimension} ${splitPair(value)[0]}` : undefined;
}

/**
 * Keeps one finding of what is trouble in several parts of the same visitors: phones are also iOS and Android. It is the part that is least
 * likely by chance, for a page or for the whole campaign.
 */
export function oneOfParts(findings: readonly Finding[]): readonly Finding[] {
  const isPart = (finding: Finding) => isOfVisitors(finding) || isOfPairOfPage(finding);
  const nameOf = (finding: Finding) => {
    const { campaign, dimension, value } = finding;
    return JSON.stringify([campaign, dimension, value, isOfSales(finding)]);
  };
  const stopped = new Set(findings.filter(isStop).map(nameOf));
  const sizeOf = ({ figures }: Finding) => figures['expected_clicks'] ?? figures['expected_sales'] ?? 0;
  // What fell because it stopped is told as that.
  const parts = findings.filter((one) => isPart(one) && !(isFall(one) && stopped.has(nameOf(one))));
  const groups = groupBy(parts, (finding) => {
    const { campaign, kind } = finding;
    const what = isLess(finding) ? isOfSales(finding) : kind;
    return JSON.stringify([campaign, what, isOfVisitors(finding) ? null : pageOf(finding)]);
  });
  const kept = new Set(
    [...groups.values()].map((group) =>
      group.toSorted((one, other) => one.chance - other.chance || sizeOf(other) - sizeOf(one)).at(0),
    ),
  );
  return findings.filter((finding) => !isPart(finding) || kept.has(finding));
}

const ofPlacements: ReadonlySet<TroubleKind> = new Set(['burning_placement', 'clicks_of_no_people', 'clicks_stopped']);

/** Whether one finding is about a page with a part of its visitors, or in some hours in which it stopped, and the other about that page. */
const isPartOf = (one: Finding, other: Finding) =>
  isOfPairOfPage(one) &&
  !isOfPairOfPage(other) &&
  pageOf(one) === pageOf(other) &&
  (isFall(other) || !isInHours(one.dimension));

/** Whether both may be about the same visits: one about a page with a part of the visitors, the other about such a part. */
function sharesPart(one: Finding, other: Finding): boolean {
  if (!isOfPairOfPage(one) || isInHours(one.dimension) || !isOfVisitors(other)) return false;
  const isOfIt = pairNamed(one.dimension)?.within === other.dimension && splitPair(one.value ?? '')[1] === other.value;
  return isOfIt || isFall(one) || isFall(other);
}

/** Whether a finding is nothing but what another one of the same campaign does. */
type Explains = (other: Finding, finding: Finding) => boolean;

const explanations: readonly Explains[] = [
  // An offer sells less if it stopped, or its campaign or network did.
  (other, finding) =>
    finding.kind === 'sales_fell' &&
    other.kind === 'sales_stopped' &&
    pageOf(finding) !== undefined &&
    (other.dimension === undefined ||
      other.dimension === 'network' ||
      other.dimension === hoursOfDay ||
      (!isOfPairOfPage(other) && pageOf(other) === pageOf(finding))),
  // What is less of a page, of a part of the visitors, or of both together is told of what is least likely by chance.
  (other, finding) => {
    if (!isLess(other) || !isLess(finding) || isOfSales(other) !== isOfSales(finding)) return false;
    // Of a campaign with one page both are the same, and the page tells more.
    if (isOfWhole(other)) return other.chance < finding.chance;
    if (isOfWhole(finding)) return !isInHours(other.dimension) && other.chance <= finding.chance;
    if (isPartOf(other, finding) || sharesPart(finding, other)) return other.chance < finding.chance;
    return (isPartOf(finding, other) || sharesPart(other, finding)) && other.chance <= finding.chance;
  },
  // What is less each day is also less in the last days than before.
  (other, finding) =>
    other.kind === 'clicks_declined' &&
    (finding.kind === 'clicks_fell' || finding.kind === 'page_behind') &&
    (finding.value === other.value || (pageOf(finding) !== undefined && pageOf(finding) === pageOf(other))),
  // A budget holds it back.
  (other, finding) => other.kind === 'campaign_capped' && finding.kind === 'campaign_held_back',
  // What sells less now is no reason for a larger budget.
  (other, finding) =>
    finding.kind === 'campaign_capped' &&
    isOfSales(other) &&
    (other.value === undefined || other.dimension === 'network'),
  // Robots cost and buy nothing.
  (other, finding) =>
    other.kind === 'clicks_of_no_people' &&
    finding.kind === 'burning_placement' &&
    other.dimension === finding.dimension &&
    other.value === finding.value,
  // Robots of a provider buy of no offer.
  (other, finding) =>
    other.kind === 'clicks_of_no_people' &&
    isOfSales(finding) &&
    isOfPairOfPage(finding) &&
    (isFall(finding) || pairNamed(finding.dimension)?.within === 'isp'),
  // Phones of one country that stopped to click are phones that click less.
  (other, finding) =>
    isFall(finding) &&
    isOfVisitors(finding) &&
    (other.kind === 'clicks_of_no_people' ||
      (isStop(other) && isOfSales(other) === isOfSales(finding) && (isOfVisitors(other) || isOfPlacement(other)))),
  // Visits of a new part that sells nothing come at hours of their own.
  (other, finding) =>
    other.kind === 'burning_placement' &&
    finding.kind === 'sales_stopped' &&
    finding.dimension === hoursOfDay &&
    other.age < finding.age + 24,
  // A placement is less where a page or a part of the visitors is dead, or because of what else is told of it.
  (other, finding) => {
    if (!isLess(finding) || !isOfPlacement(finding)) return false;
    const isSame = other.dimension === finding.dimension && other.value === finding.value;
    if (isFall(finding) && other.kind === 'clicks_of_no_people') return true;
    return (
      (isStop(other) && !isOfPlacement(other)) ||
      (isSame && ofPlacements.has(other.kind) && other.kind !== finding.kind)
    );
  },
];

/** Leaves out what is explained by what stopped or fell elsewhere in the campaign. */
export function withoutExplained(findings: readonly Finding[]): readonly Finding[] {
  const concern = (other: Finding, { campaign = '' }: Finding) =>
    other.campaign === campaign || other.campaigns?.includes(campaign);
  return findings.filter(
    (finding) =>
      !findings.some(
        (other) =>
          other !== finding && concern(other, finding) && explanations.some((explains) => explains(other, finding)),
      ),
  );
}

/** What else explains that more visits bring no more sales. */
const sellLess: ReadonlySet<TroubleKind> = new Set([
  ...(['sales_stopped', 'page_without_clicks', 'clicks_stopped', 'clicks_of_no_people', 'burning_placement'] as const),
]);

/** Kinds of a whole campaign's rates, and what else of it explains a lower one. */
const lowerRates: Partial<Record<TroubleKind, ReadonlySet<TroubleKind>>> = {
  click_rate_fell: new Set([
    ...(['page_without_clicks', 'clicks_fell', 'clicks_declined', 'clicks_stopped'] as const),
    ...(['clicks_of_no_people', 'changed_elsewhere'] as const),
  ]),
  sales_fell: new Set([
    ...(['sales_stopped', 'visits_grew_unsold', 'clicks_of_no_people', 'changed_elsewhere'] as const),
    ...(['burning_placement', 'page_without_clicks'] as const),
  ]),
};

/** What a wrong cost makes of visits that are worth theirs. */
const losses: ReadonlySet<TroubleKind> = new Set(['loses_money', 'burning_placement']);

/** Trouble that may be nothing but what another finding about a value does, by kind: the kinds of such findings. */
const mayComeOf: Partial<Record<TroubleKind, ReadonlySet<TroubleKind>>> = {
  loses_money: new Set(['page_without_clicks', 'burning_placement', 'cost_rose', 'sales_stopped', 'sales_fell']),
  page_behind: new Set(['page_without_clicks', 'sales_stopped', 'sales_fell']),
  sales_fell: new Set(['sales_fell']),
  // Beside robots that do not click, people seem to click like others.
  clicks_of_no_people: new Set(['clicks_of_no_people']),
};

/** Whether a finding may come of another one: of two values, of the one that is less likely by chance. */
const mayCome = (finding: Finding, other: Finding): boolean =>
  other.dimension !== undefined &&
  mayComeOf[finding.kind]?.has(other.kind) === true &&
  (other.kind !== finding.kind || finding.dimension === undefined || other.chance < finding.chance);

/**
 * Drops what another finding of the campaign explains: a campaign that sells nothing anymore loses money because of that, and so may
 * one with a page without clicks, which also sells less than other pages, or with a placement that burns money.
 * @param isOwnTrouble whether a finding also stands with another history of its campaign
 */
export function withoutConsequences(
  findings: readonly Finding[],
  campaigns: ReadonlyMap<string, CampaignHistory>,
  isOwnTrouble: (finding: Finding, history: CampaignHistory) => boolean,
): readonly Finding[] {
  const sellsLess = ({ kind, value }: Suspicion) =>
    (kind === 'sales_fell' || kind === 'sales_stopped' || kind === 'clicks_stopped') && value === undefined;
  const concerns = (other: Finding, campaign: string) =>
    other.campaign === campaign || other.campaigns?.includes(campaign);
  const withFewerSales = new Set(
    findings.filter(sellsLess).flatMap(({ campaign = '', campaigns: several = [campaign] }) => several),
  );
  const clickless = new Set(findings.flatMap(({ kind, campaign }) => (kind === 'page_without_clicks' ? campaign : [])));
  const better = findings.filter(({ kind }) => kind === 'page_held_back');
  /** Whether a page is behind only because a better one is among the others. */
  const isBehindBetter = (finding: Finding) => {
    const history = campaigns.get(finding.campaign ?? '');
    const among = better.filter(
      ({ campaign, dimension }) => campaign === finding.campaign && dimension === finding.dimension,
    );
    if (!history || finding.kind !== 'page_behind' || among.length === 0) return false;
    const withoutBetter = among.reduce(
      (rest, { dimension = '', value = '' }) => rest.without(dimension, value, reviewedDays),
      history,
    );
    return !isOwnTrouble(finding, withoutBetter);
  };
  const own = findings.filter((finding) => !isBehindBetter(finding));
  const broken = new Set(
    own.flatMap(({ kind, campaign, dimension = '' }) => {
      return breaksOthers.has(kind) ? [`${campaign} ${pairNamed(dimension)?.dimension ?? dimension}`] : [];
    }),
  );
  const partlyDead = new Set(
    own.flatMap((finding) => (isOfPairOfPage(finding) ? [`${finding.campaign} ${pageOf(finding)}`] : [])),
  );
  return own.filter((finding) => {
    const { kind, campaign = '' } = finding;
    if (kind === 'page_behind' && partlyDead.has(`${campaign} ${pageOf(finding)}`)) return false;
    if (kind === 'clicks_fell' && clickless.has(campaign)) return false;
    if (isStop(finding) && (isOfCap(finding, own) || isOfWholeStop(finding, own))) return false;
    if (own.some((other) => other.campaign === finding.campaign && isFallAtAllHours(other, finding))) return false;
    if (kind === 'changed_elsewhere' && finding.dimension === 'offer' && clickless.has(campaign)) return false;
    if (kind === 'page_held_back' && own.some((other) => isOfSameShare(other, finding))) return false;
    if (kind === 'page_held_back' && broken.has(`${campaign} ${finding.dimension}`)) return false;
    if (kind === 'sales_fell' && finding.dimension !== undefined) return true;
    if (own.some((other) => concerns(other, campaign) && explainsRate(other, finding))) return false;
    if (kind === 'loses_money' && withFewerSales.has(campaign)) return false;
    if (
      kind === 'visits_grew_unsold' &&
      own.some((other) => other.campaign === finding.campaign && sellLess.has(other.kind))
    )
      return false;
    const history = campaigns.get(campaign);
    if (history && losses.has(kind) && own.some((other) => other.campaign === campaign && other.kind === 'cost_odd')) {
      const { dimension = '', value = '' } = finding;
      if (!isOwnTrouble(finding, atUsualCost(history, dimension, value))) return false;
    }
    // Values of several dimensions may have the same visits.
    const causes = own.filter((other) => other.campaign === finding.campaign && mayCome(finding, other));
    const [{ dimension = '' } = {}] = causes;
    if (!history || causes.length === 0) return true;
    const rest = causes
      .filter((other) => other.dimension === dimension)
      .reduce((all, { value = '', age }) => all.without(dimension, value, Math.ceil(age / 24)), history);
    return isOwnTrouble(finding, rest);
  });
}

/** Whether a page that could earn more had more of the visits until its share moved: that is told, with what it costs. */
const isOfSameShare = (moved: Finding, heldBack: Finding): boolean =>
  moved.kind === 'changed_elsewhere' &&
  moved.campaign === heldBack.campaign &&
  moved.dimension === heldBack.dimension &&
  moved.value === heldBack.value;

/** What sells less at all hours looks as if it were capped where the last hours of a day happen to sell nothing. */
const isFallAtAllHours = (fall: Finding, cap: Finding): boolean =>
  fall.kind === 'sales_fell' &&
  fall.dimension === undefined &&
  cap.kind === 'sales_stopped' &&
  isInHours(cap.dimension) &&
  fall.chance < cap.chance;

const explainsRate = (other: Finding, finding: Finding): boolean =>
  lowerRates[finding.kind]?.has(other.kind) === true && !isFallAtAllHours(finding, other);

/** Whether a campaign or page has nothing since less than a day because it has nothing in those hours of each day, as one that is capped. */
const isOfCap = ({ kind, campaign, dimension, value, age }: Finding, findings: readonly Finding[]): boolean =>
  !isInHours(dimension) &&
  (dimension === undefined || isPage(dimension)) &&
  age < 24 &&
  findings.some(
    (other) =>
      other.campaign === campaign &&
      isOfSales(other) === isOfSales({ kind }) &&
      isStop(other) &&
      isInHours(other.dimension) &&
      (other.dimension === hoursOfDay || value === undefined || splitPair(other.value ?? '')[0] === value),
  );

/** Whether a page has nothing, or not in some hours of each day, since its campaign has nothing at all; or the latter since the page has. */
const isOfWholeStop = (
  { kind, campaign, dimension, value = '', age }: Finding,
  findings: readonly Finding[],
): boolean =>
  findings.some(
    (other) =>
      other.campaign === campaign &&
      isStop(other) &&
      isOfSales(other) === isOfSales({ kind }) &&
      (other.dimension === undefined
        ? isPage(dimension) || isInHours(dimension)
        : isPage(other.dimension) && isInHours(dimension) && splitPair(value)[0] === other.value) &&
      !isOfCap(other, findings) &&
      age < other.age + maxEarlier,
  );

/** Of a campaign that stops, so many hours before an offer may have sold for the last time. */
const maxEarlier = 48;

/** A loss of visits that cost more since a day, of a campaign or of a placement, is told with that, as one. */
export function joinRisenCost(findings: readonly Finding[]): readonly Finding[] {
  const nameOf = ({ campaign, dimension, value }: Finding) => JSON.stringify([campaign, dimension, value]);
  const byName = (isMeant: (kind: TroubleKind) => boolean) =>
    new Map(findings.flatMap((finding) => (isMeant(finding.kind) ? [[nameOf(finding), finding] as const] : [])));
  const [lost, risen] = [byName((kind) => losses.has(kind)), byName((kind) => kind === 'cost_rose')];
  return findings.flatMap((finding) => {
    if (finding.kind === 'cost_rose' && lost.has(nameOf(finding))) return [];
    const rise = risen.get(nameOf(finding))?.figures;
    if (!losses.has(finding.kind) || !rise) return finding;
    const { cost_a_visit = 0, usual_cost_a_visit = 0, visits = 0 } = rise;
    const { cost = 0, revenue = 0, days = 0 } = finding.figures;
    const more = (cost_a_visit - usual_cost_a_visit) * visits * Math.min(ratio(days, rise['days'] ?? 0), 1);
    const earned_before_rise = revenue - cost + more;
    const figures = { ...finding.figures, cost_a_visit, usual_cost_a_visit, earned_before_rise };
    // What earns at its old price is to be bought at that, not blocked.
    return { ...finding, figures, ...(earned_before_rise > 0 ? { isWorthIt: true as const } : {}) };
  });
}

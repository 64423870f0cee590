import { type Pace, unhurried } from '../../api/running-call.ts';
import { at, sum } from '../statistics/history.ts';
import type { GroupFigures } from '../visit-groups.ts';
import {
  dimensionsOfClicks,
  findAlike,
  isOfClicks,
  isOfSales,
  minOverlap,
  missingCampaign,
  placementOf,
  widened,
} from './alike.ts';
import { type DaysOfChange, daysOfChange } from './days-of-change.ts';
import { type Deviation, findDeviation, limitsOf, movedFactors } from './deviations.ts';
import { type Factor, type FactorEffect, factorEffects, profitOf } from './factors.ts';
import { Groupings, minVisits, rankOf } from './groupings.ts';
import { hoursOfChange } from './hours.ts';
import { partsOf } from './pairs.ts';
import { causeOfSale, type DecisiveSale, isOfPayout, type PayoutChange } from './sales.ts';
import { withSameMix } from './same-mix.ts';
import { type ShareOfTraffic, shareOfTraffic } from './share-of-traffic.ts';
import {
  allRows,
  type Dimension,
  GroupSums,
  noSums,
  placeOf,
  rowsWith,
  spansOf,
  subtract,
  sumRows,
  type Value,
  type VisitColumns,
  type Visits,
} from './visit-columns.ts';
import { causeOfAll, coversMore, type SpanDays } from './whole.ts';

/** The visits with one value of a dimension. */
export interface Group {
  readonly dimension: string;
  readonly value: string | null;
}

/** Visits that moved differently from the rest, with their figures in both spans. */
export interface Cause extends DaysOfChange {
  /** One group, or several that overlap: "Device Phone" within "Landing page Quiz". */
  readonly groups: readonly Group[];
  /** Groups of other dimensions with nearly the same visits, so that any of them may be the cause. */
  readonly alike: readonly Group[];
  readonly before: GroupFigures;
  readonly after: GroupFigures;
  /** The parts of its change of profit, the largest effect first. */
  readonly factors: readonly FactorEffect[];
  /** The factors that moved differently from the factors of the rest. */
  readonly moved: readonly Factor[];
  /** Whether chance is excluded. If not, the numbers are small for the number of groups that were tested. */
  readonly isSure: boolean;
  /** If it is a provider or user agent: the placement that its visits are from. It can be blocked. */
  readonly placement: Group | undefined;
  /** If it is about visits: how the share of a page or offer moved. */
  readonly share: ShareOfTraffic | undefined;
  /** If it is one sale: what it brought. */
  readonly sale?: number;
}

export interface Causes {
  readonly causes: readonly Cause[];
  /** All other visits. Causes and rest add up to the whole. */
  readonly rest: { readonly before: GroupFigures; readonly after: GroupFigures };
  /** The effects of the rest's factors: first those that moved by more than chance, then the largest. */
  readonly restFactors: readonly FactorEffect[];
  /** Whether the time of the call ended before all groups were compared. */
  readonly isCut: boolean;
}

/** Enough for one answer. */
const maxCauses = 5;

/**
 * A cause moves at least this part of the sum of all factors' effects; the second part if it is sure, and no more or fewer visits: these
 * come and go.
 */
const [minPart, minPartOfSure] = [0.05, 0.01];

const minPartOf = ({ isSure, moved: [factor] }: Deviation) => (isSure && factor !== 'visits' ? minPartOfSure : minPart);

/** What may be chance is worth a look only if it moves this part of what is usual between two such spans. */
const minOfUsual = 0.05;

/** Two groups are named together if the visits in both carry this part of the first one's change. */
const minWithin = 0.8;
/** The same if the inner group surely moved differently from the rest of the outer one. */
const minSure = 0.5;

interface CausesOptions {
  readonly pace?: Pace;
  readonly decisive?: DecisiveSale | undefined;
  /** By default, days are not compared: whether all visits moved alike is not asked. */
  readonly spans?: SpanDays;
  /** How far profit usually moves between the spans. */
  readonly usual?: number;
}

/**
 * Finds the groups of visits that explain a change of profit: those whose factors moved differently from the factors of all other
 * visits, by more than chance and the usual day-to-day changes. The group with the largest effect comes first. Its visits are then
 * removed, so that groups that merely share them are not named as well.
 */
export async function findCauses(
  columns: VisitColumns,
  payouts: readonly PayoutChange[],
  { pace = unhurried, decisive, spans, usual = 0 }: CausesOptions = {},
): Promise<Causes> {
  let rows = allRows(columns);
  const whole = spansOf(sumRows(rows, columns));
  const effects = sum(factorEffects(whole.before, whole.after).map(({ effect }) => Math.abs(effect)));
  const ofSale = decisive && causeOfSale(decisive, columns);
  const causes: Cause[] = ofSale ? [ofSale] : [];
  if (ofSale) rows = rows.filter((row) => row !== decisive.visit);
  await pace.rest();
  while (causes.length < maxCauses && !pace.isOver) {
    const found = await findCause(rows, { columns, effects, minUnsure: usual * minOfUsual, payouts, pace });
    // A search that was cut may have missed what fits better.
    if (pace.isOver) break;
    const ofAll = spans && causeOfAll(rows, columns, spans, effects * minPart);
    if (ofAll && (!found || coversMore(ofAll, found.cause, columns))) {
      causes.push(ofAll);
      rows = new Uint32Array();
      break;
    }
    if (!found) break;
    causes.push(found.cause);
    rows = found.otherRows;
  }
  const sums = sumRows(rows, columns);
  const [rest, moved] = [spansOf(sums), movedFactors(sums)];
  const restFactors = factorEffects(rest.before, rest.after).sort(
    (a, b) => Number(moved.has(b.factor)) - Number(moved.has(a.factor)) || Math.abs(b.effect) - Math.abs(a.effect),
  );
  return { causes, rest, restFactors, isCut: pace.isOver };
}

/** The visits among which causes are searched, and how their groups are compared. */
interface Search {
  readonly columns: VisitColumns;
  readonly groupings: Groupings;
  /** The sum of what all factors moved, in money. */
  readonly effects: number;
  /** What is not sure and moved less money is left out. */
  readonly minUnsure: number;
  readonly payouts: readonly PayoutChange[];
  readonly pace: Pace;
}

interface SearchOptions {
  /** Groups that moved less money are left out; by default by their part of all effects. */
  readonly minMoney?: number;
  /** How many searches like this one share the budget of false causes. */
  readonly searches?: number;
}

type FoundGroup = Value & Deviation;

/** A group that stands out, alone or as the pair of two that do not. */
async function findStanding(
  rows: Visits,
  search: Search,
  dimensions: readonly Dimension[],
  options: SearchOptions & { readonly pairs: boolean },
): Promise<FoundGroup | undefined> {
  if (!options.pairs) return findGroup(rows, dimensions, search, options);
  const half = { ...options, searches: 2 * (options.searches ?? 1) };
  const single = await findGroup(rows, dimensions, search, half);
  if (single?.isSure) return single;
  return better(single, await findGroup(rows, await search.groupings.pairsAmong(dimensions), search, half));
}

/** Sure groups come before others, whatever their weight. */
function better<Found extends Pick<Deviation, 'isSure' | 'weight'>>(one: Found | undefined, other: Found | undefined) {
  if (!one || !other) return one ?? other;
  return (one.isSure === other.isSure ? other.weight > one.weight : other.isSure) ? other : one;
}

/** Max campaigns that are searched each within itself: those whose profit moved most. */
const maxSearched = 12;

/** Groups that stand out within one campaign of an account that moved, though not against the other campaigns. */
async function findWithinCampaigns(
  rows: Visits,
  search: Search,
  campaign: Dimension,
): Promise<{ readonly outer: Value; readonly inner: FoundGroup } | undefined> {
  const sums = new GroupSums(rows, search.columns, campaign);
  const moneyOf = (code: number) => {
    const { before, after } = sums.spansOf(code);
    return Math.abs(profitOf(after) - profitOf(before));
  };
  const moved = campaign.values
    .map((_, code) => ({ code, money: moneyOf(code) }))
    .filter(({ code, money }) => campaign.values[code] !== null && money >= search.effects * minPartOfSure)
    .sort((one, other) => other.money - one.money)
    .slice(0, maxSearched);
  const dimensions = search.columns.dimensions.filter((dimension) => dimension !== campaign);
  let best: { readonly outer: Value; readonly inner: FoundGroup } | undefined;
  for (const { code } of moved) {
    const outer = { dimension: campaign, code };
    const options = { pairs: true, searches: moved.length };
    const inner = await findStanding(rowsWith(rows, outer), search, dimensions, options);
    if (inner && better(best?.inner, inner) === inner) best = { outer, inner };
  }
  return best;
}

/** The values of a cause, the outer ones first; their visits in common are the cause. */
interface FoundGroups extends Pick<Deviation, 'moved' | 'isSure' | 'money'> {
  readonly values: readonly Value[];
}

async function findGroups(rows: Visits, search: Search): Promise<FoundGroups | undefined> {
  const { groupings, columns } = search;
  const { campaign } = groupings;
  const standing = await findStanding(rows, search, await groupings.outer(), { pairs: !campaign });
  const outer = standing && widened(standing, rows, campaign);
  const within = campaign && !outer?.isSure ? await findWithinCampaigns(rows, search, campaign) : undefined;
  if (within && better(outer, within.inner) === within.inner)
    return { ...within.inner, values: [within.outer, ...partsOf(within.inner)] };
  if (!outer) return undefined;
  const outerParts = partsOf(outer);
  const money = Math.abs(outer.money);
  const own = outerParts.find(({ dimension }) => dimension === campaign);
  const alone = own && (await findAlone(own, rows, search));
  if (own && alone?.isSure && alone.money / outer.money >= (alone.moved[0] === outer.moved[0] ? minSure : minWithin))
    return { ...alone, values: [own, ...alone.values] };
  const traits = columns.dimensions.filter(
    ({ name }) =>
      !outerParts.some(({ dimension }) => dimension.name === name) &&
      (isOfSales(outer.moved) || !dimensionsOfClicks.has(name)),
  );
  const options = { pairs: true, minMoney: minSure * money };
  const found = await findStanding(rowsWith(rows, outer), search, traits, options);
  const inner = found && (found.isSure || Math.abs(found.money) >= minWithin * money) ? found : undefined;
  if (!inner) return { ...outer, values: outerParts };
  const innerRows = rowsWith(rows, inner);
  // If nearly all visits of the inner group are in the outer one, it alone is the cause; but the campaign of an account is named.
  const isInnerAlone = !campaign && rowsWith(innerRows, outer).length >= minOverlap * innerRows.length;
  return { ...inner, values: isInnerAlone ? partsOf(inner) : [...outerParts, ...partsOf(inner)] };
}

/** What a campaign of an account did is what it is said to have done when it is asked about alone. */
async function findAlone(campaign: Value, rows: Visits, search: Search): Promise<FoundGroups | undefined> {
  const columns = {
    ...search.columns,
    dimensions: search.columns.dimensions.filter((dimension) => dimension !== campaign.dimension),
  };
  const own = rowsWith(rows, campaign);
  return findGroups(own, { ...search, columns, groupings: new Groupings(own, columns, search.pace) });
}

const rowsWithAll = (rows: Visits, values: readonly Value[]) => values.reduce(rowsWith, rows);

const unknownDays: DaysOfChange = { since: undefined, noneSince: undefined };

/** The cause with the largest effect among some visits, and the visits outside it. */
async function findCause(
  rows: Visits,
  wanted: Omit<Search, 'groupings'>,
): Promise<{ readonly cause: Cause; readonly otherRows: Visits } | undefined> {
  const { columns, pace } = wanted;
  const { dimensions } = columns;
  const groupings = new Groupings(rows, columns, pace);
  const found = await findGroups(rows, { ...wanted, groupings });
  if (!found) return undefined;
  const { values: foundParts, moved, isSure } = found;
  await pace.rest();
  const campaign = missingCampaign(foundParts, rowsWithAll(rows, foundParts), groupings.campaign);
  const isQuarter = ({ dimension }: Value) => !dimensions.includes(dimension);
  const ofAllHours = foundParts.filter((part) => !isQuarter(part));
  // A cap ends the sales of an offer for the rest of each day.
  const mayBeCapped = moved[0] === 'sales_per_click' && foundParts.some(({ dimension }) => dimension.name === 'offer');
  const hours = mayBeCapped ? hoursOfChange(rowsWithAll(rows, ofAllHours), moved[0], columns) : undefined;
  const namedParts = hours ? [...ofAllHours, hours] : foundParts;
  const causeRows = rowsWithAll(rows, campaign ? [...namedParts, campaign] : namedParts);
  const namedGroups = [...namedParts, ...(campaign ? [campaign] : [])].sort(
    (one, other) => rankOf(one.dimension.name) - rankOf(other.dimension.name),
  );
  const isAlone = namedGroups.length === 1 || (groupings.campaign !== undefined && namedGroups.length === 2);
  const named = namedGroups.map(({ dimension }) => dimension);
  const alike = isAlone ? findAlike(causeRows, rows, dimensions, named) : [];
  const groups = [...namedGroups, ...alike].map(({ dimension: { name, values }, code }) => ({
    dimension: name,
    value: at(values, code),
  }));
  if (namedGroups.length === 1) groups.sort((a, b) => rankOf(a.dimension) - rankOf(b.dimension));
  await pace.rest();
  const isInCause = new Uint8Array(columns.stretches.length);
  for (const row of causeRows) isInCause[row] = 1;
  const otherRows = rows.filter((row) => isInCause[row] === 0);
  const { before, after } = spansOf(sumRows(causeRows, columns));
  await pace.rest();
  const dates = moved[0] ? daysOfChange(moved[0], causeRows, otherRows, columns) : unknownDays;
  await pace.rest();
  const cause = {
    groups: groups.slice(0, namedGroups.length),
    alike: groups.slice(namedGroups.length),
    before,
    after,
    factors: factorEffects(before, after).sort((a, b) => Math.abs(b.effect) - Math.abs(a.effect)),
    moved,
    isSure,
    ...dates,
    placement: placementOf([...namedGroups, ...alike], causeRows, otherRows, columns),
    share: moved[0] === 'visits' ? shareOfTraffic(namedGroups, rows, columns, dates.since) : undefined,
  };
  return { cause, otherRows };
}

/** Takes less than a millisecond. */
const groupsPerStep = 32;

/**
 * The group whose profit moved most compared with the other visits; undefined if none moved by more than chance.
 */
async function findGroup(
  rows: Visits,
  dimensions: readonly Dimension[],
  { columns, groupings, effects, minUnsure, payouts, pace }: Search,
  { minMoney, searches = 1 }: SearchOptions,
): Promise<FoundGroup | undefined> {
  const grouped: { dimension: Dimension; groups: GroupSums; tested: number }[] = [];
  for (const dimension of dimensions) {
    const groups = new GroupSums(rows, columns, dimension, payouts.length > 0 ? 1 : minVisits);
    grouped.push({ dimension, groups, tested: groups.countOf(minVisits) });
    await pace.rest();
  }
  const all = sumRows(rows, columns);
  await pace.rest();
  const [group, rest] = [noSums(columns), noSums(columns)];
  /** Visits that did not click have no offer: more clicks are no more visits of one. */
  const clickedOf = ({ values }: Dimension, groups: GroupSums) => {
    const clicked = noSums(columns);
    groups.read(values.indexOf(null), group);
    subtract(all, group, clicked);
    return clicked;
  };
  const tests = grouped.filter(({ dimension, tested }) => tested > 0 && dimension.values.length > 1);
  const limitsFor = limitsOf(searches * Math.max(tests.length, 1), all);
  const allVisits = (all.before[placeOf.views] ?? 0) + (all.after[placeOf.views] ?? 0);
  let best: FoundGroup | undefined;
  let ofPayout: FoundGroup | undefined;
  let read = 0;
  for (const { dimension, groups } of grouped) {
    const compared = isOfClicks(dimension) ? clickedOf(dimension, groups) : all;
    for (let code = 0; code < dimension.values.length; code += 1) {
      const visits = groups.viewsOf(code);
      if (visits === 0 || dimension.values[code] === null) continue;
      const hasNewPayout = payouts.length > 0 && payouts.some((one) => isOfPayout(one, namesOf({ dimension, code })));
      if (visits < minVisits && !hasNewPayout) continue;
      const sureFactor = hasNewPayout ? 'revenue_per_sale' : undefined;
      if (read % groupsPerStep === 0) {
        await pace.rest();
        if (pace.isOver) return undefined;
      }
      read += 1;
      groups.read(code, group);
      subtract(compared, group, rest);
      const limits = limitsFor(visits / allVisits, dimension.partsOf !== undefined);
      const { campaign } = groupings;
      let deviation = findDeviation(group, rest, limits, sureFactor);
      if (deviation && campaign && campaign !== dimension && dimension.partsOf === undefined) {
        const isCompared = (row: number) =>
          !isOfClicks(dimension) || dimension.values[dimension.codes[row] ?? 0] !== null;
        const others = rows.filter((row) => dimension.codes[row] !== code && isCompared(row));
        const [inside, outside] = [rowsWith(rows, { dimension, code }), others].map((some) =>
          withSameMix(some, columns, campaign),
        );
        deviation = inside && outside && findDeviation(inside, outside, limits, sureFactor);
      }
      if (!deviation) continue;
      const least = Math.max(effects * minPartOf(deviation), deviation.isSure ? 0 : minUnsure);
      if (deviation.worth < (minMoney ?? least)) continue;
      const value = { dimension, code, ...deviation };
      best = better(best, value);
      if (hasNewPayout && deviation.moved[0] === 'revenue_per_sale') ofPayout = better(ofPayout, value);
    }
  }
  // A payout that sales show is no guess: what else paid more or less did so because of it.
  return ofPayout && best?.moved[0] === 'revenue_per_sale' && ofPayout.worth >= minSure * best.worth ? ofPayout : best;
}

const namesOf = (value: Value) =>
  partsOf(value).map(({ dimension, code }) => ({ dimension: dimension.name, value: dimension.values[code] ?? null }));

import type { PayoutChange } from '../../answer/change-notes.ts';
import { type Pace, unhurried } from '../../api/running-call.ts';
import { dimensionsOfRobots } from '../placements.ts';
import { at, sum } from '../statistics/history.ts';
import type { GroupFigures } from '../visit-groups.ts';
import { dimensionsOfClicks, findAlike, isOfSales, minOverlap, placementOf } from './alike.ts';
import { areBots } from './bots.ts';
import { type DaysOfChange, daysOfChange, endedFirst } from './days-of-change.ts';
import { movedFactors } from './deviations.ts';
import {
  carriedTogether,
  type Factor,
  type FactorEffect,
  factorEffects,
  largestFirst,
  profitOf,
  worthTelling,
} from './factors.ts';
import { campaignsIn, rankOf } from './groupings.ts';
import { hasEndedAtAllHours, hoursOfSales } from './hours.ts';
import { countOf, findAlone, findGroups } from './narrowing.ts';
import { causeOfSale, isOfPayout, type OutstandingSale, type Rejected, rejectedIn } from './sales.ts';
import { campaignsThatMoved, type FoundGroups, isLarge, minPart, type Search } from './search.ts';
import { type ShareOfTraffic, shareOfTraffic } from './share-of-traffic.ts';
import { GroupSums, spansOf, sumRows } from './sums.ts';
import {
  allRows,
  rowsWhere,
  rowsWith,
  rowsWithout,
  rowsWithoutValue,
  type VisitColumns,
  type Visits,
} from './visit-columns.ts';
import { causeOfAll, coversMore, isNearlyNone, type SpanDays } from './whole.ts';

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
  /** The factors that moved differently from the factors of the rest, and by as much. Together they are the cause. */
  readonly moved: readonly Factor[];
  /** Whether its visits click more and buy nothing, as those of bots. */
  readonly isOfBots?: boolean;
  /** Whether chance is excluded. If not, the numbers are small for the number of groups that were tested. */
  readonly isSure: boolean;
  /** If it is a provider or user agent: the placement that its visits are from. It can be blocked. */
  readonly placement: Group | undefined;
  /** If it is about visits: how the share of a page or offer moved. */
  readonly share: ShareOfTraffic | undefined;
  /** Whether an earlier cause has some of the visits of these groups: what is said is true of the others. */
  readonly isOfOthers?: boolean;
  /** If it is one sale: what it brought. */
  readonly sale?: number;
  /** If a sale brought more or less because more or fewer were rejected: the part that was, 0 to 1. */
  readonly rejected?: Rejected | undefined;
}

export interface Causes {
  readonly causes: readonly Cause[];
  /** All other visits. Causes and rest add up to the whole. */
  readonly rest: { readonly before: GroupFigures; readonly after: GroupFigures };
  /** The effects of the rest's factors: first those that moved by more than chance, then the largest. */
  readonly restFactors: readonly FactorEffect[];
  /** Whether the time of the call ended before all groups were compared. */
  readonly isCut: boolean;
  /** Whether there may be more causes: the search ended with as many as are named. */
  readonly isFull: boolean;
}

/** Enough for one answer, about one campaign and about an account. */
const [maxCauses, maxOfAccount] = [5, 8];

/** What may be chance is worth a look only if it moves this part of what is usual between two such spans. */
const minOfUsual = 0.05;

/** So small a part of all visits does not show whether these did what the others did. */
const maxTooFew = 0.2;

interface CausesOptions {
  readonly pace?: Pace;
  readonly outstanding?: OutstandingSale | undefined;
  /** By default, days are not compared: whether all visits moved alike is not asked. */
  readonly spans?: SpanDays;
  /** How far profit usually moves between the spans. */
  readonly usual?: number;
  /** The same visits with the amounts that are compared, if these are others than are told. */
  readonly searched?: VisitColumns;
  /** Offers of which each sale counts otherwise. */
  readonly counted?: readonly PayoutChange[];
}

/**
 * Finds the groups of visits that explain a change of profit: those whose factors moved differently from the factors of all other
 * visits, by more than chance and the usual day-to-day changes. The group with the largest effect comes first. Its visits are then
 * removed, so that groups that merely share them are not named as well.
 */
export async function findCauses(
  columns: VisitColumns,
  payouts: readonly PayoutChange[],
  { pace = unhurried, outstanding, spans, usual = 0, searched = columns, counted = [] }: CausesOptions = {},
): Promise<Causes> {
  let rows = allRows(columns);
  const whole = spansOf(sumRows(rows, columns));
  const effects = sum(factorEffects(whole.before, whole.after).map(({ effect }) => Math.abs(effect)));
  const ofSale = outstanding && causeOfSale(outstanding, columns);
  const causes: Cause[] = [];
  // What is left of a campaign, if it cannot be compared any more.
  let aside: Visits = new Uint32Array();
  let passed = 0;
  const campaign = campaignsIn(columns);
  const most = (campaign ? maxOfAccount : maxCauses) - Number(ofSale !== undefined);
  if (ofSale) rows = rowsWhere(rows, (row) => row !== outstanding.visit);
  const search = {
    ...{ columns: searched, all: rows, campaign, effects, minUnsure: usual * minOfUsual },
    isDayOpen: spans?.untilHour !== undefined,
    ...{ told: columns, payouts, counted, pace },
    ...{ sums: new GroupSums(searched), within: new Map() },
    ...{ moved: new WeakMap(), others: new WeakMap() },
  };
  await pace.rest();
  // What is new has nothing to be compared with.
  while (whole.before.views > 0 && causes.length + passed < most && !pace.isOver) {
    const first = await findCause(rows, search);
    // Where campaigns are many, a guess is worth a look if there is nothing else.
    const found = first?.isGuess && (causes.length > 0 || !search.campaign) ? undefined : first;
    // A search that was cut may have missed what fits better.
    if (pace.isOver) break;
    const allOf: AllOf = (some, searches) =>
      spans && causeOfAll(some, { columns: searched, told: columns }, spans, effects * minPart, searches);
    await pace.rest();
    const isFirst = found?.cause.isSure && isLarge(carriedBy(found), rows, search);
    const ofOne = isFirst ? undefined : await findCampaign(rows, search, allOf, causes);
    if (pace.isOver) break;
    if (ofOne && !(found?.cause.isSure && (carriedBy(found) >= carriedBy(ofOne) || isPartOfSame(found, ofOne)))) {
      causes.push(ofOne.cause);
      rows = ofOne.otherRows;
      continue;
    }
    if (found && isLeftBy(causes, found.cause, search)) {
      const left = visitsLeft(found.cause, rows, search);
      aside = together(aside, left.own);
      rows = left.others;
      continue;
    }
    const all = allOf(rows);
    const isSame = all?.moved[0] === found?.cause.moved[0];
    // Over an account a group that is sure is what differs, unless the others came to an end as well.
    const mayBeAll =
      !found?.cause.isSure || !search.campaign || (isSame && isNearlyNone(all) && isNearlyNone(allOf(found.otherRows)));
    const ofAll = all && mayBeAll && !isLeftBy(causes, all, search) ? all : undefined;
    if (
      ofAll &&
      (!found ||
        (isSame && (found.isSoAtAllHours || search.campaign)) ||
        (coversMore(ofAll, found.cause) &&
          (found.otherRows.length < maxTooFew * rows.length ||
            allOf(found.otherRows)?.moved.includes(at(ofAll.moved, 0)))))
    ) {
      causes.push({ ...ofAll, isOfOthers: isPartOf(rows, search.all, columns) });
      rows = new Uint32Array();
      break;
    }
    if (!found) break;
    // Beside what is sure, chance that made up for some of it says nothing of why.
    const isAgainst = carriedOf(found.cause) * (profitOf(whole.after) - profitOf(whole.before)) < 0;
    if (isAgainst && !found.cause.isSure && causes.some(({ isSure }) => isSure)) {
      aside = together(aside, rowsWithout(rows, found.otherRows, columns));
      passed += 1;
    } else causes.push(found.cause);
    rows = found.otherRows;
  }
  const sums = sumRows(together(rows, aside), columns);
  const [rest, moved] = [spansOf(sums), movedFactors(sums)];
  const restFactors = factorEffects(rest.before, rest.after).sort(
    (a, b) => Number(moved.has(b.factor)) - Number(moved.has(a.factor)) || largestFirst(a, b),
  );
  return {
    causes: inOrder([...causes, ...(ofSale ? [ofSale] : [])]),
    rest,
    restFactors,
    isCut: pace.isOver,
    isFull: causes.length >= most,
  };
}

function together(one: Visits, other: Visits): Visits {
  const all = new Uint32Array(one.length + other.length);
  all.set(one);
  all.set(other, one.length);
  return all;
}

/** Whether a cause is a part of what a campaign did: the parts are told, each by itself. */
const isPartOfSame = ({ cause: part }: FoundCause, { cause: ofCampaign }: FoundCause): boolean =>
  part.moved[0] === ofCampaign.moved[0] &&
  ofCampaign.groups.every(({ value }) => part.groups.some((group) => group.value === value));

/** The part of a change of profit that a cause has. What visitors brought to another page is not lost. */
export const carriedOf = ({ share, factors, moved }: Pick<Cause, 'share' | 'factors' | 'moved'>): number =>
  share?.effect ?? carriedTogether(factors, moved);

const carriedBy = ({ cause }: FoundCause): number => Math.abs(carriedOf(cause));

/** The campaign of an account that a cause names. */
const campaignNamed = (groups: readonly Group[], { campaign }: Search) =>
  groups.find(({ dimension }) => dimension === campaign?.name)?.value;

/** The visits of a cause's campaign, and those of others; without an account, all are its own. */
function visitsLeft({ groups }: Cause, rows: Visits, search: Search) {
  const { campaign: dimension } = search;
  if (!dimension) return { own: rows, others: new Uint32Array() };
  const code = dimension.values.indexOf(campaignNamed(groups, search) ?? null);
  return {
    own: rowsWith(rows, { dimension, code }),
    others: rowsWithoutValue(rows, { dimension, code }),
  };
}

/**
 * Whether visits of a campaign seem to click more or less only since those of an offer that got another share of them are told: visits
 * without a click have no offer, and stay.
 */
const isLeftBy = (
  causes: readonly Cause[],
  { moved, groups }: Pick<Cause, 'moved' | 'groups'>,
  search: Search,
): boolean =>
  (moved[0] === 'clicks_per_visit' || moved[0] === 'visits') &&
  causes.some((earlier) => {
    const campaign = campaignNamed(earlier.groups, search);
    return (
      earlier.moved[0] === 'visits' &&
      earlier.groups.some(({ dimension }) => dimensionsOfClicks.has(dimension)) &&
      campaign === campaignNamed(groups, search) &&
      (!search.campaign || campaign !== undefined)
    );
  });

/**
 * What is sure comes first, and of this what carries most; other visits of a cause come after it, and so do sales of which fewer are
 * rejected: the later ones may be yet.
 */
function inOrder(causes: readonly Cause[]): Cause[] {
  const rankOfCause = (cause: Cause) => {
    const { isSure, isOfOthers, rejected } = cause;
    const mayChange = rejected !== undefined && rejected.after < rejected.before;
    return isSure && !isOfOthers && !mayChange ? Math.abs(carriedOf(cause)) : Number(isSure) - 1;
  };
  return causes.toSorted((one, other) => rankOfCause(other) - rankOfCause(one));
}

/** What all of some visits did alike, if they moved by more than days differ. */
type AllOf = (some: Visits, searches?: number) => Omit<Cause, 'isOfOthers'> | undefined;

/** A campaign of an account that moved by more than its days differ, if its others did not; with what it did when it is asked about alone. */
async function findCampaign(
  rows: Visits,
  search: Search,
  allOf: AllOf,
  told: readonly Cause[],
): Promise<FoundCause | undefined> {
  const { campaign } = search;
  const moved = campaign ? campaignsThatMoved(rows, search, campaign) : [];
  for (const { value, rows: own } of moved) {
    await search.pace.rest();
    const { dimension, code } = value;
    const groups = [{ dimension: dimension.name, value: at(dimension.values, code) }];
    const ofAll = allOf(own, moved.length);
    if (!ofAll || isLeftBy(told, { ...ofAll, groups }, search)) continue;
    const otherRows = rowsWithoutValue(rows, value);
    if (otherRows.length === 0 || allOf(otherRows)?.moved.includes(at(ofAll.moved, 0))) continue;
    const alone = await findAlone(value, rows, search);
    const part = alone?.isSure
      ? await causeOf({ ...alone, values: [value, ...alone.values] }, rows, search)
      : undefined;
    if (part && !coversMore(ofAll, part.cause)) return part;
    return { cause: { ...ofAll, groups }, otherRows, isGuess: false };
  }
  return undefined;
}

/** Whether visits are a part of some, or have a part of their sales. */
export function isPartOf(rows: Visits, all: Visits, { amounts }: VisitColumns): boolean {
  const salesIn = (some: Visits) => some.reduce((sales, row) => sales + (amounts.conversions[row] ?? 0), 0);
  return rows.length < minOverlap * all.length || salesIn(rows) < minOverlap * salesIn(all);
}

const unknownDays: DaysOfChange = { since: undefined, noneSince: undefined };

/** A cause, and the visits outside it. */
interface FoundCause extends Pick<FoundGroups, 'isGuess'> {
  readonly cause: Cause;
  readonly otherRows: Visits;
  /** Whether it is about hours of each day, and the others do the same. */
  readonly isSoAtAllHours?: boolean;
}

/** The cause with the largest effect among some visits. */
async function findCause(rows: Visits, search: Search): Promise<FoundCause | undefined> {
  const found = await findGroups(rows, search);
  return found && causeOf(found, rows, search);
}

async function causeOf(found: FoundGroups, rows: Visits, search: Search): Promise<FoundCause> {
  const { values, moved, isSure } = found;
  const count = countOf(found, search);
  const { columns, campaign, pace } = search;
  const { dimensions } = columns;
  await pace.rest();
  // The rest of a day is no dimension of visits.
  const ofAllHours = values.filter(({ dimension }) => dimensions.includes(dimension));
  // A cap ends the sales of an offer, or of all, for the rest of each day.
  const isSoOnSomeHours = values.length > ofAllHours.length;
  const mayBeCapped =
    !count &&
    moved[0] === 'sales_per_click' &&
    (isSoOnSomeHours || values.some(({ dimension }) => dimension.name === 'offer'));
  const hours = mayBeCapped ? hoursOfSales(rowsWith(rows, ...ofAllHours), columns) : undefined;
  const withHours = hours ? [...ofAllHours, hours] : values;
  const isSoAtAllHours =
    withHours.length > ofAllHours.length &&
    hasEndedAtAllHours(moved[0], rowsWith(rows, ...ofAllHours), rowsWith(rows, ...withHours), search.told);
  const namedGroups = (isSoAtAllHours && ofAllHours.length > 0 ? ofAllHours : withHours).toSorted(
    (one, other) => rankOf(one.dimension.name) - rankOf(other.dimension.name),
  );
  const causeRows = rowsWith(rows, ...namedGroups);
  const isAlone = namedGroups.length === 1 || (campaign !== undefined && namedGroups.length === 2);
  const named = namedGroups.map(({ dimension }) => dimension);
  // Visits that did not click have no offer and no network.
  const ofCause = (some: Visits) =>
    isOfSales(moved) ? rowsWhere(some, (row) => (columns.amounts.clicks[row] ?? 0) > 0) : some;
  const alike = isAlone ? findAlike(ofCause(causeRows), ofCause(search.all), dimensions, named) : [];
  const groups = [...namedGroups, ...alike].map(({ dimension: { name, values }, code }) => ({
    dimension: name,
    value: at(values, code),
  }));
  await pace.rest();
  const otherRows = rowsWithout(rows, causeRows, columns);
  const { before, after } = spansOf(sumRows(causeRows, search.told));
  const factors = factorEffects(before, after).sort(largestFirst);
  // Sales that are still to come are no fall of what clicks bring.
  const due = search.told === columns ? { before, after } : spansOf(sumRows(causeRows, columns));
  const told = worthTelling(moved, factorEffects(due.before, due.after).sort(largestFirst));
  await pace.rest();
  const dated = endedFirst(daysOfChange(told, causeRows, otherRows, columns, search.told, search.isDayOpen));
  const dates: DaysOfChange = dated[0] ?? unknownDays;
  const { rates, noneSince, until, aDay } = dates;
  await pace.rest();
  const isOfBots = areBots(namedGroups, dates, { before, after }, spansOf(sumRows(otherRows, columns)));
  // Of robots with a browser of their own, the provider tells most.
  const rank = ({ dimension }: Group) => (isOfBots && dimensionsOfRobots.has(dimension) ? -1 : rankOf(dimension));
  const outer = groups.slice(0, namedGroups.length - 1);
  const [inner, ...same] = groups.slice(outer.length).sort((one, other) => rank(one) - rank(other));
  const cause = {
    groups: inner ? [...outer, inner] : outer,
    alike: same,
    before,
    after,
    factors,
    moved: dated.map(({ factor }) => factor),
    isSure,
    isOfBots,
    ...{ rates, noneSince, since: count?.since ?? dates.since, until, aDay },
    placement: placementOf([...namedGroups, ...alike], causeRows, otherRows, columns),
    isOfOthers: isPartOf(causeRows, rowsWith(search.all, ...namedGroups), columns),
    rejected:
      dated[0]?.factor === 'revenue_per_sale' && !search.payouts.some((payout) => isOfPayout(payout, groups))
        ? rejectedIn(causeRows, columns, dates.since)
        : undefined,
    share: dated[0]?.factor === 'visits' ? shareOfTraffic(namedGroups, rows, columns, dates.since) : undefined,
  };
  return { cause, otherRows, isGuess: found.isGuess, isSoAtAllHours: isSoAtAllHours && ofAllHours.length === 0 };
}

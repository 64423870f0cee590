import type { PayoutChange } from '../../answer/change-notes.ts';
import { type Pace, unhurried } from '../../api/running-call.ts';
import { at, sum } from '../statistics/history.ts';
import type { GroupFigures } from '../visit-groups.ts';
import { dimensionsOfClicks } from './alike.ts';
import { type Cause, carriedOf, causeOf, type FoundCause, type Group, isPartOf } from './cause.ts';
import { movedFactors } from './deviations.ts';
import { type FactorEffect, factorEffects, largestFirst, profitOf } from './factors.ts';
import { campaignsIn } from './groupings.ts';
import { findAlone, findGroups } from './narrowing.ts';
import { causeOfSale, type OutstandingSale } from './sales.ts';
import { campaignsThatMoved, isLarge, minPart, type Search } from './search.ts';
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
import { type AskedOfAll, causeOfAll, coversMore, isNearlyNone, type SpanDays } from './whole.ts';

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
  const every = allRows(columns);
  const whole = spansOf(sumRows(every, columns));
  const effects = sum(factorEffects(whole.before, whole.after).map(({ effect }) => Math.abs(effect)));
  const ofSale = outstanding && causeOfSale(outstanding, columns);
  const campaign = campaignsIn(columns);
  const all = ofSale ? rowsWhere(every, (row) => row !== outstanding.visit) : every;
  const limits = { minEffect: effects * minPart };
  const compute: AllOf = (some, asked = {}) =>
    spans && causeOfAll(some, { columns: searched, told: columns }, spans, { ...limits, ...asked });
  // What the others of a cause did is asked again once they are what is left.
  const known = new WeakMap<Visits, ReturnType<AllOf>>();
  const allOf: AllOf = (some, asked) => {
    if (asked) return compute(some, asked);
    if (!known.has(some)) known.set(some, compute(some));
    return known.get(some);
  };
  const search = {
    ...{ columns: searched, all, campaign, effects, minUnsure: usual * minOfUsual },
    isDayOpen: spans?.untilHour !== undefined,
    ...{ told: columns, payouts, counted, pace, allOf },
    ...{ sums: new GroupSums(searched), within: new Map() },
    ...{ moved: new WeakMap(), others: new WeakMap() },
  };
  await pace.rest();
  const most = (campaign ? maxOfAccount : maxCauses) - Number(ofSale !== undefined);
  // What is new has nothing to be compared with.
  const { causes, left } = whole.before.views > 0 ? await causesAmong(search, most) : { causes: [], left: all };
  const sums = sumRows(left, columns);
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

/** Finds one cause after the other among the visits of a search. @returns them, and the visits that no cause has */
async function causesAmong(search: WholeSearch, most: number) {
  const { pace, told, allOf } = search;
  const whole = spansOf(sumRows(search.all, told));
  const causes: Cause[] = [];
  let rows = search.all;
  // What is left of a campaign, if it cannot be compared any more.
  let aside: Visits = new Uint32Array();
  let passed = 0;
  while (causes.length + passed < most && !pace.isOver) {
    const first = await findCause(rows, search);
    // Where campaigns are many, a guess is worth a look if there is nothing else.
    const found = first?.isGuess && (causes.length > 0 || !search.campaign) ? undefined : first;
    // A search that was cut may have missed what fits better.
    if (pace.isOver) break;
    await pace.rest();
    const isFirst = found?.cause.isSure && isLarge(carriedBy(found), rows, search);
    const ofOne = isFirst ? undefined : await findCampaign(rows, search, causes);
    if (pace.isOver) break;
    if (ofOne && !(found?.cause.isSure && (carriedBy(found) >= carriedBy(ofOne) || isPartOfSame(found, ofOne)))) {
      const within = await causesWithin(ofOne, rows, causes, search);
      causes.push(...within.causes);
      aside = together(aside, within.left);
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
    // What a group did besides is told first, sure or not.
    const isBesides = found && !found.isGuess && !isSame && !search.campaign;
    if (
      ofAll &&
      !isBesides &&
      (!found ||
        (isSame && (found.isSoAtAllHours || search.campaign)) ||
        (coversMore(ofAll, found.cause) &&
          (found.otherRows.length < maxTooFew * rows.length ||
            allOf(found.otherRows)?.moved.includes(at(ofAll.moved, 0)))))
    ) {
      causes.push(ofAllVisits(ofAll, rows, search.all, causes, search));
      rows = new Uint32Array();
      break;
    }
    if (!found) break;
    // Beside what is sure, chance that made up for some of it says nothing of why.
    const isAgainst = carriedOf(found.cause) * (profitOf(whole.after) - profitOf(whole.before)) < 0;
    if (isAgainst && !found.cause.isSure && causes.some(({ isSure }) => isSure)) {
      aside = together(aside, rowsWithout(rows, found.otherRows, told));
      passed += 1;
    } else {
      const within = await causesWithin(found, rows, causes, search);
      causes.push(...within.causes);
      aside = together(aside, within.left);
    }
    rows = found.otherRows;
  }
  return { causes, left: together(rows, aside) };
}

/** Enough of one campaign of an account. */
const maxOfCampaign = 4;

/** A cause; in its place, if it is a whole campaign of an account, what is sure of that when it is asked about alone, if this is more. */
async function causesWithin(
  { cause, otherRows }: FoundCause,
  rows: Visits,
  earlier: readonly Cause[],
  search: WholeSearch,
): Promise<{ readonly causes: readonly Cause[]; readonly left: Visits }> {
  const { campaign: dimension, told } = search;
  const [group, ...inner] = cause.groups;
  const none = { causes: [cause], left: new Uint32Array() };
  if (!dimension || !group || inner.length > 0 || group.dimension !== dimension.name || !cause.isSure) return none;
  const value = { dimension, code: dimension.values.indexOf(group.value) };
  if (cause.isOfOthers) {
    const all = rowsWith(search.all, value);
    const own = rowsWithout(rows, otherRows, told);
    const ofItsOwn = earlier.filter(({ groups }) => campaignNamed(groups, search) === group.value);
    return { ...none, causes: [{ ...ofAllVisits(cause, own, all, ofItsOwn, search), groups: [group] }] };
  }
  const all = rowsWith(rows, value);
  const alone = { ...search, all, campaign: undefined, moved: new WeakMap(), others: new WeakMap(), within: new Map() };
  const { causes, left } = await causesAmong(alone, maxOfCampaign);
  if (search.pace.isOver || causes.length < 2 || !causes.every(({ isSure }) => isSure)) return none;
  return { causes: causes.map((one) => ({ ...one, groups: [group, ...one.groups] })), left };
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

/** What visits did alike that no earlier cause has; said of all where those of the earlier causes did so too. */
function ofAllVisits(
  ofLeft: Cause,
  left: Visits,
  all: Visits,
  earlier: readonly Cause[],
  { told, allOf }: WholeSearch,
): Cause {
  if (!isPartOf(left, all, told)) return ofLeft;
  const [factor] = ofLeft.moved;
  const isNew = factor && earlier.every(({ moved }) => !moved.includes(factor));
  const whole = isNew ? allOf(all, { only: factor }) : undefined;
  if (!whole) return { ...ofLeft, isOfOthers: true };
  return { ...whole, moved: ofLeft.moved, others: { before: ofLeft.before, after: ofLeft.after } };
}

/** What all of some visits did alike, if they moved by more than days differ. */
type AllOf = (some: Visits, asked?: AskedOfAll) => Omit<Cause, 'isOfOthers'> | undefined;

/** A search that also asks what all of some visits did. */
interface WholeSearch extends Search {
  readonly allOf: AllOf;
}

/** A campaign of an account that moved by more than its days differ, if its others did not; with what it did when it is asked about alone. */
async function findCampaign(
  rows: Visits,
  search: WholeSearch,
  told: readonly Cause[],
): Promise<FoundCause | undefined> {
  const { campaign, allOf } = search;
  const moved = campaign ? campaignsThatMoved(rows, search, campaign) : [];
  for (const { value, rows: own } of moved) {
    await search.pace.rest();
    const { dimension, code } = value;
    const groups = [{ dimension: dimension.name, value: at(dimension.values, code) }];
    const ofAll = allOf(own, { searches: moved.length });
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

/** The cause with the largest effect among some visits. */
async function findCause(rows: Visits, search: Search): Promise<FoundCause | undefined> {
  const found = await findGroups(rows, search);
  return found && causeOf(found, rows, search);
}

import type { PayoutChange } from '../../answer/change-notes.ts';
import type { Pace } from '../../api/running-call.ts';
import { at } from '../statistics/history.ts';
import { dimensionsOfClicks } from './alike.ts';
import { type Deviation, findDeviation, type Limits, LimitsOfGroups, sizeOfFactor } from './deviations.ts';
import { type Factor, profitOf } from './factors.ts';
import { alone, type Grouping, hasTested, minVisits, type Part, pairsAmong, partsBy } from './groupings.ts';
import { restsOfDay } from './hours.ts';
import { isOfPayout } from './sales.ts';
import { withSameMix } from './same-mix.ts';
import { type Boundaries, GroupSums, noSums, subtract, sumRows } from './sums.ts';
import {
  type Dimension,
  rowsWith,
  rowsWithoutValue,
  type Value,
  type VisitColumns,
  type Visits,
} from './visit-columns.ts';

/** A cause moves at least this part of the sum of all factors' effects. */
export const minPart = 0.05;

/** The same for one that is sure, and no more or fewer visits: these come and go. */
const minPartOfSure = 0.01;

const minPartOf = ({ isSure, moved: [factor] }: Deviation) => (isSure && factor !== 'visits' ? minPartOfSure : minPart);

/** Of two causes, the one that names more counts if it carries at least this part of the other's change. */
export const minSure = 0.5;

/** The visits among which causes are searched, and how their groups are compared. */
export interface Search {
  readonly columns: VisitColumns;
  /** The same with the amounts that are told, which may be others than are compared. */
  readonly told: VisitColumns;
  /** Those of the first search, before visits of causes were removed. */
  readonly all: Visits;
  /** The campaigns, if there are several. */
  readonly campaign: Dimension | undefined;
  /** Whether the last day of each span is not over: its later hours have no visits. */
  readonly isDayOpen: boolean;
  /** The sum of what all factors moved, in money. */
  readonly effects: number;
  /** What is not sure and moved less money is left out. */
  readonly minUnsure: number;
  readonly payouts: readonly PayoutChange[];
  /** Offers of which each sale counts otherwise. */
  readonly counted: readonly PayoutChange[];
  readonly pace: Pace;
  /** The memory for the sums of groups. */
  readonly sums: GroupSums;
  /** What was found within each campaign: it stays as long as no visit of it is taken out. */
  readonly within: Map<number, Found & { readonly visits: number; readonly searches: number }>;
  /** The campaigns that moved among some visits: each round of a search asks several times. */
  readonly moved: WeakMap<Visits, readonly MovedCampaign[]>;
  /** What groups among some visits are compared with: alone, as the rest of a day and in pairs. */
  readonly others: WeakMap<Visits, Others>;
}

interface MovedCampaign extends Part {
  readonly money: number;
}

interface Found {
  readonly inner: FoundGroup | undefined;
}

interface SearchOptions {
  /** Groups that moved less money are left out; by default by their part of all effects. */
  readonly minMoney?: number;
  /** How many searches like this one share the budget of false causes. */
  readonly searches?: number;
  /** Whether only sales are compared, and all groupings are much alike: what is not sure of these is left out. */
  readonly onlySales?: boolean;
}

export interface FoundGroup extends Deviation {
  /** One, or two whose visits in common it has. */
  readonly values: readonly Value[];
}

/** The values of a cause, the outer ones first; their visits in common are the cause. */
export interface FoundGroups extends Pick<Deviation, 'moved' | 'isSure' | 'isGuess' | 'money'> {
  readonly values: readonly Value[];
}

/** A group that stands out: alone, as the rest of each day from an hour on, or as the pair of two that do not. */
export async function findStanding(
  rows: Visits,
  search: Search,
  dimensions: readonly Dimension[],
  options: SearchOptions = {},
): Promise<FoundGroup | undefined> {
  const third = { ...options, searches: 3 * (options.searches ?? 1) };
  const single = await findGroup(rows, alone(dimensions), search, third);
  // What an offer pays in a country moves what all of that country pays.
  const mayBeOfPair = single?.moved[0] === 'revenue_per_sale' && search.payouts.some(({ country }) => country);
  if (single?.isSure && !mayBeOfPair) return single;
  const rests = dimensions.filter(({ name }) => name === 'hour').flatMap((hour) => restsOfDay(hour));
  const capped = await findGroup(rows, alone(rests), search, { ...third, onlySales: true });
  const pair = await findGroup(rows, pairsAmong(dimensions, search.columns), search, third);
  return better(better(single, capped), pair);
}

/** Sure groups come before others, with the most weight first; of what may be chance, what chance produces most seldom. */
export function better<Found extends Pick<Deviation, 'isSure' | 'isGuess' | 'weight' | 'margin'>>(
  one: Found | undefined,
  other: Found | undefined,
) {
  if (!one || !other) return one ?? other;
  if (one.isSure !== other.isSure) return one.isSure ? one : other;
  if (one.isGuess !== other.isGuess) return one.isGuess ? other : one;
  const by = one.isSure ? 'weight' : 'margin';
  return other[by] > one[by] ? other : one;
}

/** Max campaigns that are searched each within itself: those whose profit moved most. */
const maxSearched = 12;

/** The campaigns whose profit moved, the most first. */
export function campaignsThatMoved(rows: Visits, search: Search, campaign: Dimension): readonly MovedCampaign[] {
  const known = search.moved.get(rows) ?? findMoved(rows, search, campaign);
  search.moved.set(rows, known);
  return known;
}

function findMoved(rows: Visits, { sums, effects }: Search, campaign: Dimension): readonly MovedCampaign[] {
  sums.group(rows, campaign);
  const moneyOf = (code: number) => {
    const { before, after } = sums.spansOf(code);
    return Math.abs(profitOf(after) - profitOf(before));
  };
  return partsBy(campaign, rows)
    .map((part) => ({ ...part, money: moneyOf(part.value.code) }))
    .filter(({ money }) => money >= effects * minPartOfSure)
    .sort((one, other) => other.money - one.money)
    .slice(0, maxSearched);
}

/** A cause of an account is large if it has this part of what its campaigns moved most. */
const minOfLargest = 0.5;

/** Whether a cause moved so much money that no campaign may hide a larger one. */
export function isLarge(money: number, rows: Visits, search: Search): boolean {
  const [largest] = search.campaign ? campaignsThatMoved(rows, search, search.campaign) : [];
  return Math.abs(money) >= minOfLargest * (largest?.money ?? 0);
}

/** Groups that stand out within one campaign of an account that moved, though not against the other campaigns. */
export async function findWithinCampaigns(
  rows: Visits,
  search: Search,
  campaign: Dimension,
): Promise<{ readonly outer: Value; readonly inner: FoundGroup } | undefined> {
  const moved = campaignsThatMoved(rows, search, campaign);
  const dimensions = search.columns.dimensions.filter((dimension) => dimension !== campaign);
  const searches = moved.length;
  let best: { readonly outer: Value; readonly inner: FoundGroup } | undefined;
  for (const { value: outer, rows: own } of moved) {
    const earlier = search.within.get(outer.code);
    const isKnown = earlier?.visits === own.length && earlier.searches === searches;
    const inner = isKnown ? earlier.inner : await findStanding(own, search, dimensions, { searches });
    search.within.set(outer.code, { inner, visits: own.length, searches });
    if (inner && better(best?.inner, inner) === inner) best = { outer, inner };
  }
  return best;
}

/** Takes less than a millisecond: so many visits are summed, or a hundredth as many groups compared. */
const [workPerStep, workOfGroup] = [16_000, 100];

/**
 * The group whose profit moved most compared with the other visits; undefined if none moved by more than chance.
 */
export async function findGroup(
  rows: Visits,
  groupings: readonly Grouping[],
  search: Search,
  options: SearchOptions = {},
): Promise<FoundGroup | undefined> {
  const { pace, sums } = search;
  let tested = 0;
  for (const grouping of groupings) {
    if (pace.isOver) return undefined;
    tested += Number(hasTested(grouping, rows));
    await pace.rest();
  }
  const comparison = new Comparison(rows, Math.max(tested, 1), search, options);
  const walk = new Walk(rows, groupings, sums, comparison);
  while (walk.step()) {
    await pace.rest();
    if (pace.isOver) return undefined;
  }
  return comparison.found;
}

/** Sums and compares one group after the other. It is no part of the search above, which V8 compiles again in each call. */
class Walk {
  readonly #whole: readonly [{ readonly value: undefined; readonly rows: Visits }];
  readonly #groupings: readonly Grouping[];
  readonly #sums: GroupSums;
  readonly #comparison: Comparison;
  /** Those of the first dimension of a pair. */
  #pairedBy: { readonly one: Dimension; readonly parts: readonly Part[] } | undefined;
  #grouping = -1;
  /** The code of visits without a value. */
  #none = -1;
  #parts: readonly { readonly value: Value | undefined; readonly rows: Visits }[] = [];
  #part = -1;
  #codes = new Uint32Array();
  #from = 0;

  constructor(rows: Visits, groupings: readonly Grouping[], sums: GroupSums, comparison: Comparison) {
    this.#whole = [{ value: undefined, rows }];
    this.#groupings = groupings;
    this.#sums = sums;
    this.#comparison = comparison;
  }

  /** @returns whether anything is left */
  step(): boolean {
    for (let work = 0; work < workPerStep; ) {
      if (this.#from < this.#codes.length) work += this.#compare();
      else if (this.#part + 1 < this.#parts.length) work += this.#sum();
      else if (this.#grouping + 1 < this.#groupings.length) this.#begin();
      else return false;
    }
    return true;
  }

  get #current(): Grouping {
    return at(this.#groupings, this.#grouping);
  }

  #begin(): void {
    this.#grouping += 1;
    const [one, other] = this.#current;
    const { rows } = this.#whole[0];
    if (other && this.#pairedBy?.one !== one) this.#pairedBy = { one, parts: partsBy(one, rows) };
    this.#parts = (other && this.#pairedBy?.parts) ?? this.#whole;
    this.#part = -1;
    this.#none = (other ?? one).values.indexOf(null);
  }

  #sum(): number {
    this.#part += 1;
    const { rows } = at(this.#parts, this.#part);
    const [one, dimension = one] = this.#current;
    this.#codes = this.#sums.group(rows, dimension, isOfClicks(dimension) ? 1 : minVisits, this.#none).codes;
    this.#from = 0;
    return rows.length;
  }

  #compare(): number {
    const some = this.#codes.subarray(this.#from, this.#from + workPerStep / workOfGroup);
    this.#from += some.length;
    this.#comparison.add(some, this.#current, this.#parts[this.#part]?.value);
    return some.length * workOfGroup;
  }
}

/** Compares groups, and keeps the best. */
class Comparison {
  readonly #rows: Visits;
  readonly #search: Search;
  readonly #options: SearchOptions;
  readonly #others: Others;
  readonly #limits: LimitsOfGroups;
  readonly #group: Boundaries;
  readonly #rest: Boundaries;
  #best: FoundGroup | undefined;
  #ofPayout: FoundGroup | undefined;

  constructor(rows: Visits, tested: number, search: Search, options: SearchOptions) {
    const { columns } = search;
    this.#rows = rows;
    this.#search = search;
    this.#options = options;
    this.#others = search.others.get(rows) ?? new Others(rows, columns);
    search.others.set(rows, this.#others);
    const { searches = 1, onlySales } = options;
    this.#limits = new LimitsOfGroups(searches, tested, this.#others.of([]).sums, onlySales);
    this.#group = noSums(columns);
    this.#rest = noSums(columns);
  }

  /** @param codes those of the last dimension that was summed @param value which the visits have besides */
  add(codes: Uint32Array, grouping: Grouping, value: Value | undefined): void {
    const [one, other] = grouping;
    const dimension = other ?? one;
    const compared = this.#others.of(grouping);
    for (let index = 0; index < codes.length; index += 1) {
      const last = { dimension, code: codes[index] ?? 0 };
      this.#add(value ? [value, last] : [last], last, compared);
    }
  }

  #add(values: readonly Value[], { dimension, code }: Value, compared: Compared): void {
    const { campaign, effects, minUnsure, payouts, counted, sums } = this.#search;
    const [group, rest] = [this.#group, this.#rest];
    const hasNew = (some: readonly PayoutChange[]) =>
      !this.#options.onlySales && some.length > 0 && some.some((one) => isOfPayout(one, namesOf(values)));
    const hasNewPayout = hasNew(payouts);
    const sureFactor = hasNewPayout ? 'revenue_per_sale' : hasNew(counted) ? 'sales_per_click' : undefined;
    const visits = sums.viewsOf(code);
    if (visits < minVisits && !hasNewPayout) return;
    sums.read(code, group);
    subtract(compared.sums, group, rest);
    const limits = this.#limitsOf(values, visits);
    let deviation = findDeviation(group, rest, limits, sureFactor);
    if (deviation && campaign && campaign !== dimension && values.length === 1) {
      const [inside, outside] = this.#others.withSameMix(compared, campaign, { dimension, code });
      deviation = findDeviation(inside, outside, limits, sureFactor);
    }
    if (!deviation) return;
    const least = Math.max(effects * minPartOf(deviation), deviation.isSure ? 0 : minUnsure);
    if (deviation.worth < (this.#options.minMoney ?? least)) return;
    const found = { values, ...deviation };
    this.#best = better(this.#best, found);
    if (hasNewPayout && deviation.moved[0] === 'revenue_per_sale') this.#ofPayout = better(this.#ofPayout, found);
  }

  #limitsOf(values: readonly Value[], visits: number): Limits {
    const limits = this.#limits.of(visits / this.#rows.length, values.length > 1);
    const isOfOpenHours = this.#search.isDayOpen && values.some(({ dimension }) => dimension.name === 'hour');
    return isOfOpenHours ? { ...limits, ignored: 'visits' } : limits;
  }

  /** A payout that sales show is no guess: what else paid more or less did so because of it, and perhaps of others. */
  get found(): FoundGroup | undefined {
    return this.#ofPayout && this.#best?.moved[0] === 'revenue_per_sale' ? this.#ofPayout : this.#best;
  }
}

/** How far a factor moved in the visits with some values, compared with all others that may have them, in standard deviations. */
export function sizeOfMove(factor: Factor, values: readonly Value[], rows: Visits, columns: VisitColumns): number {
  const compared = new Others(rows, columns).of(values.map(({ dimension }) => dimension));
  const [group, rest] = [sumRows(rowsWith(compared.rows, ...values), columns), noSums(columns)];
  subtract(compared.sums, group, rest);
  return sizeOfFactor(factor, group, rest);
}

export const namesOf = (values: readonly Value[]) =>
  values.map(({ dimension, code }) => ({ dimension: dimension.name, value: dimension.values[code] ?? null }));

const isOfClicks = ({ name }: Dimension) => dimensionsOfClicks.has(name);

/** Some visits with their sums. */
interface Compared {
  readonly rows: Visits;
  readonly sums: Boundaries;
  byCampaign?: GroupSums;
}

/** The visits that groups are compared with. */
class Others {
  readonly #columns: VisitColumns;
  readonly #all: Compared;
  readonly #clicked = new Map<Dimension, Compared>();

  constructor(rows: Visits, columns: VisitColumns) {
    this.#columns = columns;
    this.#all = { rows, sums: sumRows(rows, columns) };
  }

  /** All that may have a value of the dimensions: visits that did not click have no offer, so more clicks are no more visits of one. */
  of(grouping: readonly (Dimension | undefined)[]): Compared {
    const dimension = grouping.find((one) => one && isOfClicks(one));
    const none = dimension?.values.indexOf(null) ?? -1;
    if (!dimension || none < 0) return this.#all;
    const known = this.#clicked.get(dimension);
    if (known) return known;
    const rows = rowsWithoutValue(this.#all.rows, { dimension, code: none });
    const compared = { rows, sums: sumRows(rows, this.#columns) };
    this.#clicked.set(dimension, compared);
    return compared;
  }

  /** The sums of a value and of all others, each as if campaigns had the same parts of them at all times. */
  withSameMix(
    compared: Compared,
    campaign: Dimension,
    value: Value,
  ): readonly [inside: Boundaries, outside: Boundaries] {
    const columns = this.#columns;
    compared.byCampaign ??= new GroupSums(columns).group(compared.rows, campaign);
    const all = compared.byCampaign;
    const own = new GroupSums(columns).group(rowsWith(compared.rows, value), campaign);
    const ofValue = noSums(columns);
    return [
      withSameMix(columns, own.codes, (code, sums) => own.read(code, sums)),
      withSameMix(columns, all.codes, (code, sums) => {
        all.read(code, sums);
        own.read(code, ofValue);
        subtract(sums, ofValue, sums);
      }),
    ];
  }
}

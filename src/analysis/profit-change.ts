import type { PayoutChange, ReplacedValues, ReplacedVersions } from '../answer/change-notes.ts';
import { type Pace, unhurried } from '../api/running-call.ts';
import { dimensionsOfClicks } from './change/alike.ts';
import type { Group } from './change/cause.ts';
import { type Causes, findCauses } from './change/causes.ts';
import { excessOf } from './change/deviations.ts';
import { type FactorEffect, factorEffects, profitOf } from './change/factors.ts';
import { rankOf } from './change/groupings.ts';
import { withoutReplaced } from './change/replaced-values.ts';
import {
  type BookedSale,
  findCountChanges,
  findCountChangesIn,
  findOutstandingSale,
  findPayoutChanges,
  type OutstandingSale,
  payoutChangesIn,
  salesOfVisits,
} from './change/sales.ts';
import {
  type Boundaries,
  GroupSums,
  noSums,
  placeOf,
  type SpanSums,
  spansOf,
  subtract,
  sumByDay,
  sumRows,
} from './change/sums.ts';
import { asIfAllCame, asIfPaid, type SalesToCome } from './change/undecided.ts';
import { allRows, type Dimension, type VisitColumns, type Visits } from './change/visit-columns.ts';
import type { SpanDays } from './change/whole.ts';
import { at, sum } from './statistics/history.ts';
import type { GroupFigures } from './visit-groups.ts';

export { type Cause, carriedOf, type Group } from './change/cause.ts';
export { carriedTogether, type Factor, type FactorEffect, profitOf, toCents } from './change/factors.ts';
export { type BookedSale, isOfPayout, type OutstandingSale } from './change/sales.ts';
export type { SpanSums } from './change/sums.ts';
export type { SalesToCome } from './change/undecided.ts';
export { gatherVisits, type VisitColumns, type VisitsOfList } from './change/visit-columns.ts';
export type { SpanDays } from './change/whole.ts';

/** Everything that the visits of two spans show about a change of profit. */
export interface ProfitChange extends Causes {
  readonly whole: SpanSums;
  /** The part of each factor in the change. */
  readonly factors: readonly FactorEffect[];
  readonly usual: UsualMove;
  readonly movers: readonly Mover[];
  readonly mixes: readonly Mix[];
  readonly payouts: readonly PayoutChange[];
  /** Offers of which each sale counts otherwise, with the usual number of conversions. */
  readonly counted: readonly PayoutChange[];
  readonly outstanding: OutstandingSale | undefined;
  readonly replaced: readonly ReplacedValues[];
  readonly updated: readonly ReplacedVersions[];
}

/** Enough for one answer. */
const maxMovers = 5;

/** What lists of sales show besides the visits of both spans. */
export interface KnownSales {
  /** Of the spans and of weeks before them: an offer may have sold too little in the spans to show what it paid. */
  readonly listed?: readonly BookedSale[];
  /** Offers whose sales are not decided yet as far as those before. */
  readonly undecided?: ReadonlySet<string>;
  /** What the visits of the later span will still sell; undefined if it is not known. */
  readonly toCome?: readonly SalesToCome[] | undefined;
  /** Whether visits have what is expected of their sales, which is not what offers pay. */
  readonly areExpected?: boolean;
}

export async function explainProfit(
  visits: VisitColumns,
  days: Omit<SpanDays, 'salesToCome'>,
  pace: Pace = unhurried,
  { listed = [], undecided = new Set(), toCome, areExpected = false }: KnownSales = {},
): Promise<ProfitChange> {
  await pace.rest();
  const { columns, replaced, updated } = await withoutReplaced(visits, pace);
  const rows = allRows(columns);
  const all = sumRows(rows, columns);
  const whole = spansOf(all);
  await pace.rest();
  const spans = new Set([...days.before, ...days.after]);
  const withListed = (ofVisits: readonly PayoutChange[], ofList: readonly PayoutChange[]) => [
    ...ofVisits,
    ...ofList.filter(({ offer, since }) => spans.has(since) && !ofVisits.some((known) => known.offer === offer)),
  ];
  const sales = salesOfVisits(columns);
  await pace.rest();
  const payouts = withListed(areExpected ? [] : findPayoutChanges(sales), payoutChangesIn(listed));
  await pace.rest();
  const counted = withListed(findCountChanges(sales), findCountChangesIn(listed));
  await pace.rest();
  const outstanding = findOutstandingSale(sales, profitOf(whole.after) - profitOf(whole.before), listed);
  await pace.rest();
  const usual = usualMove(columns, days);
  await pace.rest();
  const paid = asIfPaid(columns, undecided);
  await pace.rest();
  const { columns: searched, left } = await asIfAllCame(paid, toCome ?? [], pace);
  await pace.rest();
  const causes = await findCauses(columns, payouts, {
    ...{ pace, outstanding, counted, usual: usual.amount, searched },
    spans: { ...days, salesToCome: toCome && left },
  });
  const movers = new Movers(columns, all);
  const [groups, mixes] = [new GroupSums(columns), [] as (Mix | undefined)[]];
  for (const dimension of columns.dimensions) {
    await pace.rest();
    movers.add(dimension, groups.group(rows, dimension));
    await pace.rest();
    mixes.push(mixOf(dimension, groups, whole));
  }
  return {
    whole,
    factors: factorEffects(whole.before, whole.after),
    ...causes,
    usual,
    movers: movers.list,
    mixes: inOrder(mixes),
    payouts,
    counted,
    outstanding,
    ...{ replaced, updated },
  };
}

/** The usual change of profit between two spans of this length: 19 of 20 changes are smaller. */
export interface UsualMove {
  readonly amount: number;
  /** The conversions of both spans together. */
  readonly conversions: number;
}

/** Student's t, two-sided 95%, by degrees of freedom; the last value is used for all higher ones. */
const quantiles = [12.71, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.2, 2.18, 2.16, 2.14, 2.13, 2.12, 2.11];

/**
 * Estimated from how the days of each span scatter around their mean. The minimum is the scatter of single visits, whose variance is
 * the sum of the squares of what they earn and cost.
 */
export function usualMove(columns: VisitColumns, days: SpanDays): UsualMove {
  const varianceByVisits = sumOfSquares(allRows(columns), columns.amounts);
  const sums = sumByDay(allRows(columns), columns, [...days.before, ...days.after]);
  const profits = sums.revenue.map((earned, day) => earned - at(sums.cost, day));
  const squaresOf = (some: readonly number[]) => {
    const mean = sum(some) / Math.max(some.length, 1);
    return sum(some.map((profit) => (profit - mean) ** 2));
  };
  const dayCount = days.before.length + days.after.length;
  const freedom = dayCount - 2;
  const squares = squaresOf(profits.slice(0, days.before.length)) + squaresOf(profits.slice(days.before.length));
  const dayVariance = freedom > 0 ? squares / freedom : 0;
  const varianceByDays = dayVariance * dayCount;
  const quantile =
    varianceByDays > varianceByVisits ? (quantiles[freedom - 1] ?? at(quantiles, quantiles.length - 1)) : 1.96;
  return {
    amount: quantile * Math.sqrt(Math.max(varianceByDays, varianceByVisits)),
    conversions: sum(sums.conversions),
  };
}

/** The squares of what single visits earn and cost. */
function sumOfSquares(rows: Visits, { revenue, cost }: VisitColumns['amounts']): number {
  let sum = 0;
  for (let index = 0; index < rows.length; index += 1) {
    const visit = rows[index] ?? 0;
    sum += ((revenue[visit] ?? 0) - (cost[visit] ?? 0)) ** 2;
  }
  return sum;
}

/** A value with the figures of its visits in both spans. */
export interface Mover extends Group, SpanSums {}

/** The values whose profit moved most compared with the rest, by chance or not. Values with the same figures are listed once. */
class Movers {
  list: readonly (Mover & { readonly excess: number; readonly figures: string })[] = [];
  readonly #all: Boundaries;
  readonly #group: Boundaries;
  readonly #rest: Boundaries;

  constructor(columns: VisitColumns, all: Boundaries) {
    this.#all = all;
    this.#group = noSums(columns, 1);
    this.#rest = noSums(columns, 1);
  }

  add(dimension: Dimension, groups: GroupSums): void {
    const [group, rest] = [this.#group, this.#rest];
    for (const [code, value] of dimension.values.entries()) {
      if (value === null) continue;
      groups.read(code, group);
      subtract(this.#all, group, rest);
      // A value that all visits have cannot be compared.
      if (rest.before[placeOf.views] === 0 && rest.after[placeOf.views] === 0) continue;
      const excess = Math.abs(excessOf(group, rest));
      if (this.list.length === maxMovers && excess < (this.list.at(-1)?.excess ?? 0)) continue;
      const figures = `${group.before} ${group.after}`;
      this.list = [...this.list, { dimension: dimension.name, value, ...spansOf(group), excess, figures }]
        .sort((a, b) => b.excess - a.excess || rankOf(a.dimension) - rankOf(b.dimension))
        .filter((mover, index, all) => all.findIndex((one) => one.figures === mover.figures) === index)
        .slice(0, maxMovers);
    }
  }
}

/** A mix that reverses a total: the whole went one way and each part of it the other (Simpson's paradox). */
export interface Mix {
  readonly dimension: string;
  /** Whether each part earned more per visit while the whole earned less. */
  readonly isBetterInParts: boolean;
  /** Profit per visit of the whole, in each span. */
  readonly before: number;
  readonly after: number;
  readonly parts: readonly MixPart[];
}

export interface MixPart {
  readonly value: string | null;
  /** Profit per visit. */
  readonly before: number;
  readonly after: number;
  /** Its share of the visits, 0 to 1. */
  readonly shareBefore: number;
  readonly shareAfter: number;
}

/** Parts with fewer visits in a span are ignored, if together they are at most this share of it. */
const minPartVisits = 30;
const maxIgnored = 0.05;

/** The dimensions in which the mix reversed the change of profit per visit, the dimension with the fewest parts first. */
export async function findMixes(columns: VisitColumns, pace: Pace = unhurried): Promise<Mix[]> {
  const rows = allRows(columns);
  const whole = spansOf(sumRows(rows, columns));
  const [groups, mixes] = [new GroupSums(columns), [] as (Mix | undefined)[]];
  for (const dimension of columns.dimensions) {
    await pace.rest();
    mixes.push(mixOf(dimension, groups.group(rows, dimension), whole));
  }
  return inOrder(mixes);
}

const inOrder = (mixes: readonly (Mix | undefined)[]): Mix[] =>
  mixes.filter((mix) => mix !== undefined).sort((a, b) => a.parts.length - b.parts.length);

/** The mix of a dimension; undefined if it did not reverse the change. */
function mixOf({ name, values }: Dimension, groups: GroupSums, whole: SpanSums): Mix | undefined {
  const perVisit = (sums: GroupFigures) => profitOf(sums) / sums.views;
  const [before, after] = [perVisit(whole.before), perVisit(whole.after)];
  const isBetterInParts = after < before;
  const large = values.flatMap((value, code) => {
    if (groups.viewsOf(code) < 2 * minPartVisits) return [];
    const sums = groups.spansOf(code);
    return Math.min(sums.before.views, sums.after.views) < minPartVisits ? [] : [{ value, sums }];
  });
  const parts = large.map(({ value, sums }) => ({
    value,
    before: perVisit(sums.before),
    after: perVisit(sums.after),
    shareBefore: sums.before.views / whole.before.views,
    shareAfter: sums.after.views / whole.after.views,
  }));
  const isCovered = (['before', 'after'] as const).every(
    (span) => sum(large.map(({ sums }) => sums[span].views)) >= whole[span].views * (1 - maxIgnored),
  );
  // Visits that did not click have no offer: more of them are fewer clicks.
  const hasUnclicked = dimensionsOfClicks.has(name) && parts.some(({ value }) => value === null);
  const isReversed = parts.every((part) => (isBetterInParts ? part.after > part.before : part.after < part.before));
  return parts.length > 1 && isCovered && !hasUnclicked && after !== before && isReversed
    ? { dimension: name, isBetterInParts, before, after, parts }
    : undefined;
}

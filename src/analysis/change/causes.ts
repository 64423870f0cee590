import { at, groupBy, sum } from '../statistics/history.ts';
import type { GroupFigures } from '../visit-groups.ts';
import { type Deviation, entropy, excessOf, findDeviation, movedFactors } from './deviations.ts';
import { type Factor, type FactorEffect, factorEffects } from './factors.ts';
import {
  type Coded,
  type CodedVisits,
  codeVisits,
  everything,
  groupSums,
  inside,
  minus,
  type Place,
  type VisitFigures,
} from './group-sums.ts';
import { findPayoutChanges, type PayoutChange } from './payouts.ts';
import { type SpanVisit, type SpanVisits, sumVisits } from './span-visits.ts';

/** The visits with one value of a dimension. */
export interface Group {
  readonly dimension: string;
  readonly value: string | null;
}

/** Visits that moved otherwise than the rest, with what they did in both spans. */
export interface Cause {
  /** One group, or two that the visits have both: "Device Phone" within "Landing page Quiz". */
  readonly groups: readonly Group[];
  /** Groups of other dimensions that have nearly the same visits, so that nothing tells which of them it is. */
  readonly alike: readonly Group[];
  readonly before: GroupFigures;
  readonly after: GroupFigures;
  /** How its change of profit is made up, the largest effect first. */
  readonly factors: readonly FactorEffect[];
  /** The factors that moved otherwise than those of the rest. */
  readonly moved: readonly Factor[];
  /** Whether chance can be left out; else the numbers are small for all that was looked at. */
  readonly isSure: boolean;
  /** The day from which on the first of these was another, YYYY-MM-DD; undefined if no day stands out. */
  readonly since: string | undefined;
}

export interface Causes {
  readonly causes: readonly Cause[];
  /** All other visits: with the causes, they add up to the whole. */
  readonly rest: { readonly before: GroupFigures; readonly after: GroupFigures };
  /** What each factor carries of their change: those that moved by more than chance first, then the largest effect. */
  readonly restFactors: readonly FactorEffect[];
}

/** More would not be read. */
const maxCauses = 5;

/** A cause moves at least this part of what all factors moved. */
const minPart = 0.05;

/** Groups with at least this part of their visits in common, both ways, are alike. */
const minCommon = 0.9;

/** Two groups say more than one if the visits that have both carry this part of its change. */
const minWithin = 0.8;

/** What a dimension says of a cause: of two that are alike, the first is named. */
const byMeaning = [
  'campaign',
  'landing_page',
  'offer',
  'network',
  'traffic_source',
  'path',
  'keyword',
  'ad',
  'country',
  'device',
  'os',
  'browser',
  'isp',
  'region',
  'city',
  'hour',
];

/** Dimensions that a visit has only once it clicked. */
const outcomes: ReadonlySet<string> = new Set(['offer', 'network']);

/**
 * Finds the groups of visits that carry a change of profit: those whose factors moved otherwise than the factors of all other
 * visits, by more than chance and the usual unrest. The one that carries most comes first; its visits are then set aside, so that
 * what merely shares them is not named again.
 */
export function findCauses(
  visits: SpanVisits,
  coded = codeVisits(visits),
  payouts: readonly PayoutChange[] = findPayoutChanges(visits),
): Causes {
  const paysOtherwise = new Set(payouts.map(({ offer }) => offer));
  const { rows } = visits;
  const { dimensions, figures } = coded;
  const sumsOf = (some: readonly number[]) => sumVisits(some.map((row) => at(rows, row)));
  let open: readonly number[] = Array.from(rows.keys());
  const whole = sumsOf(open);
  const least = minPart * sum(factorEffects(whole.before, whole.after).map(({ effect }) => Math.abs(effect)));
  const causes: Cause[] = [];
  while (causes.length < maxCauses) {
    const found = findGroup(open, figures, dimensions, least, paysOtherwise);
    if (!found) break;
    const outer = inside(open, found);
    // Which offer a visit saw follows from its click, and says nothing of why there was none.
    const isOfSales = found.moved[0] === 'sales_per_click' || found.moved[0] === 'revenue_per_sale';
    const traits = isOfSales ? dimensions : dimensions.filter(({ name }) => !outcomes.has(name));
    const inner = findGroup(outer, figures, traits, minWithin * Math.abs(found.money), paysOtherwise);
    const both = inner ? inside(outer, inner) : outer;
    // Nearly all visits of the inner group lie in the outer one, which then says nothing more.
    const isInnerAlone = inner !== undefined && both.length >= minCommon * inside(open, inner).length;
    const own = isInnerAlone ? inside(open, inner) : both;
    const places = inner ? (isInnerAlone ? [inner] : [found, inner]) : [found];
    const alike = places.length > 1 ? [] : findAlike(own, open, dimensions, at(places, 0));
    const groups = [...places, ...alike].map(({ dimension: { name, values }, code }) => ({
      dimension: name,
      value: at(values, code),
    }));
    if (alike.length > 0) groups.sort((a, b) => rankOf(a.dimension) - rankOf(b.dimension));
    const taken = new Set(own);
    const left = open.filter((row) => !taken.has(row));
    const { before, after } = sumsOf(own);
    const { moved, isSure } = inner ?? found;
    const visitsOf = (some: readonly number[]) => some.map((row) => at(rows, row));
    causes.push({
      groups: groups.slice(0, places.length),
      alike: groups.slice(places.length),
      before,
      after,
      factors: factorEffects(before, after).sort((a, b) => Math.abs(b.effect) - Math.abs(a.effect)),
      moved,
      isSure,
      since: moved[0] && firstDay(moved[0], visitsOf(own), visitsOf(left)),
    });
    open = left;
  }
  const rest = sumsOf(open);
  const [left] = groupSums(open, figures, everything(figures));
  const moved = left ? movedFactors(left) : new Set<Factor>();
  return {
    causes,
    rest,
    restFactors: factorEffects(rest.before, rest.after).sort(
      (a, b) => Number(moved.has(b.factor)) - Number(moved.has(a.factor)) || Math.abs(b.effect) - Math.abs(a.effect),
    ),
  };
}

function rankOf(dimension: string): number {
  const rank = byMeaning.indexOf(dimension);
  return rank < 0 ? byMeaning.indexOf('keyword') + 0.5 : rank;
}

type Found = Place & Deviation;

/** Fewer visits are within chance, whatever they did. */
const minVisits = 8;

/** The group that moved most, in money, otherwise than the rest of these visits; undefined if none did by more than chance. */
function findGroup(
  open: readonly number[],
  figures: VisitFigures,
  coded: readonly Coded[],
  minMoney: number,
  paysOtherwise: ReadonlySet<string>,
): Found | undefined {
  const grouped = coded.map((dimension) => ({ dimension, groups: groupSums(open, figures, dimension, minVisits) }));
  const [all] = groupSums(open, figures, everything(figures), 0);
  if (!all) return undefined;
  const looks = sum(grouped.map(({ groups }) => groups.length));
  let best: Found | undefined;
  for (const { dimension, groups } of grouped) {
    for (const [code, own] of groups.entries()) {
      const value = dimension.values[code] ?? null;
      const visits = own.before.views + own.after.views;
      if (value === null || visits === 0) continue;
      const known = dimension.name === 'offer' && paysOtherwise.has(value) ? 'revenue_per_sale' : undefined;
      if (visits < minVisits && !known) continue;
      const found = findDeviation(own, minus(all, own), looks, known);
      if (!found || Math.abs(found.money) < minMoney) continue;
      // What is sure goes first, however much the rest may carry.
      const isBetter = !best || (found.isSure === best.isSure ? found.weight > best.weight : found.isSure);
      if (isBetter) best = { dimension, code, ...found };
    }
  }
  return best;
}

/** A value with what its visits did in both spans. */
export interface Mover extends Group {
  readonly before: GroupFigures;
  readonly after: GroupFigures;
}

/** The values whose profit moved most otherwise than that of the rest, by chance or not; of values that mirror each other, one. */
export function findMovers({ dimensions, figures }: CodedVisits, count: number): Mover[] {
  const open = Array.from(figures.stretches.keys());
  const [all] = groupSums(open, figures, everything(figures));
  if (!all) return [];
  const movers = dimensions.flatMap((dimension) => {
    const { name } = dimension;
    return groupSums(open, figures, dimension).flatMap((own, code) => {
      const value = dimension.values[code] ?? null;
      const rest = minus(all, own);
      // What all visits have moved beside nothing.
      return value === null || rest.before.views + rest.after.views === 0
        ? []
        : [
            {
              dimension: name,
              value,
              before: own.before,
              after: own.after,
              excess: Math.abs(excessOf(own, rest)),
            },
          ];
    });
  });
  movers.sort((a, b) => b.excess - a.excess || rankOf(a.dimension) - rankOf(b.dimension));
  const known = new Set<string>();
  const distinct = movers.filter(({ before, after }) => {
    const figures = JSON.stringify([before, after]);
    return !known.has(figures) && known.add(figures);
  });
  return distinct.slice(0, count);
}

/** The groups of other dimensions whose visits are nearly those of a group. */
function findAlike(
  own: readonly number[],
  open: readonly number[],
  coded: readonly Coded[],
  { dimension: itself }: Place,
): Place[] {
  return coded.flatMap((dimension) => {
    if (dimension === itself) return [];
    const byCode = groupBy(own, (row) => dimension.codes[row] ?? -1);
    const [code, common] = [...byCode].sort((a, b) => b[1].length - a[1].length)[0] ?? [-1, []];
    if (dimension.values[code] === null || common.length < minCommon * own.length) return [];
    return common.length < minCommon * inside(open, { dimension, code }).length ? [] : [{ dimension, code }];
  });
}

/** By so much of the deviance a day must stand out to be named: one in ten thousand. */
const minDayDeviance = 15;

/** The day from which on a factor of some visits was another, by the largest deviance of a Poisson rate before and after it. */
function firstDay(factor: Factor, own: readonly SpanVisit[], rest: readonly SpanVisit[]): string | undefined {
  const count = (visits: readonly SpanVisit[], of: (visit: SpanVisit) => number) => {
    const byDay = new Map<string, number>();
    for (const visit of visits) byDay.set(visit.day, (byDay.get(visit.day) ?? 0) + of(visit));
    return (day: string) => byDay.get(day) ?? 0;
  };
  const days = [...new Set([...own, ...rest].map(({ day }) => day))].sort();
  const [part, whole] = dayParts[factor];
  const parts = count(own, part);
  const wholes = whole ? count(own, whole) : rest.length > 0 ? count(rest, () => 1) : () => 1;
  const [total, size] = [sum(days.map(parts)), sum(days.map(wholes))];
  let best = { day: undefined as string | undefined, deviance: minDayDeviance };
  let [before, sizeBefore] = [0, 0];
  for (const [index, day] of days.entries()) {
    if (index > 0 && sizeBefore > 0 && size > sizeBefore) {
      const expected = (total * sizeBefore) / size;
      const deviance = 2 * (entropy(before, expected) + entropy(total - before, total - expected));
      if (deviance > best.deviance) best = { day, deviance };
    }
    before += parts(day);
    sizeBefore += wholes(day);
  }
  return best.day;
}

/** What is counted of a factor by day, and over what; visits are set against those of the rest. */
const dayParts: Readonly<
  Record<Factor, readonly [of: (visit: SpanVisit) => number, over?: (visit: SpanVisit) => number]>
> = {
  visits: [() => 1],
  cost_per_visit: [({ cost }) => cost * 100, () => 1],
  clicks_per_visit: [({ clicks }) => clicks, () => 1],
  sales_per_click: [({ conversions }) => conversions, ({ clicks }) => clicks],
  revenue_per_sale: [({ revenue }) => revenue, ({ conversions }) => conversions],
};

import { at, groupBy, sum } from '../statistics/history.ts';
import type { GroupFigures } from '../visit-groups.ts';
import { type Factor, type FactorEffect, factorEffects, profitOf } from './factors.ts';
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
}

/** More would not be read. */
const maxCauses = 5;

/** A cause is sure if chance makes one like it, over all that is looked at, once in so many times. */
const maxFalse = 0.01;

/** Standard deviations from which on a group is named at all; chance makes some of these. */
const minDeviation = 3.3;

/** A cause moves at least this part of what all factors moved. */
const minPart = 0.05;

/** Groups with at least this part of their visits in common, both ways, are alike. */
const minCommon = 0.9;

/** Two groups say more than one if the visits that have both carry this part of its change. */
const minWithin = 0.8;

/** How far a ratio of a group may move beside that of the rest though nothing happened, as a part of it. */
const usualMove: Readonly<Record<Factor, number>> = {
  visits: 0.2,
  cost_per_visit: 0.05,
  clicks_per_visit: 0.1,
  sales_per_click: 0.1,
  revenue_per_sale: 0.05,
};

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
export function findCauses(visits: SpanVisits): Causes {
  const { rows } = visits;
  const coded = visits.dimensions.map((name, index) =>
    encode(
      name,
      rows.map(({ values }) => values[index] ?? null),
    ),
  );
  const figures = figuresOf(rows);
  const sumsOf = (some: readonly number[]) => sumVisits(some.map((row) => at(rows, row)));
  let open: readonly number[] = Array.from(rows.keys());
  const whole = sumsOf(open);
  const least = minPart * sum(factorEffects(whole.before, whole.after).map(({ effect }) => Math.abs(effect)));
  const causes: Cause[] = [];
  while (causes.length < maxCauses) {
    const found = findGroup(open, figures, coded, least);
    if (!found) break;
    const outer = inside(open, found);
    // Which offer a visit saw follows from its click, and says nothing of why there was none.
    const isOfSales = found.moved[0] === 'sales_per_click' || found.moved[0] === 'revenue_per_sale';
    const traits = isOfSales ? coded : coded.filter(({ name }) => !outcomes.has(name));
    const inner = findGroup(outer, figures, traits, minWithin * Math.abs(found.money));
    const both = inner ? inside(outer, inner) : outer;
    // Nearly all visits of the inner group lie in the outer one, which then says nothing more.
    const isInnerAlone = inner !== undefined && both.length >= minCommon * inside(open, inner).length;
    const own = isInnerAlone ? inside(open, inner) : both;
    const places = inner ? (isInnerAlone ? [inner] : [found, inner]) : [found];
    const alike = places.length > 1 ? [] : findAlike(own, open, coded, at(places, 0));
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
  return { causes, rest: sumsOf(open) };
}

/** A dimension with the number of its value for each visit. */
interface Coded {
  readonly name: string;
  readonly values: readonly (string | null)[];
  readonly codes: Int32Array;
}

function encode(name: string, cells: readonly (string | null)[]): Coded {
  const known = new Map<string | null, number>();
  const codes = Int32Array.from(cells, (cell) => {
    const code = known.get(cell) ?? known.size;
    known.set(cell, code);
    return code;
  });
  return { name, values: [...known.keys()], codes };
}

/** Of a value in a dimension. */
interface Place {
  readonly dimension: Coded;
  readonly code: number;
}

function inside(rows: readonly number[], { dimension, code }: Place): readonly number[] {
  return rows.filter((row) => dimension.codes[row] === code);
}

function rankOf(dimension: string): number {
  const rank = byMeaning.indexOf(dimension);
  return rank < 0 ? byMeaning.indexOf('keyword') + 0.5 : rank;
}

const measures = ['views', 'clicks', 'conversions', 'cost', 'revenue', 'revenueSquares', 'costSquares'] as const;

/** Sums of one span, with those of squares: how far single amounts scatter. */
type Sums = Record<(typeof measures)[number], number>;

interface Spans {
  readonly before: Sums;
  readonly after: Sums;
}

/** What each visit adds to the sums of its span: those of the earlier span first. Millions of additions go through these arrays. */
interface VisitFigures {
  readonly amounts: Float64Array;
  readonly isAfter: Uint8Array;
}

function figuresOf(rows: readonly SpanVisit[]): VisitFigures {
  const amounts = rows.flatMap(({ clicks, conversions, cost, revenue }) => [
    1,
    clicks,
    conversions,
    cost,
    revenue,
    revenue ** 2,
    cost ** 2,
  ]);
  return { amounts: Float64Array.from(amounts), isAfter: Uint8Array.from(rows, ({ isAfter }) => Number(isAfter)) };
}

/** The sums of each value of a dimension, by its number. */
function groupSums(open: readonly number[], { amounts, isAfter }: VisitFigures, { codes, values }: Coded): Spans[] {
  const width = measures.length;
  const sums = new Float64Array(values.length * 2 * width);
  for (const row of open) {
    const place = ((codes[row] ?? 0) * 2 + (isAfter[row] ?? 0)) * width;
    for (let index = 0; index < width; index += 1) {
      sums[place + index] = (sums[place + index] ?? 0) + (amounts[row * width + index] ?? 0);
    }
  }
  const sumsAt = (place: number) =>
    Object.fromEntries(measures.map((measure, index) => [measure, sums[place * width + index] ?? 0])) as Sums;
  return values.map((_, code) => ({ before: sumsAt(code * 2), after: sumsAt(code * 2 + 1) }));
}

interface Found extends Place {
  /** What it earned more than if it had moved as the rest did; below 0 if less. */
  readonly money: number;
  readonly moved: readonly Factor[];
  readonly isSure: boolean;
  /** Its money, weighed by how far it is from chance: of a group and one within it, that which is more to the point. */
  readonly weight: number;
}

/** The group that moved most, in money, otherwise than the rest of these visits; undefined if none did by more than chance. */
function findGroup(
  open: readonly number[],
  figures: VisitFigures,
  coded: readonly Coded[],
  minMoney: number,
): Found | undefined {
  const grouped = coded.map((dimension) => ({ dimension, groups: groupSums(open, figures, dimension) }));
  const all = (grouped[0]?.groups ?? []).reduce(plus, noSums);
  const looks = sum(grouped.map(({ groups }) => groups.length)) * tests.length;
  const sureDeviation = Math.sqrt(2 * Math.log(Math.max(looks, 1) / maxFalse));
  let best: Found | undefined;
  for (const { dimension, groups } of grouped) {
    for (const [code, own] of groups.entries()) {
      if (dimension.values[code] === null || own.before.views + own.after.views === 0) continue;
      const found = compare(own, minus(all, own), sureDeviation);
      if (!found || Math.abs(found.money) < minMoney || found.weight <= (best?.weight ?? 0)) continue;
      best = { dimension, code, ...found };
    }
  }
  return best;
}

const zeros = Object.fromEntries(measures.map((measure) => [measure, 0])) as Sums;

const noSums: Spans = { before: zeros, after: zeros };

function combine(one: Spans, other: Spans, sign: 1 | -1): Spans {
  const add = (a: Sums, b: Sums) =>
    Object.fromEntries(measures.map((measure) => [measure, a[measure] + sign * b[measure]])) as Sums;
  return { before: add(one.before, other.before), after: add(one.after, other.after) };
}

const plus = (one: Spans, other: Spans): Spans => combine(one, other, 1);
const minus = (one: Spans, other: Spans): Spans => combine(one, other, -1);

/** How a group moved beside the rest; undefined if nothing in it did by more than chance. */
function compare(own: Spans, rest: Spans, sureDeviation: number): Omit<Found, keyof Place> | undefined {
  const isComparable = rest.before.views > 0 && rest.after.views > 0;
  if (!isComparable) return undefined;
  const deviations = tests.map(({ factor, deviation }) => ({ factor, by: Math.abs(deviation(own, rest)) }));
  const moved = deviations.filter(({ by }) => by > minDeviation);
  if (moved.length === 0) return undefined;
  const expected = expectedSums(own, rest, new Set(moved.map(({ factor }) => factor)));
  const effects = factorEffects(expected, own.after).filter(({ factor }) =>
    moved.some((test) => test.factor === factor),
  );
  const sorted = effects.sort((a, b) => Math.abs(b.effect) - Math.abs(a.effect));
  const money = profitOf(own.after) - profitOf(expected);
  return {
    money,
    weight: Math.abs(money) * Math.max(...moved.map(({ by }) => by)),
    moved: sorted.map(({ factor }) => factor),
    isSure: moved.some(({ by }) => by > sureDeviation),
  };
}

/** What the group would have come to in the second span, had these factors of it moved as the rest did. */
function expectedSums({ before, after }: Spans, rest: Spans, moved: ReadonlySet<Factor>): GroupFigures {
  const of = (factor: Factor, part: keyof GroupFigures, whole?: keyof GroupFigures) => {
    const over = (sums: GroupFigures) => (whole === undefined ? sums[part] : ratioOf(sums[part], sums[whole]));
    const own = over(after) ?? over(before) ?? 0;
    if (!moved.has(factor)) return own;
    const change = ratioOf(over(rest.after) ?? 1, over(rest.before) ?? 1) ?? 1;
    return (over(before) ?? 0) * change;
  };
  const views = of('visits', 'views');
  const clicks = views * of('clicks_per_visit', 'clicks', 'views');
  const conversions = clicks * of('sales_per_click', 'conversions', 'clicks');
  const revenue = conversions * of('revenue_per_sale', 'revenue', 'conversions');
  return { views, clicks, conversions, revenue, cost: views * of('cost_per_visit', 'cost', 'views') };
}

function ratioOf(part: number, whole: number): number | undefined {
  return whole === 0 ? undefined : part / whole;
}

interface Test {
  readonly factor: Factor;
  /** How far the factor of a group moved beside that of the rest, in standard deviations; 0 if the rest moved more than it. */
  readonly deviation: (own: Spans, rest: Spans) => number;
}

const tests: readonly Test[] = [
  countTest('visits', 'views'),
  countTest('clicks_per_visit', 'clicks', 'views'),
  countTest('sales_per_click', 'conversions', 'clicks'),
  meanTest('revenue_per_sale', 'revenue', 'revenueSquares', 'conversions'),
  meanTest('cost_per_visit', 'cost', 'costSquares', 'views'),
];

/**
 * Counts of two spans, each over what it is counted of: the signed root of the deviance of a Poisson rate from the one that the
 * rest predicts, less what is not known of the rest and what moves anyway.
 */
function countTest(factor: Factor, count: keyof GroupFigures, base?: keyof GroupFigures): Test {
  const sizeOf = (sums: GroupFigures) => (base === undefined ? 1 : sums[base]);
  const rate = (sums: GroupFigures) => (sums[count] + 0.5) / (sizeOf(sums) + (base === undefined ? 0 : 1));
  const unknownOf = ({ before, after }: Spans) =>
    1 / (before[count] + 0.5) + 1 / (after[count] + 0.5) + usualMove[factor] ** 2;
  const deviation = (own: Spans, rest: Spans) => {
    const [before, after] = [own.before[count], own.after[count]];
    const all = before + after;
    if (all === 0 || sizeOf(own.before) === 0 || sizeOf(own.after) === 0) return 0;
    const outside = Math.log(rate(rest.after) / rate(rest.before));
    const inside = Math.log(rate(own.after) / rate(own.before));
    if (!movedMore(inside, outside)) return 0;
    const size = sizeOf(own.after) * Math.exp(outside);
    const predicted = size / (size + sizeOf(own.before));
    const deviance = 2 * (entropy(after, all * predicted) + entropy(before, all * (1 - predicted)));
    const spread = 1 + unknownOf(rest) * all * predicted * (1 - predicted);
    return Math.sign(inside - outside) * Math.sqrt(Math.max(deviance, 0) / spread);
  };
  return { factor, deviation };
}

function entropy(count: number, expected: number): number {
  return count === 0 ? 0 : count * Math.log(count / expected);
}

/** Mean amounts of two spans: Welch's test on the ratio, beside that of the rest. */
function meanTest(factor: Factor, amount: keyof Sums, squares: keyof Sums, count: keyof Sums): Test {
  const least = 3;
  /** The logarithm of the change of the mean, and its variance; undefined of too few amounts. */
  const changeOf = ({ before, after }: Spans) => {
    if (!(Math.min(before[count], after[count]) >= least && before[amount] > 0 && after[amount] > 0)) return undefined;
    const spans = [before, after].map((sums) => {
      const mean = sums[amount] / sums[count];
      const variance = Math.max(sums[squares] / sums[count] - mean ** 2, 0);
      return { mean, relative: (variance / mean ** 2 + usualMove[factor] ** 2) / sums[count] };
    });
    return {
      log: Math.log(at(spans, 1).mean / at(spans, 0).mean),
      variance: sum(spans.map(({ relative }) => relative)),
    };
  };
  const deviation = (own: Spans, rest: Spans) => {
    const inside = changeOf(own);
    const outside = changeOf(rest) ?? { log: 0, variance: 0 };
    if (!inside || !movedMore(inside.log, outside.log)) return 0;
    return (inside.log - outside.log) / Math.sqrt(inside.variance + outside.variance);
  };
  return { factor, deviation };
}

/** Of two parts of a whole, both differ from the other: the one that moved is named, and not the one that stayed. */
function movedMore(inside: number, outside: number): boolean {
  return Math.abs(inside) > Math.abs(outside) && Math.sign(inside) === Math.sign(inside - outside);
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

import { yieldIfBusy } from '../../api/running-call.ts';
import { at, groupBy, sum } from '../statistics/history.ts';
import type { GroupFigures } from '../visit-groups.ts';
import { type Deviation, entropy, findDeviation, movedFactors } from './deviations.ts';
import { type Factor, type FactorEffect, factorEffects } from './factors.ts';
import type { PayoutChange } from './sales.ts';
import {
  allRows,
  type Dimension,
  groupSums,
  type Measure,
  measures,
  rowsWith,
  subtract,
  sumRows,
  type Value,
  type VisitColumns,
  type Visits,
} from './visit-columns.ts';

/** The visits with one value of a dimension. */
export interface Group {
  readonly dimension: string;
  readonly value: string | null;
}

/** Visits that moved differently from the rest, with their figures in both spans. */
export interface Cause {
  /** One group, or two that overlap: "Device Phone" within "Landing page Quiz". */
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
  /** The day on which the first factor changed, YYYY-MM-DD; undefined if no day stands out. */
  readonly since: string | undefined;
}

export interface Causes {
  readonly causes: readonly Cause[];
  /** All other visits. Causes and rest add up to the whole. */
  readonly rest: { readonly before: GroupFigures; readonly after: GroupFigures };
  /** The effects of the rest's factors: first those that moved by more than chance, then the largest. */
  readonly restFactors: readonly FactorEffect[];
}

/** Enough for one answer. */
const maxCauses = 5;

/** A cause moves at least this part of the sum of all factors' effects. */
const minPart = 0.05;

/** Two groups are alike if each has at least this part of the other's visits. */
const minOverlap = 0.9;

/** Two groups are named together if the visits in both carry this part of the first one's change. */
const minWithin = 0.8;

/** The order in which dimensions with alike groups are named, the most telling first. Tokens follow keywords. */
const dimensionOrder = [
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

/** Dimensions that a visit has only after a click. */
const dimensionsOfClicks: ReadonlySet<string> = new Set(['offer', 'network']);

/**
 * Finds the groups of visits that explain a change of profit: those whose factors moved differently from the factors of all other
 * visits, by more than chance and the usual day-to-day changes. The group with the largest effect comes first. Its visits are then
 * removed, so that groups that merely share them are not named as well.
 */
export async function findCauses(columns: VisitColumns, payouts: readonly PayoutChange[]): Promise<Causes> {
  const offersWithNewPayout = new Set(payouts.map(({ offer }) => offer));
  let rows = allRows(columns);
  const whole = sumRows(rows, columns);
  const minMoney = minPart * sum(factorEffects(whole.before, whole.after).map(({ effect }) => Math.abs(effect)));
  const causes: Cause[] = [];
  while (causes.length < maxCauses) {
    const found = await findCause(rows, columns, minMoney, offersWithNewPayout);
    if (!found) break;
    causes.push(found.cause);
    rows = found.otherRows;
  }
  const rest = sumRows(rows, columns);
  const moved = movedFactors(rest);
  const restFactors = factorEffects(rest.before, rest.after).sort(
    (a, b) => Number(moved.has(b.factor)) - Number(moved.has(a.factor)) || Math.abs(b.effect) - Math.abs(a.effect),
  );
  return { causes, rest, restFactors };
}

/** The cause with the largest effect among some visits, and the visits outside it. */
async function findCause(
  rows: Visits,
  columns: VisitColumns,
  minMoney: number,
  offersWithNewPayout: ReadonlySet<string>,
): Promise<{ readonly cause: Cause; readonly otherRows: Visits } | undefined> {
  const { dimensions } = columns;
  const outer = await findGroup(rows, columns, dimensions, minMoney, offersWithNewPayout);
  if (!outer) return undefined;
  const outerRows = rowsWith(rows, outer);
  // The offer of a visit follows from its click, so it does not explain missing clicks.
  const isAboutSales = outer.moved[0] === 'sales_per_click' || outer.moved[0] === 'revenue_per_sale';
  const traits = isAboutSales ? dimensions : dimensions.filter(({ name }) => !dimensionsOfClicks.has(name));
  const inner = await findGroup(outerRows, columns, traits, minWithin * Math.abs(outer.money), offersWithNewPayout);
  const innerRows = inner && rowsWith(rows, inner);
  const bothRows = inner ? rowsWith(outerRows, inner) : outerRows;
  // If nearly all visits of the inner group are in the outer one, the inner group alone is the cause.
  const isInnerAlone = innerRows !== undefined && bothRows.length >= minOverlap * innerRows.length;
  const causeRows = isInnerAlone ? innerRows : bothRows;
  const namedGroups = inner ? (isInnerAlone ? [inner] : [outer, inner]) : [outer];
  const alike = namedGroups.length > 1 ? [] : findAlike(causeRows, rows, dimensions, at(namedGroups, 0).dimension);
  const groups = [...namedGroups, ...alike].map(({ dimension: { name, values }, code }) => ({
    dimension: name,
    value: at(values, code),
  }));
  if (alike.length > 0) groups.sort((a, b) => rankOf(a.dimension) - rankOf(b.dimension));
  const isInCause = new Set(causeRows);
  const otherRows = rows.filter((row) => !isInCause.has(row));
  const { before, after } = sumRows(causeRows, columns);
  const { moved, isSure } = inner ?? outer;
  const cause = {
    groups: groups.slice(0, namedGroups.length),
    alike: groups.slice(namedGroups.length),
    before,
    after,
    factors: factorEffects(before, after).sort((a, b) => Math.abs(b.effect) - Math.abs(a.effect)),
    moved,
    isSure,
    since: moved[0] && firstDay(moved[0], causeRows, otherRows, columns),
  };
  return { cause, otherRows };
}

export function rankOf(dimension: string): number {
  const rank = dimensionOrder.indexOf(dimension);
  return rank < 0 ? dimensionOrder.indexOf('keyword') + 0.5 : rank;
}

/** With fewer visits, any change is within chance. */
const minVisits = 8;

/** The group whose profit moved most compared with the other visits; undefined if none moved by more than chance. */
async function findGroup(
  rows: Visits,
  columns: VisitColumns,
  dimensions: readonly Dimension[],
  minMoney: number,
  offersWithNewPayout: ReadonlySet<string>,
): Promise<(Value & Deviation) | undefined> {
  const grouped: { dimension: Dimension; groups: ReturnType<typeof groupSums> }[] = [];
  for (const dimension of dimensions) {
    grouped.push({ dimension, groups: groupSums(rows, columns, dimension, minVisits) });
    await yieldIfBusy();
  }
  const all = sumRows(rows, columns, 0);
  const testedGroups = sum(grouped.map(({ groups }) => groups.length));
  let best: (Value & Deviation) | undefined;
  for (const { dimension, groups } of grouped) {
    await yieldIfBusy();
    for (const [code, group] of groups.entries()) {
      const value = dimension.values[code] ?? null;
      const visits = group.before.views + group.after.views;
      if (value === null || visits === 0) continue;
      const hasNewPayout = dimension.name === 'offer' && offersWithNewPayout.has(value);
      if (visits < minVisits && !hasNewPayout) continue;
      const sureFactor = hasNewPayout ? 'revenue_per_sale' : undefined;
      const deviation = findDeviation(group, subtract(all, group), testedGroups, sureFactor);
      if (!deviation || Math.abs(deviation.money) < minMoney) continue;
      // Sure groups come before others, whatever their weight.
      const isBetter = !best || (deviation.isSure === best.isSure ? deviation.weight > best.weight : deviation.isSure);
      if (isBetter) best = { dimension, code, ...deviation };
    }
  }
  return best;
}

/** The groups of other dimensions with nearly the same visits. */
function findAlike(
  groupRows: Visits,
  rows: Visits,
  dimensions: readonly Dimension[],
  groupDimension: Dimension,
): Value[] {
  return dimensions.flatMap((dimension) => {
    if (dimension === groupDimension) return [];
    const rowsByCode = groupBy([...groupRows], (row) => dimension.codes[row] ?? -1);
    const [code, common] = [...rowsByCode].sort((a, b) => b[1].length - a[1].length)[0] ?? [-1, []];
    if (dimension.values[code] === null || common.length < minOverlap * groupRows.length) return [];
    return common.length < minOverlap * rowsWith(rows, { dimension, code }).length ? [] : [{ dimension, code }];
  });
}

/** The deviance by which a day must stand out to be named; chance reaches it once in 10,000 times. */
const minDayDeviance = 15;

/** The day on which a factor of some visits changed: the largest deviance of a Poisson rate before and after it. */
function firstDay(
  factor: Factor,
  rows: Visits,
  otherRows: Visits,
  { amounts, days, dayCodes }: VisitColumns,
): string | undefined {
  const sumByDay = (summedRows: Visits, measure: Measure, scale = 1) => {
    const column = measures.indexOf(measure);
    const sums = days.map(() => 0);
    for (const row of summedRows) {
      const day = dayCodes[row] ?? 0;
      sums[day] = at(sums, day) + (amounts[row * measures.length + column] ?? 0) * scale;
    }
    return sums;
  };
  const [visits, otherVisits] = [sumByDay(rows, 'views'), sumByDay(otherRows, 'views')];
  const [measure, perMeasure] = ratioByFactor[factor];
  // Poisson rates are of counts: cost counts in cents.
  const parts = sumByDay(rows, measure, measure === 'cost' ? 100 : 1);
  const wholes = perMeasure ? sumByDay(rows, perMeasure) : otherRows.length > 0 ? otherVisits : days.map(() => 1);
  const usedDays = [...days.keys()].filter((day) => at(visits, day) + at(otherVisits, day) > 0);
  const total = sum(usedDays.map((day) => at(parts, day)));
  const size = sum(usedDays.map((day) => at(wholes, day)));
  let best = { day: undefined as string | undefined, deviance: minDayDeviance };
  let [before, sizeBefore] = [0, 0];
  for (const day of usedDays) {
    if (sizeBefore > 0 && size > sizeBefore) {
      const expected = (total * sizeBefore) / size;
      const deviance = 2 * (entropy(before, expected) + entropy(total - before, total - expected));
      if (deviance > best.deviance) best = { day: at(days, day), deviance };
    }
    before += at(parts, day);
    sizeBefore += at(wholes, day);
  }
  return best.day;
}

/** The two measures of a factor; visits are compared with the visits of the rest. */
const ratioByFactor: Readonly<Record<Factor, readonly [measure: Measure, per?: Measure]>> = {
  visits: ['views'],
  cost_per_visit: ['cost', 'views'],
  clicks_per_visit: ['clicks', 'views'],
  sales_per_click: ['conversions', 'clicks'],
  revenue_per_sale: ['revenue', 'conversions'],
};

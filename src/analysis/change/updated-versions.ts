import { groupBy, sum } from '../statistics/history.ts';
import { type GroupFigures, noVisits, without } from '../visit-groups.ts';
import { minVisits } from './groupings.ts';
import type { GroupSums, SpanSums } from './sums.ts';
import type { Dimension, VisitColumns, Visits } from './visit-columns.ts';

/** The dimensions whose values visitors update: a new version takes the place of an old one, and no other people came. */
export const dimensionsWithVersions: ReadonlySet<string> = new Set(['os', 'browser', 'user_agent']);

/** The versions gained visits if they have so many standard deviations more, and took them from others if those lost this part of them. */
const [minGain, minTaken] = [4, 1 / 3];

/** New versions whose visits click or sell this many standard deviations more or less are not the same people as before. */
const maxUnlike = 3.5;

/** Values that are versions of one thing, with the one that lost most visits, and the one that gained most. */
export interface UpdatedVersions {
  readonly codes: readonly number[];
  readonly visits: number;
  readonly before: string;
  readonly after: string;
}

/** The product of each value of a dimension: `Chrome 131` and `Chrome 132` are one. */
export const productsOf = ({ values }: Dimension): readonly (string | null)[] =>
  values.map((value) => (value === null ? null : value.replaceAll(/\d+(?:[._]\d+)*/g, '#')));

/**
 * The versions of each product of which some took the visits of others, and do with them as these did.
 * @param products of the values
 * @param sums the memory for their sums
 */
export function findUpdated(
  rows: Visits,
  dimension: Dimension,
  products: readonly (string | null)[],
  { dayCounts }: VisitColumns,
  sums: GroupSums,
): readonly UpdatedVersions[] {
  sums.group(rows, dimension, minVisits);
  const versions = [...sums.codes].flatMap((code) => {
    const value = dimension.values[code] ?? null;
    return value === null ? [] : [{ code, value, ...sums.spansOf(code) }];
  });
  const whole = addUp(versions);
  return [...groupBy(versions, ({ code }) => products[code]).values()].flatMap((own) => {
    if (own.length < 2) return [];
    const ofAll = addUp(own);
    const others = { before: without(whole.before, ofAll.before), after: without(whole.after, ofAll.after) };
    const growth = others.before.views > 0 ? others.after.views / others.before.views : dayCounts[1] / dayCounts[0];
    const gains = own.map((version) => ({ ...version, gain: version.after.views - growth * version.before.views }));
    const [gained, lost] = [gains.filter(({ gain }) => gain > 0), gains.filter(({ gain }) => gain < 0)];
    const isGain = gained.some(({ gain, before, after }) => gain ** 2 > minGain ** 2 * (after.views + before.views));
    const taken = -sum(lost.map(({ gain }) => gain));
    if (!isGain || taken < minTaken * sum(gained.map(({ gain }) => gain))) return [];
    if (isUnlike(addUp(lost).before, addUp(gained).after, others)) return [];
    const byGain = gains.toSorted((one, other) => one.gain - other.gain);
    const visits = ofAll.before.views + ofAll.after.views;
    const [before, after] = [byGain[0], byGain.at(-1)].map((version) => version?.value ?? '') as [string, string];
    return [{ codes: own.map(({ code }) => code), visits, before, after }];
  });
}

function addUp(some: readonly SpanSums[]): SpanSums {
  const whole = { before: noVisits(), after: noVisits() };
  for (const one of some)
    for (const span of ['before', 'after'] as const)
      for (const figure of figures) whole[span][figure] += one[span][figure];
  return whole;
}

const figures = Object.keys(noVisits()) as (keyof GroupFigures)[];

/** Whether clicks or sales moved otherwise from the old versions to the new ones than they did for all others. */
function isUnlike(old: GroupFigures, young: GroupFigures, others: SpanSums): boolean {
  const rates = [
    ['clicks', 'views'],
    ['conversions', 'clicks'],
  ] as const;
  return rates.some(([what, of]) => {
    const rateOf = (counts: GroupFigures) => Math.log((counts[what] + 0.5) / (counts[of] + 1));
    const varianceOf = (counts: GroupFigures) => 1 / (counts[what] + 0.5);
    const isKnown = others.before[of] > 0 && others.after[of] > 0;
    const moved = isKnown ? rateOf(others.after) - rateOf(others.before) : 0;
    const variance = sum([old, young, ...(isKnown ? [others.before, others.after] : [])].map(varianceOf));
    return (rateOf(young) - rateOf(old) - moved) ** 2 > maxUnlike ** 2 * variance;
  });
}

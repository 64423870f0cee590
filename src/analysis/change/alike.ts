import { dimensionsOfRobots, placementCarrying } from '../placements.ts';
import { groupBy } from '../statistics/history.ts';
import { countCodes, type Dimension, rowsWith, type Value, type VisitColumns, type Visits } from './visit-columns.ts';

/** Two groups are alike if each has at least this part of the other's visits. */
export const minOverlap = 0.9;

/** The placement that carries a cause of a provider or user agent. */
export function placementOf(
  groups: readonly Value[],
  rows: Visits,
  otherRows: Visits,
  { dimensions, placement, stretches }: VisitColumns,
): { readonly dimension: string; readonly value: string } | undefined {
  const dimension = dimensions.find(({ name }) => name === placement);
  if (!dimension || !groups.some((group) => dimensionsOfRobots.has(group.dimension.name))) return undefined;
  const countLater = (some: Visits) => {
    const later = [...some].filter((row) => (stretches[row] ?? 0) > 0);
    const counts = groupBy(later, (row) => dimension.codes[row] ?? 0);
    return new Map([...counts].map(([code, { length }]) => [code, length]));
  };
  const value = dimension.values[placementCarrying(countLater(rows), countLater(otherRows)) ?? -1];
  return value ? { dimension: dimension.name, value } : undefined;
}

/** The groups of other dimensions with nearly the same visits. */
export function findAlike(
  groupRows: Visits,
  rows: Visits,
  dimensions: readonly Dimension[],
  named: readonly Dimension[],
): Value[] {
  return dimensions.flatMap((dimension) => {
    if (named.includes(dimension)) return [];
    const counts = new Uint32Array(dimension.values.length);
    countCodes(groupRows, dimension.codes, counts);
    const common = counts.reduce((most, count) => Math.max(most, count), 0);
    const code = counts.indexOf(common);
    if (dimension.values[code] === null || common < minOverlap * groupRows.length) return [];
    return common < minOverlap * rowsWith(rows, { dimension, code }).length ? [] : [{ dimension, code }];
  });
}

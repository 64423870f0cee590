import { dimensionsOfRobots } from '../placements.ts';
import { groupBy } from '../statistics/history.ts';
import {
  countCodes,
  type Dimension,
  rowsWhere,
  rowsWith,
  type Value,
  type VisitColumns,
  type Visits,
} from './visit-columns.ts';

/** Two groups are alike if each has at least this part of the other's visits. */
export const minOverlap = 0.9;

/** A placement carries a cause if it has this part of its later visits, and at most the second part of the others. */
const [minCarried, maxOfOthers] = [0.8, 0.5];

/** The placement that carries a cause of a provider or user agent. */
export function placementOf(
  groups: readonly Value[],
  rows: Visits,
  otherRows: Visits,
  { dimensions, placement, stretches }: VisitColumns,
): { readonly dimension: string; readonly value: string } | undefined {
  const dimension = dimensions.find(({ name }) => name === placement);
  if (!dimension || !groups.some((group) => dimensionsOfRobots.has(group.dimension.name))) return undefined;
  const partsOfLater = (some: Visits) => {
    const later = rowsWhere(some, (row) => (stretches[row] ?? 0) > 0);
    const counts = groupBy([...later], (row) => dimension.codes[row] ?? 0);
    return new Map([...counts].map(([code, { length }]) => [code, length / later.length]));
  };
  const others = partsOfLater(otherRows);
  const carrying = [...partsOfLater(rows)].find(
    ([code, part]) => part >= minCarried && (others.get(code) ?? 0) <= maxOfOthers,
  );
  const value = carrying && dimension.values[carrying[0]];
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

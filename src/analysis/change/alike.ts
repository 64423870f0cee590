import { placementCarrying } from '../placements.ts';
import type { Factor } from './factors.ts';
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

/** The placement that carries a cause of a provider or user agent. */
export function placementOf(
  groups: readonly Value[],
  rows: Visits,
  otherRows: Visits,
  { dimensions, placement, stretches }: VisitColumns,
): { readonly dimension: string; readonly value: string } | undefined {
  const dimension = dimensions.find(({ name }) => name === placement);
  if (!dimension || !groups.some(isOfVisitors) || groups.some((group) => group.dimension === dimension))
    return undefined;
  const countLater = (some: Visits) => {
    const counts = new Uint32Array(dimension.values.length);
    const later = rowsWhere(some, (row) => (stretches[row] ?? 0) > 0);
    countCodes(later, dimension.codes, counts);
    return new Map([...counts.entries()].filter(([, count]) => count > 0));
  };
  const value = dimension.values[placementCarrying(countLater(rows), countLater(otherRows)) ?? -1];
  return value ? { dimension: dimension.name, value } : undefined;
}

const notOfVisitors: ReadonlySet<string> = new Set(['campaign', 'landing_page', 'offer', 'network', 'path', 'hour']);

/** Whether a value says something of its visitors, and not only of where they were sent. */
export const isOfVisitors = ({ dimension: { name } }: Value): boolean => !notOfVisitors.has(name);

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

/** Dimensions that a visit has only after a click. */
export const dimensionsOfClicks: ReadonlySet<string> = new Set(['offer', 'network']);

/** The offer of a visit follows from its click, so it explains sales alone, and no missing clicks. */
export const isOfSales = ([factor]: readonly Factor[]): boolean =>
  factor === 'sales_per_click' || factor === 'revenue_per_sale';

/** The campaign of an account that nearly all visits of a cause are from, if it is not named. */
export function missingCampaign(
  named: readonly Value[],
  rows: Visits,
  campaign: Dimension | undefined,
): Value | undefined {
  if (!campaign || named.some(({ dimension }) => dimension === campaign)) return undefined;
  const counts = new Uint32Array(campaign.values.length);
  countCodes(rows, campaign.codes, counts);
  const code = counts.findIndex((count) => count >= minOverlap * rows.length);
  return code < 0 || campaign.values[code] === null ? undefined : { dimension: campaign, code };
}

/**
 * The campaign, if nearly all of its visits have the value that was found; a network that all its clicks go to is the campaign as well,
 * unless it is about sales.
 */
export function widened<Found extends { readonly values: readonly Value[]; readonly moved: readonly Factor[] }>(
  found: Found,
  rows: Visits,
  campaigns: Dimension | undefined,
): Found {
  const { values, moved } = found;
  const other = values.find(({ dimension }) => dimension !== campaigns);
  const campaign =
    values.find(({ dimension }) => dimension === campaigns) ??
    missingCampaign(values, rowsWith(rows, ...values), campaigns);
  if (!campaign || !other) return found;
  const { name, values: names, codes } = other.dimension;
  const isOfAll = !dimensionsOfClicks.has(name) || isOfSales(moved);
  const visits = rowsWhere(rowsWith(rows, campaign), (row) => isOfAll || names[codes[row] ?? 0] !== null);
  return rowsWith(visits, other).length < minOverlap * visits.length ? found : { ...found, values: [campaign] };
}

import { at } from '../statistics/history.ts';
import type { Value, VisitColumns, Visits } from './visit-columns.ts';

/** The part of the traffic that a page or offer got, in percent. */
export interface ShareOfTraffic {
  readonly before: number;
  /** From the day of the change on, if one is known. */
  readonly after: number;
}

/** The dimensions whose values share the traffic by weights that somebody sets. */
const weighted: ReadonlySet<string> = new Set(['landing_page', 'offer']);

/** With fewer visits a share says little. */
const minVisits = 50;

/** A smaller change, in percent of the traffic, is no change of shares. */
const minMove = 5;

/**
 * How the share of a page or offer moved among the visits that the other groups have in common.
 *
 * @param since the day of the change, YYYY-MM-DD
 * @returns undefined if none of the groups is a page, or its share did not move
 */
export function shareOfTraffic(
  groups: readonly Value[],
  rows: Visits,
  { stretches, days, dayCodes }: VisitColumns,
  since: string | undefined,
): ShareOfTraffic | undefined {
  const page = groups.findLast(({ dimension }) => weighted.has(dimension.name));
  if (!page) return undefined;
  const others = groups.filter((group) => group !== page);
  const counts = { before: { own: 0, all: 0 }, after: { own: 0, all: 0 } };
  for (const row of rows) {
    const code = page.dimension.codes[row] ?? 0;
    if (page.dimension.values[code] === null) continue;
    if (!others.every(({ dimension, code: wanted }) => dimension.codes[row] === wanted)) continue;
    const isAfter = (stretches[row] ?? 0) > 0;
    if (isAfter && since !== undefined && at(days, dayCodes[row] ?? 0) < since) continue;
    const span = isAfter ? counts.after : counts.before;
    span.all += 1;
    if (code === page.code) span.own += 1;
  }
  if (Math.min(counts.before.all, counts.after.all) < minVisits) return undefined;
  const [before, after] = [counts.before, counts.after].map(({ own, all }) => (own / all) * 100) as [number, number];
  return Math.abs(after - before) < minMove ? undefined : { before, after };
}

import { at, sum } from '../statistics/history.ts';
import type { Value, VisitColumns, Visits } from './visit-columns.ts';

/** The part of the traffic that a page or offer got, in percent. */
export interface ShareOfTraffic {
  readonly before: number;
  /** From the day of the change on, if one is known. */
  readonly after: number;
  /** What it brought: the visits that moved, at what its own and those of the others earn, as far as that is beyond chance. */
  readonly effect: number;
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
  { stretches, days, dayCodes, amounts }: VisitColumns,
  since: string | undefined,
): ShareOfTraffic | undefined {
  const page = groups.findLast(({ dimension }) => weighted.has(dimension.name));
  if (!page) return undefined;
  const within = groups.filter((group) => group !== page);
  const [own, others] = [
    { before: 0, after: 0, sinceMoved: 0, revenue: 0, squares: 0 },
    { before: 0, after: 0, sinceMoved: 0, revenue: 0, squares: 0 },
  ];
  for (const row of rows) {
    const code = page.dimension.codes[row] ?? 0;
    if (page.dimension.values[code] === null) continue;
    if (!within.every(({ dimension, code: wanted }) => dimension.codes[row] === wanted)) continue;
    const side = code === page.code ? own : others;
    const revenue = amounts.revenue[row] ?? 0;
    side.revenue += revenue;
    side.squares += revenue ** 2;
    if ((stretches[row] ?? 0) === 0) side.before += 1;
    else {
      side.after += 1;
      if (since === undefined || at(days, dayCodes[row] ?? 0) >= since) side.sinceMoved += 1;
    }
  }
  if (Math.min(own.before + others.before, own.sinceMoved + others.sinceMoved) < minVisits) return undefined;
  const partIn = (span: 'before' | 'sinceMoved') => own[span] / (own[span] + others[span]);
  const [before, after] = [partIn('before') * 100, partIn('sinceMoved') * 100];
  if (Math.abs(after - before) < minMove) return undefined;
  const moved = own.after - partIn('before') * (own.after + others.after);
  return { before, after, effect: moved * leadOf(own, others) };
}

/** Revenue by visit. */
interface Earned {
  readonly before: number;
  readonly after: number;
  readonly revenue: number;
  readonly squares: number;
}

/**
 * How much more a visit earns than one of others. What chance explains of the difference is none (W. James and C. Stein, "Estimation with
 * quadratic loss", 1961, in the form that is never negative).
 */
function leadOf(own: Earned, others: Earned): number {
  const sides = [own, others].map(({ before, after, revenue, squares }) => {
    const visits = Math.max(before + after, 1);
    const mean = revenue / visits;
    return { mean, variance: Math.max(squares / visits - mean ** 2, 0) / visits };
  });
  const lead = at(sides, 0).mean - at(sides, 1).mean;
  const variance = sum(sides.map((side) => side.variance));
  return lead === 0 ? 0 : lead * Math.max(1 - variance / lead ** 2, 0);
}

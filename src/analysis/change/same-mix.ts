import { type Boundaries, noSums, placeOf, width } from './sums.ts';
import type { VisitColumns } from './visit-columns.ts';

/**
 * The sums of some visits as if each campaign had had the same part of them before a boundary as after it. Campaigns differ in cost, clicks
 * and payouts: what they have in common seems to move if one of them grows. A campaign without visits before shows no change.
 *
 * @param read writes the sums of these visits in a campaign
 */
export function withSameMix(
  columns: VisitColumns,
  campaigns: Uint32Array,
  read: (campaign: number, sums: Boundaries) => void,
): Boundaries {
  const [all, mixed, own] = [noSums(columns), noSums(columns), noSums(columns)];
  for (const campaign of campaigns) {
    read(campaign, own);
    for (let start = 0; start < own.before.length; start += width) {
      const views = own.before[start + placeOf.views] ?? 0;
      const weight = views === 0 ? 0 : (own.after[start + placeOf.views] ?? 0) / views;
      for (let place = start; place < start + width; place += 1) {
        const [before, after] = [own.before[place] ?? 0, own.after[place] ?? 0];
        all.before[place] = (all.before[place] ?? 0) + before;
        all.after[place] = (all.after[place] ?? 0) + after;
        mixed.before[place] = (mixed.before[place] ?? 0) + before * weight;
        mixed.after[place] = (mixed.after[place] ?? 0) + (views === 0 ? 0 : after);
      }
    }
  }
  scaleTo(all.before, mixed.before);
  scaleTo(all.after, mixed.after);
  return mixed;
}

/** Scales sums to as many visits as others have, at each boundary. */
function scaleTo(wanted: Float64Array, sums: Float64Array): void {
  for (let start = 0; start < sums.length; start += width) {
    const views = sums[start + placeOf.views] ?? 0;
    const scale = views === 0 ? 0 : (wanted[start + placeOf.views] ?? 0) / views;
    for (let place = start; place < start + width; place += 1) sums[place] = (sums[place] ?? 0) * scale;
  }
}

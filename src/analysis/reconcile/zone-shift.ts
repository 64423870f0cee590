/** How far the statement's clock is ahead of the tracker's. */
export interface ZoneShift {
  /** Negative if it is behind. */
  readonly minutes: number;
  /** The sales that fall on their tracker time under it, of those that both have a time of. */
  readonly fits: number;
  readonly of: number;
}

/** Zones are at most this far apart from UTC, on either side. */
const maxMinutes = 14 * 60;

/** A postback may be some minutes late; sales that fall within half a step of a shift are of it. */
const [step, wide, narrow] = [30, 15, 5];

/** So many sales show a shift. */
const minSales = 3;

/** A quarter of an hour is a zone of few countries: it is taken only if nearly all sales are right on it. */
const surely = 0.8;

/**
 * The shift, in whole and half hours, under which most sales fall on their tracker time; in quarters if nearly all do so only there.
 * Of two alike it is the one that more sales are right on, then the smaller.
 *
 * @param differences the time of each sale in the statement less that in the tracker, in milliseconds
 * @returns undefined if fewer than three sales, or less than a third of them, fit any
 */
export function findZoneShift(differences: readonly number[]): ZoneShift | undefined {
  const counts = new Map<number, number>();
  for (const difference of differences) {
    const minutes = Math.round(difference / 60_000);
    counts.set(minutes, (counts.get(minutes) ?? 0) + 1);
  }
  const near = (shift: number, within: number) => {
    let count = 0;
    for (let minutes = shift - within; minutes <= shift + within; minutes += 1) count += counts.get(minutes) ?? 0;
    return count;
  };
  const shifts = (every: number) =>
    Array.from({ length: (2 * maxMinutes) / every + 1 }, (_, index) => index * every - maxMinutes);
  const ranked = shifts(step)
    .map((shift) => ({ shift, fits: near(shift, wide), right: near(shift, narrow) }))
    .sort(
      (one, other) => other.fits - one.fits || other.right - one.right || Math.abs(one.shift) - Math.abs(other.shift),
    );
  const [best] = ranked;
  if (!best) return undefined;
  const quarter = shifts(15)
    .filter((shift) => shift % step !== 0)
    .map((shift) => ({ shift, fits: near(shift, narrow) }))
    .find(({ fits }) => fits >= surely * differences.length && fits > best.right);
  const { shift, fits } = quarter ?? best;
  if (fits < minSales || fits * 3 < differences.length) return undefined;
  return { minutes: shift, fits, of: differences.length };
}

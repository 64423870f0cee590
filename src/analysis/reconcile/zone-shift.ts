import { minuteMs } from '../../api/durations.ts';
import { at, groupBy, sum } from '../statistics/history.ts';

/** How far the statement's clock is ahead of the tracker's. */
export interface ZoneShift {
  /** Negative if the statement's clock is behind. */
  readonly minutes: number;
  /** The number of pairs that it explains. */
  readonly fits: number;
  /** The number of pairs with a time on both sides. */
  readonly timed: number;
}

/** Zones are at most this far from UTC, on either side. */
const maxMinutes = 14 * 60;

/** How far a pair may be off a shift, in minutes: postbacks can be late. */
const maxOff = 15;

/** The same for a pair that fits exactly. */
const maxOffExact = 5;

/** A shift needs at least this many pairs. */
const minPairs = 3;

/** Few countries have zones of quarter hours: such a shift must fit at least this share of the pairs exactly. */
const minExact = 0.8;

/**
 * The shift, in whole and half hours, that fits the most pairs; in quarters if nearly all fit only there. If two fit the same number,
 * the more exact one, then the smaller one.
 *
 * @param differences the time of each sale in the statement minus that in the tracker, in milliseconds
 * @returns undefined if each shift fits fewer than three pairs, or less than a third of them
 */
export function findZoneShift(differences: readonly number[]): ZoneShift | undefined {
  const timed = differences.length;
  const byMinute = groupBy(differences, (difference) => Math.round(difference / minuteMs));
  const countNear = (minutes: number, within: number) =>
    sum(Array.from({ length: 2 * within + 1 }, (_, index) => byMinute.get(minutes - within + index)?.length ?? 0));
  const shifts = Array.from({ length: (2 * maxMinutes) / 15 + 1 }, (_, index) => index * 15 - maxMinutes)
    .map((minutes) => ({ minutes, fits: countNear(minutes, maxOff), exact: countNear(minutes, maxOffExact) }))
    .sort(
      (one, other) =>
        other.fits - one.fits || other.exact - one.exact || Math.abs(one.minutes) - Math.abs(other.minutes),
    );
  const half = at(
    shifts.filter(({ minutes }) => minutes % 30 === 0),
    0,
  );
  const quarter = shifts.find(
    ({ minutes, exact }) => minutes % 30 !== 0 && exact >= minExact * timed && exact > half.exact,
  );
  const [minutes, fits] = quarter ? [quarter.minutes, quarter.exact] : [half.minutes, half.fits];
  return fits < minPairs || fits * 3 < timed ? undefined : { minutes, fits, timed };
}

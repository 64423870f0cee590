import { dayMs, hourMs } from '../api/durations.ts';
import { at, countInFront, sum } from './statistics/history.ts';
import type { SaleTimes } from './timed-sales.ts';

/** Since when delays are so many times as long as before, and so much longer, and the deviation of the logarithm of that. */
export interface Growth {
  readonly since: number;
  readonly times: number;
  readonly later: number;
  readonly deviation: number;
}

/** Delays that are as they were. */
export const steady: Growth = { since: Number.POSITIVE_INFINITY, times: 1, later: 0, deviation: 0 };

/** The lengths of the last days whose visits may have other delays than those before. */
const recentDays = [2, 3, 5, 7, 10, 14];

/** Delays have changed if a change fits so much better, in squared deviations: by chance in 1 of 100 cases, over all lengths. */
const minGain = 9;

/** The ranks of delays alone must be so many deviations off, because traffic changes too. */
const minDeviations = 2;

/** The relative variance of the traffic of a day. */
const trafficVariance = 0.04;

/** With fewer sales of recent visits, no change can be seen. More than the most add nothing. */
const recentSales = { min: 6, max: 1000 };

/** With fewer sales, delays grow as those of the network do. */
const minGrown = 40;

/** The ages of recent visits are taken in so many steps. */
const ageSteps = 48;

/** The logarithms of how many times as long delays may be. */
const growths = Array.from({ length: 61 }, (_, index) => -2.5 + index * 0.1);

/**
 * Finds out since when delays are longer or shorter, by two signs. A recent visit shows only its quick sales, so each delay is compared
 * with those of before that are as short as its visit is old: its rank among them is even from 0 to 1 if nothing changed. And if
 * delays grew, there are fewer sales so far than usual.
 * @param canBeLonger whether sales began long enough ago for that; that they are held back shows sooner
 */
export function growthOf(
  sales: readonly SaleTimes[],
  from: number,
  now: number,
  trafficBetween: (from: number, to: number) => number,
  canBeLonger: boolean,
): Growth | undefined {
  if (sales.length < minGrown) return undefined;
  const held = heldBack(sales, from, now, trafficBetween);
  if (held || !canBeLonger) return held;
  let found: Growth | undefined;
  let most = minGain;
  for (const days of recentDays) {
    const since = now - days * dayMs;
    const [ofRecent, before] = [
      sales.filter(({ visited }) => visited >= since),
      sales.filter(({ booked }) => booked < since),
    ];
    const [recent, earlier] = [thinned(ofRecent), thinned(before)];
    if (recent.length < recentSales.min || earlier.length < 2 * recentSales.min) continue;
    const delays = Float64Array.from(earlier, ({ visited, booked }) => booked - visited).sort();
    if (!(Math.abs(deviationsOf(recent, delays, 1, now)) > minDeviations)) continue;
    const perTime = before.length / trafficBetween(from, since);
    const step = (days * dayMs) / ageSteps;
    const traffic = Array.from({ length: ageSteps }, (_, index) =>
      trafficBetween(now - (index + 1) * step, now - index * step),
    );
    const misfitOf = (times: number) => {
      let usual = 0;
      for (const [index, visits] of traffic.entries())
        usual += visits * countBelow(delays, ((index + 0.5) * step) / times);
      usual *= perTime / delays.length;
      const fewer = (ofRecent.length - usual) ** 2 / (usual + (trafficVariance / days) * usual ** 2 + 0.1);
      return deviationsOf(recent, delays, times, now) ** 2 + fewer;
    };
    const misfits = growths.map((log) => misfitOf(Math.exp(log)));
    const least = Math.min(...misfits.filter((misfit) => !Number.isNaN(misfit)));
    if (!(misfitOf(1) - least > most)) continue;
    most = misfitOf(1) - least;
    const weights = misfits.map((misfit) => (Number.isNaN(misfit) ? 0 : Math.exp((least - misfit) / 2)));
    const all = sum(weights);
    const mean = sum(weights.map((weight, index) => weight * at(growths, index))) / all;
    const variance = sum(weights.map((weight, index) => weight * (at(growths, index) - mean) ** 2)) / all;
    found = { since, times: Math.exp(mean), later: 0, deviation: Math.sqrt(variance) };
  }
  return found;
}

/** Sales of so many last days, held back since some of the days before them, are so many. */
const heldDays = { booked: 1, before: 5 };
const minHeld = 20;

/** As many come in as usual, about: otherwise they stopped, and what comes in are the late ones of before. */
const minPartOfUsual = 0.6;

/** Nearly all of them are as late as this part of those before was not. */
const [nearlyAll, minQuicker] = [0.05, 0.5];

/** What is later by less hardly moves sales from one day to another. */
const minLater = 6 * hourMs;

/** Since the last quick one there was at least this part of the usual traffic: where it ended, only late sales go on to come. */
const minTraffic = 0.25;

/** The relative deviation of what is told of delays that are longer by as much each. */
const deviationOfHeld = 0.1;

/** Sales that go on to come in, none of them soon: postbacks that are sent or taken later, each by about as much. */
function heldBack(
  sales: readonly SaleTimes[],
  from: number,
  now: number,
  trafficBetween: (from: number, to: number) => number,
): Growth | undefined {
  const [start, until] = [now - heldDays.booked * dayMs, now - heldDays.before * dayMs];
  const [recent, before] = [
    sales.filter(({ booked }) => booked >= start),
    sales.filter(({ booked }) => booked < until),
  ];
  const usual = (before.length / trafficBetween(from, until)) * trafficBetween(start, now);
  if (recent.length < Math.max(minHeld, minPartOfUsual * usual) || before.length < minHeld) return undefined;
  const [late, quick] = [recent, before].map((some) =>
    Float64Array.from(some, ({ visited, booked }) => booked - visited).sort(),
  );
  const least = late?.[Math.floor(nearlyAll * late.length)] ?? 0;
  const later = least - (quick?.[Math.floor(nearlyAll * quick.length)] ?? 0);
  if (!quick || countBelow(quick, least) < minQuicker * quick.length || later < minLater) return undefined;
  const ofQuick = sales.filter(({ visited, booked }) => booked - visited < least / 2);
  const since = ofQuick.reduce((latest, { visited }) => Math.max(latest, visited), from);
  if (trafficBetween(since, now) < minTraffic * (now - since)) return undefined;
  return { since, times: 1, later, deviation: deviationOfHeld };
}

function thinned(sales: readonly SaleTimes[]): readonly SaleTimes[] {
  const step = Math.ceil(sales.length / recentSales.max);
  return step <= 1 ? sales : sales.filter((_, index) => index % step === 0);
}

/** Delays that differ less are of one rank: some lists show whole hours or days. */
const tieMs = 60_000;

/** By how many deviations the ranks of delays are too high, if delays are `times` as long as those of before, in order. */
function deviationsOf(recent: readonly SaleTimes[], delays: Float64Array, times: number, now: number): number {
  let [ranks, count] = [0, 0];
  for (const { visited, booked } of recent) {
    const shorter = countBelow(delays, (now - visited) / times + tieMs);
    if (shorter === 0) continue;
    const delay = (booked - visited) / times;
    const rank = (countBelow(delays, delay - tieMs) + countBelow(delays, delay + tieMs)) / 2;
    ranks += Math.min((rank + 0.5) / (shorter + 1), 1);
    count += 1;
  }
  if (count < recentSales.min) return Number.NaN;
  // The delays of before are a sample too.
  return (ranks / count - 0.5) * Math.sqrt(12 / (1 / count + 1 / delays.length));
}

const countBelow = (sorted: Float64Array, value: number): number =>
  countInFront(sorted.length, (index) => (sorted[index] ?? 0) < value);

import { likelihoodOfShare } from '../statistics/entropy.ts';

/** Visits or sales: all, those with a fault, the money of these, and of all. */
export interface FaultCount {
  of: number;
  bad: number;
  money: number;
  worth: number;
}

/** By the number of days since the first that is read. Days without any are missing. */
export type DayCounts = FaultCount[];

const none = (): FaultCount => ({ of: 0, bad: 0, money: 0, worth: 0 });

function addTo(sum: FaultCount, { of, bad, money, worth }: FaultCount): void {
  sum.of += of;
  sum.bad += bad;
  sum.money += money;
  sum.worth += worth;
}

export function countOn(days: DayCounts, day: number, isBad: boolean, money: number): void {
  days[day] ??= none();
  const sum = days[day];
  sum.of += 1;
  sum.worth += money;
  if (!isBad) return;
  sum.bad += 1;
  sum.money += money;
}

/** The sum of the days from one on, up to another. */
export function sumOf(days: DayCounts, from = 0, to = days.length): FaultCount {
  let [of, bad, money, worth] = [0, 0, 0, 0];
  for (let day = Math.max(from, 0); day < to; day += 1) {
    const count = days[day];
    if (!count) continue;
    of += count.of;
    bad += count.bad;
    money += count.money;
    worth += count.worth;
  }
  return { of, bad, money, worth };
}

/** The counts of each day together. */
export function together(some: readonly DayCounts[]): DayCounts {
  const all: DayCounts = [];
  for (const days of some)
    for (let day = 0; day < days.length; day += 1) {
      const count = days[day];
      if (!count) continue;
      const sum = all[day] ?? none();
      all[day] = sum;
      addTo(sum, count);
    }
  return all;
}

/** The bad visits of some days among all visits. */
export const among = (bad: DayCounts, all: DayCounts): DayCounts =>
  all.map((count, day) => ({ ...count, bad: bad[day]?.bad ?? 0, money: bad[day]?.money ?? 0 }));

/** All visits of some days as bad ones, or those that were not. */
export const allBad = (days: DayCounts): DayCounts => days.map((day) => ({ ...day, bad: day.of, money: day.worth }));
export const othersBad = (days: DayCounts): DayCounts =>
  days.map((day) => ({ ...day, bad: day.of - day.bad, money: day.worth - day.money }));

export const shareOf = ({ bad, of }: FaultCount): number => (of === 0 ? 0 : bad / of);

interface RisenShare {
  /** The first day with the fault after the share of bad visits rose; undefined if there is none. */
  readonly since: number | undefined;
  readonly isOlder: boolean;
  readonly before: FaultCount & { readonly days: number };
  readonly after: FaultCount & { readonly days: number };
}

/** A rise of the share on one of two weeks of days that chance brings less than once in 100,000 campaigns. */
const sureGain = 18;

/** Finds the day on which the share of bad visits rose: the one that splits the days into the two most different parts. */
export function changeIn(days: DayCounts, minGain = sureGain): RisenShare {
  const split = risenOn(days, minGain);
  const since = days.findIndex((count, day) => day >= split && count !== undefined && count.bad > 0);
  const first = days.findIndex((count) => count !== undefined);
  const countDays = (some: DayCounts) => some.reduce((count) => count + 1, 0);
  const daysBefore = split === 0 ? 0 : countDays(days.slice(0, split));
  return {
    ...{ since: since < 0 ? undefined : since, isOlder: since >= 0 && since === first },
    before: { ...sumOf(days, 0, split), days: daysBefore },
    after: { ...sumOf(days, split), days: countDays(days) - daysBefore },
  };
}

/** The day from which on the share is another one; 0 if no day is. */
function risenOn(days: DayCounts, minGain: number): number {
  const whole = sumOf(days);
  let [split, best] = [0, likelihoodOfShare(whole.bad, whole.of) + minGain];
  // No two shares are likelier than certain.
  if (best >= 0) return split;
  const before = { of: 0, bad: 0 };
  days.forEach(({ of, bad }, day) => {
    const after = { of: whole.of - before.of, bad: whole.bad - before.bad };
    const likely = likelihoodOfShare(before.bad, before.of) + likelihoodOfShare(after.bad, after.of);
    if (likely > best && after.bad * before.of > before.bad * after.of) [split, best] = [day, likely];
    before.of += of;
    before.bad += bad;
  });
  return split;
}

/** A share that is this many standard errors above the usual one is not chance: one in three million. */
const minErrors = 5;

/** Whether so many bad visits are more than chance makes of a usual share. */
export function isBeyondChance({ bad, of }: FaultCount, usual: number): boolean {
  return of > 0 && bad - of * usual > minErrors * Math.sqrt(of * usual * (1 - usual));
}

/** The median of what is above 0 in some lists; 0 if nothing is. Sorts by number, and fast: joined by `flat`, they would take longer. */
export function medianOf(...lists: readonly (readonly number[])[]): number {
  const paid = new Float64Array(lists.reduce((count, { length }) => count + length, 0));
  let filled = 0;
  for (const list of lists) {
    paid.set(list, filled);
    filled += list.length;
  }
  paid.sort();
  const first = paid.findIndex((number) => number > 0);
  return first < 0 ? 0 : (paid[first + Math.floor((paid.length - first) / 2)] ?? 0);
}
